"""Evolution against the theses, MuJoCo and a framework of modular robots; and what keeping a run costs."""

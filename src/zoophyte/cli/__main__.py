"""`python -m zoophyte.cli` is the command line, as `python -m zoophyte` is."""

from zoophyte.cli.main import run

if __name__ == "__main__":
    run()

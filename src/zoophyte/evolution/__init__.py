"""Many lives: genomes, tasks, selection, and runs that survive."""

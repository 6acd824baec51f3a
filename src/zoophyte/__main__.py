"""`python -m zoophyte` is the command line."""

from zoophyte.cli.main import run

if __name__ == "__main__":
    run()

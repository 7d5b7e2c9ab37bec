"""Run the command line with `python -m dxjudge`."""

# Absolute, as in the face: type checkers that check the tests find this file as a module of its
# own, outside the package.
from dxjudge.cli.main import main

if __name__ == "__main__":
    main()

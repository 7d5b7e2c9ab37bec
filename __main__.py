"""Run the command line with `python -m dxjudge`."""

# The import is absolute, as in __init__.py: when type checkers check the tests, they read this
# file as a module outside the package.
from dxjudge.cli.main import main

if __name__ == "__main__":
    main()

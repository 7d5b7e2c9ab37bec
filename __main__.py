"""Run the command line with `python -m dxjudge`."""

from .cli.main import main

if __name__ == "__main__":
    main()

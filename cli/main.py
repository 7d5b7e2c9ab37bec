"""The `dxjudge` command: its subcommands and how errors become exit codes."""


def main() -> None:
    """Run the command line."""
    raise SystemExit(0)

"""The `dxjudge` command: its subcommands and how errors become exit codes.

Exit codes: 0 done, 1 internal error, 2 usage, 3 some rows failed, 4 input unreadable,
5 output unwritable, 6 environment, 7 budget reached, 130 interrupted, 141 the reader of
standard output went away.
"""

import os
import sys
import traceback
import warnings
from collections.abc import Sequence
from typing import Annotated, TextIO

import typer

from ..errors import DxjudgeError
from .agree_command import agree
from .cache_commands import app as cache
from .command import Command
from .compare_judges_command import compare_judges
from .curate_command import curate
from .evaluate_command import evaluate
from .judge_command import judge_rows
from .map_command import map_file
from .search_command import search
from .show_command import show
from .sources_command import app as sources
from .steps_command import list_steps
from .stress_command import stress

INTERRUPTED = 130
_READER_GONE = 141  # what a shell reports of a command that a closed pipe ended

app = typer.Typer(
    name="dxjudge",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode="rich",
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog="Exit codes: 0 done, 2 usage, 3 some rows failed, 4 input unreadable, 5 output "
    "unwritable, 6 environment, 7 budget reached, 130 interrupted.",
)
app.command("agree", cls=Command)(agree)
app.command("compare-judges", cls=Command)(compare_judges)
app.command("curate", cls=Command)(curate)
app.command("evaluate", cls=Command)(evaluate)
app.command("judge", cls=Command)(judge_rows)
app.command("map", cls=Command)(map_file)
app.command("search", cls=Command)(search)
app.command("show", cls=Command)(show)
app.command("steps", cls=Command)(list_steps)
app.command("stress", cls=Command)(stress)
app.add_typer(cache, name="cache")
app.add_typer(sources, name="sources")


def _print_version(wanted: bool) -> None:
    if wanted:
        from importlib.metadata import version

        typer.echo(f"dxjudge {version('dxjudge')}")
        raise typer.Exit


@app.callback()
def dxjudge(
    version: Annotated[
        bool,
        typer.Option(
            "--version", callback=_print_version, is_eager=True, help="Print the version."
        ),
    ] = False,
    debug: Annotated[
        bool, typer.Option("--debug", help="Print the traceback of an error, with any command.")
    ] = False,
) -> None:
    """LLM judges and ICD-10 mapping for the evaluation of diagnosis models.

    Examples:
      dxjudge map diagnoses.csv -o mapped.csv
      dxjudge search "heart attack"
      dxjudge show J44.9
      dxjudge sources add mondo
    """


def main() -> None:
    """Run the command line of this process."""
    sys.exit(run(sys.argv[1:]))


def run(arguments: Sequence[str]) -> int:
    """Run a command line and return its exit code; errors are one line on standard error."""
    debug = "--debug" in arguments
    rest = [each for each in arguments if each != "--debug"]
    warnings.showwarning = _show_warning
    try:
        code = _invoke(rest)
        sys.stdout.flush()
        return code
    except BrokenPipeError:
        # Nobody reads what is left, and the interpreter must not try to flush it at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return _READER_GONE
    except KeyboardInterrupt:
        _say("interrupted")
        return INTERRUPTED
    except Exception as error:
        if debug:
            traceback.print_exc()
        elif isinstance(error, DxjudgeError):
            _say(str(error))
        else:
            _say(f"internal error: {type(error).__name__}: {error}; --debug shows where")
        return error.exit_code if isinstance(error, DxjudgeError) else 1


def _invoke(arguments: list[str]) -> int:
    try:
        app(arguments, prog_name="dxjudge")
    except SystemExit as stop:
        if isinstance(stop.__context__, BrokenPipeError):  # to Typer it is exit code 1
            raise stop.__context__ from None
        if stop.code == INTERRUPTED and _interrupted(stop):  # Typer says nothing of it
            raise KeyboardInterrupt from None
        return stop.code if isinstance(stop.code, int) else 0
    return 0


def _interrupted(stop: SystemExit) -> bool:
    held: BaseException | None = stop
    while held is not None and not isinstance(held, KeyboardInterrupt):
        held = held.__context__
    return held is not None


def _say(text: str) -> None:
    line = " ".join(text.split())
    print(f"dxjudge: {line}", file=sys.stderr)


def _show_warning(
    message: Warning | str,
    category: type[Warning],
    filename: str,
    lineno: int,
    file: TextIO | None = None,
    line: str | None = None,
) -> None:
    """Our own warnings as one line; those of libraries are not for the user."""
    package = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    if issubclass(category, UserWarning) and filename.startswith(package + os.sep):
        _say(f"warning: {message}")

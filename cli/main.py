"""The `dxjudge` command: its subcommands, its signals, and the exit codes of errors."""

import os
import signal
import sys
import traceback
import warnings
from collections.abc import Sequence
from functools import lru_cache
from io import TextIOWrapper
from types import FrameType
from typing import Annotated, Any, TextIO

import typer

from ..errors import DxjudgeError
from .agree_command import agree
from .answer_command import answer
from .check_table_command import check_table
from .command import Command
from .compare_judges_command import compare_judges
from .curating.group import app as curate
from .evaluate_command import evaluate
from .examples_command import copy_examples
from .exit_codes import INTERNAL, INTERRUPTED, MEANINGS, READER_GONE
from .judge_command import judge_rows
from .kept.batch_commands import app as batch
from .kept.cache_commands import app as cache
from .leaderboard_command import leaderboard
from .map_command import map_file
from .mcp_command import mcp
from .pages.rate_command import rate
from .pages.review_command import review
from .pages.view_command import view
from .power_command import power
from .providers_command import list_providers
from .search_command import search
from .serve_command import serve
from .show_command import show
from .sources_command import app as sources
from .steps_command import list_steps
from .strengths_command import strengths
from .stress_command import stress
from .table_commands import app as table

_CODES, _JUDGES, _EVALUATIONS, _PAGES, _SERVICES, _KEPT, _START = (
    "Diagnoses to codes", "Judges", "Whole evaluations", "Pages", "Services", "What is kept",
    "To start with",
)  # fmt: skip

app = typer.Typer(
    name="dxjudge",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode="rich",
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog="Exit codes: "
    + "; ".join(f"{code} {meaning}" for code, meaning in MEANINGS.items())
    + ".",
)
app.command("map", cls=Command, rich_help_panel=_CODES)(map_file)
app.command("search", cls=Command, rich_help_panel=_CODES)(search)
app.command("show", cls=Command, rich_help_panel=_CODES)(show)
app.add_typer(sources, name="sources", rich_help_panel=_CODES)
app.add_typer(table, name="table", rich_help_panel=_CODES)
app.command("steps", cls=Command, rich_help_panel=_JUDGES)(list_steps)
app.command("providers", cls=Command, rich_help_panel=_JUDGES)(list_providers)
app.command("judge", cls=Command, rich_help_panel=_JUDGES)(judge_rows)
app.command("agree", cls=Command, rich_help_panel=_JUDGES)(agree)
app.command("strengths", cls=Command, rich_help_panel=_JUDGES)(strengths)
app.command("stress", cls=Command, rich_help_panel=_JUDGES)(stress)
app.command("answer", cls=Command, rich_help_panel=_EVALUATIONS)(answer)
app.command("evaluate", cls=Command, rich_help_panel=_EVALUATIONS)(evaluate)
app.command("compare-judges", cls=Command, rich_help_panel=_EVALUATIONS)(compare_judges)
app.command("check-table", cls=Command, rich_help_panel=_EVALUATIONS)(check_table)
app.command("leaderboard", cls=Command, rich_help_panel=_EVALUATIONS)(leaderboard)
app.command("power", cls=Command, rich_help_panel=_EVALUATIONS)(power)
app.add_typer(curate, name="curate", rich_help_panel=_EVALUATIONS)
app.command("review", cls=Command, rich_help_panel=_PAGES)(review)
app.command("rate", cls=Command, rich_help_panel=_PAGES)(rate)
app.command("view", cls=Command, rich_help_panel=_PAGES)(view)
app.command("serve", cls=Command, rich_help_panel=_SERVICES)(serve)
app.command("mcp", cls=Command, rich_help_panel=_SERVICES)(mcp)
app.add_typer(cache, name="cache", rich_help_panel=_KEPT)
app.add_typer(batch, name="batch", rich_help_panel=_KEPT)
app.command("examples", cls=Command, rich_help_panel=_START)(copy_examples)


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
            "--version", callback=_print_version, is_eager=True, help="Print the version and exit."
        ),
    ] = False,
    debug: Annotated[
        bool,
        typer.Option("--debug", help="Print the traceback of an error. Works with every command."),
    ] = False,
) -> None:
    """LLM judges and ICD-10 mapping for the evaluation of diagnosis models.

    Examples:
      dxjudge map diagnoses.csv -o mapped.csv
      dxjudge search "heart attack"
      dxjudge judge judge_equivalence pairs.csv -o out.csv --engine rules
      dxjudge evaluate cases.jsonl model_a.jsonl model_b.jsonl -o out
    """


def main() -> None:
    """Run the command line of this process."""
    if isinstance(sys.stdout, TextIOWrapper):
        forgive(sys.stdout)
    for name in ("SIGTERM", "SIGHUP"):
        number = getattr(signal, name, None)  # Windows has no HUP
        # A signal that is ignored stays ignored: under nohup a run outlives its terminal.
        if number is not None and signal.getsignal(number) is signal.SIG_DFL:
            signal.signal(number, _interrupt)
    sys.exit(run(sys.argv[1:]))


def forgive(stream: TextIOWrapper) -> None:
    """Let a stream show a sign that it cannot hold as "?", and not end the command.

    A pipe on Windows cannot hold every sign, and none holds half a surrogate pair; in the C locale
    Python writes only some of these.
    """
    if stream.errors in ("strict", "surrogateescape"):
        stream.reconfigure(errors="replace")


def _interrupt(number: int, frame: FrameType | None) -> None:
    """End as after ctrl-C, so that the finished items are kept."""
    handler = signal.getsignal(signal.SIGINT)
    if not callable(handler):  # a shell starts background jobs with INT ignored
        raise KeyboardInterrupt
    handler(signal.SIGINT, frame)


def run(arguments: Sequence[str]) -> int:
    """Run a command line and return its exit code; an error prints one line on standard error."""
    debug = "--debug" in arguments
    rest = [argument for argument in arguments if argument != "--debug"]
    warnings.showwarning = _show_warning
    try:
        code = _invoke(rest)
        sys.stdout.flush()
        return code
    except BrokenPipeError:
        # Nobody reads the rest, and the interpreter must not try to flush it at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return READER_GONE
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
        return error.exit_code if isinstance(error, DxjudgeError) else INTERNAL


def _invoke(arguments: list[str]) -> int:
    try:
        _commands()(arguments, prog_name="dxjudge")
    except SystemExit as stop:
        if isinstance(stop.__context__, BrokenPipeError):  # Typer makes it exit code 1
            raise stop.__context__ from None
        if stop.code == INTERRUPTED and _interrupted(stop):  # Typer hides it
            raise KeyboardInterrupt from None
        return stop.code if isinstance(stop.code, int) else 0
    return 0


@lru_cache
def _commands() -> Any:
    """Read the options of all commands; for a program that runs several lines, only once."""
    return typer.main.get_command(app)


def _interrupted(stop: SystemExit) -> bool:
    cause: BaseException | None = stop
    while cause is not None and not isinstance(cause, KeyboardInterrupt):
        cause = cause.__context__
    return cause is not None


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
    """Print a warning of this package as one line; do not show the warnings of libraries."""
    package = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    if issubclass(category, UserWarning) and filename.startswith(package + os.sep):
        _say(f"warning: {message}")

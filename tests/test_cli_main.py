"""The command as a whole, and the two commands that look things up."""

import json
import os
import re
import subprocess
import sys
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import typer

import dxjudge
from dxjudge.cli import main
from dxjudge.cli.exit_codes import MEANINGS
from dxjudge.cli.main import app, run
from dxjudge.errors import DxjudgeError
from dxjudge.ontology.tree import load_tree

COMMANDS = [command.name for command in app.registered_commands]


@pytest.fixture
def width(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "100")
    monkeypatch.setenv("TERMINAL_WIDTH", "100")


@pytest.mark.usefixtures("width")
def test_help_names_every_command_with_examples(capfd: pytest.CaptureFixture[str]) -> None:
    assert run(["--help"]) == 0
    said = capfd.readouterr().out
    assert "Exit codes: 0 done" in said
    groups = [group.name for group in app.registered_groups]
    assert {"map", "search", "show", "cache"} <= {*COMMANDS, *groups}
    for name in (*COMMANDS, *groups):
        assert f"│ {name} " in said


@pytest.mark.usefixtures("width")
@pytest.mark.parametrize("name", COMMANDS)
def test_help_of_every_command_shows_examples(name: str, capfd: pytest.CaptureFixture[str]) -> None:
    assert run([name, "--help"]) == 0
    said = capfd.readouterr().out
    assert "Example" in said
    assert f"dxjudge {name}" in said.split("Example", 1)[1]


def test_prints_its_version(capfd: pytest.CaptureFixture[str]) -> None:
    assert run(["--version"]) == 0
    assert capfd.readouterr().out == f"dxjudge {dxjudge.__version__}\n"


@pytest.mark.parametrize("arguments", [["nothing"], ["map"], ["show", "J44.9", "--nothing"]])
def test_a_wrong_command_line_is_exit_code_2(
    arguments: list[str], capfd: pytest.CaptureFixture[str]
) -> None:
    assert run(arguments) == 2
    assert "Error" in capfd.readouterr().err


def test_an_error_is_one_line_and_with_debug_a_traceback(
    capfd: pytest.CaptureFixture[str],
) -> None:
    assert run(["show", "J449Z"]) == 2
    said = capfd.readouterr().err
    assert said.startswith("dxjudge: 'J449Z' is not a code of icd10cm; the nearest")
    assert len(said.splitlines()) == 1
    assert run(["show", "J449Z", "--debug"]) == 2
    said = capfd.readouterr().err
    assert said.startswith("Traceback")
    assert "UnknownCode" in said


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["show", "heart attack"], "dxjudge search 'heart attack'"),
        (["evaluate", "a", "b", "-o", "c", "--engine", "rules"], "without --judge, rules"),
    ],
)
def test_what_people_try_elsewhere_says_where_it_is(
    arguments: list[str], said: str, capfd: pytest.CaptureFixture[str]
) -> None:
    assert run(arguments) == 2
    assert said in capfd.readouterr().err


def test_an_internal_error_is_exit_code_1_without_a_traceback(
    capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(arguments: list[str]) -> int:
        raise RuntimeError("two\nlines")

    monkeypatch.setattr(main, "_invoke", broken)
    assert run(["show", "J44"]) == 1
    said = capfd.readouterr().err
    assert said == "dxjudge: internal error: RuntimeError: two lines; --debug shows where\n"


def test_an_interruption_is_exit_code_130(
    capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(arguments: list[str]) -> int:
        raise KeyboardInterrupt

    monkeypatch.setattr(main, "_invoke", interrupted)
    assert run([]) == 130
    assert capfd.readouterr().err == "dxjudge: interrupted\n"


def test_warnings_of_ours_are_one_line_and_others_are_not_shown(
    capfd: pytest.CaptureFixture[str],
) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("always")
        run(["--version"])
        warnings.warn_explicit("the index is damaged", UserWarning, main.__file__, 1)
        warnings.warn_explicit("be careful", UserWarning, "/somewhere/else.py", 1)
        warnings.warn_explicit("old", DeprecationWarning, main.__file__, 1)
    assert capfd.readouterr().err == "dxjudge: warning: the index is damaged\n"


def test_a_reader_that_goes_away_is_no_error() -> None:
    # The page of a chapter is shorter than a pipe, so the pipe is closed before it is written.
    reading, writing = os.pipe()
    os.close(reading)
    done = subprocess.run(
        [sys.executable, "-m", "dxjudge", "show", "2", "--json"],
        stdout=writing,
        stderr=subprocess.PIPE,
        check=False,
    )
    os.close(writing)
    assert (done.returncode, done.stderr) == (141, b"")


# show


def test_show_prints_the_line_from_chapter_to_code(capfd: pytest.CaptureFixture[str]) -> None:
    assert run(["show", "j449"]) == 0
    lines = [line.split() for line in capfd.readouterr().out.splitlines()]
    assert [line[:2] for line in lines[:4]] == [
        ["chapter", "10"],
        ["block", "J40-J4A"],
        ["category", "J44"],
        ["subcategory", "J44.9"],
    ]
    assert "Chronic obstructive lung disease NOS".split() in lines
    assert lines[5][:2] == ["billable:", "yes"]


def test_show_lists_what_is_below(capfd: pytest.CaptureFixture[str]) -> None:
    assert run(["show", "J44"]) == 0
    said = capfd.readouterr().out
    assert "billable: no" in said
    assert "Below:\n  J44.0 " in said
    assert "Includes:\n  asthma with chronic obstructive pulmonary disease" in said
    assert "Not included here (excludes 2):" in said


def test_show_as_json_is_all_that_the_tree_says(capfd: pytest.CaptureFixture[str]) -> None:
    assert run(["show", "A15-A19", "--json"]) == 0
    found = json.loads(capfd.readouterr().out)
    tree = load_tree()
    assert found["kind"] == "block"
    assert found["ancestors"] == [
        {"kind": "chapter", "code": "1", "name": tree.name(tree.node("1"))}
    ]
    children = tree.children(tree.node("A15-A19"))
    assert [child["code"] for child in found["children"]] == [each.code for each in children]
    assert found["notes"].keys() == tree.notes(tree.node("A15-A19")).keys()


def test_show_knows_the_whos_release(capfd: pytest.CaptureFixture[str]) -> None:
    assert run(["show", "J44.9", "--ontology", "icd10"]) == 0
    assert "icd10, " in capfd.readouterr().out
    assert run(["show", "J44.9", "--ontology", "icd12"]) == 2


# search


def test_search_shows_candidates_and_why(
    capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "200")
    assert run(["search", "whooping cough", "-k", "3"]) == 0
    lines = capfd.readouterr().out.splitlines()
    assert lines[1].split() == ["score", "category", "code", "name", "source", "why"]
    first = next(line for line in lines if line.lstrip().startswith("1 "))
    assert first.split()[:4] == ["1", "1.00", "1.00", "A37"]
    assert "same text as the official" in first


def test_search_as_json_holds_scores_in_order(capfd: pytest.CaptureFixture[str]) -> None:
    assert run(["search", "inflamed appendix", "--top-k", "5", "--json"]) == 0
    found = json.loads(capfd.readouterr().out)["candidates"]
    assert len(found) == 5
    scores = [each["score"] for each in found]
    assert scores == sorted(scores, reverse=True)
    assert all(0 <= score <= 1 for score in scores)
    assert any(each["code"].startswith("K3") for each in found)
    assert all(each["why"] for each in found)


def test_search_says_what_map_would_refuse(capfd: pytest.CaptureFixture[str]) -> None:
    assert run(["search", "metformin 500 mg", "--json"]) == 0
    said = capfd.readouterr()
    assert json.loads(said.out)["candidates"]  # still there to be looked at
    assert "without a code: reads like a drug" in said.err
    assert run(["search", "gout"]) == 0
    assert "without a code" not in capfd.readouterr().err


def test_search_says_why_there_is_nothing(capfd: pytest.CaptureFixture[str]) -> None:
    assert run(["search", "???"]) == 0
    assert capfd.readouterr().out == "no candidates: no words in the text\n"
    assert run(["search", "???", "--json"]) == 0
    found = json.loads(capfd.readouterr().out)
    assert (found["candidates"], found["reason"]) == ([], "no words in the text")


def _commands(group: Any, path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], Any]]:
    for name, command in group.commands.items():
        if hasattr(command, "commands"):
            yield from _commands(command, (*path, name))
        else:
            yield (*path, name), command


@pytest.mark.usefixtures("width")
def test_the_help_at_80_columns_shows_each_option_whole_and_every_word(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("TERMINAL_WIDTH", "80")
    for path, command in _commands(typer.main.get_command(app)):
        # Typer takes words in square brackets for markup and shows nothing of them.
        texts = [command.help, *(getattr(one, "help", None) for one in command.params)]
        assert not [text for text in texts if re.search(r"\[[a-z/]", text or "")], path
        assert run([*path, "--help"]) == 0
        words = set(re.findall(r"--[\w-]+", capfd.readouterr().out))
        shown = [one for one in command.params if not getattr(one, "hidden", False)]
        names = {name for one in shown for name in one.opts if name.startswith("--")}
        assert names <= words, (path, names - words)


def _single_options() -> Iterator[tuple[tuple[str, ...], str]]:
    for path, command in _commands(typer.main.get_command(app)):
        for option in command.params:
            if option.param_type_name == "option" and not option.multiple and not option.is_flag:
                yield path, option.opts[0]


@pytest.mark.parametrize(("command", "option"), list(_single_options()))
def test_an_option_of_one_value_that_stands_twice_is_an_error(
    command: tuple[str, ...], option: str, capfd: pytest.CaptureFixture[str]
) -> None:
    # Before, `--column a --column b` used b and said nothing.
    assert run([*command, option, "1", option, "2"]) == 2
    assert capfd.readouterr().err == f"dxjudge: {option} is given 2 times; it takes one value\n"


# exit codes and signals


def test_the_help_lists_commands_by_job_and_every_exit_code(
    capfd: pytest.CaptureFixture[str],
) -> None:
    assert run([]) in (0, 2)
    printed = capfd.readouterr()
    said = printed.out + printed.err
    whole = " ".join(said.split())
    for heading in ("Diagnoses to codes", "Judges", "Whole evaluations", "What is kept"):
        assert f"─ {heading} ─" in said
    for code in (0, 1, 2, 3, 4, 5, 6, 7, 130, 141):
        assert f" {code} {MEANINGS[code]}" in whole


def test_the_page_of_the_commands_lists_every_exit_code() -> None:
    page = (Path(__file__).parent.parent / "docs" / "cli.md").read_text("utf-8")
    for code, meaning in MEANINGS.items():
        assert f"| {code} | {meaning} |" in page
    classes: list[type[DxjudgeError]] = [DxjudgeError, *_below(DxjudgeError)]
    assert {each.exit_code for each in classes} <= MEANINGS.keys()


def _below(kind: type[DxjudgeError]) -> list[type[DxjudgeError]]:
    return [one for each in kind.__subclasses__() for one in (each, *_below(each))]


@pytest.mark.usefixtures("width")
@pytest.mark.parametrize("name", COMMANDS)
def test_examples_of_a_command_fit_80_columns_and_can_be_pasted(name: str) -> None:
    command = next(one for one in app.registered_commands if one.name == name)
    assert command.callback is not None and command.callback.__doc__ is not None
    examples = command.callback.__doc__.split("Examples:", 1)[1].rstrip().splitlines()[1:]
    lines = [line.strip() for line in examples if line.strip()]
    assert all(len(line) <= 76 for line in lines)
    for line, before in zip(lines, ["", *lines], strict=False):
        # A line that goes on from the one before is announced by a backslash, as a shell wants.
        assert (" dxjudge " in f" {line}" or "| dxjudge" in line) != before.endswith("\\"), line

"""The options of a request: on every command that asks a model, on both wires, and in the key."""

import asyncio
import re
from collections.abc import Iterator
from itertools import takewhile
from pathlib import Path
from typing import Any

import pytest
from typer.main import get_command

from dxjudge.agents.engine.call import prepare, spec_fields
from dxjudge.agents.engine.judges import as_judge
from dxjudge.agents.engine.run import Run
from dxjudge.agents.judge import JudgeSpec, parse_judge
from dxjudge.agents.steps import find_step
from dxjudge.cli.main import app
from dxjudge.cli.main import run as dxjudge
from dxjudge.errors import UsageError
from dxjudge.graphs.step import run_step

from .pages import ROOT
from .protocol_server import ProtocolServer

OF_A_RUN = {
    "--timeout", "--rpm", "--tpm", "--prices", "--max-cost", "--max-calls", "--concurrency",
    "--cache", "--cache-mode", "--account", "--log", "--otel",
}  # fmt: skip
OF_A_MODEL = {"--max-tokens", "--reasoning-effort", "--extra-body"}
STEP = find_step("judge_equivalence")
PAIR = {"predicted": "gout", "truth": "podagra"}


def options_by_command(command: Any, name: str = "") -> Iterator[tuple[str, set[str]]]:
    """The long options of each command, as the command line itself has them."""
    inner = getattr(command, "commands", None)
    for own, one in (inner or {}).items():
        yield from options_by_command(one, f"{name} {own}".strip())
    if inner is None:
        yield name, {option for one in command.params for option in one.opts}


def test_the_page_says_which_command_that_asks_models_has_which_option() -> None:
    lines = (ROOT / "docs" / "cli.md").read_text("utf-8").splitlines()
    rows = [line.strip("|").split("|") for line in lines if "|---" not in line]
    first = next(place for place, row in enumerate(rows) if "`--max-calls`" in "".join(row[1:]))
    header, *body = takewhile(lambda row: len(row) > 1, rows[first:])
    columns = [re.findall(r"--[a-z-]+", cell) for cell in header]
    page = {row[0].strip(" `"): [cell.strip() for cell in row] for row in body}
    asking = {n: own for n, own in options_by_command(get_command(app)) if "--max-calls" in own}
    assert page.keys() == asking.keys()
    for name, own in asking.items():
        assert own >= OF_A_RUN | OF_A_MODEL, name
        for parameter in ("temperature", "seed"):
            assert {f"--{parameter}", f"--judge-{parameter}"} & own, name
        for cell, options in zip(page[name], columns, strict=True):
            for option in options:
                assert (option in own) == (cell == "yes"), (name, option)


@pytest.mark.parametrize("wire", ["openai", "anthropic"])
def test_extra_fields_are_in_the_body_of_each_request(wire: str, tmp_path: Path) -> None:
    (tmp_path / "p.csv").write_text("predicted,truth\ngout,podagra\n", "utf-8")
    with ProtocolServer(lambda seen: {"same_disease": "yes"}) as server:
        judge = f"{wire}:m@{server.url if wire == 'openai' else server.root}"
        words = ["judge", STEP.name, tmp_path / "p.csv", "-o", tmp_path / "o.csv"]
        words += ["--judge", judge, "--engine", "llm", "--cache", tmp_path / "c.sqlite"]
        more = ["--extra-body", '{"top_p": 0.5, "service": {"tier": "flex"}}']
        assert dxjudge([*map(str, words), *more]) == 0
        assert server.seen[0].body["top_p"] == 0.5
        assert server.seen[0].body["service"] == {"tier": "flex"}
        # Other fields are another judge; the same in another order are the same.
        same = ["--extra-body", '{"service": {"tier":"flex"}, "top_p": 0.5}']
        assert dxjudge([*map(str, words), *same]) == 0
        assert len(server.seen) == 1
        assert dxjudge([*map(str, words)]) == 0
        assert len(server.seen) == 2 and "top_p" not in server.seen[1].body


def key_of(spec: JudgeSpec) -> str:
    return prepare(STEP, STEP.read_input(PAIR), as_judge(spec)).key


def test_without_the_option_a_key_has_the_fields_that_it_always_had() -> None:
    spec = parse_judge("openai:gpt-4o")
    assert spec_fields(spec) == {
        "provider": "openai", "model": "gpt-4o", "base_url": None, "temperature": None,
        "max_tokens": None, "seed": None, "reasoning_effort": None, "method": "auto",
        "identity": "",
    }  # fmt: skip
    call = prepare(STEP, STEP.read_input(PAIR), as_judge(spec))
    assert set(call.fields) == {
        "step", "version", "prompt", "schema", "judge", "input", "messages", "images", "repeat",
    }  # fmt: skip
    assert key_of(spec) == key_of(parse_judge("openai:gpt-4o", extra_body="{}"))
    assert key_of(spec) != key_of(parse_judge("openai:gpt-4o", extra_body='{"top_p": 1}'))


def test_a_spec_with_extra_fields_is_written_and_read() -> None:
    spec = parse_judge("openai:gpt-4o", extra_body='{"top_p": 1}')
    assert JudgeSpec.model_validate(spec.model_dump(mode="json")) == spec
    assert "extra_body" not in parse_judge("openai:gpt-4o").model_dump(mode="json")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{", "is not JSON"),
        ("3", "is not a JSON object"),
        ('{"messages": []}', "sets messages, which dxjudge sets itself"),
    ],
)
def test_extra_fields_that_cannot_be_sent_are_refused(text: str, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        parse_judge("openai:gpt-4o", extra_body=text)


def test_what_is_sent_is_in_the_outcome() -> None:
    with ProtocolServer([{"same_disease": "yes"}]) as server, Run(mode="off") as run:
        spec = parse_judge(server.judge(), extra_body='{"top_p": 1}')
        outcome = asyncio.run(run_step(STEP, PAIR, judge=spec, run=run, engine="llm"))
    assert outcome.judge is not None and outcome.judge.extra == {"top_p": 1}

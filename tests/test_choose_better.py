"""Which of two responses is better: one order, both orders, in commands and in graphs."""

import asyncio
import csv
import json
import re
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from dxjudge.agents.choose_better import CHOOSE_BETTER, Better, settle_orders
from dxjudge.agents.engine.run import Run
from dxjudge.cli.main import app
from dxjudge.errors import UsageError
from dxjudge.graphs.both_orders import both_orders_node, compare_both_orders
from dxjudge.graphs.robust_run import run_robust_sync

from .protocol_server import ProtocolServer, Seen, fail
from .scripted import ask_step, settle

PAIR = {"case": "What is it?", "response_a": "It is gout.", "response_b": "It is lupus."}
CLEAR = {"reason": "Clear.", "better": "A"}


def by_text(seen: Seen) -> Any:
    """A judge without bias: gout is better, wherever it stands."""
    first = seen.user.index("gout") < seen.user.index("lupus")
    return {"reason": "It is gout.", "better": "A" if first else "B"}


def first_shown(seen: Seen) -> Any:
    """A judge that always prefers what stands first."""
    return {"reason": "The first one.", "better": "A"}


def test_the_verdict_names_the_responses_as_given_in_either_order() -> None:
    given, seen = ask_step(CHOOSE_BETTER, PAIR, CLEAR)
    assert (given.value.better, given.value.swapped, given.value.flipped) == ("A", False, None)
    assert seen[0].user.index("gout") < seen[0].user.index("lupus")
    swapped, seen = ask_step(CHOOSE_BETTER, {**PAIR, "swapped": True}, CLEAR)
    assert (swapped.value.better, swapped.value.swapped) == ("B", True)
    assert seen[0].user.index("lupus") < seen[0].user.index("gout")
    tie, _ = ask_step(CHOOSE_BETTER, {**PAIR, "swapped": True}, {**CLEAR, "better": "tie"})
    assert tie.value.better == "tie"


def test_the_prompt_shows_the_reference_where_there_is_one() -> None:
    _, seen = ask_step(CHOOSE_BETTER, {**PAIR, "reference": "Podagra."}, CLEAR)
    assert "Podagra." in seen[0].user
    _, seen = ask_step(CHOOSE_BETTER, PAIR, CLEAR)
    assert "(none)" in seen[0].user


@pytest.mark.parametrize("better", ["C", "a", "", None, 1, "both"])
def test_another_word_is_repaired_or_failed(better: Any) -> None:
    outcome, _ = ask_step(CHOOSE_BETTER, PAIR, {**CLEAR, "better": better}, CLEAR)
    assert (outcome.value.better, outcome.repairs) == ("A", 1)
    outcome, _ = ask_step(CHOOSE_BETTER, PAIR, {**CLEAR, "better": better})
    assert (outcome.status, outcome.kind) == ("failed", "invalid")
    empty, _ = ask_step(CHOOSE_BETTER, PAIR, {**CLEAR, "reason": " "})
    assert empty.status == "failed"


def test_code_decides_what_needs_no_judge() -> None:
    same = settle(CHOOSE_BETTER, {**PAIR, "response_b": " it is  GOUT. "})
    assert (same.status, same.value.better, same.decided_by) == ("done", "tie", "rules")
    for side, other in (("response_a", "B"), ("response_b", "A")):
        outcome, seen = ask_step(CHOOSE_BETTER, {**PAIR, side: " "}, CLEAR)
        assert (outcome.value.better, outcome.decided_by, seen) == (other, "code", [])
        assert "the response is empty" in outcome.value.reason
    none, seen = ask_step(CHOOSE_BETTER, {**PAIR, "response_a": "", "response_b": ""}, CLEAR)
    assert none.status == "abstained" and not seen


@pytest.mark.parametrize(
    ("given", "swapped", "better", "flipped"),
    [
        ("A", "A", "A", False),
        ("B", "B", "B", False),
        ("tie", "tie", "tie", False),
        ("A", "B", "tie", True),
        ("B", "A", "tie", True),
        ("A", "tie", "tie", True),
        ("tie", "B", "tie", True),
    ],
)
def test_a_win_counts_only_in_both_orders(
    given: Any, swapped: Any, better: str, flipped: bool
) -> None:
    verdict = settle_orders(
        Better(better=given, reason="One."), Better(better=swapped, reason="Two.", swapped=True)
    )
    assert (verdict.better, verdict.flipped) == (better, flipped)
    assert verdict.reason == "A shown first: One. B shown first: Two."


def test_both_orders_are_one_outcome_with_the_costs_of_both() -> None:
    other = {**PAIR, "response_a": "It is lupus.", "response_b": "It is gout."}
    same = {**PAIR, "response_b": "It is gout."}
    with ProtocolServer(by_text) as server, Run(mode="off") as run:
        fair: Any = compare_both_orders([PAIR, other, same], judge=server.judge(), run=run)
        assert len(server.seen) == 4
    assert [(one.value.better, one.value.flipped) for one in fair] == [
        ("A", False), ("B", False), ("tie", None),
    ]  # fmt: skip
    assert [one.calls for one in fair] == [2, 2, 0]
    with ProtocolServer(first_shown) as server, Run(mode="off") as run:
        biased: Any = compare_both_orders([PAIR], judge=server.judge(), run=run)[0]
    assert (biased.value.better, biased.value.flipped) == ("tie", True)


def test_half_a_comparison_is_not_a_verdict() -> None:
    def one_order(seen: Seen) -> Any:
        if seen.user.index("gout") > seen.user.index("lupus"):
            return fail(400, "no")
        return CLEAR

    with ProtocolServer(one_order) as server, Run(mode="off", attempts=1) as run:
        outcome: Any = compare_both_orders([PAIR], judge=server.judge(), run=run)[0]
    assert (outcome.status, outcome.kind) == ("failed", "rejected")
    with pytest.raises(UsageError, match="both orders are for choose_better, not for choose_best"):
        compare_both_orders([PAIR], judge="openai:any", step="choose_best")


def test_both_orders_are_a_node_of_a_graph() -> None:
    with ProtocolServer(first_shown) as server, Run(mode="off") as run:
        node = both_orders_node(server.judge(), run=run)
        update = asyncio.run(node({**PAIR, "more": 1}))
    assert update["choose_better"]["value"]["better"] == "tie"
    assert update["choose_better"]["value"]["flipped"] is True


def test_the_stress_change_order_measures_position_bias() -> None:
    for judge, after in ((by_text, "A"), (first_shown, "B")):
        with ProtocolServer(judge) as server, Run(mode="off") as run:
            tried: Any = run_robust_sync(
                CHOOSE_BETTER, [PAIR], judges=[server.judge()], perturb=["order"], run=run
            )[0]
        verdicts = [trial.outcome.value.better for trial in tried.trials if trial.outcome]
        assert verdicts == ["A", after]


def table(path: Path, rows: list[dict[str, Any]]) -> Path:
    path.write_text("".join(f"{json.dumps(row)}\n" for row in rows), encoding="utf-8")
    return path


def judge_table(folder: Path, *options: str, judge: Any = by_text) -> Any:
    rows = [{"id": "o'ne", **PAIR}, {"id": "two", **PAIR, "response_a": "It is gout or lupus."}]
    source = table(folder / "pairs.jsonl", rows)
    with ProtocolServer(judge) as server:
        arguments = ["judge", "choose_better", source, "-o", folder / "out.csv", *options,
                     "--judge", server.judge(), "--cache-mode", "off"]  # fmt: skip
        done = CliRunner().invoke(app, list(map(str, arguments)))
        return done, len(server.seen)


def test_the_command_asks_in_both_orders(tmp_path: Path) -> None:
    done, asked = judge_table(tmp_path, "--both-orders", judge=first_shown)
    assert (done.exit_code, asked) == (0, 4), done.output
    with (tmp_path / "out.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert [row["better"] for row in rows] == ["tie", "tie"]
    assert [row["flipped"].lower() for row in rows] == ["true", "true"]


def test_the_estimate_counts_both_orders(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    done, asked = judge_table(tmp_path, "--both-orders", "--estimate")
    assert (done.exit_code, asked) == (0, 0), done.output
    assert re.search(r"calls +4\b", done.output)


def test_both_orders_are_refused_where_they_mean_nothing(tmp_path: Path) -> None:
    done, _ = judge_table(tmp_path, "--both-orders", "--judge", "openai:other")
    assert isinstance(done.exception, UsageError)
    assert "--both-orders is for one judge" in str(done.exception)

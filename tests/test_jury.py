"""Juries as graphs, against real judges on real sockets."""

import asyncio
import json
from dataclasses import replace
from pathlib import Path
from typing import Any, TypedDict

import pytest
from langchain_openai import ChatOpenAI
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import END, START, StateGraph
from pydantic import BaseModel, SecretStr

import dxjudge
from dxjudge.agents.engine.run import Run
from dxjudge.agents.judge import JudgeSpec
from dxjudge.agents.outcome import Abstained, Done, Failed
from dxjudge.agents.step import Step
from dxjudge.agents.steps import STEPS, find_step
from dxjudge.agents.verdict import Verdict
from dxjudge.errors import AuthenticationFault, InputError, ReplayMiss, UsageError
from dxjudge.graphs.jury.graph import jury_graph, jury_node
from dxjudge.graphs.jury.jurors import HumanVotes
from dxjudge.graphs.jury.result import JuryOutcome, as_outcome, read_jury, write_jury
from dxjudge.graphs.jury.run_jury import run_jury_sync
from dxjudge.graphs.jury.votes_file import write_votes
from dxjudge.graphs.verdicts import read_human
from dxjudge.scoring.votes import Vote

from .evaluation_judge import make_judge
from .protocol_server import ProtocolServer, Seen, fail, refuse
from .scripted import example_rows

PAIR = {"predicted": "heart attack", "truth": "angina pectoris"}
YES, NO = {"same_disease": "yes"}, {"same_disease": "no"}
STEP = "judge_equivalence"


def decide(step: Any, inputs: Any, judges: Any, **options: Any) -> Any:
    with Run(mode="off", attempts=1) as run:
        return run_jury_sync(step, inputs, judges, run=run, **options)


def test_a_majority_of_three_and_every_vote_kept() -> None:
    with ProtocolServer([YES]) as a, ProtocolServer([NO]) as b, ProtocolServer([YES]) as c:
        judges = [a.judge(), b.judge(), c.judge()]
        found = decide(STEP, PAIR, judges)
        turned = decide(STEP, PAIR, judges[::-1])
    assert (found.status, found.verdict, found.value) == ("decided", True, {"equivalent": True})
    assert found.verdicts == turned.verdicts and found.value == turned.value
    assert [vote.judge for vote in found.votes] == judges
    assert [vote.verdict for vote in found.votes] == [True, False, True]
    assert {(vote.tokens_in, vote.tokens_out, vote.cost) for vote in found.votes} == {
        (100, 20, None)
    }


def test_repeats_and_wordings_are_votes_of_their_own() -> None:
    def by_number(seen: Seen) -> Any:
        return YES if seen.number % 2 else NO

    with ProtocolServer(by_number) as a, ProtocolServer([YES]) as b:
        found = decide(STEP, PAIR, [a.judge(), b.judge()], repeats=2, variants=("", "shorten"))
        assert len(a.seen) == len(b.seen) == 4
        asked = {seen.texts[0] for seen in b.seen}
    held = [(vote.repeat, vote.variant) for vote in found.votes if vote.judge == b.judge()]
    assert sorted(held) == [(0, ""), (0, "shorten"), (1, ""), (1, "shorten")]
    assert len(asked) == 2  # the system prompt in two wordings
    # a: two of four say yes; b: four; 6 of 8 > 4
    assert found.verdict is True
    assert dict(found.verdicts[STEP].shares) == {True: 6 / 8, False: 2 / 8}


def test_a_tie_has_no_verdict() -> None:
    with ProtocolServer([YES]) as a, ProtocolServer([NO]) as b:
        found = decide(STEP, PAIR, [a.judge(), b.judge()])
    assert (found.status, found.verdict, found.value) == ("tied", None, None)
    assert found.verdicts[STEP].tied == (False, True)
    outcome = as_outcome(find_step(STEP), PAIR, found)
    assert isinstance(outcome, Failed) and outcome.kind == "tied"


def test_abstentions_and_refusals_are_counted_apart() -> None:
    text = {"response": "There may be several things."}
    none = {"diagnosis": None}
    with (
        ProtocolServer([none]) as a,
        ProtocolServer([none]) as b,
        ProtocolServer([refuse()]) as c,
    ):
        found = decide("extract_final_diagnosis", text, [a.judge(), b.judge(), c.judge()])
    held = found.verdicts["extract_final_diagnosis"]
    assert (held.status, held.done, held.abstained, held.failed) == ("abstained", 0, 2, 1)
    assert found.votes[2].reason.startswith("refused: ")
    step = find_step("extract_final_diagnosis")
    assert isinstance(as_outcome(step, text, found), Abstained)


def test_a_judge_that_fails_is_replaced_by_the_next_that_is_free() -> None:
    broken = fail(400, "no")
    with (
        ProtocolServer([YES]) as good,
        ProtocolServer([broken]) as first,
        ProtocolServer([broken]) as second,
        ProtocolServer([broken]) as spare,
        ProtocolServer([NO]) as other,
        ProtocolServer([YES]) as last,
    ):
        judges = [good.judge(), first.judge(), second.judge()]
        spares = [spare.judge(), other.judge(), last.judge()]
        found = decide(STEP, PAIR, judges, replacements=spares)
        fewer = decide(STEP, PAIR, judges, replacements=spares[:2])
    # first -> spare, second -> other; spare fails too: its seat goes to last.
    assert found.replaced == {
        first.judge(): spare.judge(),
        second.judge(): other.judge(),
        spare.judge(): last.judge(),
    }
    held = found.verdicts[STEP]
    assert (held.done, held.failed, found.verdict) == (3, 0, True)  # yes, no, yes
    assert len(found.votes) == 6
    assert found.votes[-1].groups == {"replaces": spare.judge()}
    assert fewer.verdicts[STEP].failed == 1


def test_the_third_judge_is_asked_only_where_the_first_two_differ() -> None:
    def unless_gout(seen: Seen) -> Any:
        return NO if "gout" in seen.user else YES

    items = [{"predicted": f"disease {n}", "truth": "gout" if n < 2 else "flu"} for n in range(6)]
    with ProtocolServer([YES]) as a, ProtocolServer(unless_gout) as b, ProtocolServer([NO]) as c:
        found = decide(STEP, items, [a.judge(), b.judge(), c.judge()], escalate=True)
        assert [len(server.seen) for server in (a, b, c)] == [6, 6, 2]
    assert [one.escalated for one in found] == [True, True, False, False, False, False]
    assert [one.verdict for one in found] == [False, False, True, True, True, True]
    assert [len(one.votes) for one in found] == [3, 3, 2, 2, 2, 2]


def test_a_failure_among_the_first_two_calls_the_third_unless_it_was_replaced() -> None:
    with (
        ProtocolServer([YES]) as a,
        ProtocolServer([fail(400, "no")]) as b,
        ProtocolServer([YES]) as c,
        ProtocolServer([YES]) as spare,
    ):
        judges = [a.judge(), b.judge(), c.judge()]
        found = decide(STEP, PAIR, judges, escalate=True)
        assert found.escalated and len(c.seen) == 1 and found.verdict is True
        found = decide(STEP, PAIR, judges, escalate=True, replacements=[spare.judge()])
        assert not found.escalated and len(c.seen) == 1 and found.verdict is True


def test_people_and_rules_sit_beside_a_model(tmp_path: Path) -> None:
    file = tmp_path / "people.csv"
    votes = [
        Vote("a", STEP, "Ann", verdict=False, explanation="another organ"),
        Vote("a", STEP, "Ben", verdict=False),
        Vote("b", STEP, "Ann", verdict=True),
    ]
    write_votes(file, votes)
    items = [PAIR, {"predicted": "Gout", "truth": "gout"}]
    with ProtocolServer([YES]) as server:
        judges = [server.judge(), "rules", f"human:{file}"]
        first, second = decide(STEP, items, judges, cases=["a", "b"])
        same = decide(STEP, items, [*judges[:2], HumanVotes(tuple(votes))], cases=["a", "b"])
    assert [vote.judge for vote in first.votes][1:] == ["rules", "human:Ann", "human:Ben"]
    # model yes, rules undecided (failed), Ann no, Ben no: 2 of 3, quorum 3 of 4
    assert first.verdict is False and first.verdicts[STEP].failed == 1
    assert first.votes[2].explanation == "another organ"
    # model yes, rules yes, Ann yes; Ben has no vote in the file
    assert second.verdict is True
    assert second.votes[3].reason == "no vote in the file"
    assert [one.verdicts for one in same] == [first.verdicts, second.verdicts]


@pytest.mark.parametrize(
    ("votes", "told"),
    [
        ([Vote("1", STEP, "Ann", verdict="yes")], "Ann on case 1 in judge_equivalence is 'yes'"),
        ([Vote("1", "grade_ddx", "Ann", verdict=4)], "has no vote on the step judge_equiv"),
        (
            [Vote("1", STEP, "Ann", verdict=True), Vote("1", STEP, "Ann", 1, verdict=True)],
            "Ann has two votes on case 1",
        ),
    ],
)
def test_votes_of_people_that_do_not_fit_are_said(votes: Any, told: str) -> None:
    with pytest.raises(InputError, match=told):
        jury_graph(STEP, [HumanVotes(tuple(votes))])


def test_a_persons_letters_and_lists_may_be_written_freely() -> None:
    options = find_step("match_option")
    said = read_human(options, Vote("1", "match_option", "Ann", verdict="c, A"))
    value = options.read_value({}, {"letters": ["A", "C"]})
    assert said.verdict == options.demand_verdict().of(None, value)[""].verdict == "A,C"
    ddx = find_step("extract_ddx")
    said = read_human(ddx, Vote("1", "extract_ddx", "Ann", verdict="TTP;Gout"))
    value = ddx.read_value({}, {"diagnoses": ["Thrombotic thrombocytopenic purpura", "gout"]})
    assert said.verdict == ddx.demand_verdict().of(None, value)[""].verdict


def test_every_step_says_what_its_votes_are() -> None:
    assert all(step.verdict is not None for step in STEPS)


def test_a_person_who_does_not_tell_every_field_decides_without_a_result() -> None:
    votes = (Vote("1", "translate_diagnosis", "Ann", verdict="Gout"),)
    found = decide("translate_diagnosis", {"diagnosis": "Gicht"}, [HumanVotes(votes)])
    assert (found.status, found.verdict, found.value) == ("decided", "gout", None)


def test_a_rubric_is_voted_on_dimension_by_dimension() -> None:
    inputs = {"case": "c", "reference": "r", "response": "psoriasis for many reasons"}
    with ProtocolServer(make_judge(0)) as a, ProtocolServer(make_judge(1)) as b:
        with ProtocolServer(make_judge(2)) as c:
            judges = [a.judge(), b.judge(), c.judge()]
            found = decide("score_rubric", inputs, judges, rule="median")
            mean = decide("score_rubric", inputs, judges, rule="mean")
    assert len(found.verdicts) == 5 and found.verdict is None
    by_name: dict[str, list[Any]] = {}
    for vote in found.votes:
        by_name.setdefault(vote.step, []).append(vote.verdict)
    for name, held in found.verdicts.items():
        assert held.verdict == sorted(by_name[name])[1]
    factors = {"medical_knowledge": 1.25}
    value = find_step("score_rubric").read_value(inputs, dict(found.value or {}))
    for name, dimension in value.dimensions.items():  # type: ignore[attr-defined]
        assert dimension.raw == found.verdicts[f"score_rubric.{name}"].verdict
        factors[name] = dimension.points / dimension.raw if dimension.raw else 0
    total = sum(
        factors[name] * sum(by_name[f"score_rubric.{name}"]) / 3
        for name in value.dimensions  # type: ignore[attr-defined]
    )
    assert mean.value["total"] == pytest.approx(total)


def test_error_labels_are_voted_on_one_by_one() -> None:
    inputs = {"reference": "It was gout.", "response": "psoriasis for many many reasons"}
    with ProtocolServer(make_judge(0)) as a, ProtocolServer(make_judge(2)) as b:
        with ProtocolServer(make_judge(1)) as c:
            found = decide("label_errors", inputs, [a.judge(), b.judge(), c.judge()])
    assert found.status == "decided" and len(found.verdicts) == 10
    present = {name for name, held in found.verdicts.items() if held.verdict}
    said = {
        name: sum(bool(vote.verdict) for vote in found.votes if vote.step == name)
        for name in found.verdicts
    }
    assert present == {name for name, count in said.items() if count >= 2}
    value = find_step("label_errors").read_value(inputs, dict(found.value or {}))
    assert {f"label_errors.{error.category}" for error in value.errors} == present  # type: ignore[attr-defined]


STEPS_AND_FILES = [
    ("judge_equivalence", "cases.jsonl", "majority"),
    ("judge_equivalence", "cases.jsonl", "unanimous"),
    ("score_free_answer", "pairs.jsonl", "majority"),
    ("score_rubric", "cases.jsonl", "median"),
    ("label_errors", "cases.jsonl", "majority"),
    ("score_open_answer", "open_answers.jsonl", "mean"),
    ("score_open_answer", "open_answers.jsonl", "plurality"),
    ("match_option", "options.jsonl", "majority"),
    ("extract_ddx", "texts.jsonl", "plurality"),
]


def as_pair(row: dict[str, Any]) -> dict[str, Any]:
    if "response_diagnosis" not in row:
        return row
    return {**row, "predicted": row["response_diagnosis"] or "none", "truth": row["diagnosis"]}


@pytest.mark.parametrize(("step", "file", "rule"), STEPS_AND_FILES)
def test_steps_of_every_kind_on_the_examples(step: str, file: str, rule: str) -> None:
    found_step = find_step(step)
    rows = [
        {name: row[name] for name in found_step.input.model_fields if name in row}
        for row in map(as_pair, example_rows(file))
    ][:6]
    with ProtocolServer(make_judge(0)) as a, ProtocolServer(make_judge(1)) as b:
        with ProtocolServer(make_judge(2)) as c:
            judges = [a.judge(), b.judge(), c.judge()]
            found = decide(step, rows, judges, rule=rule)
            turned = decide(step, rows, judges[1:] + judges[:1], rule=rule)
    assert all(vote.status != "failed" for one in found for vote in one.votes)
    for inputs, one, other in zip(rows, found, turned, strict=True):
        assert (one.verdicts, one.value) == (other.verdicts, other.value)
        assert read_jury(json.loads(json.dumps(write_jury(one)))) == one
        if one.status == "decided":
            outcome = as_outcome(found_step, inputs, one)
            assert isinstance(outcome, Done) and outcome.decided_by == "jury"


def test_everything_replays_from_the_cache(tmp_path: Path) -> None:
    items = [{"predicted": f"disease {n}", "truth": "gout"} for n in range(4)]
    options: Any = {"repeats": 2, "cases": list("abcd")}
    with ProtocolServer([YES]) as a, ProtocolServer([NO]) as b:
        judges = [a.judge(), b.judge()]
        with Run(cache=tmp_path / "r.sqlite") as run:
            first: Any = run_jury_sync(STEP, items, judges, run=run, **options)
        asked = len(a.seen) + len(b.seen)
        assert asked == 4 * 2 * 2
        with Run(cache=tmp_path / "r.sqlite", mode="replay") as run:
            again: Any = run_jury_sync(STEP, items, judges, run=run, **options)
            with pytest.raises(ReplayMiss):
                run_jury_sync(STEP, items, judges, run=run, repeats=3)
        assert len(a.seen) + len(b.seen) == asked
    assert [one.verdicts for one in again] == [one.verdicts for one in first]
    assert {vote.tokens_in for one in again for vote in one.votes} == {0}


def test_one_bad_item_does_not_stop_the_others() -> None:
    with ProtocolServer([YES]) as a, ProtocolServer([YES]) as b:
        found = decide(STEP, [PAIR, {"predicted": "x"}], [a.judge(), b.judge()])
        with pytest.raises(UsageError, match="the field truth is missing: fill it in"):
            decide(STEP, {"predicted": "x"}, [a.judge(), b.judge()])
    assert [one.status for one in found] == ["decided", "no_quorum"]
    assert found[1].votes[0].reason.startswith("input: ")


def test_a_rule_that_calculates_is_refused_for_a_step_of_ones_own_too() -> None:
    mine = replace(find_step(STEP), name="mine", prompt=find_step(STEP).prompt_name)
    with ProtocolServer([YES]) as a:
        with pytest.raises(UsageError, match="the rule mean needs numbers"):
            decide(mine, [PAIR], [a.judge()], rule="mean")
        assert not a.seen


class _Twofold(BaseModel):
    level: int
    remark: str


def _own(**fields: Any) -> Step[Any, Any]:
    known: Any = find_step(STEP)
    plain: Any = {"finish": None, "result": None, "verdict": None, "stand_ins": {}}
    return replace(known, name="mine", prompt=STEP, **{**plain, "output": _Twofold, **fields})


def test_a_step_without_a_verdict_is_refused_before_anybody_is_asked() -> None:
    with ProtocolServer([{"level": 2, "remark": "no"}]) as a:
        with pytest.raises(UsageError, match=r"step mine has no verdict .* declare verdict=Verd"):
            decide(_own(), [PAIR], [a.judge()])
        assert not a.seen


def test_a_verdict_of_ones_own_decides_under_every_rule() -> None:
    mine = _own(verdict=Verdict("level", words="remark"))
    with ProtocolServer([{"level": 2, "remark": "a"}]) as a:
        with ProtocolServer([{"level": 2, "remark": "b"}]) as b:
            with ProtocolServer([{"level": 0, "remark": "c"}]) as c:
                judges = [a.judge(), b.judge(), c.judge()]
                majority = decide(mine, PAIR, judges)
                mean = decide(mine, PAIR, judges, rule="mean")
    assert (majority.status, majority.verdict) == ("decided", 2)
    assert majority.value == {"level": 2, "remark": "a"}
    assert [vote.explanation for vote in majority.votes] == ["a", "b", "c"]
    # (2 + 2 + 0) / 3 is no whole number, so the type of the result cannot hold it
    assert (mean.verdict, mean.value) == (4 / 3, None)


def test_a_verdict_that_cannot_be_read_fails_alone() -> None:
    mine = _own(verdict=Verdict("level", write=lambda level: 1 / level))
    with ProtocolServer([{"level": 0, "remark": "a"}]) as a:
        with ProtocolServer([{"level": 4, "remark": "b"}]) as b:
            (found,) = decide(mine, [PAIR], [a.judge(), b.judge()], quorum=1)
    assert found.verdict == 0.25
    assert found.votes[0].status == "failed"
    assert found.votes[0].reason.startswith("error: its verdict cannot be read: ZeroDivision")


def test_what_stops_a_run_stops_the_jury() -> None:
    with ProtocolServer([YES]) as a, ProtocolServer([fail(401, "no")]) as b:
        with pytest.raises(AuthenticationFault):
            decide(STEP, PAIR, [a.judge(), b.judge()])


LOCAL = "openai:m@http://127.0.0.1:9/v1"
OTHER = "openai:n@http://127.0.0.1:9/v1"


def chat(model: str, **options: Any) -> ChatOpenAI:
    return ChatOpenAI(model=model, api_key=SecretStr("any"), **options)


@pytest.mark.parametrize(
    ("judges", "options", "told"),
    [
        ([], {}, "at least one judge"),
        ([LOCAL, LOCAL], {}, "named twice; name it once, or use repeats to ask one model"),
        ([LOCAL], {"replacements": [LOCAL + "/"]}, "named twice"),
        ([LOCAL, JudgeSpec(provider="openai", model="m", temperature=1,
                           base_url="http://127.0.0.1:9/v1")], {}, "named twice"),
        (["openai:gpt-4o", "openai:gpt-4o@https://api.openai.com/v1"], {}, "named twice"),
        (["openai:gpt-4o", chat("gpt-4o")], {}, "named twice"),
        ([chat("m"), chat("m", temperature=1)], {}, "named twice"),
        ([LOCAL, chat("m", base_url="http://127.0.0.1:9/v1/")], {}, "named twice"),
        ([LOCAL, LOCAL.replace("127.0.0.1", "localhost")], {}, "named twice"),
        ([LOCAL, LOCAL.replace("127.0.0.1", "[::1]") + "/"], {}, "named twice"),
        ([LOCAL, chat("m", base_url="http://LOCALHOST:9/v1")], {}, "named twice"),
        (["rule"], {}, "'rule' is not a judge; write openai:MODEL.*rules"),
        ([LOCAL, OTHER], {"rule": "mean"}, "the rule mean needs numbers"),
        ([LOCAL, OTHER], {"rule": "most"}, "no rule 'most'"),
        ([LOCAL, OTHER], {"quorum": 3}, "a quorum of 3 cannot be met by 2 votes"),
        ([LOCAL, OTHER], {"escalate": True}, "needs at least three judges"),
        ([LOCAL, OTHER], {"rule": "weighted"}, "needs weights"),
        ([LOCAL, OTHER], {"repeats": 0}, "repeats must be at least 1"),
        ([LOCAL, OTHER], {"engine": "magic"}, "no engine 'magic'"),
    ],
)  # fmt: skip
def test_a_jury_that_does_not_fit_together_is_refused(judges: Any, options: Any, told: str) -> None:
    with pytest.raises(UsageError, match=told):
        jury_graph(STEP, judges, **options)


def test_a_judge_of_the_family_under_test_is_warned_of() -> None:
    judges = ["openai:gpt-4o", "openai:Qwen2.5-7B@http://127.0.0.1:9/v1"]
    with pytest.warns(UserWarning, match="Qwen2.5-7B.* and the model under test qwen-3"):
        jury_graph(STEP, judges, under_test=["qwen-3", "llama-4"])


class Theirs(TypedDict, total=False):
    predicted: str
    truth: str
    verdict: dict[str, Any]


def test_a_jury_is_a_node_in_somebody_elses_graph_and_can_be_drawn() -> None:
    with ProtocolServer([YES]) as a, ProtocolServer([YES]) as b:
        with Run(mode="off") as run:
            node = jury_node(STEP, [a.judge(), b.judge()], write="verdict", run=run)
            builder = StateGraph(Theirs)
            builder.add_node("jury", node)
            builder.add_edge(START, "jury")
            builder.add_edge("jury", END)
            state: Any = PAIR
            found = asyncio.run(builder.compile().ainvoke(state))
            graph = jury_graph(STEP, [a.judge(), b.judge()], run=run)
            plain = asyncio.run(graph.ainvoke({"inputs": PAIR}))
    assert read_jury(found["verdict"]).verdict is True
    assert set(plain) == {"jury"} and json.loads(json.dumps(plain)) == plain
    drawn = graph.get_graph().draw_mermaid()
    assert all(name in drawn for name in ("vote", "tally", "verdict"))


def test_a_thread_that_is_kept_does_not_bring_its_last_items_votes() -> None:
    def heart(seen: Seen) -> Any:
        return YES if "heart" in seen.user else NO

    with ProtocolServer(heart) as a, ProtocolServer([NO]) as b, ProtocolServer(heart) as c:
        with Run(mode="off") as run:
            graph = jury_graph(STEP, [a.judge(), b.judge(), c.judge()], escalate=True, run=run)
            graph.checkpointer = InMemorySaver()
            kept: Any = {"configurable": {"thread_id": "1"}}
            pairs = [{**PAIR, "predicted": name} for name in ("heart attack", "gout", "heart pain")]
            found = [
                read_jury(asyncio.run(graph.ainvoke({"inputs": pair}, kept))["jury"])
                for pair in pairs
            ]
    assert [len(one.votes) for one in found] == [3, 2, 3]
    assert [one.verdict for one in found] == [True, False, True]
    assert [one.escalated for one in found] == [True, False, True]


def test_the_face_has_the_jury() -> None:
    assert {"jury_graph", "jury_node", "run_jury", "Vote"} <= set(dxjudge.__all__)
    assert isinstance(dxjudge.Vote("1", "s", "a", verdict=1), Vote)
    assert JuryOutcome.__doc__

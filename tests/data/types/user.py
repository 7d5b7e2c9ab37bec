"""Code of a user: the types are right without a cast. Type checkers read it; nothing runs it."""

from typing import Any, assert_type

import dxjudge
from dxjudge import (
    Abstained,
    Candidate,
    Done,
    EvaluationResult,
    Failed,
    Mapper,
    Mapping,
    Run,
    Step,
    evaluate,
    find_step,
    run_jury,
    run_step,
    run_step_sync,
    step_node,
)
from dxjudge.agents.grade_ddx import GRADE_DDX
from dxjudge.agents.judge_equivalence import JUDGE_EQUIVALENCE, Equivalence, PairInput
from dxjudge.agents.rules.grading import Grade
from dxjudge.graphs.jury.result import JuryOutcome
from dxjudge.graphs.jury.run_jury import run_jury_sync
from dxjudge.graphs.node import Node

PAIR = {"predicted": "heart attack", "truth": "myocardial infarction"}

one = run_step_sync(JUDGE_EQUIVALENCE, PAIR, judge="openai:gpt-4o")
assert_type(one, Done[Equivalence] | Abstained | Failed)
assert_type(one.tokens_in, int | None)
if one.status == "done":
    assert_type(one, Done[Equivalence])
    assert_type(one.value.equivalent, bool)
elif one.status == "failed":
    assert_type(one.reasons, tuple[str, ...])
else:
    assert_type(one.reason, str)

many = run_step_sync(GRADE_DDX, [{"truth": "gout", "ddx": ["gout"]}], run=Run(mode="off"))
assert_type(many, list[Done[Grade] | Abstained | Failed])

typed = run_step_sync(JUDGE_EQUIVALENCE, PairInput(predicted="gout", truth="gout"))
assert_type(typed, Done[Equivalence] | Abstained | Failed)

named = run_step_sync("judge_equivalence", PAIR, engine="rules")
assert_type(named, Done[Any] | Abstained | Failed)
assert_type(run_step_sync("judge_equivalence", [PAIR]), list[Done[Any] | Abstained | Failed])
found = find_step("judge_equivalence")
assert_type(found, Step[Any, Any])


async def later() -> None:
    assert_type(await run_step(JUDGE_EQUIVALENCE, PAIR), Done[Equivalence] | Abstained | Failed)
    several = await run_step(GRADE_DDX, [{"truth": "gout", "ddx": ["gout"]}])
    assert_type(several, list[Done[Grade] | Abstained | Failed])
    assert_type(await run_jury(GRADE_DDX, PAIR, ["A", "B"]), JuryOutcome)
    assert_type(await run_jury("grade_ddx", [PAIR], ["A", "B"]), list[JuryOutcome])


assert_type(run_jury_sync(GRADE_DDX, PAIR, ["A", "B"], rule="median"), JuryOutcome)
assert_type(run_jury_sync(GRADE_DDX, [PAIR], ["A", "B"]), list[JuryOutcome])

mapper = Mapper()
assert_type(mapper.map("gout"), Mapping)
assert_type(mapper.map("gout").code, str | None)
assert_type(mapper.map_many(["gout"]), list[Mapping])
assert_type(mapper.map_many([{"text": "gout"}], column="text"), list[dict[str, Any]])
assert_type(mapper.search("gout"), list[Candidate])

assert_type(step_node(JUDGE_EQUIVALENCE), Node)
assert_type(evaluate("cases.jsonl", "a.jsonl"), EvaluationResult)
assert_type(dxjudge.__version__, str)

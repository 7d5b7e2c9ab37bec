"""A whole case as one graph: extraction, mapping, equivalence, grades, rubric, errors.

    final_diagnosis ──> equivalence
          │        └──> final_grade
          ├──> mapping <──┐
    ddx ──┴───────────────┘
      └───> ddx_grade
    rubric
    errors

Branches are selectable; what a branch needs comes with it. One that fails is recorded as
failed, and the others go on.
"""

import asyncio
from collections.abc import AsyncGenerator, Callable, Iterable, Mapping, Sequence
from contextlib import aclosing
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

from langgraph.graph import END, START, StateGraph
from langgraph.graph.state import CompiledStateGraph
from typing_extensions import TypedDict  # pydantic reads no other before Python 3.12

from ..agents.engine.ask import ask
from ..agents.engine.judges import AnyJudge, Judge, as_judge
from ..agents.engine.run import Run
from ..agents.extract_ddx import EXTRACT_DDX
from ..agents.extract_final_diagnosis import EXTRACT_FINAL_DIAGNOSIS
from ..agents.grade_ddx import GRADE_DDX
from ..agents.grade_final_diagnosis import GRADE_FINAL_DIAGNOSIS
from ..agents.judge_equivalence import JUDGE_EQUIVALENCE, MappedCode, Mapper
from ..agents.label_errors import LABEL_ERRORS
from ..agents.outcome import Abstained, Done, Failed, Outcome, read_outcome
from ..agents.score_rubric import SCORE_RUBRIC
from ..agents.stand_ins import check_engine
from ..agents.step import Step
from ..errors import DxjudgeError, InputError, UsageError
from .case_record import (
    BRANCHES,
    Branch,
    CaseInput,
    CaseMapping,
    CaseRecord,
    MappedText,
)
from .gather import as_finished
from .node import Node

_NEEDS: dict[Branch, tuple[Branch, ...]] = {
    "equivalence": ("final_diagnosis",),
    "final_grade": ("final_diagnosis",),
    "ddx_grade": ("ddx",),
    "mapping": ("final_diagnosis", "ddx"),
}
_STEPS: dict[Branch, Step[Any, Any]] = {
    "final_diagnosis": EXTRACT_FINAL_DIAGNOSIS,
    "equivalence": JUDGE_EQUIVALENCE,
    "final_grade": GRADE_FINAL_DIAGNOSIS,
    "ddx": EXTRACT_DDX,
    "ddx_grade": GRADE_DDX,
    "rubric": SCORE_RUBRIC,
    "errors": LABEL_ERRORS,
}
_MAPPING: dict[str, Any] = {"step": "map_to_icd10", "version": 1, "decided_by": "ontology"}


class CaseIn(TypedDict):
    """What the graph takes: the fields of a `CaseInput` as plain JSON."""

    inputs: dict[str, Any]


class CaseState(CaseIn, total=False):
    """What it returns: each selected branch's outcome as plain JSON (see `read_record`)."""

    final_diagnosis: dict[str, Any]
    equivalence: dict[str, Any]
    final_grade: dict[str, Any]
    ddx: dict[str, Any]
    ddx_grade: dict[str, Any]
    mapping: dict[str, Any]
    rubric: dict[str, Any]
    errors: dict[str, Any]


CaseGraph: TypeAlias = CompiledStateGraph[CaseState, None, CaseIn, CaseState]


@dataclass(frozen=True)
class _Work:
    """What the nodes of one graph share."""

    judge: Judge | None
    run: Run
    engine: str
    mapper: Mapper | None
    equivalence: Step[Any, Any]

    def step(self, branch: Branch) -> Step[Any, Any]:
        return self.equivalence if branch == "equivalence" else _STEPS[branch]


def case_graph(
    judge: AnyJudge | None = None,
    *,
    branches: Iterable[Branch] = BRANCHES,
    mapper: Mapper | None = None,
    equivalence: Step[Any, Any] = JUDGE_EQUIVALENCE,
    run: Run | None = None,
    engine: str = "auto",
) -> CaseGraph:
    """Compile the graph of a case: `{"inputs": {...}}` in, an outcome a branch out.

    branches: which to run; those they need run too. mapper: text -> code and name, for the
    branch "mapping". equivalence: the step to compare with, such as the other style or one
    with an ontology stand-in. run: one run for all calls of the graph.
    Raises UsageError for a branch that does not exist, or cannot run with what was given.
    """
    selected = select_branches(branches)
    live = as_judge(judge) if judge is not None else None
    work = _Work(live, run or Run(), engine, mapper, equivalence)
    _check(selected, work)
    builder = StateGraph(CaseState, input_schema=CaseIn)
    for branch in selected:
        builder.add_node(branch, _node(branch, work))
        needs = _NEEDS.get(branch, ())
        builder.add_edge(list(needs) if needs else START, branch)
        builder.add_edge(branch, END)
    return builder.compile(name="case")


def select_branches(branches: Iterable[Branch]) -> tuple[Branch, ...]:
    """The named branches and those they need, in a fixed order.

    Raises UsageError for a name that is no branch, or none at all.
    """
    named = list(branches)
    unknown = sorted(set(named) - set(BRANCHES))
    if unknown or not named:
        what = f"no branch {', '.join(unknown)}" if unknown else "no branch was named"
        raise UsageError(f"{what}; the branches are {', '.join(BRANCHES)}")
    wanted = set(named).union(*(_NEEDS.get(branch, ()) for branch in named))
    return tuple(branch for branch in BRANCHES if branch in wanted)


async def judge_case(inputs: CaseInput | Mapping[str, Any], **options: Any) -> CaseRecord:
    """One case; the options of `judge_cases`. Raises UsageError for inputs that cannot be used."""
    async with aclosing(judge_cases([read_case(inputs)], **options)) as stream:
        return [record async for _, record in stream][0]


async def judge_cases(
    inputs: Sequence[CaseInput | Mapping[str, Any]],
    *,
    judge: AnyJudge | None = None,
    branches: Iterable[Branch] = BRANCHES,
    mapper: Mapper | None = None,
    equivalence: Step[Any, Any] = JUDGE_EQUIVALENCE,
    run: Run | None = None,
    engine: str = "auto",
) -> AsyncGenerator[tuple[int, CaseRecord], None]:
    """(index, record) of every case, as they finish.

    A case whose inputs cannot be used has Failed(kind="input") in every branch. Raises as
    `case_graph`, and AuthenticationFault, ModelFault or ReplayMiss when no case can succeed.
    """
    own = run or Run()
    selected = select_branches(branches)
    graph = case_graph(
        judge,
        branches=selected,
        mapper=mapper,
        equivalence=equivalence,
        run=own,
        engine=engine,
    )

    async def one(item: tuple[int, CaseInput | Mapping[str, Any]]) -> tuple[int, CaseRecord]:
        index, given = item
        try:
            case = read_case(given)
        except (UsageError, InputError) as fault:
            return index, _unreadable(given, selected, str(fault))
        state = await graph.ainvoke({"inputs": case.model_dump(mode="json")})
        return index, read_record(state, equivalence=equivalence)

    try:
        async with aclosing(as_finished(enumerate(inputs), one, width=own.width)) as records:
            async for pair in records:
                yield pair
    finally:
        if run is None:
            own.close()


def read_case(inputs: CaseInput | Mapping[str, Any]) -> CaseInput:
    """Validate a case. Raises UsageError that names the field."""
    return _READER.read_input(inputs)


def read_record(
    state: Mapping[str, Any], *, equivalence: Step[Any, Any] = JUDGE_EQUIVALENCE
) -> CaseRecord:
    """The typed record of what the graph returned; every value is its step's result type."""
    case = read_case(state["inputs"])
    found: dict[str, Any] = {}
    for branch in BRANCHES:
        if branch not in state:
            continue
        outcome = read_outcome(state[branch])
        if outcome.status != "failed" and outcome.value is not None:
            value = _read_value(branch, outcome.value, equivalence)
            outcome = outcome.model_copy(update={"value": value})
        found[branch] = outcome
    return CaseRecord(id=case.id, **found)


def _read_value(branch: Branch, value: Any, equivalence: Step[Any, Any]) -> Any:
    if branch == "mapping":
        return CaseMapping.model_validate(value)
    step = equivalence if branch == "equivalence" else _STEPS[branch]
    return step.read_value({}, value)  # every step names its result: no input is needed


def _check(selected: tuple[Branch, ...], work: _Work) -> None:
    for branch in selected:
        if branch != "mapping":
            check_engine(work.step(branch), work.engine, work.judge is not None)
    if "mapping" in selected and work.mapper is None:
        raise UsageError('the branch "mapping" needs a mapper: text -> code and name, or None')


def _node(branch: Branch, work: _Work) -> Node:
    """The node of a branch: its inputs from the state, its outcome as plain JSON."""

    async def node(state: CaseState) -> dict[str, Any]:
        try:
            outcome = await _run(branch, state, work)
        except (InputError, UsageError) as fault:
            outcome = _fail(branch, "input", str(fault))
        except DxjudgeError:
            raise  # no branch of no case can succeed
        except Exception as fault:  # this branch alone is lost
            outcome = _fail(branch, "error", f"{type(fault).__name__}: {fault}")
        return {branch: outcome.model_dump(mode="json")}

    return Node(branch, node)


async def _run(branch: Branch, state: CaseState, work: _Work) -> Outcome:
    given = state["inputs"]
    if branch == "mapping":
        return await asyncio.to_thread(_map, state, work)
    for need in _NEEDS.get(branch, ()):
        missing = _not_done(branch, need, state[need])
        if missing is not None:
            return missing
    inputs = _INPUTS[branch](given, state)
    return await ask(work.step(branch), inputs, judge=work.judge, run=work.run, engine=work.engine)


# Branch -> the input of its step, from the case and the branches before it.
_INPUTS: dict[Branch, Callable[[dict[str, Any], CaseState], dict[str, Any]]] = {
    "final_diagnosis": lambda case, state: {"response": case["response"]},
    "ddx": lambda case, state: {"text": case["response"]},
    "equivalence": lambda case, state: {"predicted": _final(state), "truth": case["diagnosis"]},
    "final_grade": lambda case, state: {"generated": _final(state), "truth": case["diagnosis"]},
    "ddx_grade": lambda case, state: {"ddx": _ddx(state), "truth": case["diagnosis"]},
    "rubric": lambda case, state: {
        name: case[name] for name in ("case", "reference", "response", "rubric")
    },
    "errors": lambda case, state: {
        name: case[name] for name in ("case", "reference", "response", "taxonomy")
    },
}


def _final(state: CaseState) -> str:
    return str(state["final_diagnosis"]["value"]["diagnosis"])


def _ddx(state: CaseState) -> list[str]:
    return list(state["ddx"]["value"]["diagnoses"])


def _not_done(branch: Branch, need: Branch, found: dict[str, Any]) -> Outcome | None:
    """What a branch becomes where the one that it needs has no value."""
    step = _STEPS[branch]
    about: dict[str, Any] = {"step": step.name, "version": step.version, "decided_by": "code"}
    if found["status"] == "abstained":
        return Abstained(**about, reason=f"no {need} to judge: {found['reason']}")
    if found["status"] == "failed":
        reasons = tuple(f"{need}: {reason}" for reason in found["reasons"])
        return Failed(**about, kind="input", reasons=reasons)
    return None


def _map(state: CaseState, work: _Work) -> Outcome:
    """Map what there is: a prediction that was not extracted has no code."""
    assert work.mapper is not None  # checked when the graph was made
    case, mapper = state["inputs"], work.mapper

    def mapped(text: str) -> MappedText:
        found = mapper(text)
        code, name = found if found is not None else (None, None)
        return MappedText(text=text, code=code, name=name)

    final = state["final_diagnosis"]["status"] == "done"
    ddx = state["ddx"]["status"] == "done"
    value = CaseMapping(
        truth=mapped(case["diagnosis"]),
        truth_ddx=tuple(map(mapped, case["ddx"])),
        final=mapped(_final(state)) if final else None,
        ddx=tuple(map(mapped, _ddx(state))) if ddx else (),
    )
    return Done(**_MAPPING, value=value)


def _fail(branch: Branch, kind: Literal["input", "error"], reason: str) -> Failed:
    about: dict[str, Any] = _MAPPING
    if branch != "mapping":
        step = _STEPS[branch]
        about = {"step": step.name, "version": step.version, "decided_by": "none"}
    return Failed(**about, kind=kind, reasons=(reason,))


def _unreadable(
    given: CaseInput | Mapping[str, Any], selected: tuple[Branch, ...], reason: str
) -> CaseRecord:
    held = given if isinstance(given, Mapping) else given.model_dump()
    failed: dict[str, Any] = {branch: _fail(branch, "input", reason) for branch in selected}
    return CaseRecord(id=str(held.get("id", "")), **failed)


# Reads inputs with the messages of a step.
_READER: Step[CaseInput, CaseInput] = Step(
    name="case", version=1, input=CaseInput, output=CaseInput
)

__all__ = [
    "BRANCHES",
    "Branch",
    "CaseInput",
    "CaseMapping",
    "CaseRecord",
    "MappedCode",
    "MappedText",
    "case_graph",
    "judge_case",
    "judge_cases",
    "read_case",
    "read_record",
    "select_branches",
]

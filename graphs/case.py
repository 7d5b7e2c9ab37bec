"""Judge a whole case in one graph: extraction, mapping, equivalence, grades, rubric, errors.

    final_diagnosis ──> equivalence
          │        └──> final_grade
          ├──> mapping <──┐
    ddx ──┴───────────────┘
      └───> ddx_grade
    rubric
    errors

You can select branches; the branches that they need run too. A branch that fails is recorded as
failed, and the others continue.
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
    """The input of the graph: the fields of a `CaseInput` as plain JSON."""

    inputs: dict[str, Any]


class CaseState(CaseIn, total=False):
    """The state: input, and the outcome of each branch as plain JSON (see `read_record`)."""

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
    """The settings that all nodes of one graph share."""

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
    """Compile the graph of a case: `{"inputs": {...}}` in, an outcome for each branch out.

    branches: the branches to run; the branches that they need run too. mapper: returns code and
    name of a text, for the branch "mapping". equivalence: the step that compares diagnoses, for
    example a variant or a step with an ontology stand-in. run: one run for all calls of the
    graph. Raises UsageError for a branch that does not exist, or that needs a judge or a mapper
    that is missing.
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
    """Return the named branches and the branches that they need, in a fixed order.

    Raises UsageError for an unknown branch, or if no branch is named.
    """
    named = list(branches)
    unknown = sorted(set(named) - set(BRANCHES))
    if unknown or not named:
        what = f"no branch {', '.join(unknown)}" if unknown else "no branch was named"
        raise UsageError(f"{what}; the branches are {', '.join(BRANCHES)}")
    wanted = set(named).union(*(_NEEDS.get(branch, ()) for branch in named))
    return tuple(branch for branch in BRANCHES if branch in wanted)


async def judge_case(inputs: CaseInput | Mapping[str, Any], **options: Any) -> CaseRecord:
    """Judge one case; see `judge_cases` for the options. Raises UsageError for unusable inputs."""
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
    """Judge many cases and yield (index, record) of each case as soon as it is finished.

    A case whose inputs cannot be used has Failed(kind="input") in every branch. Raises UsageError
    in the same cases as `case_graph`, and AuthenticationFault, ModelFault or ReplayMiss if no
    case can succeed.
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
        index, fields = item
        try:
            case = read_case(fields)
        except (UsageError, InputError) as fault:
            return index, _unreadable(fields, selected, str(fault))
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
    """Validate a case. Raises UsageError; the message names the field."""
    return _READER.read_input(inputs)


def read_record(
    state: Mapping[str, Any], *, equivalence: Step[Any, Any] = JUDGE_EQUIVALENCE
) -> CaseRecord:
    """Return the record in the graph's result; each value has its step's result type."""
    case = read_case(state["inputs"])
    outcomes: dict[str, Any] = {}
    for branch in BRANCHES:
        if branch not in state:
            continue
        outcome = read_outcome(state[branch])
        if outcome.status != "failed" and outcome.value is not None:
            value = _read_value(branch, outcome.value, equivalence)
            outcome = outcome.model_copy(update={"value": value})
        outcomes[branch] = outcome
    return CaseRecord(id=case.id, **outcomes)


def _read_value(branch: Branch, value: Any, equivalence: Step[Any, Any]) -> Any:
    if branch == "mapping":
        return CaseMapping.model_validate(value)
    step = equivalence if branch == "equivalence" else _STEPS[branch]
    return step.read_value(
        {}, value
    )  # each of these steps has a fixed result type, so no input is needed


def _check(selected: tuple[Branch, ...], work: _Work) -> None:
    for branch in selected:
        if branch != "mapping":
            check_engine(work.step(branch), work.engine, work.judge is not None)
    if "mapping" in selected and work.mapper is None:
        raise UsageError('the branch "mapping" needs a mapper; pass one with mapper=')


def _node(branch: Branch, work: _Work) -> Node:
    """Return the node of a branch, which reads the state and writes an outcome as plain JSON."""

    async def node(state: CaseState) -> dict[str, Any]:
        try:
            outcome = await _run(branch, state, work)
        except (InputError, UsageError) as fault:
            outcome = _fail(branch, "input", str(fault))
        except DxjudgeError:
            raise  # no case can succeed
        except Exception as fault:  # only this branch fails
            outcome = _fail(branch, "error", f"{type(fault).__name__}: {fault}")
        return {branch: outcome.model_dump(mode="json")}

    return Node(branch, node)


async def _run(branch: Branch, state: CaseState, work: _Work) -> Outcome:
    case = state["inputs"]
    if branch == "mapping":
        return await asyncio.to_thread(_map, state, work)
    for need in _NEEDS.get(branch, ()):
        missing = _not_done(branch, need, state[need])
        if missing is not None:
            return missing
    inputs = _INPUTS[branch](case, state)
    return await ask(work.step(branch), inputs, judge=work.judge, run=work.run, engine=work.engine)


# For each branch, the input of its step, from the case and the outcomes of earlier branches.
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


def _not_done(branch: Branch, need: Branch, outcome: dict[str, Any]) -> Outcome | None:
    """Return the outcome of a branch if the branch that it needs has no value, else None."""
    step = _STEPS[branch]
    about: dict[str, Any] = {"step": step.name, "version": step.version, "decided_by": "code"}
    if outcome["status"] == "abstained":
        return Abstained(**about, reason=f"no {need} to judge: {outcome['reason']}")
    if outcome["status"] == "failed":
        reasons = tuple(f"{need}: {reason}" for reason in outcome["reasons"])
        return Failed(**about, kind="input", reasons=reasons)
    return None


def _map(state: CaseState, work: _Work) -> Outcome:
    """Map the diagnoses of a case; a prediction that was not extracted is left out."""
    assert work.mapper is not None  # checked when the graph was made
    case, mapper = state["inputs"], work.mapper

    def mapped(text: str) -> MappedText:
        mapped_code = mapper(text)
        code, name = mapped_code if mapped_code is not None else (None, None)
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
    case: CaseInput | Mapping[str, Any], selected: tuple[Branch, ...], reason: str
) -> CaseRecord:
    fields = case if isinstance(case, Mapping) else case.model_dump()
    failed: dict[str, Any] = {branch: _fail(branch, "input", reason) for branch in selected}
    return CaseRecord(id=str(fields.get("id", "")), **failed)


# A step only to validate inputs, so that the messages are the same as those of steps.
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

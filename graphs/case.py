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

from collections.abc import AsyncGenerator, Iterable, Mapping, Sequence
from contextlib import aclosing
from typing import Any, TypeAlias

from langgraph.graph import END, START, StateGraph
from langgraph.graph.state import CompiledStateGraph

from ..agents.engine.judges import AnyJudge, as_judge
from ..agents.engine.run import Run
from ..agents.judge_equivalence import JUDGE_EQUIVALENCE, MappedCode, Mapper
from ..agents.outcome import read_outcome
from ..agents.stand_ins import check_engine
from ..agents.step import Step
from ..errors import DxjudgeError, InputError, UsageError
from .case_branches import NEEDS, STEPS, CaseIn, CaseState, CaseWork, fail_branch, run_branch
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

CaseGraph: TypeAlias = CompiledStateGraph[CaseState, None, CaseIn, CaseState]


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

    Args:
        judge: the model that is asked: a name such as "openai:gpt-4o", a `JudgeSpec`, or a
            LangChain chat model. Without it, only stand-ins decide.
        branches: the branches to run; the branches that they need run too.
        mapper: returns code and name of a text, for the branch "mapping".
        equivalence: the step that compares diagnoses, for example a variant or a step with an
            ontology stand-in.
        run: one run for all calls of the graph.
        engine: "auto" (stand-ins first, then the judge), "llm" (the judge alone), or the name of a
            stand-in.

    Returns:
        the compiled graph.

    Raises:
        UsageError: for a branch that does not exist, or that needs a judge or a mapper that is
            missing.
    """
    selected = select_branches(branches)
    live = as_judge(judge) if judge is not None else None
    work = CaseWork(live, run or Run(), engine, mapper, equivalence)
    _check(selected, work)
    builder = StateGraph(CaseState, input_schema=CaseIn)
    for branch in selected:
        builder.add_node(branch, _node(branch, work))
        needs = NEEDS.get(branch, ())
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
    wanted = set(named).union(*(NEEDS.get(branch, ()) for branch in named))
    return tuple(branch for branch in BRANCHES if branch in wanted)


async def judge_case(inputs: CaseInput | Mapping[str, Any], **options: Any) -> CaseRecord:
    """Judge one case; see `judge_cases` for the options.

    Args:
        inputs: the fields of `CaseInput`, as the model or a mapping.
        options: the further arguments of the function that this one runs.

    Returns:
        the record of the case, with an outcome for each branch.

    Raises:
        UsageError: for inputs that cannot be used.
    """
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
    step = equivalence if branch == "equivalence" else STEPS[branch]
    return step.read_value(
        {}, value
    )  # each of these steps has a fixed result type, so no input is needed


def _check(selected: tuple[Branch, ...], work: CaseWork) -> None:
    for branch in selected:
        if branch != "mapping":
            check_engine(work.step(branch), work.engine, work.judge is not None)
    if "mapping" in selected and work.mapper is None:
        raise UsageError('the branch "mapping" needs a mapper; pass one with mapper=')


def _node(branch: Branch, work: CaseWork) -> Node:
    """Return the node of a branch, which reads the state and writes an outcome as plain JSON."""

    async def node(state: CaseState) -> dict[str, Any]:
        try:
            outcome = await run_branch(branch, state, work)
        except (InputError, UsageError) as fault:
            outcome = fail_branch(branch, "input", str(fault))
        except DxjudgeError:
            raise  # no case can succeed
        except Exception as fault:  # only this branch fails
            outcome = fail_branch(branch, "error", f"{type(fault).__name__}: {fault}")
        return {branch: outcome.model_dump(mode="json")}

    return Node(branch, node)


def _unreadable(
    case: CaseInput | Mapping[str, Any], selected: tuple[Branch, ...], reason: str
) -> CaseRecord:
    fields = case if isinstance(case, Mapping) else case.model_dump()
    failed: dict[str, Any] = {branch: fail_branch(branch, "input", reason) for branch in selected}
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

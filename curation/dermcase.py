"""Make a record, a visual question, a reasoning and preference pairs from a case report.

    split ──Send──> case, for each case of the report:

    record ──> considered ──> question ──> reasoning ──> pairs ──> END
      ^│                        ^│            ^│
      └┘ verify                 └┘ verify     └┘ verify

This is the procedure of DermCase. Each text is checked by code in the step that writes it, and by
a verifying step against its source. If the check has objections, the writing step is asked again
with them. After `Settings.tries` tries, the item is rejected with the objections. An item is
failed if a step could not be asked or its inputs could not be used.
"""

import operator
import random
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Annotated, Any

from langgraph.graph import END, START, StateGraph
from langgraph.graph.state import CompiledStateGraph
from langgraph.types import Overwrite, Send
from typing_extensions import TypedDict  # pydantic reads no other before Python 3.12

from ..agents.engine.ask import ask
from ..agents.engine.judges import AnyJudge, Judge, as_judge
from ..agents.engine.run import Run
from ..agents.extract_ddx import EXTRACT_DDX
from ..agents.judge_equivalence import JUDGE_EQUIVALENCE, Mapper
from ..agents.making.extract_record import EXTRACT_CASE_RECORD, CaseTextInput
from ..agents.making.list_unsupported import LIST_UNSUPPORTED
from ..agents.making.reasoning import Reasoning
from ..agents.making.record import Record
from ..agents.making.split_report import SPLIT_REPORT
from ..agents.making.verify_record import VERIFY_RECORD
from ..agents.making.write_question import WRITE_VISUAL_QUESTION
from ..agents.making.write_reasoning import WRITE_REASONING
from ..agents.making.write_rejected import WRITE_REJECTED, Rejected
from ..agents.outcome import Outcome
from ..agents.step import Step
from ..agents.wording import fold
from .item import Ending, Item, Trace, ending_of, trace
from .settings import Settings

_KNOWLEDGE = "general medical knowledge that explains findings and adds none"
_ASKING = "the question itself, and that there are images"


class CaseIn(TypedDict):
    """One case of a report: its name, the report's text, and the case's characters in it."""

    id: str
    report: str
    start: int
    end: int


class CaseState(CaseIn, total=False):
    """The state of the graph of a case, as plain JSON.

    objections: the objections of the last check; the writing step is asked again with them.
    tries: how often the text of the current stage was written.
    """

    record: dict[str, Any]
    considered: list[str]
    question: str
    reasoning: dict[str, Any]
    pairs: list[dict[str, Any]]
    objections: list[str]
    tries: int
    ending: dict[str, Any]
    trail: Annotated[list[dict[str, Any]], operator.add]


class ReportIn(TypedDict):
    """A case report as plain text, and its name."""

    id: str
    report: str


class ReportOut(TypedDict):
    """The items of a report, as plain JSON (see `Item`)."""

    items: Annotated[list[dict[str, Any]], operator.add]


class ReportState(ReportIn, ReportOut, total=False):
    """The state of the graph: its input and output, and the spans of the cases."""

    cases: list[dict[str, int]]


CaseGraph = CompiledStateGraph[CaseState, None, CaseIn, CaseState]
ReportGraph = CompiledStateGraph[ReportState, None, ReportIn, ReportOut]


class _Ended(Exception):
    """Ends the item with this ending."""

    def __init__(self, ending: Ending) -> None:
        self.ending = ending


@dataclass(frozen=True)
class _Work:
    """The settings that all nodes of one graph share."""

    judge: Judge
    run: Run
    settings: Settings
    code_of: Mapper | None

    async def ask(
        self,
        stage: str,
        step: Step[Any, Any],
        inputs: Any,
        trail: list[Trace],
        *,
        optional: bool = False,
    ) -> Any:
        """Return the step's value, or None if it abstains and is optional; else raise _Ended."""
        outcome: Outcome = await ask(step, inputs, judge=self.judge, run=self.run)
        trail.append(trace(stage, outcome))
        if optional and outcome.status == "abstained":
            return None
        ending = ending_of(stage, outcome)
        if ending is not None:
            raise _Ended(ending)
        assert outcome.status == "done"
        return step.read_value(inputs, outcome.value)

    async def record(self, state: CaseState, trail: list[Trace]) -> dict[str, Any]:
        """Extract the record, and check it against the case."""
        case = CaseTextInput(
            report=state["report"],
            start=state["start"],
            end=state["end"],
            form=self.settings.form,
            objections=_objections(state),
        )
        record = await self.ask("record", EXTRACT_CASE_RECORD, case, trail)
        check_inputs = {"case": case.case, "record": record, "form": self.settings.form}
        check = await self.ask("record", VERIFY_RECORD, check_inputs, trail)
        objections = [f"{name}: {fault}" for name, fault in check.unsupported.items()]
        return {"record": record.model_dump(mode="json"), "objections": objections}

    async def considered(self, state: CaseState, trail: list[Trace]) -> dict[str, Any]:
        """List the other diagnoses that the report considers."""
        record, form = _record(state), self.settings.form
        process = " ".join(record.passages(*form.of("tests")))
        if not process:
            return {"considered": []}
        truth = fold(record.text(form.diagnosis))
        listed = await self.ask("considered", EXTRACT_DDX, {"text": process}, trail, optional=True)
        names = listed.diagnoses if listed else ()
        return {"considered": [name for name in names if fold(name) != truth]}

    async def question(self, state: CaseState, trail: list[Trace]) -> dict[str, Any]:
        """Write the question in a random structure, which depends on the seed, and check it."""
        record, settings = _record(state), self.settings
        names = [structure.name for structure in settings.rules.structures]
        structure = random.Random(f"{settings.seed}/{state['id']}").choice(names)
        inputs = {
            "record": record,
            "structure": structure,
            "hidden": (*record.passages(settings.form.diagnosis), *state["considered"]),
            "rules": settings.rules,
            "objections": _objections(state),
        }
        written = await self.ask("question", WRITE_VISUAL_QUESTION, inputs, trail)
        source = {"source": record.sheet(), "text": written.question, "allowed": _ASKING}
        check = await self.ask("question", LIST_UNSUPPORTED, source, trail)
        return {"question": written.question, "objections": list(check.objections)}

    async def reasoning(self, state: CaseState, trail: list[Trace]) -> dict[str, Any]:
        """Write the reasoning, and check its diagnosis and its statements."""
        record = _record(state)
        inputs = {
            "record": record,
            "question": state["question"],
            "considered": tuple(state["considered"]),
            "form": self.settings.form,
            "objections": _objections(state),
        }
        written: Reasoning = await self.ask("reasoning", WRITE_REASONING, inputs, trail)
        truth = record.text(self.settings.form.diagnosis)
        pair = {"predicted": written.final_diagnosis, "truth": truth}
        same = await self.ask("reasoning", JUDGE_EQUIVALENCE, pair, trail)
        source = {"source": record.sheet(), "text": written.text(), "allowed": _KNOWLEDGE}
        check = await self.ask("reasoning", LIST_UNSUPPORTED, source, trail)
        objections = list(check.objections)
        if not same.equivalent:
            objections.insert(0, f"{written.final_diagnosis!r} is not the record's diagnosis")
        return {"reasoning": written.model_dump(mode="json"), "objections": objections}

    async def pairs(self, state: CaseState, trail: list[Trace]) -> dict[str, Any]:
        """Write one rejected reasoning of each kind."""
        chosen, record = Reasoning.model_validate(state["reasoning"]), _record(state)
        choices = self._other_codes(chosen, record)
        pairs = []
        for kind in self.settings.flaws.kinds:
            if not kind.same_diagnosis and not choices:
                reason = "no other diagnosis of another code was considered"
                raise _Ended(Ending(status="rejected", stage="pairs", reasons=(reason,)))
            inputs = {
                "chosen": chosen,
                "source": record.sheet(),
                "kind": kind.name,
                "choices": choices,
                "flaws": self.settings.flaws,
            }
            rejected: Rejected = await self.ask("pairs", WRITE_REJECTED, inputs, trail)
            pairs.append(
                {
                    "prompt": state["question"],
                    "chosen": chosen.text(),
                    "rejected": rejected.reasoning.text(),
                    "kind": rejected.kind,
                    "errors": [flaw.model_dump(mode="json") for flaw in rejected.flaws],
                }
            )
        return {"pairs": pairs}

    def _other_codes(self, chosen: Reasoning, record: Record) -> tuple[str, ...]:
        """Return the other diagnoses of the differential; with a mapper, their codes differ too."""
        truth = record.text(self.settings.form.diagnosis)
        names = [
            item.diagnosis for item in chosen.differential if fold(item.diagnosis) != fold(truth)
        ]
        if self.code_of is None:
            return tuple(names)
        code = self.code_of(truth)
        others = ((name, self.code_of(name)) for name in names)
        return tuple(
            name for name, other in others if other and (code is None or other.code != code.code)
        )


_STAGES = ("record", "considered", "question", "reasoning", "pairs")


def case_graph(
    judge: AnyJudge,
    *,
    settings: Settings | None = None,
    code_of: Mapper | None = None,
    run: Run | None = None,
) -> CaseGraph:
    """Compile the graph of one case: a `CaseIn` in, a `CaseState` with its `ending` out.

    code_of: returns code and name of a diagnosis; with it, the code of a wrong diagnosis differs
    from the code of the truth. run: one run for all calls of the graph.
    """
    work = _Work(as_judge(judge), run or Run(), settings or Settings(), code_of)
    stages: dict[str, Callable[[CaseState, list[Trace]], Awaitable[dict[str, Any]]]] = {
        "record": work.record,
        "considered": work.considered,
        "question": work.question,
        "reasoning": work.reasoning,
        "pairs": work.pairs,
    }
    builder = StateGraph(CaseState, input_schema=CaseIn)
    for stage, following in zip(_STAGES, (*_STAGES[1:], END), strict=True):
        builder.add_node(stage, _node(stage, stages[stage], work.settings.tries))
        builder.add_conditional_edges(stage, _route(stage, following), [stage, following, END])
    builder.add_edge(START, _STAGES[0])
    return builder.compile(name="dermcase_case")


def _node(stage: str, write: Any, most: int) -> Any:
    async def node(state: CaseState) -> dict[str, Any]:
        trail: list[Trace] = []
        try:
            update = await write(state, trail)
            tries = state.get("tries", 0) + 1
            objections = update.get("objections", [])
            if objections and tries >= most:
                raise _Ended(Ending(status="rejected", stage=stage, reasons=tuple(objections)))
            if not objections and stage == _STAGES[-1]:
                update["ending"] = Ending(status="accepted", stage=stage).model_dump(mode="json")
            update |= {"tries": tries if objections else 0, "objections": objections}
        except _Ended as end:
            update = {"ending": end.ending.model_dump(mode="json")}
        return {**update, "trail": [step.model_dump(mode="json") for step in trail]}

    node.__name__ = stage
    return node


def _route(stage: str, following: str) -> Callable[[CaseState], str]:
    def route(state: CaseState) -> str:
        if state.get("ending"):
            return END
        return stage if state["objections"] else following

    return route


def report_graph(
    judge: AnyJudge,
    *,
    settings: Settings | None = None,
    code_of: Mapper | None = None,
    run: Run | None = None,
) -> ReportGraph:
    """Compile the graph of a report: `{"id", "report"}` in, `{"items": [...]}` out.

    The report is split first. Each of its cases becomes an item named `ID/NUMBER`; a report that
    cannot be split becomes one item. The options are those of `case_graph`.
    """
    own = run or Run()
    one_case = case_graph(judge, settings=settings, code_of=code_of, run=own)
    live = as_judge(judge)

    async def split(state: ReportIn) -> dict[str, Any]:
        outcome = await ask(SPLIT_REPORT, {"report": state["report"]}, judge=live, run=own)
        ending = ending_of("split", outcome)
        if ending is None:
            assert outcome.status == "done"
            cases = SPLIT_REPORT.read_value({"report": state["report"]}, outcome.value)
            return {"cases": cases.model_dump(mode="json")["cases"], "items": Overwrite([])}
        item = Item(id=state["id"], ending=ending, data={}, trail=(trace("split", outcome),))
        return {"cases": [], "items": Overwrite([item.model_dump(mode="json")])}

    def fan_out(state: ReportState) -> list[Send] | str:
        sends = [
            Send("case", {"id": f"{state['id']}/{number}", "report": state["report"], **span})
            for number, span in enumerate(state["cases"], 1)
        ]
        return sends or END

    async def case(state: CaseIn) -> dict[str, Any]:
        return {"items": [as_item(await one_case.ainvoke(state)).model_dump(mode="json")]}

    builder = StateGraph(ReportState, input_schema=ReportIn, output_schema=ReportOut)
    builder.add_node("split", split)
    builder.add_node("case", case, input_schema=CaseIn)
    builder.add_edge(START, "split")
    builder.add_conditional_edges("split", fan_out, ["case", END])
    builder.add_edge("case", END)
    return builder.compile(name="dermcase_report")


def as_item(state: Any) -> Item:
    """Return the item in the final state of a case's graph; `data` has all texts up to the end."""
    data: dict[str, Any] = {"start": state["start"], "end": state["end"]}
    if "record" in state:
        data["record"] = Record.model_validate(state["record"]).row()
    for name in ("considered", "question", "pairs"):
        if name in state:
            data[name] = state[name]
    if "reasoning" in state:
        data["reasoning"] = Reasoning.model_validate(state["reasoning"]).text()
    return Item(
        id=state["id"],
        ending=Ending.model_validate(state["ending"]),
        data=data,
        trail=tuple(Trace.model_validate(step) for step in state["trail"]),
    )


def _record(state: CaseState) -> Record:
    return Record.model_validate(state["record"])


def _objections(state: CaseState) -> tuple[str, ...]:
    return tuple(state.get("objections", ()))

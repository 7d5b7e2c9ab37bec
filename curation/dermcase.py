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
from typing import Annotated, Any

from langgraph.graph import END, START, StateGraph
from langgraph.graph.state import CompiledStateGraph
from langgraph.types import Overwrite, Send
from typing_extensions import TypedDict  # pydantic reads no other before Python 3.12

from ..agents.engine.judges import AnyJudge
from ..agents.engine.run import Run
from ..agents.judge_equivalence import Mapper
from ..agents.making.reasoning import Reasoning
from ..agents.making.record import Record
from ..agents.making.split_report import SPLIT_REPORT
from ..agents.outcome import Outcome
from ..files.journal import Journal
from .asking import asking_of
from .case_stages import CaseIn, CaseState, CaseWork
from .chain import chain
from .item import Ending, Item, Trace, ending_of, trace
from .settings import Settings


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


def case_graph(
    judge: AnyJudge,
    *,
    settings: Settings | None = None,
    code_of: Mapper | None = None,
    run: Run | None = None,
    journal: Journal[Outcome] | None = None,
) -> CaseGraph:
    """Compile the graph of one case: a `CaseIn` in, a `CaseState` with its `ending` out.

    code_of: returns code and name of a diagnosis; with it, the code of a wrong diagnosis differs
    from the code of the truth. run, journal: one run and one journal for all calls of the graph.
    """
    work = CaseWork(settings or Settings(), code_of)
    stages = {
        "record": work.record,
        "considered": work.considered,
        "question": work.question,
        "reasoning": work.reasoning,
        "pairs": work.pairs,
    }
    return chain(
        "dermcase_case",
        asking_of(judge, run, journal),
        stages,
        state=CaseState,
        inputs=CaseIn,
        tries=work.settings.tries,
    )


def report_graph(
    judge: AnyJudge,
    *,
    settings: Settings | None = None,
    code_of: Mapper | None = None,
    run: Run | None = None,
    journal: Journal[Outcome] | None = None,
) -> ReportGraph:
    """Compile the graph of a report: `{"id", "report"}` in, `{"items": [...]}` out.

    The report is split first. Each of its cases becomes an item named `ID/NUMBER`; a report that
    cannot be split becomes one item. The options are those of `case_graph`.
    """
    own = run or Run()
    one_case = case_graph(judge, settings=settings, code_of=code_of, run=own, journal=journal)
    asking = asking_of(judge, own, journal)

    async def split(state: ReportIn) -> dict[str, Any]:
        outcome = await asking.outcome(SPLIT_REPORT, {"report": state["report"]})
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

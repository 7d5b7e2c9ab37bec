"""Make a question with evidence by modality and four options from a case report.

    evidence ──> considered ──> summary ──> options ──> END
      ^│                          ^│          ^│
      └┘ verify                   └┘ verify   └┘ verify

This is the procedure of MEDSYN. Each text is checked by code in the step that writes it. A
verifying step checks each section and modality against the report, each paragraph against its
passages, and each option against the truth. With objections, the text is written again; after
`MedsynSettings.tries` tries, the item is rejected.
"""

from collections.abc import Callable, Mapping
from typing import Any

from langgraph.graph.state import CompiledStateGraph

from ...agents.engine.judges import AnyJudge
from ...agents.engine.run import Run
from ...agents.judge_equivalence import Mapper
from ...agents.making.evidence import CaseEvidence
from ...agents.outcome import Outcome
from ...files.journal import Journal
from ..asking import asking_of
from ..chain import chain
from ..item import Ending, Item, Trace
from .stages import MedsynIn, MedsynSettings, MedsynState, MedsynWork

MedsynGraph = CompiledStateGraph[MedsynState, None, MedsynIn, MedsynState]


def medsyn_graph(
    judge: AnyJudge,
    *,
    settings: MedsynSettings | None = None,
    code_of: Mapper | None = None,
    chapter_of: Callable[[str], str] | None = None,
    run: Run | None = None,
    journal: Journal[Outcome] | None = None,
) -> MedsynGraph:
    """Compile the graph of one case: a `MedsynIn` in, a `MedsynState` with its `ending` out.

    code_of: returns code and name of a diagnosis; with it, the four options have four codes.
    chapter_of: returns the chapter of a code; with it, wrong options of the truth's chapter are
    preferred. run, journal: one run and one journal for all calls of the graph.
    """
    work = MedsynWork(settings or MedsynSettings(), code_of, chapter_of)
    stages = {
        "evidence": work.evidence,
        "considered": work.considered,
        "summary": work.summary,
        "options": work.options,
    }
    return chain(
        "medsyn_case",
        asking_of(judge, run, journal),
        stages,
        state=MedsynState,
        inputs=MedsynIn,
        tries=work.settings.tries,
    )


def as_item(state: Mapping[str, Any], figures: Mapping[str, str]) -> Item:
    """Return the item in the final state of a case; `data` has all texts up to the end.

    figures: the image of each figure.
    """
    data: dict[str, Any] = {"case": state["report"]}
    if "evidence" in state:
        evidence = CaseEvidence.model_validate(state["evidence"])
        data["evidence"] = evidence.model_dump(mode="json")
        shown = {tag for modal in evidence.evidence for tag in modal.figures}
        data["figures"] = {tag: path for tag, path in figures.items() if tag in shown}
    for name in ("diagnosis", "considered", "paragraphs", "options", "answer", "earlier"):
        if name in state:
            data[name] = state[name]
    return Item(
        id=state["id"],
        ending=Ending.model_validate(state["ending"]),
        data=data,
        trail=tuple(Trace.model_validate(step) for step in state["trail"]),
    )

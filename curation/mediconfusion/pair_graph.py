"""Write a question about each confusing pair of images.

    captions ──> question ──> category ──> END
                  ^│
                  └┘ solve with each caption, and without

This is the procedure of MediConfusion. The question is checked by code in the step that writes it.
A solver who reads a caption must choose the option of that image. Without a caption, both images
are the same question to the solver, so one answer cannot be right for both; its guess is kept.
"""

from collections.abc import AsyncGenerator, Mapping, Sequence
from typing import Any

from langgraph.graph.state import CompiledStateGraph

from ...agents.engine.judges import AnyJudge
from ...agents.engine.run import Run
from ...agents.outcome import Outcome
from ...files.journal import Journal
from ...graphs.gather import as_finished
from ...prompts.data import Categories
from ..asking import asking_of
from ..chain import chain
from ..item import Ending, Item, Trace
from .pair_settings import PairSettings
from .pair_stages import PairIn, PairState, PairWork

PairGraph = CompiledStateGraph[PairState, None, PairIn, PairState]
_DATA = (
    "images", "paths", "captions", "similarity", "question", "options", "answers", "quotes",
    "guess", "categories",
)  # fmt: skip


def pair_graph(
    judge: AnyJudge,
    categories: Categories,
    *,
    settings: PairSettings | None = None,
    run: Run | None = None,
    journal: Journal[Outcome] | None = None,
    solver: AnyJudge | None = None,
) -> PairGraph:
    """Compile the graph of one pair: a `PairIn` in, a `PairState` with its `ending` out.

    solver: the model that answers with and without the captions; by default the judge.
    """
    work = PairWork(settings or PairSettings(), categories)
    asking = asking_of(judge, run, journal, solver)
    stages = {"captions": work.captions, "question": work.question, "category": work.category}
    return chain(
        "mediconfusion_pair",
        asking,
        stages,
        state=PairState,
        inputs=PairIn,
        tries=work.settings.tries,
    )


async def write_pairs(
    pairs: Sequence[PairIn], graph: PairGraph, width: int
) -> AsyncGenerator[tuple[int, list[Item]], None]:
    """Yield (index, [item]) of each pair as it is finished, `width` pairs at a time."""

    async def one(numbered: tuple[int, PairIn]) -> tuple[int, list[Item]]:
        index, pair = numbered
        return index, [as_item(await graph.ainvoke(pair))]

    async for finished in as_finished(enumerate(pairs), one, width=width):
        yield finished


def fail_all(pairs: Sequence[PairIn], reason: str) -> list[Item]:
    """Return an item for each pair that failed because the set has no categories."""
    ending = Ending(status="failed", stage="categories", reasons=(reason,))
    return [
        Item(
            id=pair["id"],
            ending=ending,
            data={name: value for name, value in pair.items() if name != "id"},
            trail=(),
        )
        for pair in pairs
    ]


def as_item(state: Mapping[str, Any]) -> Item:
    """Return the item in the final state of a pair's graph."""
    return Item(
        id=state["id"],
        ending=Ending.model_validate(state["ending"]),
        data={
            "case": "\n\n".join(state["captions"]),
            **{name: state[name] for name in _DATA if name in state},
        },
        trail=tuple(Trace.model_validate(step) for step in state["trail"]),
    )

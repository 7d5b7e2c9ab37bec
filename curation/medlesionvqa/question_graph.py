"""Write a question for one ability of one annotation record.

    question ──> END
     ^│
     └┘ solve with the record

This is the procedure of MedLesionVQA. The question is checked by code in the step that writes it.
A solver who reads the record must find the right answer. What the same solver answers without the
record is kept as `text_only`: whether the question can be solved without its image.
"""

import operator
import random
from collections.abc import AsyncGenerator, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any

from langgraph.graph.state import CompiledStateGraph
from typing_extensions import TypedDict  # pydantic reads no other before Python 3.12

from ...agents.engine.judges import AnyJudge
from ...agents.engine.run import Run
from ...agents.making.solve_question import SOLVE_QUESTION
from ...agents.making.write_ability_question import WRITE_ABILITY_QUESTION, AbilityQuestion
from ...agents.outcome import Outcome
from ...agents.score_open_answer import SCORE_OPEN_ANSWER
from ...files.journal import Journal
from ...graphs.gather import as_finished
from ..asking import StageAsking, asking_of
from ..chain import chain, objections_in
from ..item import Ending, Item, Trace
from .ability_settings import AbilitySettings
from .question_plan import Planned


class QuestionIn(TypedDict):
    """What is to be asked, as plain JSON (see `Planned`). case: the record as a text."""

    id: str
    ability: str
    type: str
    kind: str
    record: str
    patient: str
    images: list[str]
    case: str
    about: list[str]
    right: list[str]
    true: list[str]
    candidates: list[str]


class QuestionState(QuestionIn, total=False):
    """The state of the graph of a question.

    options: letter -> text; empty for an open question. answer: the right letters with commas, or
    the reference. text_only: whether the solver answers right without the record.
    """

    question: str
    options: dict[str, str]
    answer: str
    text_only: bool
    objections: list[str]
    tries: int
    ending: dict[str, Any]
    trail: Annotated[list[dict[str, Any]], operator.add]


QuestionGraph = CompiledStateGraph[QuestionState, None, QuestionIn, QuestionState]
_HIDDEN = ("id", "objections", "tries", "ending", "trail")


def question_graph(
    judge: AnyJudge,
    *,
    settings: AbilitySettings | None = None,
    run: Run | None = None,
    journal: Journal[Outcome] | None = None,
    solver: AnyJudge | None = None,
) -> QuestionGraph:
    """Compile the graph of one question: a `QuestionIn` in, a `QuestionState` out.

    solver: the model that answers with the record and without; by default the judge.
    """
    work = _QuestionWork(settings or AbilitySettings())
    return chain(
        "medlesionvqa_question",
        asking_of(judge, run, journal, solver),
        {"question": work.question},
        state=QuestionState,
        inputs=QuestionIn,
        tries=work.settings.tries,
    )


async def write_questions(
    planned: Sequence[Planned], graph: QuestionGraph, width: int
) -> AsyncGenerator[tuple[int, list[Item]], None]:
    """Yield (index, [item]) of each question as it is finished, `width` questions at a time."""

    async def one(numbered: tuple[int, Planned]) -> tuple[int, list[Item]]:
        index, question = numbered
        inputs: Any = question.state()
        return index, [as_item(await graph.ainvoke(inputs))]

    async for finished in as_finished(enumerate(planned), one, width=width):
        yield finished


def writing_inputs(state: Mapping[str, Any], settings: AbilitySettings) -> dict[str, Any]:
    """Return what the step that writes a question gets (see `QuestionIn`)."""
    listed = {name: tuple(state[name]) for name in ("about", "right", "true", "candidates")}
    return {
        "ability": state["ability"],
        "type": state["type"],
        **listed,
        "record": state["case"],
        "rules": settings.rules,
    }


def as_item(state: Mapping[str, Any]) -> Item:
    """Return the item in the final state of a question's graph."""
    return Item(
        id=state["id"],
        ending=Ending.model_validate(state["ending"]),
        data={name: value for name, value in state.items() if name not in _HIDDEN},
        trail=tuple(Trace.model_validate(step) for step in state["trail"]),
    )


@dataclass(frozen=True)
class _QuestionWork:
    settings: AbilitySettings

    async def question(self, state: QuestionState, ask: StageAsking) -> dict[str, Any]:
        """Write the question, and let a solver answer it with the record and without."""
        inputs = {**writing_inputs(state, self.settings), "objections": objections_in(state)}
        written: AbilityQuestion = await ask.value(WRITE_ABILITY_QUESTION, inputs)
        options, answer = self._options(state, written)
        update = {"question": written.question, "options": options, "answer": answer}
        solved, given = await _solve(ask, state, update, state["case"])
        blind, _ = await _solve(ask, state, update, "")
        objections = []
        if not solved:
            objections = [
                f"a solver who has the annotation answers {given!r}, but {answer!r} is meant to "
                "be right"
            ]
        return {**update, "text_only": blind, "objections": objections}

    def _options(
        self, state: QuestionState, written: AbilityQuestion
    ) -> tuple[dict[str, str], str]:
        """Return the options in an order drawn with the seed, and the right letters."""
        if state["type"] == "open":
            return {}, state["right"][0]
        texts = [*state["right"], *(text.strip() for text in written.wrong)]
        random.Random(f"{self.settings.seed}/{state['id']}/options").shuffle(texts)
        options = {chr(ord("A") + place): text for place, text in enumerate(texts)}
        right = (letter for letter, text in options.items() if text in state["right"])
        return options, ",".join(right)


async def _solve(
    ask: StageAsking, state: QuestionState, written: Mapping[str, Any], source: str
) -> tuple[bool, str]:
    """Return whether a solver answers right, and its answer."""
    inputs = {
        "question": written["question"],
        "options": written["options"],
        "source": source,
        "multiple": state["type"] == "multiple",
    }
    solved = await ask.optional(SOLVE_QUESTION, inputs)
    if solved is None:
        return False, "nothing"
    if written["options"]:
        letters = ",".join(solved.letters)
        return letters == written["answer"], letters
    scored = {
        "question": written["question"],
        "reference": written["answer"],
        "answer": solved.answer,
        "kind": state["kind"],
    }
    score = await ask.optional(SCORE_OPEN_ANSWER, scored)
    return score is not None and score.score == 1, solved.answer

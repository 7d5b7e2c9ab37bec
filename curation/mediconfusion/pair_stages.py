"""The stages of a pair: its captions are measured, a question is written, solved and sorted."""

import operator
import random
from dataclasses import dataclass
from typing import Annotated, Any

from typing_extensions import TypedDict  # pydantic reads no other before Python 3.12

from ...agents.assign_category import ASSIGN_CATEGORY
from ...agents.making.solve_question import SOLVE_QUESTION
from ...agents.making.write_pair_question import WRITE_PAIR_QUESTION, PairQuestion
from ...prompts.data import Categories
from ..asking import StageAsking
from ..chain import objections_in
from .pair_settings import PairSettings

LETTERS = ("A", "B")


class PairIn(TypedDict):
    """Two images by name, path and caption, and their similarity to the two encoders."""

    id: str
    images: list[str]
    paths: list[str]
    captions: list[str]
    similarity: dict[str, float]


class PairState(PairIn, total=False):
    """The state of the graph of a pair, as plain JSON.

    options: letter -> text. answers: the right letter of each image. guess: the letter that the
    solver chooses without a caption; "" if it cannot say. categories: those of each image.
    """

    question: str
    options: dict[str, str]
    answers: list[str]
    quotes: list[str]
    guess: str
    categories: list[list[str]]
    objections: list[str]
    tries: int
    ending: dict[str, Any]
    trail: Annotated[list[dict[str, Any]], operator.add]


@dataclass(frozen=True)
class PairWork:
    """The settings that the nodes of one graph share, and the categories of the set."""

    settings: PairSettings
    categories: Categories

    async def captions(self, state: PairState, ask: StageAsking) -> dict[str, Any]:
        """Reject a pair with a short caption, or with the same caption twice."""
        fewest = self.settings.rules.caption
        short = [
            f"the caption of {name} has {len(caption)} characters; at least {fewest} are needed"
            for name, caption in zip(state["images"], state["captions"], strict=True)
            if len(caption) < fewest
        ]
        first, second = (" ".join(caption.split()).casefold() for caption in state["captions"])
        if first == second and not short:
            short = ["both images have the same caption"]
        if short:
            raise ask.reject(*short)
        return {}

    async def question(self, state: PairState, ask: StageAsking) -> dict[str, Any]:
        """Write a question, and let a solver answer it with and without the captions."""
        first, second = state["captions"]
        inputs = {
            "first": first,
            "second": second,
            "rules": self.settings.rules,
            "objections": objections_in(state),
        }
        written: PairQuestion = await ask.value(WRITE_PAIR_QUESTION, inputs)
        options, answers = self._lettered(state["id"], written)
        shown = {"question": written.question, "options": options}
        objections = []
        for place, caption in enumerate(state["captions"]):
            solved = await ask.optional(SOLVE_QUESTION, {**shown, "source": caption})
            letters = solved.letters if solved else ()
            if letters != (answers[place],):
                objections.append(_objection(place, letters, options, answers[place]))
        blind = await ask.optional(SOLVE_QUESTION, shown)
        return {
            "question": written.question,
            "options": options,
            "answers": list(answers),
            "quotes": [written.first_quote, written.second_quote],
            "guess": blind.letters[0] if blind else "",
            "objections": objections,
        }

    async def category(self, state: PairState, ask: StageAsking) -> dict[str, Any]:
        """Assign each image to one category or more, by its caption."""
        assigned = [
            await ask.value(ASSIGN_CATEGORY, {"text": caption, "categories": self.categories})
            for caption in state["captions"]
        ]
        return {"categories": [list(one.categories) for one in assigned]}

    def _lettered(self, name: str, written: PairQuestion) -> tuple[dict[str, str], tuple[str, ...]]:
        """Return the options by letter, in an order drawn with the seed, and the right letters."""
        texts = [written.first_option.strip(), written.second_option.strip()]
        is_turned = random.Random(f"{self.settings.seed}/{name}").random() < 0.5
        answers = LETTERS[::-1] if is_turned else LETTERS
        by_letter = dict(zip(answers, texts, strict=True))
        return {letter: by_letter[letter] for letter in LETTERS}, answers


def _objection(place: int, letters: tuple[str, ...], options: dict[str, str], right: str) -> str:
    chosen = repr(options[letters[0]]) if letters else "neither option"
    return (
        f"a solver who has caption {place + 1} chooses {chosen}, but {options[right]!r} is meant "
        "to be right"
    )

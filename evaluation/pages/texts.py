"""Search in all texts of a run: cases, responses, words of judges, prompts and replies."""

from bisect import bisect_right
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Any

import numpy as np

from ..cases import Case, Response
from .coded import Codes, Mask
from .items import Items, responses_of
from .kept import Kept
from .verdict_rows import Row

_END = "\x00"  # between two texts, so that no match reaches from one into the next


@dataclass(frozen=True)
class Layer:
    """Texts of one kind, joined; `of_row` has the place of each row's text in them, -1 for none."""

    joined: str
    starts: list[int]
    of_row: Codes

    def rows(self, wanted: str) -> Mask:
        """Return which rows have a text with these words, all in small letters."""
        texts = []
        text, place = 0, self.joined.find(wanted)
        while place >= 0:
            text = bisect_right(self.starts, place, lo=text)
            texts.append(text - 1)
            if text == len(self.starts):
                break
            place = self.joined.find(wanted, self.starts[text])
        hits = np.zeros(len(self.starts) + 1, dtype=bool)  # the last one is of rows without a text
        hits[texts] = True
        rows: Mask = hits[self.of_row]
        return rows


class Texts:
    """All texts of a run in small letters. A row is found by the texts of its case too."""

    def __init__(self, items: Items, kept: Kept) -> None:
        """Join the texts."""
        cases = {case.id: of_case(case) for case in items.inputs.cases}
        units = [(row.model, row.case, row.response) for row in items.rows]
        responses = {unit: of_response(items, *unit) for unit in set(units)}
        prompts = {row.key: kept.prompts[row.key] for row in items.rows if row.key in kept.prompts}
        self._layers = (
            _layer([row.case for row in items.rows], cases),
            _layer(units, responses),
            _layer([(row.unit, row.judge) for row in items.rows],
                   {(row.unit, row.judge): of_verdict(items, row) for row in items.rows}),
            _layer([id(prompts.get(row.key)) for row in items.rows],
                   {id(one): f"{one.system}\n{one.user}" for one in prompts.values()}),
            _layer([row.key for row in items.rows], _of_replies(kept)),
        )  # fmt: skip

    def rows(self, words: str) -> Mask:
        """Return the rows with these words, as they stand, in any of their texts."""
        wanted = words.strip().casefold()
        found = self._layers[0].rows(wanted)
        for layer in self._layers[1:]:
            found = found | layer.rows(wanted)
        return found


def _layer(keys: Sequence[Hashable], texts: Mapping[Any, str]) -> Layer:
    places: dict[Hashable, int] = {}
    folded: list[str] = []
    of_row = np.full(len(keys), -1, dtype=np.int32)
    for row, key in enumerate(keys):
        if key not in places and key in texts:
            places[key] = len(folded)
            folded.append(texts[key].casefold())
        of_row[row] = places.get(key, -1)
    starts = list(accumulate((len(text) + 1 for text in folded[:-1]), initial=0))
    return Layer(_END.join(folded), starts, of_row)


def of_case(case: Case) -> str:
    """Return the texts of a case by which its rows are found."""
    diagnoses = [one.text for one in (case.diagnosis, *case.ddx) if one is not None]
    return "\n".join(
        [case.id, case.case, case.question, *case.options.values(), case.answer, case.reference,
         *diagnoses, *(one.criterion for one in case.criteria)]
    )  # fmt: skip


def of_response(items: Items, model: str, case: str, place: str) -> str:
    """Return the texts of a model's response to a case; "" where it has none."""
    responses = responses_of(items.inputs, model, case)
    return _words_of(responses[int(place)]) if int(place) < len(responses) else ""


def _words_of(response: Response) -> str:
    parts = (response.text, response.answered, response.diagnosis, *(response.ddx or ()))
    return "\n".join(part for part in parts if part)


def of_verdict(items: Items, row: Row) -> str:
    """Return the texts of a verdict: its reason, its value and a judge's words."""
    said = items.said.get((row.unit, row.judge), {})
    return "\n".join([row.reason, row.value, *(text for pair in said.values() for text in pair)])


def _of_replies(kept: Kept) -> dict[str, str]:
    texts = dict(kept.replies)
    for key, attempts in kept.attempts.items():
        texts[key] = "\n".join(_replies(attempts))
    return texts


def _replies(attempts: Iterable[Mapping[str, object]]) -> Iterable[str]:
    for attempt in attempts:
        yield f"{attempt.get('text', '')}\n{attempt.get('error', '')}"

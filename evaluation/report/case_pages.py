"""The cases inside report.html: each with what `dxjudge view` shows of it, packed as one text."""

import random
import zlib
from base64 import b64encode
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ...errors import DxjudgeError, InputError
from ...scoring.votes import Vote
from ..pages.case_view import CaseView
from ..pages.items import NO_RESPONSE
from ..pages.opened import OpenedCases, open_cases, own_people
from ..pages.plain import as_json

_MARKS = (
    ("status", "failed"),
    ("status", NO_RESPONSE),
    ("status", "abstained"),
    ("right", "wrong"),
    ("judges", "disagree"),
    ("people", "differ"),
    ("repaired", "repaired"),
)
"""The values of the table of verdicts by which the list of cases can be filtered."""


@dataclass(frozen=True)
class CaseLine:
    """A case in the list of the report. place: among all cases. marks: values of its verdicts."""

    place: int
    id: str
    truth: str
    marks: tuple[str, ...]


@dataclass(frozen=True)
class PackedCase:
    """A case with everything that its page loads, and the path under which the page finds it.

    block: a JSON object of paths and their data, as base64 of its zlib stream.
    """

    line: CaseLine
    path: str
    block: str


class ReportCases:
    """The cases of a finished run, for the report."""

    def __init__(self, folder: Path) -> None:
        """folder: with the tables of the run. Raises InputError where they cannot be read."""
        people: list[Vote] = []
        with suppress(DxjudgeError):  # `dxjudge view` says what is wrong with the table
            people = own_people(folder)
        self._cases: OpenedCases = open_cases(folder, people)

    def sampled(self, count: int, seed: int) -> Iterator[PackedCase]:
        """Yield `count` cases, drawn at random.

        They come in the order in which they were drawn, so that the first ones are a sample too.
        """
        places = range(len(self._cases.items.inputs.cases))
        for place in random.Random(seed).sample(places, min(count, len(places))):
            yield self._packed(place)

    def _packed(self, place: int) -> PackedCase:
        case = self._cases.items.inputs.cases[place]
        view = self._cases.alone(case.id)
        path = f"case?run=0&place={place}"
        truth = case.diagnosis.text if case.diagnosis else case.answer
        line = CaseLine(place, case.id, truth, tuple(self._marks(case.id)))
        return PackedCase(line, path, packed({path: view.model_dump(), **self._sent(view)}))

    def _marks(self, case: str) -> Iterator[str]:
        rows = self._cases.items.rows_of_case.get(case, ())
        for facet, mark in _MARKS:
            column = self._cases.items.facets[facet]
            if any(column.at(row) == mark for row in rows):
                yield mark

    def _sent(self, view: CaseView) -> dict[str, Any]:
        """The prompts, replies and attempts of all verdicts on a case, by their paths."""
        return {
            f"exchange?run=0&row={one.row}": self._cases.exchange(one.row).model_dump()
            for model in view.models
            for one in model.verdicts
        }

    def images(self, places: Sequence[int]) -> Iterator[tuple[str, str]]:
        """Yield path and data URL of the images of cases; "" for one that cannot be read.

        An image that is an address is not among them.
        """
        for place in places:
            for number, image in enumerate(self._cases.items.inputs.cases[place].images):
                if image.startswith(("http://", "https://")):
                    continue
                try:
                    url = self._cases.image(place, number).url
                except InputError:
                    url = ""
                yield f"image?run=0&case={place}&number={number}", url


def packed(values: dict[str, Any]) -> str:
    """Return data as the base64 of the zlib stream of its JSON."""
    return b64encode(zlib.compress(as_json(values).encode(), 9)).decode()

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
from ..pages.opened import OpenedCases, open_cases, own_people
from ..pages.plain import as_json
from .case_rows import rows_inside

ROWS = "table?run=0"
"""The path of the rows of the table of verdicts."""
TEXTS = "texts"
"""The messages of a case, each once: its exchanges have their places in this list."""


@dataclass(frozen=True)
class CaseLine:
    """A case inside the report. place: among all cases."""

    place: int
    id: str


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

    def drawn(self, count: int, seed: int) -> list[int]:
        """Return the places of `count` cases, drawn at random; the first ones are a sample too."""
        places = range(len(self._cases.items.inputs.cases))
        return random.Random(seed).sample(places, min(count, len(places)))

    def rows(self, places: Sequence[int]) -> str:
        """Return the rows of the table of verdicts on some cases, packed."""
        return packed({ROWS: rows_inside(self._cases.items, places)})

    def packed(self, place: int) -> PackedCase:
        """Return the case at a place."""
        case = self._cases.items.inputs.cases[place]
        view = self._cases.alone(case.id)
        path = f"case?run=0&place={place}"
        block = packed({path: view.model_dump(), **self._sent(view)})
        return PackedCase(CaseLine(place, case.id), path, block)

    def _sent(self, view: CaseView) -> dict[str, Any]:
        """The prompts, replies and attempts of all verdicts on a case, by their paths.

        All judges of an item get the same messages, so that these are most of the text of a case.
        """
        places: dict[str, int] = {}
        sent: dict[str, Any] = {}
        for one in (verdict for model in view.models for verdict in model.verdicts):
            told = self._cases.exchange(one.row).model_dump()
            for name in ("system", "user"):
                told[name] = places.setdefault(told[name], len(places))
            sent[f"exchange?run=0&row={one.row}"] = told
        return {TEXTS: list(places), **sent}

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

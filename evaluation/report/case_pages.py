"""The cases inside report.html: each with what `dxjudge view` shows of it, packed as one text."""

import random
import zlib
from base64 import b64encode
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ...errors import DxjudgeError, InputError
from ...scoring.votes import Vote
from ..pages.opened import OpenedCases, open_cases, own_people
from ..pages.plain import as_json
from .case_rows import rows_inside
from .case_texts import CaseTexts

ROWS = "table?run=0"
"""The path of the rows of the table of verdicts."""


@dataclass(frozen=True)
class CaseLine:
    """A case inside the report. place: among all cases."""

    place: int
    id: str


@dataclass(frozen=True)
class PackedCase:
    """A case with everything that its page loads, and with the texts by which it is found.

    blocks: by their paths, each a JSON object of paths and data as base64 of its zlib stream. A
    search needs the texts alone, so that they are a block of their own.
    """

    line: CaseLine
    blocks: Mapping[str, str]


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
        view, texts = self._cases.alone(case.id), CaseTexts(self._cases, place)
        sent = {
            f"exchange?run=0&row={one.row}": texts.exchange(one.row)
            for model in view.models
            for one in model.verdicts
        }
        shown, found = (f"{name}?run=0&place={place}" for name in ("case", "texts"))
        blocks = {
            shown: packed({shown: view.model_dump(), **sent}),
            found: packed({found: texts.told}),
        }
        return PackedCase(CaseLine(place, case.id), blocks)

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

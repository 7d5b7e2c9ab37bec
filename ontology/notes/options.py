"""The codes that a note may mean, of the whole text and of its parts, and what speaks for each."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ..combinations import INJURY, is_unsaid_newborn
from ..mapping import Candidate, Mapping
from ..reading.normalise import normalise_text
from ..reading.refusal import READS_LIKE
from ..tree import Tree
from .kinds import (
    ACCIDENT,
    FACTOR,
    SYMPTOM,
    Option,
    ReadPart,
    is_clear,
    listed_beside,
    listed_codes,
)
from .order import may_be_first
from .parts import CUES, SAID, contexts_of, says

_NEEDED = 10  # candidates of the whole text that are options

_OF_PART = 4  # candidates of each part that are options
_SHORT = 5  # letters of a part that may be an abbreviation
_SMALL = 3  # letters of words that say little
_FAINT = 0.1  # of the score of a part's first category, below which another one is not meant
_CLASSES: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("symptom", (SYMPTOM,)),
    ("factor", (FACTOR,)),
    ("accident", ACCIDENT),
    ("injury", ("S", "T0", "T1", "T2", "T30", "T31", "T32", "T33", "T34")),
    ("poisoning", ("T36", "T37", "T38", "T39", "T4", "T5", "T6")),
    ("complication", ("T7", "T8")),
    ("obstetric", ("O",)),
    ("perinatal", ("P",)),
    ("neoplasm", ("C", "D0", "D1", "D2", "D3", "D4")),
)
_LISTED = ("chronic", "complaint", "encounter")
_NEXT = ("then", "cause", "setting", "with")

NOTE_FEATURES = (
    "whole_score",
    "whole_category",
    "whole_rank",
    "whole_first",
    "whole_top",
    "whole_exact",
    "whole_refused",
    "in_category_of_whole",
    "part_score",
    "part_category",
    "part_rank",
    "part_exact",
    "part_refused",
    "part_frame",
    "part_doubt",
    "parts_with_category",
    "is_of_part",
    "in_context",
    "place",
    "is_last",
    "parts",
    "share",
    "words",
    *(f"cue_{cue}" for cue in CUES),
    *(f"next_{cue}" for cue in _NEXT),
    *(f"is_{name}" for name, _ in _CLASSES),
    *(f"is_{name}" for name in _LISTED),
    "specific_before",
    "specific_after",
    "best_specific",
    "lesser_beside_specific",
    "obstetric_beside",
    "perinatal_beside",
    "injury_beside",
    "depth",
    *(f"says_{kind}" for kind in SAID),
    "is_short",
    "in_chapter",
    "out_of_chapter",
    "parts_named",
    "share_named",
)


class Options(NamedTuple):
    """The options of a note and their features, float64 of shape (options, NOTE_FEATURES)."""

    options: tuple[Option, ...]
    rows: npt.NDArray[np.float64]


def options_of(whole: Mapping, parts: Sequence[ReadPart], tree: Tree) -> Options:
    """Return the options of a note: the best candidates of the whole text and of each part."""
    found: dict[str, Option] = {}
    for one in whole.candidates[:_NEEDED]:
        found.setdefault(one.code, _option(one, None))
    has_context = bool(contexts_of(whole.text))
    for read in parts:
        for one in read.mapping.candidates[: _OF_PART * _may_be_meant(read)]:
            if not read.told and is_unsaid_newborn(one.code, whole.text, tree):
                continue
            if not (has_context or _may_mean(read, one)):
                continue
            before = found.get(one.code)
            if before is None or before.read is None or before.score < one.score:
                found[one.code] = _option(one, read)
    note = _Note(whole, parts, tree)
    options = may_be_first(found.values(), parts, whole.text)
    rows = np.array([note.row(option) for option in options], np.float64)
    return Options(options, rows.reshape(len(options), len(NOTE_FEATURES)))


def _may_be_meant(read: ReadPart) -> bool:
    """Return whether a part may be the diagnosis: none that a rule refuses, as what is denied."""
    return read.mapping.code is not None or (read.mapping.reason or "").startswith(READS_LIKE)


def _may_mean(read: ReadPart, one: Candidate) -> bool:
    """Return whether a part by itself may mean a candidate, though its first one is another.

    For a pregnant patient, a newborn or an injured one also fainter candidates are meant.
    """
    first = read.mapping.candidates[0]
    same = one.code[:3] == first.code[:3]
    is_faint = is_clear(read) or one.category_score < _FAINT * first.category_score
    return same or not is_faint


def _option(one: Candidate, read: ReadPart | None) -> Option:
    return Option(one.code, read, one.score, one.category_score, f"{one.term} {one.name}")


class _Note:
    """What the features of all options of a note need."""

    def __init__(self, whole: Mapping, parts: Sequence[ReadPart], tree: Tree) -> None:
        self._whole = whole
        self._parts = parts
        self._tree = tree
        self._of_whole = {one.code: (rank, one) for rank, one in enumerate(whole.candidates, 1)}
        self._firsts = [next(iter(read.mapping.candidates), None) for read in parts]
        self._specific = [_specific(one) for one in self._firsts]
        self._words = max(len(whole.text.split()), 1)
        self._count = 1 + max(read.place for read in parts)
        self._chapters = tuple(contexts_of(whole.text))
        self._of_place: dict[int, set[str]] = {}
        for read in parts:
            forms = (form.text for form in read.query.forms[:1])
            self._of_place[read.place] = _telling(" ".join((read.part.searched, *forms)))
        self._said = {word for words in self._of_place.values() for word in words}
        self._cues = {read.place: read.part.cue for read in parts}

    def row(self, option: Option) -> list[float]:
        """Return the features of an option."""
        code, category = option.code, option.code[:3]
        whole, parts = self._whole, self._parts
        top = next(iter(whole.candidates), None)
        rank, own = self._of_whole.get(code, (0, None))
        read = option.read
        ranks = [] if read is None else [one.code for one in read.mapping.candidates]
        others = [
            (other.place, share)
            for other, first, share in zip(parts, self._firsts, self._specific, strict=True)
            if first and first.code[:3] != category and (read is None or other.place != read.place)
        ]
        at = self._count if read is None else read.place
        listed = [float(code.startswith(listed_codes(kind))) for kind in _LISTED]
        classes = [float(code.startswith(prefixes)) for _, prefixes in _CLASSES]
        best = max((share for _, share in others), default=0.0)
        is_lesser = any(listed) or any(classes[:3])
        following = self._cues.get(at + 1, "")
        firsts = [one.code for one in self._firsts if one]
        return [
            own.score if own else 0.0,
            own.category_score if own else 0.0,
            1 / rank if rank else 0.0,
            float(rank == 1),
            top.category_score if top else 0.0,
            float(whole.decided_by == "exact"),
            float(whole.code is None),
            float(top is not None and top.code[:3] == category),
            option.score if read else 0.0,
            option.category_score if read else 0.0,
            1 / (1 + ranks.index(code)) if read else 0.0,
            float(read is not None and read.mapping.decided_by == "exact" and ranks[0] == code),
            float(read is not None and read.mapping.code is None),
            float(read is not None and read.query.frame is not None),
            float(read is not None and bool(read.query.set_aside)),
            float(sum(first[:3] == category for first in firsts)),
            float(read is not None),
            float(read is not None and read.in_context),
            at / self._count,
            float(at == self._count - 1),
            float(self._count),
            len(read.part.text.split()) / self._words if read else 1.0,
            float(np.log1p(len(read.part.text.split()) if read else self._words)),
            *(float(read is not None and read.part.cue == cue) for cue in CUES),
            *(float(read is not None and following == cue) for cue in _NEXT),
            *classes,
            *listed,
            float(sum(share for place, share in others if place < at)),
            float(sum(share for place, share in others if place > at)),
            best,
            best * is_lesser,
            float(code.startswith("O") and any(first.startswith("O") for first in firsts)),
            float(code.startswith("P") and any(first.startswith("P") for first in firsts)),
            float(any(first.startswith(INJURY) for first in firsts)),
            float(len(self._tree.ancestors(code))),
            *(map(float, says(read.part)) if read else (0.0,) * len(SAID)),
            float(read is not None and len(read.part.text) < _SHORT),
            float(code.startswith(self._chapters) if self._chapters else 0),
            float(not code.startswith(self._chapters) if self._chapters else 0),
            *self._named(option),
        ]

    def _named(self, option: Option) -> tuple[float, float]:
        """Return how many parts have a word of the code's term or name, and the share of words."""
        named = _telling(option.words)
        parts = {place for place, words in self._of_place.items() if not named.isdisjoint(words)}
        return float(len(parts)), len(named & self._said) / max(len(self._said), 1)


def _telling(text: str) -> set[str]:
    """Return the words of a text that say something."""
    return {word for word in normalise_text(text).split() if len(word) > _SMALL}


def _specific(first: Candidate | None) -> float:
    """Return how surely a part is a disease that explains others, by its first candidate."""
    return 0.0 if first is None or first.code.startswith(listed_beside()) else first.category_score

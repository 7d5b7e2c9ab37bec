"""The features of the reranker: how a candidate's words and place in the tree fit a diagnosis."""

import struct
from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import NamedTuple
from weakref import WeakKeyDictionary

import numpy as np
import numpy.typing as npt

from ..reading.query import IN_ENGLISH, Form, Query
from .facts import Facts, KeptFacts
from .retrieve import Floats, Hit, Retriever
from .term_rows import TermRows
from .words import RAREST, ROW_OF, Words, rarities, read_words

FEATURES = (
    "fused",
    "fused_gap",
    "dense",
    "dense_gap",
    "lexical",
    "lexical_gap",
    "dense_rank",
    "lexical_rank",
    "term_recall",
    "term_precision",
    "name_recall",
    "name_precision",
    "same_words",
    "head_shared",
    "category",
    "depth",
    "leaf",
    "unspecified",
    "other",
    "term_other",
    "term_vague",
    "extra_qualifiers",
    "missing_qualifiers",
    "number_clash",
    "setting_clash",
    "inclusion",
    "includes",
    "community",
    "joined",
    "category_votes",
    "below_parent",
    "above_child",
    "whole_form",
    "term_length",
    "first_in_category",
    "read_recall",
    "not_whole",
    "asked_unspecified",
    "asked_other",
    "opposed",
    "agreed",
    "side_added",
    "side_dropped",
    "without_clash",
)

# The features that compare a hit with the others of its query, and all others.
_POOL = frozenset(
    """fused fused_gap dense dense_gap lexical lexical_gap dense_rank lexical_rank category_votes
    below_parent above_child first_in_category""".split()
)
_OF_POOL = np.array([place for place, name in enumerate(FEATURES) if name in _POOL])
_OF_HIT = np.array([place for place, name in enumerate(FEATURES) if name not in _POOL])
# NumPy takes three times as long to read lists of numbers, bools among them.
_PACKED = struct.Struct(f"{len(_OF_HIT)}f")
_MOST = {"extra_qualifiers": 3, "missing_qualifiers": 3, "opposed": 2, "agreed": 2}
_LIMITED = np.array([FEATURES.index(name) for name in _MOST])
_LIMITS = np.array([*_MOST.values()], np.float32)
_OWN = [FEATURES.index(name) for name in ("fused", "dense", "lexical")]
_VOTING = 10  # hits that vote for their categories
_FORMS = 64  # forms of queries that are remembered
_RARITIES: WeakKeyDictionary[TermRows, dict[str, float]] = WeakKeyDictionary()
Numbers = npt.NDArray[np.float64]

_NOT_WHOLE = frozenset(
    (*IN_ENGLISH, "spelling", "first part", "in brackets", "alternative", "one meaning")
)


class _Asked(NamedTuple):
    """What a form of the query, or the whole text, asks for."""

    words: Words
    weight_of: Callable[[str], float]
    weight: float
    not_whole: float
    details: tuple[float, float, bool]  # "unspecified", "other", "without"
    opposites: frozenset[frozenset[str]]  # the rows of opposites of which it has a word


@dataclass(frozen=True)
class FeatureMaker:
    """Turns the hits of a query into rows of numbers, in the order of `FEATURES`."""

    retriever: Retriever
    weights: dict[str, float]
    facts: KeptFacts

    def rows(self, query: Query, hits: Sequence[Hit]) -> Floats:
        """Return the features of every hit, float32 of shape (len(hits), len(FEATURES))."""
        facts = [self.facts.of_code(hit.code) for hit in hits]
        rows = self._by_themselves(query, hits, facts)
        rows[:, _OF_POOL] = _beside_others(hits, facts)
        return rows

    def alone(self, query: Query, hit: Hit) -> Floats:
        """Return the features of one hit; those that compare it with others are 0."""
        row: Floats = self._by_themselves(query, [hit], [self.facts.of_code(hit.code)])[0]
        row[_OWN] = hit.fused, hit.dense, hit.lexical
        return row

    def _by_themselves(self, query: Query, hits: Sequence[Hit], facts: Sequence[Facts]) -> Floats:
        """Return rows with the features that do not depend on the other hits, the others 0."""
        asked = [self._asked(form) for form in query.forms]
        whole = _whole_of(asked, query)
        packed = [
            _PACKED.pack(*self._row(hit, fact, asked[hit.form], whole))
            for hit, fact in zip(hits, facts, strict=True)
        ]
        rows = np.zeros((len(hits), len(FEATURES)), np.float32)
        rows[:, _OF_HIT] = np.frombuffer(b"".join(packed), np.float32).reshape(len(hits), -1)
        rows[:, _LIMITED] = np.minimum(rows[:, _LIMITED], _LIMITS)
        return rows

    @cached_property
    def _asked(self) -> Callable[[Form], _Asked]:
        """The function that reads a form; the evidence of the first hit asks for it again."""
        return lru_cache(_FORMS)(self._read)

    def _read(self, form: Form) -> _Asked:
        words, every = read_words(form.text, self.weights), form.text.split()
        weights = {stem: self.weights.get(stem, RAREST) for stem in words.stems}
        details = (
            float("unspecified" in every or "nos" in every),
            float("other" in every),
            "without" in every,
        )
        opposites = frozenset(map(ROW_OF.__getitem__, words.opposed))
        not_whole = float(form.kind in _NOT_WHOLE)
        return _Asked(words, weights.__getitem__, form.weight, not_whole, details, opposites)

    def _row(self, hit: Hit, facts: Facts, asked: _Asked, whole: _Asked) -> tuple[float, ...]:
        """Return the features of a hit that do not depend on the other hits.

        `asked` is the form that matched, `whole` all the text.
        """
        own, term, named = asked.words, self.facts.of_term(hit.row), facts.words
        words = term.words
        stems = own.stems & words.stems
        same = sum(map(asked.weight_of, stems)) if stems else 0.0
        if named is words:
            stems_named, same_named = stems, same
        else:
            stems_named = own.stems & named.stems
            same_named = sum(map(asked.weight_of, stems_named)) if stems_named else 0.0
        if asked is not whole:
            held = _read_share(whole, words, named)
        elif stems_named <= stems:
            held = same / own.weight if stems else 0.0
        else:
            held = sum(map(asked.weight_of, stems | stems_named)) / own.weight
        return (
            same / own.weight if same else 0.0,
            same / words.weight if same else 0.0,
            same_named / own.weight if same_named else 0.0,
            same_named / named.weight if same_named else 0.0,
            words.stems == own.stems,
            own.last in words.stems,
            *facts.static,
            *term.vague,
            len(words.qualifiers - own.qualifiers),
            len(own.qualifiers - words.qualifiers),
            bool(own.numbers) and bool(words.numbers) and own.numbers.isdisjoint(words.numbers),
            facts.setting is not None and own.stems.isdisjoint(facts.setting),
            *term.source,
            hit.joined,
            asked.weight,
            term.length,
            held,
            asked.not_whole,
            *_against(whole, facts),
        )


def _beside_others(hits: Sequence[Hit], facts: Sequence[Facts]) -> Numbers:
    """Return the features of `_POOL`, which say how the hits of one query compare."""
    codes = [hit.code for hit in hits]
    numbers = np.array([(hit.fused, hit.dense, hit.lexical) for hit in hits]).T
    votes: defaultdict[str, float] = defaultdict(float)
    for fact in facts[:_VOTING]:
        votes[fact.category] += 0.1
    score = {hit.code: hit.fused for hit in hits}
    first: dict[str, str] = {}
    best_child: dict[str, float] = {}
    for hit, fact in zip(hits, facts, strict=True):
        first.setdefault(fact.category, hit.code)
        if fact.parent:
            best = best_child.get(fact.parent, 0.0)
            best_child[fact.parent] = hit.fused if hit.fused > best else best
    by_code = np.array(sorted(range(len(codes)), key=codes.__getitem__))
    columns = np.empty((len(_OF_POOL), len(codes)))
    columns[0:6:2] = numbers
    columns[1:6:2] = numbers - numbers.max(axis=1, keepdims=True)
    columns[6] = _ranks(numbers[1], by_code)
    columns[7] = _ranks(numbers[2], by_code)
    columns[8] = [votes[fact.category] for fact in facts]
    # A lead over a parent or child that is no candidate is 0.
    columns[9] = [
        score.get(fact.parent or "", hit.fused) for hit, fact in zip(hits, facts, strict=True)
    ]
    columns[10] = [best_child.get(hit.code, hit.fused) for hit in hits]
    np.subtract(numbers[0], columns[9:11], out=columns[9:11])
    columns[11] = [first[fact.category] == hit.code for hit, fact in zip(hits, facts, strict=True)]
    return columns.T


def _ranks(numbers: Numbers, by_code: npt.NDArray[np.int64]) -> Numbers:
    """Return 1 for the highest number, 1/2 for the second and so on, ties by code."""
    order = by_code[np.argsort(-numbers[by_code], kind="stable")]
    ranks = np.empty(len(order))
    ranks[order] = 1 / np.arange(1, len(order) + 1)
    return ranks


def make_features(retriever: Retriever) -> FeatureMaker:
    """Return a feature maker that weighs words by their rarity among the terms of the index."""
    rows = retriever.index.rows
    if rows not in _RARITIES:
        _RARITIES[rows] = rarities(rows.folded)
    return FeatureMaker(retriever, _RARITIES[rows], KeptFacts(retriever, _RARITIES[rows]))


def _whole_of(asked: Sequence[_Asked], query: Query) -> _Asked:
    """Return the whole text; its best spelling or its English where it was read so."""
    kinds = [form.kind for form in query.forms]
    for kind in (*IN_ENGLISH, "one meaning", "spelling"):
        if kind in kinds:
            return asked[kinds.index(kind)]
    return asked[0]


def _read_share(whole: _Asked, words: Words, named: Words) -> float:
    """Return the share of the words of the whole text that the term or the name holds."""
    stems = words.stems if named is words else words.stems | named.stems
    held = whole.words.stems & stems
    return sum(map(whole.weight_of, held)) / whole.words.weight if held else 0.0


def _against(whole: _Asked, facts: Facts) -> tuple[float, ...]:
    """Return how the details of a code's name fit those of the whole text."""
    asked, named = whole.words, facts.words
    opposed = agreed = 0
    if named.opposed:
        for row in whole.opposites:
            if theirs := row & named.opposed:
                is_same = not theirs.isdisjoint(asked.opposed)
                agreed += is_same
                opposed += not is_same
    unspecified, other, without = whole.details
    return (
        unspecified if facts.static[3] else -unspecified,
        other if facts.static[4] else -other,
        opposed,
        agreed,
        named.is_sided and not asked.is_sided,
        asked.is_sided and not named.is_sided,
        without != facts.without,
    )

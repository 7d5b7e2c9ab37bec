"""The features of the reranker: how a candidate's words and place in the tree fit a diagnosis."""

from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import NamedTuple
from weakref import WeakKeyDictionary

import numpy as np

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

_FORMS = 64  # forms of queries that are remembered
_RARITIES: WeakKeyDictionary[TermRows, dict[str, float]] = WeakKeyDictionary()
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
        pool = _Pool.of(hits, facts)
        asked = [self._asked(form) for form in query.forms]
        whole = _whole_of(asked, query)
        rows = [
            self._row(hit, fact, asked[hit.form], whole, pool)
            for hit, fact in zip(hits, facts, strict=True)
        ]
        return np.asarray(rows, np.float32).reshape(len(hits), len(FEATURES))

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

    def _row(
        self, hit: Hit, facts: Facts, asked: _Asked, whole: _Asked, pool: "_Pool"
    ) -> tuple[float, ...]:
        """Return the features of a hit; `asked` is the form that matched, `whole` all the text."""
        own, term, named = asked.words, self.facts.of_term(hit.row), facts.words
        words = term.words
        common, common_named = own.stems & words.stems, own.stems & named.stems
        same, same_named = (
            sum(map(asked.weight_of, common)),
            sum(map(asked.weight_of, common_named)),
        )
        return (
            hit.fused,
            hit.fused - pool.fused,
            hit.dense,
            hit.dense - pool.dense,
            hit.lexical,
            hit.lexical - pool.lexical,
            pool.dense_rank[hit.code],
            pool.lexical_rank[hit.code],
            same / own.weight if common else 0.0,
            same / words.weight if common else 0.0,
            same_named / own.weight if common_named else 0.0,
            same_named / named.weight if common_named else 0.0,
            words.stems == own.stems,
            own.last in words.stems,
            *facts.static,
            *term.vague,
            min(len(words.qualifiers - own.qualifiers), 3),
            min(len(own.qualifiers - words.qualifiers), 3),
            _numbers_clash(own.numbers, words.numbers),
            facts.setting is not None and own.stems.isdisjoint(facts.setting),
            *term.source,
            hit.joined,
            pool.votes[facts.category],
            pool.above(facts.parent, hit.fused),
            pool.below(hit.code, hit.fused),
            asked.weight,
            term.length,
            pool.first[facts.category] == hit.code,
            _read_share(whole, words, named),
            asked.not_whole,
            *_against(whole, facts),
        )


@dataclass(frozen=True)
class _Pool:
    """How the candidates of one query compare with each other."""

    fused: float
    dense: float
    lexical: float
    dense_rank: dict[str, float]  # 1 for the first, 1/2 for the second
    lexical_rank: dict[str, float]
    votes: dict[str, float]
    first: dict[str, str]
    score: dict[str, float]
    best_child: dict[str, float]

    @classmethod
    def of(cls, hits: Sequence[Hit], facts: Sequence[Facts]) -> "_Pool":
        by_dense = sorted(hits, key=lambda hit: (-hit.dense, hit.code))
        by_lexical = sorted(hits, key=lambda hit: (-hit.lexical, hit.code))
        votes: defaultdict[str, float] = defaultdict(float)
        first: dict[str, str] = {}
        best_child: dict[str, float] = {}
        for place, (hit, fact) in enumerate(zip(hits, facts, strict=True)):
            votes[fact.category] += 0.1 if place < 10 else 0
            first.setdefault(fact.category, hit.code)
            if fact.parent:
                best_child[fact.parent] = max(best_child.get(fact.parent, 0.0), hit.fused)
        return cls(
            max(hit.fused for hit in hits),
            by_dense[0].dense,
            by_lexical[0].lexical,
            {hit.code: 1 / rank for rank, hit in enumerate(by_dense, 1)},
            {hit.code: 1 / rank for rank, hit in enumerate(by_lexical, 1)},
            dict(votes),
            first,
            {hit.code: hit.fused for hit in hits},
            best_child,
        )

    def above(self, parent: str | None, fused: float) -> float:
        """Return the lead of a code over its parent, 0 where the parent is not a candidate."""
        return fused - self.score[parent] if parent in self.score else 0.0

    def below(self, code: str, fused: float) -> float:
        """Return the lead of a code over its best child, 0 where no child is a candidate."""
        return fused - self.best_child[code] if code in self.best_child else 0.0


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
    held = whole.words.stems & (words.stems | named.stems)
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
        min(opposed, 2),
        min(agreed, 2),
        named.is_sided and not asked.is_sided,
        asked.is_sided and not named.is_sided,
        without != facts.without,
    )


def _numbers_clash(asked: frozenset[str], named: frozenset[str]) -> bool:
    return bool(asked) and bool(named) and asked.isdisjoint(named)

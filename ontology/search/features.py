"""The features of the reranker: how a candidate's words and place in the tree fit a diagnosis."""

import math
import re
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple
from weakref import WeakKeyDictionary

import numpy as np

from ..reading.normalise import normalise_text
from ..reading.query import Query
from .retrieve import Floats, Hit, Retriever
from .term_rows import TermRows

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

_VAGUE = frozenset(
    "unspecified nos other specified classified elsewhere and or of the in to".split()
)
_QUALIFIERS = frozenset(
    """acute subacute chronic recurrent congenital hereditary familial acquired primary secondary
    malignant benign juvenile neonatal newborn infantile childhood adult senile gestational
    pregnancy puerperal postpartum traumatic nontraumatic alcoholic drug postprocedural
    postoperative tuberculous syphilitic gonococcal viral bacterial fungal parasitic toxic
    idiopathic autoimmune obstructive complicated severe mild moderate intractable bilateral
    right left upper lower anterior posterior external internal superficial deep localized
    generalized multiple single complete incomplete with without due following history screening
    exposure encounter remission relapse perforation hemorrhage abscess gangrene situ
    metastatic late early peripheral central atypical induced diabetic rheumatoid""".split()
)
_NUMBERS = {"i": "1", "ii": "2", "iii": "3", "iv": "4", "v": "5", "vi": "6", "vii": "7"}
# In each row a text means one of the words; a term that holds another of the row means another.
_OPPOSED = tuple(
    frozenset(row.split())
    for row in (
        "displaced nondisplaced",
        "open closed",
        "left right bilateral unspecified_side",
        "acute chronic subacute",
        "upper lower",
        "proximal distal middle",
        "traumatic nontraumatic",
        "male female",
        "anterior posterior",
        "internal external",
        "medial lateral",
        "primary secondary",
        "benign malignant",
        "mild moderate severe profound",
        "systolic diastolic",
        "first second third fourth fifth",
        "index ring little thumb great",
        "simple complex",
        "complete incomplete partial",
        "direct indirect",
        "dominant nondominant",
        "hypo hyper",
    )
)
_ROW_OF = {word: row for row in _OPPOSED for word in row}
_SIDES = frozenset("left right bilateral".split())
_STEM = 6  # letters of a word that are compared
_RAREST = 11.0  # the weight of a word that no term holds
_RARITIES: WeakKeyDictionary[TermRows, dict[str, float]] = WeakKeyDictionary()
_NOT_WHOLE = frozenset(
    ("spelling", "first part", "in brackets", "alternative", "word for word", "one meaning")
)
_DIGIT = re.compile(r"^\d+[a-z]?$")


class _Words(NamedTuple):
    """What is compared of a text; `weight` is the sum of the weights of its stems."""

    stems: frozenset[str]
    weight: float
    qualifiers: frozenset[str]
    numbers: frozenset[str]
    last: str
    every: frozenset[str]
    opposed: frozenset[str]


class _Facts(NamedTuple):
    words: _Words
    category: str
    parent: str | None
    static: tuple[float, ...]  # category, depth, leaf, unspecified, other


@dataclass(frozen=True)
class FeatureMaker:
    """Turns the hits of a query into rows of numbers, in the order of `FEATURES`."""

    retriever: Retriever
    weights: dict[str, float]
    _facts: dict[str, _Facts] = field(default_factory=dict)
    _words: dict[str, _Words] = field(default_factory=dict)

    def rows(self, query: Query, hits: Sequence[Hit]) -> Floats:
        """Return the features of every hit, float32 of shape (len(hits), len(FEATURES))."""
        facts = [self._facts_of(hit.code) for hit in hits]
        pool = _Pool.of(hits, facts)
        forms = [_words(form.text, self.weights) for form in query.forms]
        whole = _whole_of(query, forms)
        rows = [
            self._row(query, hit, fact, (forms[hit.form], whole), pool)
            for hit, fact in zip(hits, facts, strict=True)
        ]
        return np.asarray(rows, np.float32).reshape(len(hits), len(FEATURES))

    def _row(
        self, query: Query, hit: Hit, facts: _Facts, read: tuple[_Words, _Words], pool: "_Pool"
    ) -> tuple[float, ...]:
        """Return the features of a hit; `read` is the form that matched and the whole text."""
        asked, whole = read
        term = self.retriever.index.terms[hit.row]
        folded = self.retriever.index.folded[hit.row]
        form = query.forms[hit.form]
        words, named = self._words_of(folded), facts.words
        common = asked.stems & words.stems
        same, same_named = self._weight(common), self._weight(asked.stems & named.stems)
        return (
            hit.fused,
            hit.fused - pool.fused,
            hit.dense,
            hit.dense - pool.dense,
            hit.lexical,
            hit.lexical - pool.lexical,
            1 / (1 + pool.dense_rank[hit.code]),
            1 / (1 + pool.lexical_rank[hit.code]),
            same / asked.weight if same else 0.0,
            same / words.weight if same else 0.0,
            same_named / asked.weight if same_named else 0.0,
            same_named / named.weight if same_named else 0.0,
            float(words.stems == asked.stems),
            float(asked.last in words.stems),
            *facts.static,
            float(folded.startswith("other ") or " other " in folded),
            float("unspecified" in folded or folded.endswith(" nos")),
            min(len(words.qualifiers - asked.qualifiers), 3),
            min(len(asked.qualifiers - words.qualifiers), 3),
            float(_numbers_clash(asked.numbers, words.numbers)),
            float(self._setting_clash(hit.code, asked.stems)),
            float(term.source == "inclusion"),
            float(term.source == "includes"),
            float(term.source not in {"official", "inclusion", "includes"}),
            float(hit.joined),
            pool.votes[facts.category],
            pool.above(facts.parent, hit.fused),
            pool.below(hit.code, hit.fused),
            form.weight,
            min(len(words.stems), 12) / 12,
            float(pool.first[facts.category] == hit.code),
            self._read_share(whole, words, named),
            float(form.kind in _NOT_WHOLE),
            *_against(whole, facts),
        )

    def _weight(self, stems: frozenset[str]) -> float:
        """Return the sum of the weights of stems; rare ones weigh more."""
        return sum([self.weights.get(stem, _RAREST) for stem in stems])

    def _read_share(self, whole: _Words, words: _Words, named: _Words) -> float:
        """Return the share of the words of the whole text that the term or the name holds."""
        held = whole.stems & words.stems
        if named is not words:
            held |= whole.stems & named.stems
        return self._weight(held) / whole.weight if held else 0.0

    def _setting_clash(self, code: str, stems: frozenset[str]) -> bool:
        """Return whether the text lacks the words that it should hold for such a code."""
        wanted = self.retriever.tree.descriptor.settings.get(code[:1])
        return wanted is not None and not any(stem in wanted for stem in stems)

    def _words_of(self, folded: str) -> _Words:
        if folded not in self._words:
            self._words[folded] = _words(folded, self.weights)
        return self._words[folded]

    def _facts_of(self, code: str) -> _Facts:
        if code not in self._facts:
            tree = self.retriever.tree
            name = normalise_text(tree.name(code))
            parent = tree.parent(code)
            depth = tree.level(code) - tree.category_level
            static = (
                float(depth == 0),
                depth / 4,
                float(tree.is_billable(code)),
                float("unspecified" in name),
                float(name.startswith("other ") or " other " in name),
            )
            above = parent.code if parent and depth > 0 else None
            category = tree.category(code).code
            self._facts[code] = _Facts(self._words_of(name), category, above, static)
        return self._facts[code]


@dataclass(frozen=True)
class _Pool:
    """How the candidates of one query compare with each other."""

    fused: float
    dense: float
    lexical: float
    dense_rank: dict[str, int]
    lexical_rank: dict[str, int]
    votes: dict[str, float]
    first: dict[str, str]
    score: dict[str, float]
    best_child: dict[str, float]

    @classmethod
    def of(cls, hits: Sequence[Hit], facts: Sequence[_Facts]) -> "_Pool":
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
            {hit.code: rank for rank, hit in enumerate(by_dense)},
            {hit.code: rank for rank, hit in enumerate(by_lexical)},
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
        _RARITIES[rows] = _rarities(rows.folded)
    return FeatureMaker(retriever, _RARITIES[rows])


def _rarities(terms: Sequence[str]) -> dict[str, float]:
    counts: Counter[str] = Counter()
    for folded in terms:
        counts.update({_stem(word) for word in folded.split()})
    return {stem: math.log(len(terms) / count) + 0.1 for stem, count in counts.items()}


def _words(folded: str, weights: Mapping[str, float]) -> _Words:
    tokens = [_NUMBERS.get(word, word) for word in folded.split()]
    telling = [word for word in tokens if word not in _VAGUE] or tokens
    stems = frozenset(map(_stem, telling))
    every = frozenset(tokens)
    return _Words(
        stems,
        sum([weights.get(stem, _RAREST) for stem in stems]),
        frozenset(_QUALIFIERS.intersection(tokens)),
        frozenset(word for word in tokens if _DIGIT.match(word)),
        _stem(telling[-1]) if telling else "",
        every,
        every & _ROW_OF.keys(),
    )


def _against(whole: _Words, facts: _Facts) -> tuple[float, ...]:
    """Return how the details of a code's name fit those of the whole text."""
    asked, named = whole.every, facts.words
    opposed = agreed = 0
    if named.opposed:
        for row in {_ROW_OF[word] for word in whole.opposed}:
            if theirs := row & named.opposed:
                is_same = not theirs.isdisjoint(whole.opposed)
                agreed += is_same
                opposed += not is_same
    sides, asked_sides = _SIDES & named.opposed, _SIDES & whole.opposed
    return (
        float("unspecified" in asked or "nos" in asked) * (1 if facts.static[3] else -1),
        float("other" in asked) * (1 if facts.static[4] else -1),
        min(opposed, 2),
        min(agreed, 2),
        float(bool(sides and not asked_sides)),
        float(bool(asked_sides and not sides)),
        float(("without" in asked) != ("without" in named.every)),
    )


def _whole_of(query: Query, forms: Sequence[_Words]) -> _Words:
    """Return the words of the whole text; those of its best spelling or its English where read."""
    kinds = [form.kind for form in query.forms]
    for kind in ("word for word", "one meaning", "spelling"):
        if kind in kinds:
            return forms[kinds.index(kind)]
    return forms[0]


def _stem(word: str) -> str:
    return word[:_STEM]


def _numbers_clash(asked: frozenset[str], named: frozenset[str]) -> bool:
    return bool(asked) and bool(named) and not (asked & named)

"""Retrieve the candidate codes of a diagnosis, by dense and lexical search together."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain, repeat
from operator import attrgetter
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ..reading.query import TRANSLATED, Form, Query
from ..tree import Node, Tree
from .highest import highest
from .index import Index
from .queries import QueryReader

# Weighted fusion beat reciprocal ranks by 3 to 8 points hit@1 (benchmarks/mapping.py).
LEXICAL_WEIGHT = 0.3

_NEAREST = 64  # terms taken from each of the two searches
_BEST = 40  # codes that the reranker reads, without the relatives that are added
_RELATIVES = 15  # best codes whose parents and unspecified children are added

Floats = npt.NDArray[np.float32]
Rows = npt.NDArray[np.int64]


class Hit(NamedTuple):
    """A candidate code and how its best term matched.

    `dense` and `lexical` are cosine similarities of the best term. `fused` is their weighted
    sum, multiplied by the weights of the form and of the term's source. `row` is the term's row in
    the index, `form` the place of the query's form. `joined` is True for a relative that was added
    to the candidates of the search.
    """

    code: str
    row: int
    form: int
    dense: float
    lexical: float
    fused: float
    joined: bool


@dataclass(frozen=True)
class Retriever(QueryReader):
    """An index and its tree, ready to be searched."""

    weights: Floats | None = None  # of the terms, by row; None means 1 for all
    _relatives: dict[str, tuple[str, ...]] = field(default_factory=dict)

    def search(self, queries: Sequence[Query]) -> list[list[Hit]]:
        """Return the candidates of each query, best fused score first, ties by code."""
        keys_of = [self._keys(query) for query in queries]
        keys = list(dict.fromkeys(chain.from_iterable(keys_of)))
        if not keys:
            return [[] for _ in queries]
        vectors = self._vectors(keys)
        near = self.index.collection.nearest(vectors, min(_NEAREST, len(self.index.terms)))
        place = dict(zip(keys, range(len(keys)), strict=True))
        candidates: list[list[Hit]] = []
        for query, of_query in zip(queries, keys_of, strict=True):
            own = [place[key] for key in of_query]
            # One query at a time: the scores of its forms with all terms stay in the cache.
            lexical = self.index.lexical.scores([form.text for form in query.forms])
            candidates.append(self._candidates(query, vectors[own], near[own], lexical))
        return candidates

    def _keys(self, query: Query) -> list[tuple[str, bool]]:
        """Return what the vector of each form depends on: its text, and whether it is a term's.

        A form that was taken from the terms is one. So are those of a query that a term equals,
        which decides the code: encoding them would only take time.
        """
        is_equal = not self.leave_one_out and bool(self.look_up(query))
        return [
            (form.text, form.kind == TRANSLATED or (is_equal and self.is_term(form.text)))
            for form in query.forms
        ]

    def _vectors(self, keys: Sequence[tuple[str, bool]]) -> Floats:
        """Return the vectors of texts; those of terms (True) stand in the index, rounded."""
        vectors = np.empty((len(keys), self.index.encoder.dimension), np.float32)
        known = [place for place, (_, is_term) in enumerate(keys) if is_term]
        others = [place for place, (_, is_term) in enumerate(keys) if not is_term]
        rows = [self.index.rows.exact[keys[place][0]][0] for place in known]
        vectors[known] = self.index.vectors.of(np.array(rows, np.int64))
        vectors[others] = self.index.encoder.encode_queries([keys[place][0] for place in others])
        return vectors

    def _candidates(self, query: Query, vectors: Floats, near: Rows, lexical: Floats) -> list[Hit]:
        if not query.forms:
            return []
        read = _Read.of(query.forms, vectors, lexical)
        found = [self._found(read, place, near[place]) for place in range(len(query.forms))]
        ranked = self._hits(read, found, _BEST)
        codes = {hit.code for hit in ranked}
        relatives = {
            row
            for hit in ranked[:_RELATIVES]
            for code in self._relatives_of(hit.code)
            if code not in codes
            for row in self.index.rows.of_code[code]
        }
        if not relatives:
            return ranked
        rows = np.array(sorted(relatives), np.int64)
        joined = self._hits(read, [rows] * len(query.forms), joined=True)
        hits = sorted([*ranked, *joined], key=attrgetter("code"))
        hits.sort(key=attrgetter("fused"), reverse=True)  # which keeps the order of equal scores
        return hits

    def _found(self, read: "_Read", place: int, near: Rows) -> Rows:
        """Return the rows of the terms that are nearest to a form by meaning or by spelling.

        They are in their order; a term that is near by both stands twice.
        """
        alike = highest(read.lexical[place], _NEAREST)
        alike = alike[read.lexical[place][alike] > 0]
        rows = np.concatenate([near, alike])
        rows.sort()
        if self.leave_one_out:
            rows = np.setdiff1d(rows, self.index.rows.exact.get(read.forms[place].text, ()))
        return rows

    def _relatives_of(self, code: str) -> tuple[str, ...]:
        """Return the parent and the unspecified children of a code that the base holds."""
        if code not in self._relatives:
            parent = self.tree.parent(code)
            near = [child for child in self.tree.children(code) if self._is_vague(child)]
            near += [parent] if parent else []
            self._relatives[code] = tuple(
                node.code for node in near if node.code in self.index.rows.of_code
            )
        return self._relatives[code]

    def _is_vague(self, node: Node) -> bool:
        return self.tree.descriptor.is_unspecified(self.tree.name(node))

    def _hits(
        self,
        read: "_Read",
        rows_of_forms: Sequence[Rows],
        most: int | None = None,
        *,
        joined: bool = False,
    ) -> list[Hit]:
        """Return the best hit of each code among rows for each form, in the order of `search`.

        most: how many codes, the best ones; None for all.
        """
        rows = np.concatenate(rows_of_forms)
        forms = np.repeat(np.arange(len(rows_of_forms)), list(map(len, rows_of_forms)))
        cosines = map(self.index.vectors.cosines, rows_of_forms, read.vectors)
        likeness = read.likeness[forms]
        dense = np.concatenate(list(cosines)) * likeness
        lexical = read.lexical[forms, rows] * likeness
        fused = read.weights[forms] * (LEXICAL_WEIGHT * lexical + (1 - LEXICAL_WEIGHT) * dense)
        if self.weights is not None:
            fused *= self.weights[rows]
        # Rounded, so that the order does not depend on the last bits of a machine's arithmetic.
        scores = fused.round(5)
        best = _first_of_each(self.index.rows.code_numbers[rows], scores, most)
        terms = self.index.terms
        columns = (column[best].tolist() for column in (rows, forms, dense, lexical, scores))
        found, *others = columns
        codes = [terms[row].code for row in found]
        return list(map(Hit._make, zip(codes, found, *others, repeat(joined), strict=False)))


class _Read(NamedTuple):
    """The forms of a query, their vectors, and their likeness in letters to all terms.

    likeness: how near each form is to the text: less than 1 for a term that is near in meaning.
    weights: by what the scores of each form are multiplied beside that.
    """

    forms: Sequence[Form]
    vectors: Floats
    lexical: Floats
    likeness: Floats
    weights: Floats

    @classmethod
    def of(cls, forms: Sequence[Form], vectors: Floats, lexical: Floats) -> "_Read":
        translated = [form.kind == TRANSLATED for form in forms]
        weights = np.array([form.weight for form in forms], np.float32)
        return cls(
            forms,
            vectors,
            lexical,
            np.where(translated, weights, np.float32(1)),
            np.where(translated, np.float32(1), weights),
        )


def _first_of_each(codes: Rows, scores: Floats, most: int | None) -> list[int]:
    """Return the places of the highest score of each code, the highest first, ties by code.

    most: how many codes, None for all.
    """
    order = np.lexsort((codes, -scores))
    first: dict[int, int] = {}
    for code, place in zip(codes[order].tolist(), order.tolist(), strict=True):
        if code not in first:
            first[code] = place
            if len(first) == most:
                break
    return list(first.values())


def make_retriever(
    index: Index, tree: Tree, weights: Mapping[str, float] | None = None
) -> Retriever:
    """Prepare an index for search.

    `weights` holds the weights of sources by name; a source that is not in it has the weight 1.
    """
    by_row = None
    if weights:
        named = [weights.get(term.source.partition("/")[0], 1.0) for term in index.terms]
        by_row = np.asarray(named, np.float32)
    return Retriever(index, tree, weights=by_row)

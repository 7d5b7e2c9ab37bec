"""Retrieve the candidate codes of a diagnosis, by dense and lexical search together."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache, partial
from itertools import count
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ..reading.normalise import normalise_text
from ..reading.query import TRANSLATED, WORD_FOR_WORD, Form, Query, read_query
from ..reading.several import event_before, patient_before, unmarked
from ..tree import Node, Tree
from ..written import written_codes
from .highest import highest
from .index import Index
from .translated import Meant, meant, nearest_terms, translated

# Weighted fusion beat reciprocal ranks by 3 to 8 points hit@1 (benchmarks/mapping.py).
LEXICAL_WEIGHT = 0.3
OFFICIAL = ("official", "inclusion", "includes")
"""The sources of the terms that a release prints itself."""

_NEAREST = 64  # terms taken from each of the two searches
_BEST = 40  # codes that the reranker reads, without the relatives that are added
_RELATIVES = 15  # best codes whose parents and unspecified children are added

_READ = 1024  # texts whose queries are kept
_SPELT = 0.95  # the weight of a form in which a word was corrected
_NOT_SPELT = {WORD_FOR_WORD, "one meaning"}  # forms whose words the package wrote itself

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
class Retriever:
    """An index and its tree, ready to be searched."""

    index: Index
    tree: Tree
    weights: Floats | None = None  # of the terms, by row; None means 1 for all
    leave_one_out: bool = False  # for training: terms that equal the text are ignored
    _relatives: dict[str, tuple[str, ...]] = field(default_factory=dict)
    _near: dict[str, Rows] = field(default_factory=dict)  # of the texts that were prepared

    @cached_property
    def read(self) -> Callable[[str], Query]:
        """The function that reads a text; it adds forms in which unknown words are corrected.

        The queries of the last texts are kept, since each node of a graph reads the same texts.
        """
        return lru_cache(_READ)(self._read)

    def prepare(self, texts: Iterable[str]) -> None:
        """Compare the meanings of texts in other languages with all terms at once.

        `read` does it for one text by itself, with the same result and more work.
        """
        meanings = {text: meaning for text in texts if (meaning := self._meant(text)[1])}
        vectors = np.array([meaning.vector for meaning in meanings.values()], np.float32)
        places = nearest_terms(vectors, self.index) if meanings else ()
        self._near.clear()
        self._near.update(zip(meanings, places, strict=True))

    def _read(self, text: str) -> Query:
        query, meaning = self._meant(text)
        if meaning is None:
            return query
        places = self._near.get(text)
        if places is None:
            places = nearest_terms(meaning.vector[None], self.index)[0]
        forms = translated(query, meaning, places, self.index)
        return replace(query, forms=(*query.forms, *forms))

    @cached_property
    def _meant(self) -> Callable[[str], tuple[Query, Meant | None]]:
        """The function that reads a text, and its meaning where it is of another language."""

        def read(text: str) -> tuple[Query, Meant | None]:
            query = self._of_letters(text)
            if self.leave_one_out or self.look_up(query):
                return query, None
            return query, meant(query, self.index)

        return lru_cache(_READ)(read)

    def _of_letters(self, text: str) -> Query:
        written = written_codes(text, self.tree)
        query = self._of_words(written.words)
        if written.sure or written.likely:
            query = replace(query, text=text, codes=written.sure, likely_codes=written.likely)
        if not self.leave_one_out and (rows := self.look_up(query)):
            # Equal terms decide; readings of parts would only cost time.
            whole = tuple(form for form in query.forms if _is_whole(form))
            equal = self.index.folded[rows[0]]
            if equal not in {form.text for form in whole}:
                whole += (Form(equal, 1.0, "turned"),)
            return replace(query, forms=whole)
        known = {form.text for form in query.forms}
        likely: dict[str, Form] = {}
        for form in query.forms:
            if form.kind not in _NOT_SPELT:
                likely.setdefault(self.index.rows.spelling.corrected(form.text), form)
        forms = (
            Form(text, _SPELT * form.weight, "spelling")
            for text, form in likely.items()
            if text not in known
        )
        read = (self._in_english(form) for form in query.forms)
        return replace(query, forms=(*read, *forms))

    def _of_words(self, words: str) -> Query:
        """Read words; "#" is a fracture ("# wrist") but before a term, which is one of a list.

        An event is set aside before a term: "fall, hip fracture" names the fracture. So is the
        patient: "58M w/ pneumonia".
        """
        sex, condition = patient_before(words)
        if sex:
            # "Male breast cancer" is another code than breast cancer.
            of_sex = self._of_words(f"{sex} {condition}")
            query = of_sex if self.look_up(of_sex) else self._of_words(condition)
            return replace(query, text=words)
        frames = self.tree.descriptor.factors is not None
        plain = unmarked(words)
        if plain != words and self.look_up(query := read_query(plain, frames=frames)):
            return replace(query, text=words)
        event, condition = event_before(words) if frames else ("", words)
        if event and any(map(self._is_condition, self.look_up(query := read_query(condition)))):
            return replace(query, text=words, set_aside=f"{event} {query.set_aside}".strip())
        return read_query(words, frames=frames)

    def _is_condition(self, row: int) -> bool:
        """Return whether a term has a code before V, not one of an event or a contact."""
        return self.index.terms[row].code < "V"

    def _in_english(self, form: Form) -> Form:
        """Return a form; of one read word for word, cognates replace the unknown words."""
        if form.kind != WORD_FOR_WORD:
            return form
        return form._replace(text=self.index.rows.spelling.in_english(form.text))

    def search(self, queries: Sequence[Query]) -> list[list[Hit]]:
        """Return the candidates of each query, best fused score first, ties by code."""
        forms = [form for query in queries for form in query.forms]
        if not forms:
            return [[] for _ in queries]
        keys = list(dict.fromkeys(map(_key, forms)))
        vectors = self._vectors(keys)
        near = self.index.collection.nearest(vectors, min(_NEAREST, len(self.index.terms)))
        place = dict(zip(keys, range(len(keys)), strict=True))
        candidates: list[list[Hit]] = []
        for query in queries:
            own = [place[_key(form)] for form in query.forms]
            # One query at a time: the scores of its forms with all terms stay in the cache.
            lexical = self.index.lexical.scores([form.text for form in query.forms])
            candidates.append(self._candidates(query, vectors[own], near[own], lexical))
        return candidates

    def _vectors(self, keys: Sequence[tuple[str, bool]]) -> Floats:
        """Return the vectors of texts; those of terms (True) stand in the index, rounded."""
        vectors = np.empty((len(keys), self.index.encoder.dimension), np.float32)
        known = [place for place, (_, is_term) in enumerate(keys) if is_term]
        others = [place for place, (_, is_term) in enumerate(keys) if not is_term]
        rows = [self.index.rows.exact[keys[place][0]][0] for place in known]
        vectors[known] = self.index.vectors.of(np.array(rows, np.int64))
        vectors[others] = self.index.encoder.encode_queries([keys[place][0] for place in others])
        return vectors

    def look_up(self, query: Query) -> tuple[int, ...]:
        """Return the rows of terms that equal the whole text.

        A text that a release prints counts as written. Of other sources, the wordings that a reader
        makes count first: many short forms are also those of other diseases.
        """
        if query.refusal:
            return ()
        written = self.index.rows.exact.get(normalise_text(query.text), ())
        if any(map(self._is_printed, written)):
            return written
        whole = filter(_is_whole, query.forms)
        for text in (*(form.text for form in whole), *query.turned):
            if rows := self.index.rows.exact.get(text):
                return rows
        return written

    def _is_printed(self, row: int) -> bool:
        return self.index.terms[row].source in OFFICIAL

    def is_term(self, folded: str) -> bool:
        """Return whether a normalised text is a term of the base."""
        return folded in self.index.rows.exact

    def _candidates(self, query: Query, vectors: Floats, near: Rows, lexical: Floats) -> list[Hit]:
        if not query.forms:
            return []
        read = _Read(query.forms, vectors, lexical)
        found = [self._found(read, place, near[place]) for place in range(len(query.forms))]
        ranked = self._hits(read, found, _BEST)
        codes = {hit.code for hit in ranked}
        relatives = [
            row
            for hit in ranked[:_RELATIVES]
            for code in self._relatives_of(hit.code)
            if code not in codes
            for row in self.index.rows.of_code[code]
        ]
        if not relatives:
            return ranked
        rows = np.unique(np.asarray(relatives))
        joined = self._hits(read, [rows] * len(query.forms), joined=True)
        return sorted([*ranked, *joined], key=_order)

    def _found(self, read: "_Read", place: int, near: Rows) -> Rows:
        """Return the rows of the terms that are nearest to a form by meaning or by spelling."""
        alike = highest(read.lexical[place], _NEAREST)
        alike = alike[read.lexical[place][alike] > 0]
        rows = np.unique(np.concatenate([near, alike]))
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
        """Return the best hit of each code among rows for each form, in the order of `_order`.

        most: how many codes, the best ones; None for all.
        """
        dense, fused = zip(*map(partial(self._scores, read), count(), rows_of_forms), strict=True)
        rows = np.concatenate(rows_of_forms)
        # Rounded, so that the order does not depend on the last bits of a machine's arithmetic.
        scores = np.concatenate(fused).round(5)
        forms = np.repeat(np.arange(len(rows_of_forms)), list(map(len, rows_of_forms)))
        best = _first_of_each(self.index.rows.code_numbers[rows], scores)[:most]
        likeness = np.array(list(map(_likeness, read.forms)), np.float32)
        lexical = read.lexical[forms, rows] * likeness[forms]
        columns = (rows, forms, np.concatenate(dense), lexical, scores)
        terms = self.index.terms
        return [
            Hit(terms[row].code, row, form, near, like, score, joined)
            for row, form, near, like, score in zip(
                *(column[best].tolist() for column in columns), strict=True
            )
        ]

    def _scores(self, read: "_Read", place: int, rows: Rows) -> tuple[Floats, Floats]:
        """Return the cosine of each row's vector with that of a form, and the fused score."""
        form = read.forms[place]
        dense = self.index.vectors.of(rows) @ read.vectors[place] * _likeness(form)
        lexical = read.lexical[place][rows] * _likeness(form)
        likeness = LEXICAL_WEIGHT * lexical + (1 - LEXICAL_WEIGHT) * dense
        fused = likeness if form.kind == TRANSLATED else form.weight * likeness
        return dense, fused if self.weights is None else fused * self.weights[rows]


class _Read(NamedTuple):
    """The forms of a query, their vectors, and their likeness in letters to all terms."""

    forms: Sequence[Form]
    vectors: Floats
    lexical: Floats


def _key(form: Form) -> tuple[str, bool]:
    """Return what the vector of a form depends on: its text, and whether it was taken as a term."""
    return form.text, form.kind == TRANSLATED


def _likeness(form: Form) -> np.float32:
    """Return how near a form is to the text: less than 1 for a term that is near in meaning."""
    return np.float32(form.weight if form.kind == TRANSLATED else 1)


def _is_whole(form: Form) -> bool:
    return form.kind in {"whole", "without brackets"}


def _first_of_each(codes: Rows, scores: Floats) -> Rows:
    """Return the places of the highest score of each code, the highest first, ties by code."""
    order = np.lexsort((codes, -scores))
    places = np.sort(np.unique(codes[order], return_index=True)[1])
    first: Rows = order[places]
    return first


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
    return Retriever(index, tree, by_row)


def _order(hit: Hit) -> tuple[float, str]:
    return (-hit.fused, hit.code)

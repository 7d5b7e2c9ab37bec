"""Read the texts of diagnoses for search: their words, their spelling, terms that equal them."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache

import numpy as np

from ..reading.normalise import normalise_text
from ..reading.query import WORD_FOR_WORD, Form, Query, read_query
from ..reading.several import event_before, patient_before, unmarked, without_flare
from ..tree import Tree
from ..written import written_codes
from .index import Index
from .languages import Meaning
from .nearest import Places
from .translated import Meant, meant, nearest_terms, read_meanings, translated

OFFICIAL = ("official", "inclusion", "includes")
"""The sources of the terms that a release prints itself."""

_READ = 4096  # texts whose queries are kept: those of a batch, and of the parts of its notes
_SPELT = 0.95  # the weight of a form in which a word was corrected
_NOT_SPELT = {WORD_FOR_WORD, "one meaning"}  # forms whose words the package wrote itself


@dataclass(frozen=True)
class QueryReader:
    """An index and its tree, whose terms and codes say how a text is read."""

    index: Index
    tree: Tree
    leave_one_out: bool = False  # for training: terms that equal the text are ignored
    _near: dict[str, Places] = field(default_factory=dict)  # of the texts that were prepared
    _meanings: dict[str, Meaning] = field(default_factory=dict)  # of these, as their words are read

    @cached_property
    def read(self) -> Callable[[str], Query]:
        """The function that reads a text; it adds forms in which unknown words are corrected.

        The queries of the last texts are kept, since each node of a graph reads the same texts.
        """
        return lru_cache(_READ)(self._read)

    def prepare(self, texts: Iterable[str]) -> None:
        """Read the meanings of texts in other languages, and compare them with all terms, at once.

        `read` does it for one text by itself, with the same result and more work.
        """
        texts = list(texts)
        others = (query for query in map(self._lettered, texts) if not self._is_term(query))
        self._meanings.clear()
        self._meanings.update(read_meanings(others, self.index))
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
            query = self._lettered(text)
            if self._is_term(query):
                return query, None
            return query, meant(query, self.index, self._meanings)

        return lru_cache(_READ)(read)

    def _is_term(self, query: Query) -> bool:
        """Return whether a query needs no meaning: a term equals it, or would in training."""
        return self.leave_one_out or bool(self.look_up(query))

    @cached_property
    def _lettered(self) -> Callable[[str], Query]:
        """The function that reads the words of a text, in any language."""
        return lru_cache(_READ)(self._of_letters)

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
        query, calm = read_query(words, frames=frames), without_flare(words)
        if calm != words and not self.look_up(query):
            of_calm = read_query(calm, frames=frames)
            return replace(of_calm, text=words) if self.look_up(of_calm) else query
        return query

    def _is_condition(self, row: int) -> bool:
        """Return whether a term has a code before V, not one of an event or a contact."""
        return self.index.terms[row].code < "V"

    def _in_english(self, form: Form) -> Form:
        """Return a form; of one read word for word, cognates replace the unknown words."""
        if form.kind != WORD_FOR_WORD:
            return form
        return form._replace(text=self.index.rows.spelling.in_english(form.text))

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


def _is_whole(form: Form) -> bool:
    return form.kind in {"whole", "without brackets"}

"""Tell a text about another matter from a diagnosis: "tennis elbow room", "kidney donor card".

What an English noun phrase is about stands at its end, or before its first preposition. A last word
that diagnoses hardly hold, a head that names a thing or a place ("rabies tag for dog"), a substance
of the laboratory without a word for its state ("tumor necrosis factor"), or any other word that no
term holds, says that the condition before it is not what the text is about. So does a figure of
speech ("sweet tooth"), a part of the body alone, an amount ("CHF 200", in Swiss francs), and a
coined word that ends unlike the word it resembles.
"""

import re
from collections.abc import Sequence
from functools import lru_cache

from .reading.normalise import normalise_text
from .reading.query import TRANSLATED, WORD_FOR_WORD, Query
from .reading.refusal import read_lists
from .search.encode import packaged_encoder
from .search.retrieve import Retriever

_RARE = 25  # terms; a last word in fewer is no usual end of a diagnosis
_SHORTEST = 4  # letters of a word that is looked at
_BRACKETS = re.compile(r"\(([^()]*)\)")
_STEM = 5  # letters by which two words are one
_LONG = 9  # letters; a shorter word that no term holds is too often near to another word
_FIELD = re.compile(r"(?:olog|iatr)(?:y|ist|ists)$")
_PREPOSITIONS = re.compile(r"\b(?:for|of|in|on|about|with|to|from|at|by|and|or|vs)\b")
_STATES = frozenset(
    """elevated raised increased high decreased low reduced abnormal positive negative deficient
    deficiency lack absent carrier disease disorder mutation""".split()
)
_BEFORE_PERSON = re.compile(r"\s+in\s+|\s*,\s*|\s+[-–]\s+", re.IGNORECASE)
# Short capitals before a number that no value, year or type of a diagnosis has.
_AMOUNT = re.compile(
    r"[A-Z]{2,4}\s*(?:(?!(?:19|20)\d\d$)\d{3,}(?:[.,]\d+)?|\d+(?:[.,]\d+)?\s*"
    r"(?:mg|mcg|g|kg|ml|V|kV|kW|EUR|USD|GBP|CHF)|(?!2/2)(\d+)/\1)"
)


def is_other_matter(query: Query, matched: str, retriever: Retriever) -> bool:
    """Return whether a text is likely about something else than the condition that matched it.

    matched: the words of the candidate's term and name, normalised.
    """
    folded = normalise_text(query.text)
    words = folded.split()
    if _is_body_part(words):
        return True
    is_glossed = any(form.kind == WORD_FOR_WORD for form in query.forms)
    if len(words) == 1:
        is_coined = not is_glossed and _is_coined(words[0], query, retriever)
        return words[0] in _listed("person") or is_coined
    if is_glossed or any(form.kind == TRANSLATED for form in query.forms):
        return False
    if _AMOUNT.fullmatch(query.text.strip()) or _figures().search(folded):
        return True
    stems = {word[:_STEM] for word in matched.split()}
    read = set(query.forms[0].text.split())
    rest = [word for word in words if word in read and word[:_STEM] not in stems]
    counts, plain = retriever.index.rows.spelling.counts, packaged_encoder().words
    unheld = [word for word in rest if len(word) >= _SHORTEST and word.isalpha()]
    heads = _heads_of(folded)
    if _names_a_person(query.text, retriever) or is_other_in_brackets(query.text, retriever):
        return True
    if any(word in rest and word in _listed("head") for word in heads):
        return True
    if not _listed("substance").isdisjoint(heads) and _STATES.isdisjoint(words):
        return True
    return any(
        counts[word] < (_RARE if word == words[-1] else 1)
        and (word in plain or retriever.index.rows.spelling.corrected(word) == word)
        for word in unheld
    )


def is_other_in_brackets(text: str, retriever: Retriever) -> bool:
    """Return whether a common word that no term holds explains a text: "mole (spy)"."""
    inside = normalise_text(" ".join(_BRACKETS.findall(text))).split()
    counts, plain = retriever.index.rows.spelling.counts, packaged_encoder().words
    return any(len(word) > 2 and not counts[word] and word in plain for word in inside)


def _is_body_part(words: Sequence[str]) -> bool:
    """Return whether words name a part of the body or a cell, and nothing that it has."""
    parts = _listed("body")
    return any(map(parts.__contains__, words)) and parts | _listed("body side") >= {*words}


def _is_coined(word: str, query: Query, retriever: Retriever) -> bool:
    """Return whether a word that no term holds is short, a field of medicine, or a coined word.

    A coined word ends in another letter than its like: a slip of typing seldom puts a letter at the
    end that the word has not among its last two.
    """
    spelling = retriever.index.rows.spelling
    if spelling.counts[word] or query.expanded:
        return False
    if _FIELD.search(word):
        return True
    return len(word) < _LONG or word[-1] not in spelling.corrected(word)[-2:]


def _heads_of(folded: str) -> tuple[str, ...]:
    """Return the words that say what a text is about: the last ones of its first part and of it."""
    first = _PREPOSITIONS.split(folded, maxsplit=1)[0].split()
    return tuple(dict.fromkeys((*first[-1:], folded.split()[-1])))


def _names_a_person(text: str, retriever: Retriever) -> bool:
    """Return whether a text ends in an occupation: a "coal miner" has no coal miner's disease.

    "Asthma in a baker" is a disease all the same.
    """
    words = reversed(normalise_text(text).split())
    last = next((word for word in words if len(word) > 2 and word.isalpha()), "")
    if last not in _listed("person"):
        return False
    before, *after = _BEFORE_PERSON.split(text, maxsplit=1)
    return not (after and retriever.is_term(normalise_text(before)))


@lru_cache
def _listed(name: str) -> frozenset[str]:
    return frozenset(read_lists()[name])


@lru_cache(maxsize=1)
def _figures() -> re.Pattern[str]:
    figures = "|".join(re.escape(normalise_text(figure)) for figure in read_lists()["figure"])
    # "acute angle" is one at the end and before "of"; "acute angle closure" is a diagnosis.
    return re.compile(rf"\b(?:{figures})(?:(?<=\bof)|$|(?= {_PREPOSITIONS.pattern}))")

"""Tell a text about another matter from a diagnosis: "tennis elbow room", "kidney donor card".

What an English noun phrase is about stands at its end. A last word that diagnoses hardly hold, or
any other word that no term holds, says that the condition before it is not what the text is about.
"""

from .reading.normalise import normalise_text
from .reading.query import Query
from .search.encode import packaged_encoder
from .search.retrieve import Retriever

_RARE = 25  # terms; a last word in fewer is no usual end of a diagnosis
_SHORTEST = 4  # letters of a word that is looked at
_STEM = 5  # letters by which two words are one
_LONG = 9  # letters; a shorter word that no term holds is too often near to another word


def is_other_matter(query: Query, matched: str, retriever: Retriever) -> bool:
    """Return whether a text is likely about something else than the condition that matched it.

    matched: the words of the candidate's term and name, normalised.
    """
    words = normalise_text(query.text).split()
    if len(words) == 1:
        is_known = bool(retriever.index.rows.spelling.counts[words[0]] or query.expanded)
        return len(words[0]) < _LONG and not is_known
    if any(form.kind == "word for word" for form in query.forms):
        return False
    stems = {word[:_STEM] for word in matched.split()}
    read = set(query.forms[0].text.split())
    rest = [word for word in words if word in read and word[:_STEM] not in stems]
    counts, plain = retriever.index.rows.spelling.counts, packaged_encoder().words
    unheld = [word for word in rest if len(word) >= _SHORTEST and word.isalpha()]
    return any(
        counts[word] < (_RARE if word == words[-1] else 1)
        and (word in plain or retriever.index.rows.spelling.corrected(word) == word)
        for word in unheld
    )

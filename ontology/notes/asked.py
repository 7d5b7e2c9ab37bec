"""Which texts are asked as notes: those whose code is in doubt, or that tell another one."""

from ..decide import NOTHING_CLOSE
from ..mapping import WRITTEN, Mapping
from ..policy import Policy
from ..put_first import is_joined
from ..reading.normalise import normalise_text
from ..reading.query import Query
from ..reading.refusal import READS_LIKE
from .kinds import ACCIDENT, FACTOR, SYMPTOM, listed_codes
from .order import ABSENCE
from .parts import Retold, is_one_name, read_note
from .retold import retold
from .said import complains, has_check_beside

_SURE = 0.8  # from this score of its category, the code of the whole text stays
_CLEAR, _PAIR = 0.5, 2  # of more than two parts, and a score below: no name that is known
_PRINTED = 0.9  # from this score of its category, an accident is named as the release prints it
_NAMED = 0.95  # from this score of its category, a history is all that the text names
_FIRST_PART = "(first part: "  # how a candidate says in what the text was read


def is_asked(mapping: Mapping, policy: Policy) -> bool:
    """Return whether the parts of a text are weighed against the code that it got as a whole.

    A name of the base keeps its code whatever it tells.
    """
    is_term = policy.retriever.is_term(normalise_text(mapping.text))
    if mapping.source == WRITTEN or (is_term and mapping.code is not None):
        return False
    if told := retold(mapping.text, read_note(mapping.text)):
        return not _is_there(told, mapping)
    query = policy.retriever.read(mapping.text)
    if mapping.decided_by == "exact" or query.excluded or _is_framed(query):
        return False
    if mapping.code is None:
        return (mapping.reason or "").startswith((READS_LIKE, NOTHING_CLOSE))
    own = mapping.candidates[0].code
    if own.startswith(ACCIDENT) and mapping.category_score >= _PRINTED:
        return False
    if own.startswith((SYMPTOM, *ACCIDENT)):  # a disease or an injury beside it stands first
        return True
    if is_one_name(mapping.text):
        return mapping.category_score < _CLEAR and len(read_note(mapping.text)) > _PAIR
    if own.startswith(FACTOR):
        return _may_give_way(mapping, query)
    # Of several diagnoses in one cell the first counts.
    if mapping.parts or is_joined(mapping):
        return False
    is_doubtful = mapping.category_score < _SURE or _is_of_first_part(mapping)
    return is_doubtful or own.startswith(listed_codes("chronic"))


def may_join_more(mapping: Mapping, policy: Policy) -> bool:
    """Return whether a text of several parts has a code that joins two of them: a third may too."""
    if mapping.code is None or mapping.parts or not is_joined(mapping):
        return False
    return not is_asked(mapping, policy) and len(read_note(mapping.text)) > _PAIR


def _is_there(told: tuple[Retold, ...], mapping: Mapping) -> bool:
    """Return whether a text has, surely or joined with others, the code that it tells."""
    codes = tuple(code for one in told for code in one.codes)
    first = next(iter(mapping.candidates), None)
    if mapping.code is None or first is None or not first.code.startswith(codes):
        return False
    return first.score >= _SURE or is_joined(mapping)


def _may_give_way(mapping: Mapping, query: Query) -> bool:
    """Return whether a state, a history or an encounter may stand behind what else a text tells."""
    own = mapping.candidates[0].code
    if query.frame is not None and _begins(query) and mapping.category_score >= _NAMED:
        return False
    is_removed = own.startswith(ABSENCE) and complains(mapping.text)
    is_encounter = own.startswith(listed_codes("encounter"))
    return is_removed or has_check_beside(mapping.text) or not is_encounter


def _is_of_first_part(mapping: Mapping) -> bool:
    """Return whether the code of a text is that of its first part: the others tell more."""
    return _FIRST_PART in mapping.candidates[0].why


def _is_framed(query: Query) -> bool:
    """Return whether what a text says of a condition stands in another part: "FH - diabetes"."""
    if query.frame is None:
        return False
    written, parts = query.frame.written.casefold(), read_note(query.text)
    told_after = query.frame.kind == "past" and not _begins(query)
    return told_after or bool(parts and parts[0].text.casefold() == written)


def _begins(query: Query) -> bool:
    """Return whether a text begins with its frame."""
    written = query.frame.written if query.frame else ""
    return query.text.strip().casefold().startswith(written.casefold())

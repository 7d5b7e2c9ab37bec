"""Read a text that joins conditions: "hypertensive CKD", "cirrhosis with ascites", "A due to B".

A tumor "with brain mets" or "metastatic to brain" is joined with the secondary one of that place.
"""

import re
from typing import Literal, NamedTuple

from .query import LONGEST

Relation = Literal["with", "due to", "adjective", "spread"]

_MOST = 4  # parts of a text that is still read as one diagnosis
_JOINTS: tuple[tuple[Relation, str], ...] = (
    (
        "spread",
        r"(?:w/|with )?(?:mets|metastas[ei]s|metastatic|metastasi[sz]ed|spread)(?: disease)? to"
        r"(?: the)?",
    ),
    (
        "with",
        r"with|w/(?!(?:o|n|in|out|u|c|d|i)\b)|w(?= )|complicated by|c/b|associated with|"
        r"assoc\.? with|on(?= (?:ckd|chronic kidney|copd|cirrhosis))",
    ),
    ("due to", r"due to|d/t|secondary to|2/2|caused by|from|in(?: the)? setting of|in|by"),
)
_JOINT = re.compile(
    r"\s+(?:" + "|".join(f"(?P<j{n}>{words})" for n, (_, words) in enumerate(_JOINTS)) + r")"
    r"(?:(?<=/)\s*|\s+)(?=\S)",
    re.IGNORECASE,
)
_ADJECTIVES = (
    (
        re.compile(r"(?:type (?:1|i)|t1|juvenile) diabetic", re.IGNORECASE),
        "type 1 diabetes mellitus",
    ),
    (re.compile(r"(?:(?:type (?:2|ii)|t2) )?diabetic", re.IGNORECASE), "type 2 diabetes mellitus"),
    (re.compile(r"hypertensive(?! heart (?:disease )?(?:and|&) )", re.IGNORECASE), "hypertension"),
    (re.compile(r"NASH", re.IGNORECASE), "nonalcoholic steatohepatitis"),
)


_SIDE = re.compile(r"\b(?:left|right|bilateral)\b", re.IGNORECASE)
_SPREAD = re.compile(r"(?P<place>\S.*?)\s+(?:mets?|metastas[ei]s)", re.IGNORECASE)
_AND = re.compile(r"\s+(?:and|&)\s+|\s*,\s*(?:and\s+)?", re.IGNORECASE)
# A stroke with one of these is a late effect, which has a code of its own.
_LATE = re.compile(
    r"(?=.*\b(?:strokes?|cva|infarct\w*|h(?:a)?emorrhage)\b)"
    r".*\b(?:residual|old|late|sequelae?|persistent|history)\b",
    re.IGNORECASE | re.DOTALL,
)


class Part(NamedTuple):
    """One condition of a text.

    text: as it is searched. span: as it stands in the diagnosis. relation: how it follows the
    condition before it; the first has "with".
    """

    text: str
    span: str
    relation: Relation


def read_parts(text: str, *, listed: bool = False) -> tuple[Part, ...]:
    """Return the conditions that a text joins, in their order; nothing where there is only one.

    listed: whether "and" and commas after the first condition join further ones.

    >>> [part.text for part in read_parts("hypertensive CKD with anemia")]
    ['hypertension', 'CKD', 'anemia']
    >>> [part.text for part in read_parts("lung cancer with brain mets")]
    ['lung cancer', 'secondary malignant neoplasm of brain']
    """
    short = text[:LONGEST].strip()
    parts: list[Part] = []
    relation: Relation = "with"
    start = 0
    for match in _JOINT.finditer(short):
        parts += _read_span(short[start : match.start()], relation, listed=listed and bool(parts))
        relation = next(name for n, (name, _) in enumerate(_JOINTS) if match[f"j{n}"])
        start = match.end()
    parts += _read_span(short[start:], relation, listed=listed and bool(parts))
    whole = all(any(map(str.isalpha, part.text)) for part in parts) and not _LATE.match(short)
    return tuple(parts) if whole and 1 < len(parts) <= _MOST else ()


def _read_span(span: str, relation: Relation, *, listed: bool) -> list[Part]:
    """Return the parts of what stands between two joints."""
    if listed:
        return [part for one in _AND.split(span) for part in _of_adjective(one, relation)]
    return _of_adjective(span, relation)


def _of_adjective(span: str, relation: Relation) -> list[Part]:
    """Return the parts of a span: two where it begins with an adjective that names a condition."""
    span = span.strip(" ,")
    spread = _SPREAD.fullmatch(span)
    if spread:  # "mets" are those of a tumor, also where the text names none
        return [Part(f"secondary malignant neoplasm of {spread['place']}", span, "with")]
    if relation == "spread":
        return [Part(f"secondary malignant neoplasm of {span}", span, relation)]
    for pattern, condition in _ADJECTIVES:
        match = pattern.match(span)
        rest = span[match.end() :].strip() if match else ""
        if match and not rest:
            return [Part(condition, span, relation)]
        if match and span[match.end()] == " ":
            return [Part(condition, match.group(), relation), Part(rest, rest, "adjective")]
    return [Part(" ".join(_SIDE.sub(" ", span).split()) or span, span, relation)]

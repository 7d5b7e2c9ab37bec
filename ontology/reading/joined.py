"""Read a text that joins conditions: "hypertensive CKD", "cirrhosis with ascites", "A due to B"."""

import re
from typing import Literal, NamedTuple

from .query import LONGEST

Relation = Literal["with", "due to", "adjective"]

_MOST = 4  # parts of a text that is still read as one diagnosis
_JOINTS: tuple[tuple[Relation, str], ...] = (
    (
        "with",
        r"with|w/(?!(?:o|n|in|out|u|c|d|i)\b)|complicated by|c/b|associated with|assoc\.? with",
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
    (re.compile(r"hypertensive", re.IGNORECASE), "hypertension"),
    (re.compile(r"NASH", re.IGNORECASE), "nonalcoholic steatohepatitis"),
)


_SIDE = re.compile(r"\b(?:left|right|bilateral)\b", re.IGNORECASE)


class Part(NamedTuple):
    """One condition of a text.

    text: as it is searched. span: as it stands in the diagnosis. relation: how it follows the
    condition before it; the first has "with".
    """

    text: str
    span: str
    relation: Relation


def read_parts(text: str) -> tuple[Part, ...]:
    """Return the conditions that a text joins, in their order; nothing where there is only one.

    >>> [part.text for part in read_parts("hypertensive CKD with anemia")]
    ['hypertension', 'CKD', 'anemia']
    """
    short = text[:LONGEST].strip()
    parts: list[Part] = []
    relation: Relation = "with"
    start = 0
    for match in _JOINT.finditer(short):
        parts += _of_adjective(short[start : match.start()], relation)
        relation = next(name for n, (name, _) in enumerate(_JOINTS) if match[f"j{n}"])
        start = match.end()
    parts += _of_adjective(short[start:], relation)
    whole = all(any(map(str.isalpha, part.text)) for part in parts)
    return tuple(parts) if whole and 1 < len(parts) <= _MOST else ()


def _of_adjective(span: str, relation: Relation) -> list[Part]:
    """Return the parts of a span: two where it begins with an adjective that names a condition."""
    span = span.strip(" ,")
    for pattern, condition in _ADJECTIVES:
        match = pattern.match(span)
        rest = span[match.end() :].strip() if match else ""
        if match and not rest:
            return [Part(condition, span, relation)]
        if match and span[match.end()] == " ":
            return [Part(condition, match.group(), relation), Part(rest, rest, "adjective")]
    return [Part(" ".join(_SIDE.sub(" ", span).split()) or span, span, relation)]

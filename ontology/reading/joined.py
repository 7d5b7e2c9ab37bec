"""Read a text that joins conditions: "hypertensive CKD", "cirrhosis with ascites", "A due to B".

A tumor "with brain mets" or "metastatic to brain" is joined with the secondary one of that place.
"""

import re
from collections.abc import Sequence
from typing import Literal, NamedTuple

from .normalise import LONGEST

Relation = Literal["with", "due to", "adjective", "spread", "agent", "after", "on", "beside"]

# What a code of a state names: "ESRD on dialysis".
_TREATMENT = (
    r"(?:(?:chronic|home|long[- ]term|maintenance|oral) )?(?:insulin|dialysis|hemodialysis|oxygen|"
    r"o2|warfarin|coumadin|anticoagula\w+|blood thinners?|metformin|aspirin|steroids|opioids|vent|"
    r"ventilator)"
)
_MOST = 4  # parts of a text that is still read as one diagnosis
_JOINTS: tuple[tuple[Relation, str], ...] = (
    (
        "spread",
        r"(?:w/|with )?(?:mets|metastas[ei]s|metastatic|metastasi[sz]ed|spread)(?: disease)? to"
        r"(?: the)?|mets(?= (?:liver|lungs?|bones?|brain|spine|adrenals?|peritoneum|nodes?)\b)",
    ),
    (
        "with",
        r"with|w/(?!(?:o|n|in|out|u|c|d|i)\b)|w(?= )|complicated by|c/b|associated with|"
        r"assoc\.? with|on(?= (?:ckd|chronic kidney|copd|cirrhosis))",
    ),
    (
        "due to",
        r"due to|d/t|secondary to|2/2|caused by|(?<!\bfall )(?<!\bfell )from|"
        r"in(?: the)? setting of|in|by|"
        r"late effects?(?: of)?(?= )|sequelae? of|residual (?:of|from|after)",
    ),
    (
        "after",
        r"after|following|"
        r"s/p(?= (?:(?:old|prior|left|right|l|r|mca|ischemic) )*(?:cva|stroke)\b)",
    ),
    ("on", rf"(?=on {_TREATMENT}\b)"),
)
_JOINT = re.compile(
    r"\s+(?:" + "|".join(f"(?P<j{n}>{words})" for n, (_, words) in enumerate(_JOINTS)) + r")"
    r"(?:(?<=/)\s*|\s+|(?<=\s)(?=on ))(?=\S)",
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
_METS = r"\s+(?:mets?|metastas[ei]s)"
_SPREAD = re.compile(rf"(?P<place>\S.*?){_METS}", re.IGNORECASE)
_OF_SPREAD = re.compile(rf"{_METS}$", re.IGNORECASE)
_AND = re.compile(r"\s+(?:and|&)\s+|\s*,\s*(?:and\s+)?", re.IGNORECASE)
_BLEED = r"(?:ha?emorrhages?|bleed(?:ing)?s?)"
_STROKES = (
    (
        re.compile(rf"\b(?:subarachnoid {_BLEED}|(?-i:SAH))\b", re.IGNORECASE),
        "sequelae of nontraumatic subarachnoid hemorrhage",
    ),
    (
        re.compile(
            rf"\b(?:(?:intracerebral|intraparenchymal|cerebral) {_BLEED}|(?-i:ICH)|"
            r"hemorrhagic (?:stroke|cva)s?)\b",
            re.IGNORECASE,
        ),
        "sequelae of nontraumatic intracerebral hemorrhage",
    ),
)
_STROKE = (
    r"(?<!heat )(?<!sun )\b(?:strokes?|cva|cerebrovascular accident|cerebral infarct(?:ion)?s?|"
    rf"(?-i:SAH|ICH)|(?:subarachnoid|intracerebral|intraparenchymal|cerebral) {_BLEED})\b"
)
_PAST = r"\b(?:old|prior|previous|remote|history of|h/o)"
_LEFT = r"\b(?:residuals?|persistent|late effects?(?: of)?|sequelae?(?: of)?)(?!\w)"
_DEFICIT = (
    r"\b(?:(?:hemi|mono|para|quadri|tetra)(?:paresis|plegia)|hemi|paralysis|weakness|deficits?|"
    r"dysphasia|aphasia|dysarthria|dysphagia|speech|facial droop|ataxia|apraxia|hemianopi?a|"
    r"neglect|gait|spasticity|cognitive|memory|seizures?|epilepsy|depression|tremor)\b"
)
# What stands beside a stroke is its sequela only where the text says so of the two themselves:
# "stroke with persistent atrial fibrillation" has a stroke, and "old stroke with gout" no deficit.
_OLD_STROKE = re.compile(
    rf"{_PAST}\s+(?:(?:left|right|ischemic|lacunar|mca)\s+)*{_STROKE}|{_STROKE},\s*old\b",
    re.IGNORECASE,
)
_LEFT_OF_STROKE = re.compile(
    rf"{_LEFT}\s+(?:(?:of|from|after|the|an?|old|prior|previous)\s+)*{_STROKE}|{_STROKE}\s+{_LEFT}",
    re.IGNORECASE,
)
# Depression and seizures after a stroke have codes of their own, which say the cause.
_AFTER_STROKE = re.compile(
    rf"^(?!.*\b(?:depress|seizure|epilep)).*\b(?:after|following|s/p)\s+(?:(?:an?|the|acute|ischemic|old|prior|left|right|l|r|mca)\s+)*{_STROKE}",
    re.IGNORECASE,
)
_OF_STROKE = re.compile(_STROKE, re.IGNORECASE)
_IS_LEFT = re.compile(_LEFT, re.IGNORECASE)
_IS_DEFICIT = re.compile(_DEFICIT, re.IGNORECASE)


class Part(NamedTuple):
    """One condition of a text.

    text: as it is searched. span: as it stands in the diagnosis. relation: how it follows the
    condition before it; the first has "with", and with "beside" only what one code names is joined.
    An "agent" stands before what it causes: "MSSA endocarditis", "steroid-induced diabetes".
    """

    text: str
    span: str
    relation: Relation


def read_parts(
    text: str, *, listed: bool = False, shared: bool = False, first: Relation = "with"
) -> tuple[Part, ...]:
    """Return the conditions that a text joins, in their order; nothing where there is only one.

    listed: whether "and" and commas after the first condition join further ones. shared: whether
    they join the places of "mets" as well ("liver and lung mets"). first: "beside" where they join
    the first condition as well ("HTN, CKD").

    >>> [part.text for part in read_parts("hypertensive CKD with anemia")]
    ['hypertension', 'CKD', 'anemia']
    >>> [part.text for part in read_parts("lung cancer with brain mets")]
    ['lung cancer', 'secondary malignant neoplasm of brain']
    """
    short = text[:LONGEST].strip()
    parts: list[Part] = []
    relation = first
    start = 0

    def is_list() -> bool:
        return listed and (bool(parts) or first == "beside")

    for match in _JOINT.finditer(short):
        span = short[start : match.start()]
        parts += _read_span(span, relation, listed=is_list(), shared=shared)
        relation = next(name for n, (name, _) in enumerate(_JOINTS) if match[f"j{n}"] is not None)
        start = match.end()
    parts += _read_span(short[start:], relation, listed=is_list(), shared=shared)
    of_stroke = _sequela if _names_sequelae(short, parts) else _without_sequelae
    parts = [part._replace(text=of_stroke(part.text)) for part in parts]
    whole = all(any(map(str.isalpha, part.text)) for part in parts)
    return tuple(parts) if whole and 1 < len(parts) <= _MOST else ()


def _names_sequelae(text: str, parts: Sequence[Part]) -> bool:
    """Return whether the parts are a stroke and what it left, not a stroke and other conditions."""
    deficits = [part.span for part in parts if _IS_DEFICIT.search(part.span)]
    if deficits and (_OLD_STROKE.search(text) or _AFTER_STROKE.search(text)):
        return True
    left = any(map(_IS_LEFT.search, deficits)) and _OF_STROKE.search(text)
    return bool(left or _LEFT_OF_STROKE.search(text))


def _sequela(condition: str) -> str:
    """Return a part of a text about an old stroke: itself, a deficit, or another condition."""
    if _OF_STROKE.search(condition):
        kinds = (term for pattern, term in _STROKES if pattern.search(condition))
        return next(kinds, "sequelae of cerebral infarction")
    is_deficit = _IS_DEFICIT.search(condition)
    return " ".join(_IS_LEFT.sub(" ", condition).split()) if is_deficit else condition


def _without_sequelae(condition: str) -> str:
    """Return a part of a text that names no deficit; an old stroke is one without deficits."""
    return "stroke without residual deficits" if _OLD_STROKE.fullmatch(condition) else condition


def _read_span(span: str, relation: Relation, *, listed: bool, shared: bool) -> list[Part]:
    """Return the parts of what stands between two joints."""
    if shared and _SPREAD.fullmatch(span.strip(" ,")):
        places = (one.strip(" ,") for one in _AND.split(span))
        return [_secondary(_OF_SPREAD.sub("", place), place, "with") for place in places]
    if listed:
        return [part for one in _AND.split(span) for part in _of_adjective(one, relation)]
    return _of_adjective(span, relation)


def _secondary(place: str, span: str, relation: Relation) -> Part:
    return Part(f"secondary malignant neoplasm of {place}", span, relation)


def _of_adjective(span: str, relation: Relation) -> list[Part]:
    """Return the parts of a span: two where it begins with an adjective that names a condition."""
    span = span.strip(" ,")
    spread = _SPREAD.fullmatch(span)
    if spread:  # "mets" are those of a tumor, also where the text names none
        return [_secondary(spread["place"], span, "with")]
    if relation == "spread":
        return [_secondary(span, span, relation)]
    for pattern, condition in _ADJECTIVES:
        match = pattern.match(span)
        rest = span[match.end() :].strip() if match else ""
        if match and not rest:
            return [Part(condition, span, relation)]
        if match and span[match.end()] == " ":
            return [Part(condition, match.group(), relation), Part(rest, rest, "adjective")]
    return [Part(" ".join(_SIDE.sub(" ", span).split()) or span, span, relation)]

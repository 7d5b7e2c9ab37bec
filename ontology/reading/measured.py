"""Read a number that has a code of its own: "28 wks pregnant", "BMI 42", "ex 30 weeker".

The table is `data/measures.tsv`: it gives the official words for each number, which are looked up.
"""

import re
from functools import lru_cache
from typing import NamedTuple

from ..packaged import packaged_rows
from .normalise import normalise_text


class Measure(NamedTuple):
    """A number of a text: as written, and in the official words of its code."""

    span: str
    term: str


class _Line(NamedTuple):
    start: float
    below: float
    term: str


class _Kind(NamedTuple):
    """How a measure is written.

    `one_of`: words of which the rest of a text must hold one where the measure is all of it.
    """

    name: str
    pattern: re.Pattern[str]
    one_of: frozenset[str] = frozenset()


_IS = r"(?:\s*(?:score|index|is|was|of|at|around|about|~|[:=]))*\s*"
_WEEKS = (
    r"(?<![\d.,/-])(?P<n>\d{1,2})(?:(?:\.\d|\s?\+\s?[0-6]|\s[0-6]/7)?[\s-]?(?:completed\s)?"
    r"(?:weeks?|wks?|w|weekers?|wkr)\b(?:[\s,]*(?:and\s)?[0-6]\s?(?:days?|d)\b)?|\s?w\s?[0-6]\s?d\b|"
    r"\s?\+\s?[0-6](?![\d%])|\s[0-6]/7|/40\b)"
)
_TRIMESTERS = (14, 28)  # the weeks with which the second and the third begin, in the release
_LONGEST = 46  # weeks of a pregnancy
_VIABLE, _TERM = 20, 37  # the weeks from which a birth is preterm, and at term
_PRETERM = frozenset("preterm premature prematurity preemie premie weeker weekers wkr born".split())
_PREGNANT = frozenset(
    """pregnant pregnancy preg gravid gravida gestation gestational ga ega iup siup ob antepartum
    along""".split()
)
_KINDS = (
    _Kind("preterm", re.compile(_WEEKS, re.I), _PRETERM),
    _Kind("gestation", re.compile(_WEEKS, re.I), _PREGNANT),
    _Kind(
        "birth weight",
        re.compile(
            rf"\b(?:birth\s?(?:weight|wt)|[EV]?LBW(?: infant| newborn)?|BW){_IS}(?P<n>\d{{3,4}})\s?"
            r"(?:g|gm|grams?)\b",
            re.I,
        ),
    ),
    _Kind(
        "bmi percentile",
        re.compile(
            rf"\b(?:bmi|body mass index)\b{_IS}[<>]?(?P<n>\d{{1,2}})(?:st|nd|rd|th)?\s?"
            r"(?:percentile|%\s?ile|%tile)\b(?: for age)?",
            re.I,
        ),
    ),
    _Kind(
        "bmi",
        re.compile(
            rf"\b(?:bmi|body mass index)\b(?:\s?\[bmi\])?{_IS}(?:>=|≥|>|over)?\s?"
            r"(?P<n>\d{2,3}(?:\.\d+)?)(?!\s?[\d%-]|(?:st|nd|rd|th)\b)(?:\s?kg/m\S*)?",
            re.I,
        ),
    ),
    _Kind("nihss", re.compile(rf"\bnihss?s?\b{_IS}(?P<n>\d{{1,2}})(?![\d-])", re.I)),
    _Kind(
        "coma scale",
        re.compile(
            rf"\b(?:gcs|glasgow coma scale)\b{_IS}(?P<n>\d{{1,2}})(?![\d-])(?:\s?/\s?15)?", re.I
        ),
    ),
)
# What may stand beside a measure that is all of a text.
_BESIDE = frozenset(
    """age at of is in the a an with currently now patient pt woman female viable single live living
    singleton about approx approximately by lmp us ultrasound dates dating weeks wks i m im am she s
    he former ex late very extremely newborn neonate infant baby nb boy girl prem male adult
    intrauterine current score total""".split()
)
_PARITY = re.compile(r"\bg\d{1,2}\s?p[\d-]{1,5}(?!\w)", re.IGNORECASE)
# With these a time is that since a birth or of an illness, and no age of a pregnancy.
_SINCE = re.compile(
    r"\b(?:postpartum|puerper\w*|pp|post|after|since|ago|for(?! (?:gestational age|dates))|past|"
    r"last|x|old|deliver\w*|lactat\w*|breast|nipple|every|q)\b",
    re.IGNORECASE,
)


def whole_measure(text: str) -> str:
    """Return the official words of a text that is one measure and nothing else, else "".

    >>> whole_measure("IUP at 28w3d"), whole_measure("BMI of 37.5")
    ('28 weeks gestation of pregnancy', 'Body mass index [BMI] 37.0-37.9, adult')
    >>> whole_measure("back pain for 6 weeks")
    ''
    """
    for kind in _KINDS:
        match = kind.pattern.search(text)
        if match is None:
            continue
        rest = _PARITY.sub(" pregnant ", f"{text[: match.start()]} {text[match.end() :]}")
        words = {*normalise_text(rest).split(), *_unit(match)}
        named = not kind.one_of or not kind.one_of.isdisjoint(words)
        if named and words <= _BESIDE | kind.one_of:
            return term_for(kind.name, float(match["n"]))
    return ""


def measures_in(text: str) -> tuple[Measure, ...]:
    """Return the measures of a text that names more than them: weeks of a pregnancy, a BMI.

    >>> [measure.term for measure in measures_in("PPROM 31 wks")]
    ['31 weeks gestation of pregnancy']
    """
    matches = ((kind.name, kind.pattern.search(text)) for kind in _KINDS if kind.name != "preterm")
    measures = (
        Measure(match.group().strip(), term_for(name, float(match["n"])))
        for name, match in matches
        if match and not (name == "gestation" and _SINCE.search(text))
    )
    return tuple(measure for measure in measures if measure.term)


def trimester_of(text: str) -> str:
    """Return the trimester of the weeks that a text names, "" where it names none.

    >>> trimester_of("oligo 27w6d"), trimester_of("twins, 28 wks"), trimester_of("6 wks postpartum")
    ('second trimester', 'third trimester', '')
    """
    if not (weeks := gestation_of(text)):
        return ""
    begun = sum(weeks >= week for week in _TRIMESTERS)
    return f"{('first', 'second', 'third')[begun]} trimester"


def term_of(text: str) -> str:
    """Return whether the weeks that a text names are before or at term, "" where it names none.

    >>> term_of("SROM 38/40"), term_of("PPROM 31 wks"), term_of("6 wks postpartum")
    ('full-term', 'preterm', '')
    """
    weeks = gestation_of(text)
    return ("full-term" if weeks >= _TERM else "preterm") if weeks >= _VIABLE else ""


def gestation_of(text: str) -> int:
    """Return the completed weeks of a pregnancy that a text names, 0 where it names none."""
    match = re.search(_WEEKS, text, re.IGNORECASE)
    of_forty = match is not None and match.group().endswith("/40")  # never those of an illness
    weeks = int(match["n"]) if match and (of_forty or not _SINCE.search(text)) else 0
    return weeks if weeks < _LONGEST else 0


def _unit(match: re.Match[str]) -> set[str]:
    """Return "weeker" where a measure ends in it; it says what the weeks are of."""
    last = normalise_text(match.group()).split()[-1]
    return {last} & _PRETERM


def term_for(name: str, number: float) -> str:
    """Return the official words of a measure's number, "" where it has none.

    >>> term_for("potassium", 6.8), term_for("potassium", 4.1)
    ('hyperkalemia', '')
    """
    lines = (line for line in _table()[name] if line.start <= number < line.below)
    return next((line.term.format(n=int(number)) for line in lines), "")


@lru_cache(maxsize=1)
def _table() -> dict[str, tuple[_Line, ...]]:
    table: dict[str, tuple[_Line, ...]] = {}
    for name, start, below, term in packaged_rows("measures.tsv"):
        line = _Line(float(start), float(below), term)
        table[name] = (*table.get(name, ()), line)
    return table

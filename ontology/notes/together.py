"""Read what two things of a note mean together: an operation and its harm, a test and a finding.

A complication of care is coded by the organ system of the operation or by the device, and only
where the text relates the two (guidelines of ICD-10-CM, sections I.B.16 and I.C.19.g). The table is
`data/together.tsv`.
"""

import re
from collections.abc import Iterator
from functools import cache, lru_cache
from typing import NamedTuple

from ..packaged import packaged_rows
from .parts import NotePart, Retold
from .tellings import place_of

_LETTERS = 300  # letters of a note; in a longer one the two seldom belong together
# Complications of a pregnancy and its care have codes of their own.
_NOT_MEANT = re.compile(
    r"\b(?:labou?r|lscs|c-section|ca?esar\w*|svd|nvd|ectopic|post-?partum|in pregnancy|iup|gravid|"
    r"pregnant(?<!not pregnant)|trimester|deliver(?:y|ed)|newborn|neonat\w*|"
    r"birth trauma|intraop\w*)\b|\b[1-4]\d(?:\+\d)?/40\b",
    re.IGNORECASE,
)
_UNSAID = "unspecified"
_CLAUSE = re.compile(r"[,;.:()\n](?=\s|$)")
_DENIED = re.compile(
    r"(?:\b(?:no|not|nil|without|w/o|neg(?:ative)?|denie[sd]|r/o|prevent\w*|risk of|exclude\w*|"
    r"if|watch|look|screen\w*|prophyla\w*|h/o|hx|history|fhx?|family)\b|\?)\W*(?:[\w/]+\W+){0,2}$",
    re.IGNORECASE,
)
_DENIED_AFTER = re.compile(
    r"\W*(?:was |were )?(?:excluded|ruled out|neg\b|negative|unlikely|prophyla\w*|risk|nil\b|-ve|"
    r"not seen|absent|resolved|warning|advice)|\s?\?(?=\s*(?:[,;.]|$))",
    re.IGNORECASE,
)
_PLANNED = re.compile(
    r"\b(?:for|await\w*|plan\w*|book\w*|listed|list|refer\w*|needs?|consider\w*|candidate|pre-?op|"
    r"prior to|before|offer\w*|wants?|declin\w*|refus\w*|no|not|never)\W+(?:\w+\W+){0,2}$",
    re.IGNORECASE,
)
_PLANNED_AFTER = re.compile(r"\W*(?:planned|booked|listed|tmrw|tomorrow|pending|next week)", re.I)
_DONE = re.compile(
    r"(?:\b(?:post|after|following|since|s/p|from|during|at|in|of|d\d+|day \d+|"
    r"(?:pod|wk|week)\s?#?\d+)\W+(?:\w+\W+)?|^post-?\s?)$",
    re.IGNORECASE,
)
# Old operations of a list are no cause of what it tells of today.
_LONG_AGO = re.compile(
    r"\W*(?:in |done )?(?:(?:19|20)\d\d|\d+\s?(?:y|yrs?|years?)\b)", re.IGNORECASE
)
_KNOWN = re.compile(r"\b(?:h/o|hx|prev\w*|old|prior|known|pmhx?|bg)\W+(?:\w+\W+)?$", re.IGNORECASE)
_RECENT = re.compile(
    r"\b(?:pod|d(?:ay)?\s?#?\d+|post|post-?op\w*|after|following|during|intra-?op\w*|peri-?op\w*|"
    r"yest\w*|today|tonight|this (?:am|pm|morning)|return\w*|re-?opened|back (?:to|in)|recent\w*|"
    r"elective|emergency|incidental\w*|overnight|immediate\w*|wk \d+|"
    r"\d+\s?(?:d|h|hrs?|days?|hours?|wks?|weeks?))\b|"
    r"\b\d+/(?:7|52)\b|\bpod\s?#?\d",
    re.IGNORECASE,
)
_SIDES = (
    ("left", re.compile(r"\b(?:L|Lt|left)\b", re.IGNORECASE)),
    ("right", re.compile(r"\bR(?:t|ight)?\b", re.IGNORECASE)),
)
_TIMES = 4  # that one thing is looked for in a note


class _Row(NamedTuple):
    """A line of the table; kind: after, soon or beside, as its head says."""

    kind: str
    first: re.Pattern[str]
    second: re.Pattern[str]
    words: str
    codes: tuple[str, ...]
    unless: re.Pattern[str] | None


class _Table(NamedTuple):
    any: re.Pattern[str]  # is found where the first thing of one of the rows is
    firsts: tuple[re.Pattern[str], ...]
    rows: tuple[_Row, ...]


def told_together(text: str, parts: tuple[NotePart, ...]) -> tuple[Retold, ...]:
    """Return what two things of a note with these parts mean together, one at most.

    >>> told_together("TURBT bladder perf, catheter 10/7", ())[0].codes
    ('N99.71',)
    >>> told_together("TURBT, no bladder perf", ()), told_together("bladder perf, for TURBT", ())
    ((), ())
    """
    is_other = len(text) > _LETTERS or _NOT_MEANT.search(text) is not None
    if is_other or not (table := _table()).any.search(text):
        return ()
    told = {first for first in table.firsts if first.search(text)}
    for row in table.rows:
        if row.first in told and (harm := _harm(row, text)):
            side = _side(_around(harm, text), text)
            if side == _UNSAID and "{side} leg" in row.words:
                continue  # an ulcer has no code of an unsaid side
            words = row.words.replace("{side}", side)
            return (Retold(words, place_of(harm.group(), parts), row.codes),)
    return ()


def _harm(row: _Row, text: str) -> re.Match[str] | None:
    """Return where the second thing of a row stands in a text that tells both of today."""
    if row.unless and row.unless.search(text):
        return None
    done = [match for match in _found(row.first, text) if _is_done(match, text)]
    if not done:
        return None
    harms = (match for match in _found(row.second, text) if not _is_denied(match, text))
    return next((harm for harm in harms if any(_fits(row, one, harm, text) for one in done)), None)


def _found(pattern: re.Pattern[str], text: str) -> Iterator[re.Match[str]]:
    return (match for _, match in zip(range(_TIMES), pattern.finditer(text), strict=False))


def _fits(row: _Row, one: re.Match[str], harm: re.Match[str], text: str) -> bool:
    """Return whether a harm is one of an operation: it follows it, or is told to be after it."""
    if row.kind == "soon" and not _is_recent(one, harm, text):
        return False
    if row.kind == "beside" or one.start() < harm.start():
        return True
    return _DONE.search(text[: one.start()]) is not None or _is_time(one)


def _is_recent(one: re.Match[str], harm: re.Match[str], text: str) -> bool:
    """Return whether an operation is of these days, by words or as its harm is beside it."""
    if _LONG_AGO.match(text, one.end()) or _KNOWN.search(text[: one.start()]):
        return False
    between = text[min(one.end(), harm.end()) : max(one.start(), harm.start())]
    return _RECENT.search(text) is not None or _CLAUSE.search(between) is None


def _is_time(match: re.Match[str]) -> bool:
    return match.group().lower().startswith(("post", "after", "pod", "d", "s/p"))


def _is_done(match: re.Match[str], text: str) -> bool:
    before = text[: match.start()]
    if _PLANNED_AFTER.match(text, match.end()):
        return False
    return _DONE.search(before) is not None or _PLANNED.search(_clause(before)) is None


def _is_denied(match: re.Match[str], text: str) -> bool:
    denied = _DENIED.search(_clause(text[: match.start()]))
    return denied is not None or _DENIED_AFTER.match(text, match.end()) is not None


def _clause(before: str) -> str:
    """Return the end of a text from its last comma or stop on."""
    return _CLAUSE.split(before)[-1]


def _around(match: re.Match[str], text: str) -> str:
    """Return the clause of a text in which something stands."""
    return _clause(text[: match.start()]) + _CLAUSE.split(text[match.start() :])[0]


def _side(*texts: str) -> str:
    """Return the side that the first of the texts with only one names, else "unspecified"."""
    for text in texts:
        sides = [side for side, pattern in _SIDES if pattern.search(text)]
        if len(sides) == 1:
            return sides[0]
    return _UNSAID


@lru_cache(maxsize=1)
def _table() -> _Table:
    named: dict[str, str] = {}
    firsts: list[str] = []
    rows: list[_Row] = []
    for kind, first, second, words, codes, unless, *_ in packaged_rows("together.tsv"):
        if kind == "list":
            named[f"{{{first}}}"] = _written_out(second, named)
            continue
        one, two = _written_out(first, named), _written_out(second, named)
        other = _of_words(unless) if unless else None
        rows.append(_Row(kind, _of_words(one), _of_words(two), words, tuple(codes.split()), other))
        firsts.append(one)
    distinct = tuple(dict.fromkeys(row.first for row in rows))
    return _Table(_of_words("|".join(dict.fromkeys(firsts))), distinct, tuple(rows))


def _written_out(pattern: str, named: dict[str, str]) -> str:
    for name, words in named.items():
        pattern = pattern.replace(name, words)
    return pattern


@cache
def _of_words(pattern: str) -> re.Pattern[str]:
    return re.compile(rf"(?i:(?<!\w)(?:{pattern})(?!\w))")

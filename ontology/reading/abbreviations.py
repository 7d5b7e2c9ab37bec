"""Expand common clinical abbreviations that have one meaning.

The table is `data/abbreviations.tsv`. An ambiguous abbreviation is not expanded: it is reported
with its meanings, unless words beside it (`data/meanings.tsv`) are those of one meaning only. Such
words also give one with a usual meaning another: "PVD OS" is of the vitreous body.
"""

import re
from functools import lru_cache
from typing import NamedTuple

from ..packaged import packaged, packaged_rows

_PRESSURES = ("BP", "SBP")  # before a number; "SBP 300 cells" is a peritonitis
_VALUE = re.compile(
    r"\s?(?:of|is|in|[:=<>~])?\s?\d{2,3}s?(?!\d|\s?(?:cells|pmns?|neut|wcc|wbc))", re.IGNORECASE
)
_SHORT = 400  # characters of a text whose expansion is remembered


class Abbreviation(NamedTuple):
    """A row of the table; `kind` is any, capitals (only as the table writes it) or ambiguous.

    One of the kind beside has several meanings too, and often none of them: it is left as it is
    written where no words beside it say which. One whose meaning such words say has the kind
    context.
    """

    short: str
    expansions: tuple[str, ...]
    kind: str


class Expansion(NamedTuple):
    """A text with its abbreviations written out, and those that were and were not expanded."""

    text: str
    expanded: tuple[Abbreviation, ...]
    ambiguous: tuple[Abbreviation, ...]


def expand_abbreviations(text: str, beside: str = "") -> Expansion:
    """Return a text with those abbreviations written out that have one meaning.

    beside: further words of the cell, which may say what an ambiguous one means.

    >>> expand_abbreviations("acute MI with CHF").text
    'acute myocardial infarction with congestive heart failure'
    >>> [a.expansions for a in expand_abbreviations("MS").ambiguous]
    [('multiple sclerosis', 'mitral stenosis')]
    """
    # A text is read for several questions; a word beside it is found whatever stands around it.
    short = len(text) + len(beside) <= _SHORT
    return _remembered(text, beside.strip()) if short else _expanded(text, beside)


def _expanded(text: str, beside: str) -> Expansion:
    pattern, table = _table()
    expanded: list[Abbreviation] = []
    ambiguous: list[Abbreviation] = []
    by_context: dict[str, str] = {}  # a long text may hold one a thousand times
    alone = text.strip().lower()
    is_loud = text.isupper() and " " in text.strip()  # where capitals tell no abbreviation

    def write_out(match: re.Match[str]) -> str:
        entry = table[match.group(1).lower()]
        as_written = match.group(1) == entry.short or (is_loud and entry.short.islower())
        lone = alone == entry.short.lower() and entry.short.isupper()
        if entry.kind != "any" and not as_written and not lone:
            return match.group()
        if entry.short in _PRESSURES and _VALUE.match(text, match.end()):
            return match.group()
        if entry.short not in by_context:
            is_open = entry.kind in {"ambiguous", "beside"}
            near = text if is_open else _part(text, match.start())
            by_context[entry.short] = _by_context(entry.short, f"{near} {beside}")
        if meaning := by_context[entry.short]:
            entry = Abbreviation(entry.short, (meaning,), "context")
        if entry.kind == "beside":
            return match.group()
        if entry.kind == "ambiguous":
            ambiguous.append(entry)
            return match.group()
        expanded.append(entry)
        return entry.expansions[0]

    written = pattern.sub(write_out, text)
    return Expansion(written, tuple(expanded), tuple(ambiguous))


_remembered = lru_cache(maxsize=2048)(_expanded)


def _part(text: str, at: int) -> str:
    """Return the part of a list in which a place is, the whole text where it is a part by itself.

    A usual meaning holds where another one's words stand in other parts: "PVD with ulcer, OD cat".
    """
    begin = max(text.rfind(",", 0, at), text.rfind(";", 0, at)) + 1
    part = re.split(r"[,;]", text[begin:], maxsplit=1)[0]
    return part if " " in part.strip() else text


def _by_context(short: str, text: str) -> str:
    """Return the one meaning of an abbreviation whose words stand beside it, else ""."""
    meanings = [meaning for meaning, words in _meanings().get(short, ()) if words.search(text)]
    return meanings[0] if len(meanings) == 1 else ""


@lru_cache(maxsize=1)
def _meanings() -> dict[str, tuple[tuple[str, re.Pattern[str]], ...]]:
    table: dict[str, tuple[tuple[str, re.Pattern[str]], ...]] = {}
    for short, meaning, words in packaged_rows("meanings.tsv"):
        alternatives = "|".join(words.split())
        pattern = re.compile(rf"(?<!\w)(?:{alternatives})(?!\w)", re.IGNORECASE)
        table[short] = (*table.get(short, ()), (meaning, pattern))
    return table


@lru_cache(maxsize=1)
def _table() -> tuple[re.Pattern[str], dict[str, Abbreviation]]:
    text = packaged("abbreviations.tsv").read_text("utf-8")
    table: dict[str, Abbreviation] = {}
    for line in text.splitlines()[1:]:
        short, expansions, kind = line.split("\t")
        table[short.lower()] = Abbreviation(short, tuple(expansions.split(" | ")), kind)
    longest_first = sorted(table, key=len, reverse=True)
    # By their first letters, since re tries the alternatives one by one.
    rests: dict[str, list[str]] = {}
    for short in longest_first:
        if len(short) > 1:
            rests.setdefault(short[0], []).append(re.escape(short[1:]))
    several = "|".join(f"{re.escape(letter)}(?:{'|'.join(of)})" for letter, of in rests.items())
    single = "".join(short for short in longest_first if len(short) == 1)
    # A small s after an abbreviation is a plural, a capital S is not: LES is not a plural of LE.
    # The O of R/O and the L of L 5 are not sides, but the L of L 5th is.
    number = r"\s?(?!\d{1,2}(?:st|nd|rd|th)\b)\d"
    plural = r"(?-i:(?<![sS])s)?"  # "press" is no plural of PRES
    pattern = (
        rf"(?<![\w-])((?:{several})(?={plural}(?![\w-]))|(?<!/)[{single}](?![\w/-]|{number}))"
        rf"{plural}"
    )
    return re.compile(pattern, re.IGNORECASE), table

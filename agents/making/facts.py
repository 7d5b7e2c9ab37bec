"""Check the numbers, copied words and names of a written text against its source."""

import re
from collections.abc import Iterable, Sequence

from ..rules.wording import faults, fold

_NUMBER = re.compile(r"\d+(?:[.,]\d+)*")
_THOUSANDS = re.compile(r"\d{1,3}(?:,\d{3})+(?:\.\d+)?\Z")
# Words that almost always mean a number. "one" and "a" often do not, so they are left out.
_WORDS = {
    word: str(value)
    for value, word in enumerate(
        "two three four five six seven eight nine ten eleven twelve".split(), 2
    )
}
_VERB = re.compile(
    r"\b(?:is|are|was|were|has|have|had|been|found|made|diagnosed|confirmed|established|revealed)\b",
    re.IGNORECASE,
)
_WORD = re.compile(rf"\b({'|'.join(_WORDS)})\b", re.IGNORECASE)


def numbers_in(text: str) -> list[str]:
    """Return the numbers of a text in a standard form: digits in order, then number words.

    >>> numbers_in("1,200 cells, 0.50 mg for three days, 3,5 cm")
    ['1200', '0.5', '3.5', '3']
    """
    digits = [_canonical(number) for number in _NUMBER.findall(text)]
    return digits + [_WORDS[word.lower()] for word in _WORD.findall(text)]


def missing_numbers(text: str, source: str) -> list[str]:
    """Return the numbers of a text that do not occur in its source, each once.

    >>> missing_numbers("a 3 cm plaque for 5 weeks", "for five weeks; 2 cm")
    ['3']
    """
    known = set(numbers_in(source))
    return [number for number in dict.fromkeys(numbers_in(text)) if number not in known]


def copied_words(text: str, passages: Iterable[str], length: int) -> str | None:
    """Return the first `length` words in a row that a text shares with a passage, or None.

    >>> copied_words("Why do the red scaly plaques itch?", ["two red scaly plaques"], 3)
    'red scaly plaques'
    """
    runs = _runs(_words(text), length)
    for passage in passages:
        for run in _runs(_words(passage), length):
            if run in runs:
                return " ".join(run)
    return None


def named_in(text: str, names: Iterable[str]) -> list[str]:
    """Return the names that occur in a text, ignoring case, spelling and abbreviation.

    >>> named_in("Could this be a heart attack?", ["heart attack", "asthma"])
    ['heart attack']
    """
    whole = f" {fold(text)} "
    return [name for name in names if (folded := fold(name)) and f" {folded} " in whole]


def not_a_name(diagnosis: str) -> str | None:
    """Return why a passage is not the bare name of one diagnosis, None if it is.

    >>> not_a_name("She had gout"), not_a_name("gout")
    ('holds a verb; copy the name of the disease alone', None)
    """
    if _VERB.search(diagnosis):
        return "holds a verb; copy the name of the disease alone"
    return next(iter(faults(diagnosis)), None)


def _canonical(number: str) -> str:
    plain = number.replace(",", "") if _THOUSANDS.match(number) else number.replace(",", ".")
    whole, dot, fraction = plain.partition(".")
    fraction = fraction.rstrip("0")
    return (whole.lstrip("0") or "0") + (dot + fraction if fraction else "")


def _words(text: str) -> list[str]:
    return re.findall(r"\w+", text.lower())


def _runs(words: Sequence[str], length: int) -> dict[tuple[str, ...], None]:
    return {tuple(words[at : at + length]): None for at in range(len(words) - length + 1)}

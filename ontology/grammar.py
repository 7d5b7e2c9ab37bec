"""How codes are written: what a release says of it, and what holds where it says nothing."""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence, Set
from dataclasses import dataclass
from functools import lru_cache

DASHES = str.maketrans(dict.fromkeys("‐‑‒–—―−", "-"))
"""Dashes of every kind, as the one on a keyboard."""

_NEAR = 3  # of so many characters one may be wrong, for a code to be meant


@dataclass(frozen=True)
class Grammar:
    """How the codes of a release are written.

    spellings: the forms in which the release may hold a written code, most literal first.
    loose: a written code in a form that several ways of writing share; it is looked up in what
    `loose_forms` makes of all codes (form -> code), where no spelling is a code.
    names_heading: whether a written code means a heading first, such as a range.
    is_code: whether a text has the shape of a code, valid or not; None where a code has no shape
    of its own, and only the release's own codes are known as codes.
    nearest: the code that an unknown one was most likely meant to be, given all codes and those of
    the upper levels, or None.
    """

    spellings: Callable[[str], Iterable[str]]
    loose: Callable[[str], str]
    loose_forms: Callable[[Sequence[str]], dict[str, str]]
    nearest: Callable[[str, Set[str], Iterable[str]], str | None]
    names_heading: Callable[[str], bool] = lambda text: False
    is_code: Callable[[str], bool] | None = None


@lru_cache
def plain_grammar(prefix: str) -> Grammar:
    """Codes as the release writes them, but for case, blanks, dots, dashes and the prefix.

    Where two codes differ in nothing else, they are told apart by exactly these.

    >>> grammar = plain_grammar("MONDO")
    >>> forms = grammar.loose_forms(["MONDO:0005148", "BA41.0"])
    >>> [forms[grammar.loose(text)] for text in ("mondo_0005148", "0005148", "ba410")]
    ['MONDO:0005148', 'MONDO:0005148', 'BA41.0']
    """
    before = re.compile(rf"^{re.escape(prefix.upper())}[:_/]") if prefix else re.compile(r"(?!)")

    def spellings(text: str) -> Iterator[str]:
        yield text.strip()

    def loose(text: str) -> str:
        folded = "".join(text.upper().translate(DASHES).split())
        return before.sub("", folded).replace(".", "")

    def loose_forms(codes: Sequence[str]) -> dict[str, str]:
        forms = [loose(code) for code in codes]
        counts = Counter(forms)
        return {form: code for form, code in zip(forms, codes, strict=True) if counts[form] == 1}

    def nearest(text: str, codes: Set[str], upper: Iterable[str]) -> str | None:
        return _nearest(loose(text), {loose(code): code for code in sorted(codes)})

    return Grammar(spellings, loose, loose_forms, nearest)


def _nearest(text: str, codes: dict[str, str]) -> str | None:
    """The longest code that the text starts with, else the one with the fewest slips."""
    from rapidfuzz.distance import OSA
    from rapidfuzz.process import extract

    start = next((text[:end] for end in range(len(text), 1, -1) if text[:end] in codes), None)
    if start is not None:
        return codes[start]
    slips = max(1, len(text) // _NEAR)
    near = extract(text, list(codes), scorer=OSA.distance, score_cutoff=slips, limit=None)
    best = min(((distance, codes[form]) for form, distance, _ in near), default=None)
    return best[1] if best else None

"""How codes are written: what a release declares, and the default where it declares nothing."""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence, Set
from dataclasses import dataclass
from functools import lru_cache

DASHES = str.maketrans(dict.fromkeys("‐‑‒–—―−", "-"))
"""Translates dashes of every kind into the hyphen of a keyboard."""

_NEAR = 3  # one wrong character for so many is allowed in a nearest code


@dataclass(frozen=True)
class Grammar:
    """How the codes of a release are written.

    spellings: returns the forms in which the release may hold a written code, most literal first.
    loose: returns a form that several ways of writing a code share. It is looked up where no
    spelling is a code. loose_forms: returns the code for each such form, for all codes.
    names_heading: returns whether a written code, such as a range, means a heading rather than a
    code. is_code: returns whether a text has the shape of a code, valid or not; None where codes
    have no fixed shape, and only the release's codes count as codes. nearest: returns the code
    that an unknown one most likely means, or None; called with the text, all codes, and the codes
    of the upper levels.
    """

    spellings: Callable[[str], Iterable[str]]
    loose: Callable[[str], str]
    loose_forms: Callable[[Sequence[str]], dict[str, str]]
    nearest: Callable[[str, Set[str], Iterable[str]], str | None]
    names_heading: Callable[[str], bool] = lambda text: False
    is_code: Callable[[str], bool] | None = None


@lru_cache
def plain_grammar(prefix: str) -> Grammar:
    """Return a grammar that ignores case, blanks, dots, the kind of dash and the prefix.

    Two codes that differ only in these must be written exactly as the release writes them.

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
    """Return the longest code that the text starts with, else the one with the fewest slips."""
    from rapidfuzz.distance import OSA
    from rapidfuzz.process import extract

    start = next((text[:end] for end in range(len(text), 1, -1) if text[:end] in codes), None)
    if start is not None:
        return codes[start]
    slips = max(1, len(text) // _NEAR)
    near = extract(text, list(codes), scorer=OSA.distance, score_cutoff=slips, limit=None)
    best = min(((distance, codes[form]) for form, distance, _ in near), default=None)
    return best[1] if best else None

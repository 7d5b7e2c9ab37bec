"""Read two heart valves of which a note gives short names: "MS/MR" is of the mitral valve alone.

Each of the letters means something else elsewhere; joined they decide each other. Disorders of
several valves are rheumatic by the index, one of the aortic valve is where the note says so.
"""

import re

from .parts import NotePart, Retold
from .tellings import place_of

_HOW = r"(?:(?:mild|mod(?:erate)?|sev(?:ere)?|tight|trivial|significant|rheumatic)[- ]+){0,2}"
_VALVE = rf"{_HOW}(?-i:[MAT][SR])"
_JOINT = r"(?:\s*[/+&]\s*|\s+(?:and|with|w)\s+)"
_PAIR = re.compile(rf"(?<![\w/])(?P<said>{_VALVE}(?:{_JOINT}{_VALVE})+)(?![\w/])", re.IGNORECASE)
_SHORT = re.compile(r"(?<![\w])[MAT][SR](?!\w)")
_RHEUMATIC = re.compile(r"\b(?:c?rhd|rheum\w*|post[- ]?rheumatic)\b", re.IGNORECASE)
_NOT_RHEUMATIC = re.compile(r"\bnon-?\s?rheum\w*", re.IGNORECASE)
_NOT = re.compile(
    r"\b(?:no|endocarditis|(?-i:IE)|ankylosing|sclerosis|AVR|MVR|TAVI|repair\w*|replace\w*|congenital|"
    r"dissection|post[- ]?op|s/p|h/o)\b",
    re.IGNORECASE,
)
_SEVERAL = {
    "MA": ("I08.0", "rheumatic disorders of both mitral and aortic valves"),
    "MT": ("I08.1", "rheumatic disorders of both mitral and tricuspid valves"),
    "AT": ("I08.2", "rheumatic disorders of both aortic and tricuspid valves"),
    "MAT": ("I08.3", "combined rheumatic disorders of mitral, aortic and tricuspid valves"),
    "M": ("I05.2", "rheumatic mitral stenosis with insufficiency"),
    "T": ("I07.2", "rheumatic tricuspid stenosis and insufficiency"),
    "A": ("I35.2", "nonrheumatic aortic stenosis with insufficiency"),
}
_RHEUMATIC_AORTIC = ("I06.2", "rheumatic aortic stenosis with insufficiency")


def valves_in(text: str, parts: tuple[NotePart, ...]) -> Retold | None:
    """Return the disorder of the valves whose short names a note joins, None where it joins none.

    >>> valves_in("RHD MS/MR, PTMC planned", ()).codes, valves_in("sev AS + AR", ()).codes
    (('I05.2',), ('I35.2',))
    >>> valves_in("MS, on tecfidera", ()), valves_in("AR/asthma", ())
    (None, None)
    """
    match = _PAIR.search(" ".join(text.split()))
    if match is None or _NOT.search(text):
        return None
    named = set(_SHORT.findall(match["said"]))
    if len(named) < 2:
        return None
    valves = "".join(letter for letter in "MAT" if any(one[0] == letter for one in named))
    code, words = _SEVERAL[valves]
    if valves == "A" and _RHEUMATIC.search(text) and not _NOT_RHEUMATIC.search(text):
        code, words = _RHEUMATIC_AORTIC
    return Retold(words, place_of(match["said"], parts), (code,))

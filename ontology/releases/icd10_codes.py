"""Turn ICD-10 codes as people write them into the form in which the tree holds them."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from types import MappingProxyType

from ..grammar import DASHES, Grammar

_VOCABULARY = re.compile(r"^ICD-?10(?:-?(?:CM|WHO))?[:_/]")
# A letter, then two characters of which at least one is a digit: J44, C7A, QA0.
_CATEGORY = r"[A-Z](?:\d[0-9A-Z]|[A-Z]\d)"
_CODE = re.compile(rf"({_CATEGORY})\.?([0-9A-Z]{{0,4}})")
_RANGE = re.compile(rf"({_CATEGORY})-({_CATEGORY})")
_CHAPTER = re.compile(r"(?:CHAPTER)?(?:0*([1-9]\d?)|(?=[IVX])(X{0,3}(?:IX|IV|V?I{0,3})))")
_ROMAN = {"I": 1, "V": 5, "X": 10}


def fold_code(text: str) -> str:
    """Return a code, block or chapter as the tabular list writes it; other text in capitals.

    Case, blanks, the kind of dash, a missing or trailing dot, brackets, dagger and asterisk, the
    ".-" of cross-references and a leading "ICD10CM:" make no difference.

    >>> [fold_code(text) for text in ("j449", "I11.-", "a15 – a19", "ICD-10-CM:S52.5xxA")]
    ['J44.9', 'I11', 'A15-A19', 'S52.5XXA']
    """
    folded = "".join(text.upper().translate(DASHES).split())
    folded = _VOCABULARY.sub("", folded).strip("()[]†*.-")
    match = _CODE.fullmatch(folded)
    if match is None:
        return folded
    category, rest = match.groups()
    return f"{category}.{rest}" if rest else category


def looks_like_code(text: str) -> bool:
    """Return whether a text has the shape of a code or block, valid or not."""
    folded = fold_code(text)
    return bool(_CODE.fullmatch(folded) or _RANGE.fullmatch(folded))


def spellings(folded: str) -> Iterator[str]:
    """Yield the forms in which a release may hold a folded code, most literal first.

    A padding X at the end ("I10.X") is dropped, and a block of one category is both B99
    and B99-B99.
    """
    yield folded
    if _CODE.fullmatch(folded) and folded.endswith("X") and len(folded) > 3:
        yield folded[:3] + folded[3:].rstrip("X").rstrip(".")
    ends = _RANGE.fullmatch(folded)
    if ends and ends[1] == ends[2]:
        yield ends[1]
    elif re.fullmatch(_CATEGORY, folded):
        yield f"{folded}-{folded}"


def without_placeholders(code: str) -> str:
    """Return a code without the X that only fill places, so that T36.0X1A equals T36.01A."""
    return code[:4] + code[4:].replace("X", "")


def chapter_number(folded: str) -> int | None:
    """Return the number of a chapter written "2", "02", "II" or "CHAPTER II", else None."""
    match = _CHAPTER.fullmatch(folded)
    if match is None:
        return None
    if match[1]:
        return int(match[1])
    values = [_ROMAN[letter] for letter in match[2]]
    pairs = zip(values, [*values[1:], 0], strict=True)
    return sum(-value if value < following else value for value, following in pairs)


def nearest_code(text: str, known: Set[str], upper: Iterable[str]) -> str | None:
    """Return the valid code that the writer of an unknown code most likely meant, or None.

    This is the longest known code that the text starts with. Where there is none, it is the known
    category (for a range: the known block) of the same letter with the smallest edit distance; ties
    go to the longest common start, then to the closest character. For a chapter, it is the
    nearest number. `known` holds all codes, `upper` the codes of chapters, blocks and categories.
    """
    folded = fold_code(text.replace(".", ""))
    if number := chapter_number(folded):
        chapters = ((abs(number - n), code) for code in upper if (n := chapter_number(code)))
        return min(chapters, default=(0, None))[1]
    is_range = _RANGE.fullmatch(folded) is not None
    if not is_range and not _CODE.fullmatch(folded):
        return None
    starts = (folded[:length].rstrip(".") for length in range(len(folded), 2, -1))
    longest = None if is_range else next((start for start in starts if start in known), None)
    if longest is not None:
        return longest
    meant = folded if is_range else folded[:3]
    siblings = (code for code in upper if code[0] == meant[0] and len(code) == len(meant))
    return min(siblings, key=lambda code: _distance(meant, code), default=None)


def _distance(text: str, code: str) -> tuple[int, int, int, str]:
    common = next((i for i, (a, b) in enumerate(zip(text, code, strict=False)) if a != b), 0)
    step = abs(ord(text[common]) - ord(code[common])) if text != code else 0
    return _edits(text, code), -common, step, code


def _edits(a: str, b: str) -> int:
    """Return Levenshtein's edit distance, computed row by row."""
    row = list(range(len(b) + 1))
    for i, from_a in enumerate(a, 1):
        previous, row = row, [i]
        for j, from_b in enumerate(b, 1):
            row.append(min(previous[j] + 1, row[-1] + 1, previous[j - 1] + (from_a != from_b)))
    return row[-1]


def _spellings(text: str) -> Iterator[str]:
    return spellings(fold_code(text))


def _loose(text: str) -> str:
    folded = fold_code(text)
    number = chapter_number(folded)
    return f"chapter {number}" if number else without_placeholders(folded)


def _loose_forms(codes: Sequence[str]) -> dict[str, str]:
    """Return codes with a placeholder X by the code without it, and chapters by their number."""
    forms = {without_placeholders(code): code for code in codes if "X" in code[4:]}
    short = (code for code in codes if len(code) < 6)
    return forms | {f"chapter {n}": code for code in short if (n := chapter_number(code))}


def _names_heading(text: str) -> bool:
    return "-" in fold_code(text)


ICD10_GRAMMAR = Grammar(
    spellings=_spellings,
    loose=_loose,
    loose_forms=_loose_forms,
    nearest=nearest_code,
    names_heading=_names_heading,
    is_code=looks_like_code,
)
"""The way in which the codes of WHO's ICD-10 and of its national versions are written."""

ICD10_LEVELS = ("chapter", "block", "category", "subcategory")
"""The levels of the ICD-10 tree; the first two only group codes."""

ICD10_SETTINGS: Mapping[str, frozenset[str]] = MappingProxyType(
    {
        "O": frozenset(
            "pregnan matern gestat obstet puerpe postpa labor delive eclamp abort".split()
        ),
        "P": frozenset("neonat newbor perina fetal birth fetus infant prematu".split()),
        "S": frozenset(
            "injury trauma fractu wound lacera contus sprain disloc burn bite crush".split()
        ),
        "T": frozenset(
            "poison toxic injury burn foreig compli advers effect trauma frostb".split()
        ),
        "Z": frozenset(
            (
                "absenc acquir adjust afterc allerg artifi attent care carrie checku contac "
                "counse depend donor encoun examin exposu family fittin follow histor immuni "
                "long manage observ person post pregna presen proble remova screen servic "
                "status superv survei transp vaccin visit "
            ).split()
        ),
    }
)
"""First letters of codes, each with word stems of which the text should hold at least one."""

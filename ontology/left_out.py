"""What a text says of side, stage, episode, encounter and fetus, and its code does not."""

import re

from .mapping import Mapping
from .reading.abbreviations import expand_abbreviations
from .reading.coders import encounter_words, later_encounter
from .reading.normalise import normalise_text
from .specificity import Specificity, at_specificity
from .tree import Tree

_DETAILS = re.compile(
    r"\b(?:left|right|bilateral|both"
    r"|(?:stage|grade) (?:\d\w?|[ivx]+[abc]?)"
    r"|(?:first|single|recurrent|second|third) episode"
    r"|in (?:partial |full |complete )?remission"
    r"|fetus \d)\b"
    # These name a part of the body or another thing, not the side of the condition.
    r"(?! (?:heart|ventric\w*|atri\w*|bundle|shift|axis|main|anterior|to))"
)
_ROMAN = {"i": "1", "ii": "2", "iii": "3", "iv": "4"}


def left_out(mapping: Mapping, tree: Tree, specificity: Specificity) -> str | None:
    """Return what a text says of side, stage, episode or encounter and the code does not, or None.

    The remark says so where the billable code has it. Nothing is said with `category`, except of a
    later encounter: the code of a category has no details by definition.
    """
    if mapping.code is None:
        return None
    remarks = [_encounter(mapping, tree, specificity)]
    if specificity != "category":
        words = encounter_words(expand_abbreviations(mapping.translation or mapping.text).text)
        details = dict.fromkeys(_DETAILS.findall(normalise_text(words)))
        remarks += [_remark(detail, mapping, tree, specificity) for detail in details]
    return "; ".join(filter(None, remarks)) or None


def _encounter(mapping: Mapping, tree: Tree, specificity: Specificity) -> str | None:
    """Return the remark on a later encounter, where the code has no such character."""
    later = later_encounter(mapping.text)
    if not later or mapping.code is None or specificity == "billable":
        return None
    below = tree.children(mapping.code)
    has_variants = bool(below) and tree.is_encounter(below[0])
    return f"{later!r} is not in the code; --specificity billable adds it" if has_variants else None


def _remark(detail: str, mapping: Mapping, tree: Tree, specificity: Specificity) -> str | None:
    code = mapping.code or ""
    if _says(tree.name(code), detail) or _says(mapping.term or "", detail):
        return None
    billable = at_specificity(code, "billable", tree, (), mapping.translation or mapping.text)
    adds = specificity == "concept" and _says(tree.name(billable), detail)
    return f"{detail!r} is not in the code" + ("; --specificity billable adds it" if adds else "")


def _says(name: str, detail: str) -> bool:
    """Return whether a name has a detail: each of its words, numerals as figures."""
    has = set(normalise_text(name).split())
    has |= {_ROMAN[word] for word in has & _ROMAN.keys()}
    said = {_ROMAN.get(word, word) for word in detail.split()} - {"in"}
    return bool({"bilateral", "both"} & has) if detail == "both" else said <= has

"""The knowledge base: which terms name which code, each with where it comes from."""

import csv
import re
from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import NamedTuple

from .packaged import packaged
from .reading.normalise import normalise_text
from .tree import Node, Tree

LEFT_OUT = ("20", "21")
"""Chapters nobody writes as a diagnosis: external causes (V00-Y99) and factors (Z00-Z99)."""

_CODE = r"[A-Z]\d[0-9A-Z](?:\.\w*)?(?:-[A-Z]\d[0-9A-Z](?:\.\w*)?|-)?(?!\w)"
# "(conditions in A00-A09)", "[M1A.-]": a bracket that holds a code only cross-refers.
_CROSS_REFERENCE = re.compile(rf"\s*[(\[][^()\[\]]*\b{_CODE}[^()\[\]]*[)\]]")
# ", except as in G80-G82": the term is what stands before. "as in O70.0, also involving": around.
_ASIDE = re.compile(
    rf",?\s+(?:except|other than|not classifiable to)\b.*\b{_CODE}.*$| as in {_CODE}, also\b"
)
_NO_TERM = re.compile(
    # Conditions named by their codes: "any condition in I11.- with any condition in I12.-".
    rf"\b(?i:in|to|under|both|categories|except)\s+(?:both\s+)?{_CODE}|\s\.\d"
    # Instructions and definitions: "code to most medial fracture", "the listed conditions".
    r"|(?i:\bcoded? to\b|\btwo codes\b|\bthis (?:sub)?(?:category|code)\b|\bselection of side\b"
    r"|^the listed\b|^conditions? (?:in|which|classifiable)\b|^any (?:condition|injury)\b"
    r"|^any congenital\b|^usually implies\b|^screening is\b|^rupture that occurs\b"
    r"|\byears (?:of age|old)\)|:$)"
)


# Modifiers that ICD-10 calls nonessential, and other names in square brackets. Not the end of a
# word: "digit(s)", "Lp(a)".
_MODIFIER = re.compile(r"(?:(?<=[\s)\]])|^)\([^()]*\)")
_OTHER_NAME = re.compile(r"\[[^\[\]]*\]")
_LOOSE_BLANK = re.compile(r"\s+(?=[,;]|\s|$)")


class Term(NamedTuple):
    """One way to name a code: `source` is official, inclusion, includes or a source's name."""

    text: str
    code: str
    source: str


def build_terms(
    tree: Tree,
    *,
    encounters: bool = False,
    chapters: Iterable[str] | None = None,
    extra: Iterable[Term] = (),
) -> list[Term]:
    """All terms of a release's categories and subcategories, in tabular order.

    Official names, inclusion terms and `includes` notes, each also without what stands in
    brackets, unless that is printed for another code. Terms of `extra` follow the official ones
    of their code; codes that the choice leaves out come last. Of terms of one code that fold to
    the same text the most official stays.

    `encounters` adds the 7th-character variants. `chapters` (numbers, written as `Tree.node`
    reads them) are those to take instead of all but `LEFT_OUT`. Rows of ICD-10-CM April 2026:
    56,600; with encounters 105,000; of all chapters 64,600; of all with encounters 120,500.

    Raises UnknownCode for a chapter or an extra term's code that the release does not hold.
    """
    if chapters is None:
        left_out = {tree.node(chapter, "chapter") for chapter in LEFT_OUT}
        taken = {node for node in tree.nodes if node.kind == "chapter"} - left_out
    else:
        taken = {tree.node(chapter, "chapter") for chapter in chapters}
    terms: dict[str, list[Term]] = {}
    for node in _codes(tree, taken):
        if encounters or not tree.is_encounter(node):
            terms[node.code] = list(official_terms(tree, node))
    printed = {term.text.lower() for group in terms.values() for term in group}
    for group in terms.values():
        shorter = [
            term._replace(text=text) for term in group for text in shorter_wordings(term.text)
        ]
        group += (term for term in shorter if term.text.lower() not in printed)
    for term in extra:
        code = tree.node(term.code).code
        terms.setdefault(code, []).append(term._replace(code=code))
    return [term for group in terms.values() for term in _distinct(group)]


def official_terms(tree: Tree, node: Node) -> Iterator[Term]:
    """The terms of one category or subcategory, the most official first."""
    yield Term(tree.name(node), node.code, "official")
    notes = tree.notes(node)
    for source in ("inclusion", "includes"):
        for note in notes.get(source, ()):
            text = term_of_note(note, node.code)
            if text:
                yield Term(text, node.code, source)


def term_of_note(note: str, code: str) -> str | None:
    """The term in an inclusion or `includes` note, None where the note names no diagnosis.

    Cross-references go, and a reviewed table completes the few that lean on their heading.

    >>> term_of_note("paralysis (complete) (incomplete), except as in G80-G82", "G83")
    'paralysis (complete) (incomplete)'
    >>> term_of_note("Atlas", "S12.0")
    'Fracture of atlas'
    >>> term_of_note("any condition in I11.- with any condition in I12.-", "I13")
    """
    reviewed = _reviewed_notes()
    if (code, note) in reviewed:
        return reviewed[code, note] or None
    text = _ASIDE.sub("", _CROSS_REFERENCE.sub("", note)).strip(" ,;.")
    return None if _NO_TERM.search(text) else text or None


def shorter_wordings(text: str) -> list[str]:
    """The term without its nonessential modifiers, without its other names, without both.

    They raise the share of diagnoses that exact look-up finds by half, and leave search as good.

    >>> shorter_wordings("Spina bifida (aperta)(cystica)")
    ['Spina bifida']
    >>> shorter_wordings("Thrombocytopenia with absent radius [TAR] syndrome, digit(s)")
    ['Thrombocytopenia with absent radius syndrome, digit(s)']
    """
    if "(" not in text and "[" not in text:
        return []
    plain = _MODIFIER.sub("", text)
    wordings = (plain, _OTHER_NAME.sub("", text), _OTHER_NAME.sub("", plain))
    tidy = dict.fromkeys(_LOOSE_BLANK.sub("", wording).strip(" ,;") for wording in wordings)
    return [wording for wording in tidy if wording and wording != text]


def _codes(tree: Tree, chapters: set[Node]) -> Iterator[Node]:
    taken = False
    for node in tree.nodes:
        if node.kind == "chapter":
            taken = node in chapters
        elif taken and node.kind != "block":
            yield node


def _distinct(terms: list[Term]) -> Iterable[Term]:
    """The first of those that fold alike; folding is what takes the time, and most stand alone."""
    if len(terms) == 1:
        return terms
    found: dict[str, Term] = {}
    for term in terms:
        found.setdefault(normalise_text(term.text), term)
    return found.values()


@lru_cache(maxsize=1)
def _reviewed_notes() -> dict[tuple[str, str], str]:
    """(code, note) -> the term it stands for, or "" for none."""
    table = packaged("notes.tsv").read_text("utf-8")
    rows = csv.DictReader(table.splitlines(), delimiter="\t", quoting=csv.QUOTE_NONE)
    return {(row["code"], row["note"]): row["term"] for row in rows}

"""The knowledge base: the terms of each code, each with its source."""

import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from .reading.normalise import normalise_text
from .tree import Node, Tree

# Round brackets hold modifiers that do not change the code (ICD-10 calls them nonessential), square
# brackets hold other names. Brackets at the end of a word do neither: "digit(s)", "Lp(a)".
_MODIFIER = re.compile(r"(?:(?<=[\s)\]])|^)\([^()]*\)")
_OTHER_NAME = re.compile(r"\[[^\[\]]*\]")
_LOOSE_BLANK = re.compile(r"\s+(?=[,;]|\s|$)")


class Term(NamedTuple):
    """One name of a code; `source` is official, inclusion, includes or the name of a source."""

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
    """Return all terms of a release's codes, in tabular order.

    They are official names, inclusion terms and `includes` notes. Each is also added without its
    brackets, unless the release prints that wording for another code. Terms of `extra` follow the
    official ones of their code; those for codes outside `chapters` come last. Where terms of one
    code fold to the same text, only the most official is returned.

    `encounters` adds the variants of codes. `chapters` are the roots of the tree to take, written
    as `Tree.node` reads them; by default all except the release's `left_out`. The number of terms
    of ICD-10-CM April 2026 is 56,600; with encounters 105,000; for all chapters 64,600; for all
    chapters with encounters 120,500.

    Raises UnknownCode for a chapter or an extra term's code that the release does not hold.
    """
    if chapters is None:
        left_out = {tree.root(chapter) for chapter in tree.descriptor.left_out}
        taken = set(tree.roots) - left_out
    else:
        taken = {tree.root(chapter) for chapter in chapters}
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
    """Yield the terms of one code, the most official first."""
    yield Term(tree.name(node), node.code, "official")
    notes = tree.notes(node)
    for source in ("inclusion", "includes"):
        for note in notes.get(source, ()):
            text = tree.descriptor.read_note(note, node.code)
            if text:
                yield Term(text, node.code, source)


def shorter_wordings(text: str) -> list[str]:
    """Return a term without its nonessential modifiers, without its other names, without both.

    With them, look-up finds half as many diagnoses again, and search is as good as before.

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
    for root in tree.roots:
        if root in chapters:
            yield from (node for node in (root, *tree.descendants(root)) if tree.is_code(node))


def _distinct(terms: list[Term]) -> Iterable[Term]:
    """Return the first of the terms that fold to the same text."""
    if len(terms) == 1:  # most codes have one term, and folding is slow
        return terms
    by_text: dict[str, Term] = {}
    for term in terms:
        by_text.setdefault(normalise_text(term.text), term)
    return by_text.values()

"""Carry the terms of one release over to another that shares most of its codes.

A term keeps its code where the other release has it. Else it gets the nearest code above that the
other release has, up to the category. A table of the release names the codes that mean something
else there, or that are another code there.
"""

from collections.abc import Iterable, Iterator

from .reading.normalise import normalise_text
from .terms import Term
from .tree import Tree

NOWHERE = "-"
"""What stands in the table for a code whose terms are not carried over."""


def carried_terms(
    terms: Iterable[Term], lender: Tree, tree: Tree, known: Iterable[Term]
) -> Iterator[Term]:
    """Yield the terms of another release with the codes of this one.

    terms: those of `lender`. known: the terms that this release has itself; where one of them reads
    like a term with another code, that term is not carried over.
    """
    listed = dict(tree.descriptor.differing_codes())
    own: dict[str, set[str]] = {}
    for term in known:
        own.setdefault(normalise_text(term.text), set()).add(term.code)
    codes: dict[str, str | None] = {}
    for term in terms:
        if term.code not in codes:
            codes[term.code] = carried_code(term.code, lender, tree, listed)
        code = codes[term.code]
        codes_of_text = own.get(normalise_text(term.text))
        if code is not None and (codes_of_text is None or code in codes_of_text):
            yield term._replace(code=code)


def carried_code(code: str, lender: Tree, tree: Tree, listed: dict[str, str]) -> str | None:
    """Return the code of the release for a code of `lender`, None where it has none.

    listed: the codes of `lender` that are another code in the release; what lies below such a code
    is that code too.
    """
    line = [code, *(node.code for node in lender.ancestors(code) if lender.is_code(node))]
    for above in line:
        if above in listed:
            return None if listed[above] == NOWHERE else listed[above]
    return next((above for above in line if tree.contains(above) and tree.is_code(above)), None)

"""The terms that search reads by default: the chapters of a release, and further terms."""

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from importlib import resources
from pathlib import Path

from ..errors import UsageError
from ..files.bytes import read_bytes
from .carried import carried_terms
from .terms import Term, build_terms
from .tree import Tree, load_tree

SCOPES = {
    "chapters": "every chapter",
    "diagnoses": "all roots except those that the release leaves out",
    "everything": "every chapter, and the variants of codes such as encounters",
}
_MAKERS = (
    "base.py",
    "terms.py",
    "releases/icd10_notes.py",
    "reading/normalise.py",
    "data/notes.tsv",
    "data/spelling.tsv",
    "data/synonyms.tsv",
)
_READERS = (  # part of the recipe only where files of further terms are read
    "sources/forms.py",
    "sources/cms.py",
    "sources/obo.py",
    "sources/orphanet.py",
    "sources/sssom.py",
    "sources/tabular.py",
    "sources/xref.py",
)
COMMUNITY = "dxjudge"
"""The source of the project's own synonyms (data/synonyms.tsv)."""


def default_terms(
    tree: Tree, *, scope: str | None = None, extra: Iterable[Term] = ()
) -> list[Term]:
    """Return the terms to search: official ones, the release's synonyms, and `extra`.

    Without a scope, that of the release counts. Raises UsageError for an unknown scope.
    """
    scope = scope or tree.descriptor.scope
    check_scope(scope)
    own = [Term(text, code, COMMUNITY) for text, code in tree.descriptor.further_terms()]
    chapters = None if scope == "diagnoses" else [root.code for root in tree.roots]
    if tree.descriptor.lender:
        own += _lent(tree, tree.descriptor.lender, scope, own)
    return build_terms(
        tree, encounters=scope == "everything", chapters=chapters, extra=[*own, *extra]
    )


def _lent(tree: Tree, name: str, scope: str, own: list[Term]) -> list[Term]:
    """Return the terms of the release that lends its terms, those of the roots in scope."""
    lender = load_tree(name)
    # A variant of a code, such as an encounter, is no code of another release.
    lent = default_terms(lender, scope="chapters" if scope == "everything" else scope)
    printed = build_terms(tree, chapters=[root.code for root in tree.roots])
    carried = carried_terms(lent, lender, tree, [*printed, *own])
    return [
        term if term.source == COMMUNITY else term._replace(source=f"{name}/{term.source}")
        for term in carried
    ]


def check_scope(scope: str) -> None:
    """Raise UsageError for an unknown scope."""
    if scope not in SCOPES:
        raise UsageError(f"no scope {scope!r}; there is {', '.join(SCOPES)}")


def recipe(
    tree: Tree,
    *,
    scope: str | None = None,
    sources: Sequence[Path] = (),
    added: Mapping[str, str] | None = None,
) -> str:
    """Return a digest of everything that the terms are made from; it changes when they may change.

    It covers the release, the scope, the package's term data, the code that makes terms from them,
    the content of the source files, and name and checksum of `added` sources. It is much faster to
    compute than the terms. Raises InputError for a source that cannot be read.
    """
    digest = hashlib.sha256(
        f"{tree.release}\n{tree.version}\n{scope or tree.descriptor.scope}\n".encode()
    )
    package = resources.files(__package__)
    lender = tree.descriptor.lender
    if lender:
        digest.update(f"{load_tree(lender).version}\n".encode())
        digest.update(repr([*tree.descriptor.differing_codes()]).encode())
        digest.update(repr([*tree.descriptor.further_terms()]).encode())
    makers = (*_MAKERS, "carried.py") if lender else _MAKERS
    for name in (*makers, *(_READERS if sources else ())):
        digest.update(package.joinpath(*name.split("/")).read_bytes())
    for path in sources:
        digest.update(f"{path.stem}\n".encode() + read_bytes(path))
    for name, checksum in sorted((added or {}).items()):
        digest.update(f"added {name} {checksum}\n".encode())
    return digest.hexdigest()

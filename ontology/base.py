"""The default search base of a release: which chapters, and which further terms."""

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from importlib import resources
from pathlib import Path

from ..errors import UsageError
from ..files.bytes import read_bytes
from .terms import Term, build_terms
from .tree import Tree

SCOPES = {
    "diagnoses": "all chapters but those that nobody writes as a diagnosis",
    "chapters": "every chapter",
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
_READERS = (  # a part of the recipe where files of further terms are read
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
    tree: Tree, *, scope: str = "diagnoses", extra: Iterable[Term] = ()
) -> list[Term]:
    """The terms to search: official ones, the synonyms that belong to the release, and `extra`.

    Raises UsageError for another scope.
    """
    check_scope(scope)
    own = [Term(text, code, COMMUNITY) for text, code in tree.descriptor.further_terms()]
    chapters = None if scope == "diagnoses" else [root.code for root in tree.roots]
    return build_terms(
        tree, encounters=scope == "everything", chapters=chapters, extra=[*own, *extra]
    )


def check_scope(scope: str) -> None:
    """Raise UsageError for a scope that is none."""
    if scope not in SCOPES:
        raise UsageError(f"no scope {scope!r}; there is {', '.join(SCOPES)}")


def recipe(
    tree: Tree,
    *,
    scope: str = "diagnoses",
    sources: Sequence[Path] = (),
    added: Mapping[str, str] | None = None,
) -> str:
    """What the terms of a base come from: a digest that changes when the terms can.

    The release, the scope, the package's term data, the code that makes terms of them, the
    content of the source files, and name and checksum of `added` sources. Much faster than
    making the terms. Raises InputError for a source that cannot be read.
    """
    digest = hashlib.sha256(f"{tree.release}\n{tree.version}\n{scope}\n".encode())
    package = resources.files(__package__)
    for name in (*_MAKERS, *(_READERS if sources else ())):
        digest.update(package.joinpath(*name.split("/")).read_bytes())
    for path in sources:
        digest.update(f"{path.stem}\n".encode() + read_bytes(path))
    for name, checksum in sorted((added or {}).items()):
        digest.update(f"added {name} {checksum}\n".encode())
    return digest.hexdigest()

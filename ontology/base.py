"""The default search base of a release: which chapters, and which further terms."""

from collections.abc import Iterable, Iterator
from importlib import resources

from ..errors import UsageError
from .terms import Term, build_terms
from .tree import Tree

SCOPES = {
    "diagnoses": "all chapters but external causes (V00-Y99) and factors (Z00-Z99)",
    "chapters": "every chapter",
    "everything": "every chapter, and the 7th-character encounter variants",
}
COMMUNITY = "dxjudge"
"""The source of the project's own synonyms (data/synonyms.tsv)."""


def default_terms(
    tree: Tree, *, scope: str = "diagnoses", extra: Iterable[Term] = ()
) -> list[Term]:
    """The terms to search: official ones, the project's own synonyms, and `extra`.

    The synonyms name ICD-10-CM codes and join that release alone.

    Raises UsageError for another scope.
    """
    if scope not in SCOPES:
        raise UsageError(f"no scope {scope!r}; there is {', '.join(SCOPES)}")
    own = list(synonyms()) if tree.release == "icd10cm" else []
    chapters = (
        None
        if scope == "diagnoses"
        else [node.code for node in tree.nodes if node.kind == "chapter"]
    )
    return build_terms(
        tree, encounters=scope == "everything", chapters=chapters, extra=[*own, *extra]
    )


def synonyms() -> Iterator[Term]:
    """The project's own synonyms for ICD-10-CM codes."""
    text = resources.files(__package__).joinpath("data", "synonyms.tsv").read_text("utf-8")
    for line in text.splitlines()[1:]:
        term, code = line.split("\t")
        yield Term(term, code, COMMUNITY)

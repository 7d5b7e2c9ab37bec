"""A release of an ontology: one frozen description, and the rows that its reader returns.

Only a release's own file knows the release by its name. All other code asks the `Release`: what its
codes look like, which levels its tree has, what search leaves out, and its name in exports.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from importlib.resources.abc import Traversable
from types import MappingProxyType

from ..errors import InputError, UsageError
from .grammar import Grammar, plain_grammar
from .packaged import packaged

_NAME = re.compile(r"[a-z0-9][a-z0-9._-]{0,39}")


@dataclass
class Rows:
    """The nodes of a release as parallel columns, each parent right before its whole subtree.

    edition: the edition that was read. levels: the place of each node's level in `Release.levels`,
    or its depth where the release names no levels. parents: the position of each node's parent, -1
    for a root. notes: for a position, the notes by kind. variants: the positions of codes that are
    variants of their parent; the full name of such a code is the parent's name, then its own.
    """

    edition: str
    levels: list[int] = field(default_factory=list)
    codes: list[str] = field(default_factory=list)
    names: list[str] = field(default_factory=list)
    parents: list[int] = field(default_factory=list)
    notes: dict[int, dict[str, list[str]]] = field(default_factory=dict)
    variants: list[int] = field(default_factory=list)

    def add(self, level: int, code: str, name: str, parent: int) -> int:
        """Append a node and return its position."""
        self.levels.append(level)
        self.codes.append(code)
        self.names.append(name)
        self.parents.append(parent)
        return len(self.codes) - 1


@dataclass(frozen=True, eq=False)
class Release:
    """One release of an ontology.

    name: lower-case letters, digits and . _ -; used in signatures and kept files. title: the name
    that people know. read: called with this release, returns the rows. version: the edition, in
    the owner's words. package: the installed package that carries the release, if there is one.

    levels: the names of the tree's levels, from the root down; nodes below the last level belong to
    it too. Without names a node's level is its depth ("level 1"). headings: the levels whose nodes
    only group codes and are never a text's code. The first level that is not a heading is the
    category, to which `--specificity category` cuts.

    grammar: how codes are written; by default case, blanks, dots, the kind of dash and the prefix
    do not matter. left_out: roots that the scope "diagnoses" leaves out. scope: the scope unless
    another is asked for (`base.SCOPES`). unspecified: words that mark
    an unspecified code in its name. settings: for a first letter of codes, word stems of six
    letters, of which a text should hold at least one. histories: the first letters of codes that
    mean a history. read_note: called with a note and its code, returns a term or None. synonyms: a
    file of further terms (term, code) in `folder`. lender: the name of a release whose terms are
    searched too. differing: a file in `folder` of the codes of the lender that are another code
    here (from, to; `carried.py`). factors: a file in `folder` that says which code
    the history, the screening and so on of a condition has (frame, conditions, factor). folder: the
    folder of the release's files.

    prefix: the prefix of its codes in CURIEs; default: the name in capitals. iri: the address that
    the prefix stands for. registered: its CURIE in the Bioregistry. fhir: its system address in
    FHIR. omop: its vocabulary id in OMOP. vocabularies, addresses: the names and parts of addresses
    by which files of terms refer to it, in small letters and digits. akin: releases that share most
    of its codes. columns: usual names of a column with its codes. books: the forms of term sources
    that are written in its codes.

    fitted: whether the reranker, the scores and the refusal were fitted to it.
    """

    name: str
    read: "Callable[[Release], Rows]"
    title: str = ""
    version: str = ""
    package: str | None = None
    levels: tuple[str, ...] = ()
    headings: tuple[str, ...] = ()
    grammar: Grammar | None = None
    left_out: tuple[str, ...] = ()
    scope: str = "diagnoses"
    unspecified: tuple[str, ...] = ("unspecified",)
    settings: Mapping[str, frozenset[str]] = field(default_factory=lambda: MappingProxyType({}))
    histories: tuple[str, ...] = ()
    read_note: Callable[[str, str], str | None] = lambda note, code: note.strip() or None
    synonyms: str | None = None
    lender: str | None = None
    differing: str | None = None
    factors: str | None = None
    prefix: str = ""
    iri: str = ""
    registered: str = ""
    fhir: str = ""
    omop: str = ""
    vocabularies: tuple[str, ...] = ()
    addresses: tuple[str, ...] = ()
    akin: "tuple[Release, ...]" = ()
    columns: tuple[str, ...] = ()
    books: tuple[str, ...] = ()
    fitted: bool = False
    folder: Traversable = field(default_factory=lambda: packaged(""))

    def __post_init__(self) -> None:
        if not _NAME.fullmatch(self.name):
            raise UsageError(
                f"{self.name!r} cannot be the name of a release: use at most 40 lower-case "
                "letters, digits and . _ -"
            )
        if len(set(self.levels)) < len(self.levels):
            raise UsageError(f"the release {self.name} names a level twice: {self.levels}")
        if self.headings != self.levels[: len(self.headings)]:
            raise UsageError(
                f"the release {self.name}: its headings {self.headings} must be the first of its "
                f"levels {self.levels}"
            )
        if self.levels and len(self.headings) == len(self.levels):
            raise UsageError(
                f"the release {self.name}: every level is a heading; one level must hold codes"
            )

    @property
    def shown(self) -> str:
        """The title, or the name where there is no title."""
        return self.title or self.name

    @property
    def codes(self) -> Grammar:
        """The grammar of its codes, its own or the default."""
        return self.grammar or plain_grammar(self.curie_prefix)

    @property
    def curie_prefix(self) -> str:
        """The prefix of its codes in CURIEs."""
        return self.prefix or re.sub(r"[^A-Z0-9]", "", self.name.upper())

    @property
    def address(self) -> str:
        """The address that the prefix stands for."""
        return self.iri or f"https://example.org/{self.name}/"

    def curie(self, code: str) -> str:
        """Return a code as a CURIE; a code that starts with the prefix stays unchanged."""
        start = f"{self.curie_prefix}:"
        return code if code.startswith(start) else f"{start}{code}"

    def is_unspecified(self, name: str) -> bool:
        """Return whether a name marks an unspecified code."""
        lower = name.lower()
        return any(word in lower for word in self.unspecified)

    def code_columns(self) -> tuple[str, ...]:
        """Return the usual names of a column with its codes, in small letters and digits."""
        name = _folded(self.name)
        return self.columns or (name, f"{name}code")

    def is_named(self, vocabulary: str) -> bool:
        """Return whether the name or address of a vocabulary means this release."""
        folded = _folded(vocabulary)
        names = self.vocabularies or tuple(map(_folded, (self.name, self.curie_prefix)))
        addresses = self.addresses or ((_folded(self.iri),) if self.iri else ())
        return folded.endswith(names) or any(address in folded for address in addresses)

    def further_terms(self) -> Iterator[tuple[str, str]]:
        """Yield (term, code) for each line of its file of synonyms.

        Raises InputError, which names file and line, where the file cannot be used.
        """
        if self.synonyms is not None:
            for cells in self._rows(self.synonyms, "synonyms", ("a term", "a code")):
                yield cells[0], cells[1]

    def differing_codes(self) -> Iterator[tuple[str, str]]:
        """Yield (code of the lender, own code) for each line of its file of differing codes.

        Raises InputError, which names file and line, where the file cannot be used.
        """
        if self.differing is not None:
            for cells in self._rows(self.differing, "differing codes", ("a code", "a code")):
                yield cells[0], cells[1]

    def factor_rows(self) -> Iterator[tuple[str, str, str]]:
        """Yield (frame, conditions, factor) for each line of its file of factors.

        Raises InputError, which names file and line, where the file cannot be used.
        """
        if self.factors is not None:
            wanted = ("a frame", "conditions", "a factor")
            for cells in self._rows(self.factors, "factors", wanted):
                yield cells[0], cells[1], cells[2]

    def _rows(self, name: str, what: str, wanted: tuple[str, ...]) -> Iterator[list[str]]:
        file = self.folder.joinpath(name)
        try:
            lines = file.read_text("utf-8").splitlines()
        except (OSError, UnicodeDecodeError) as error:
            raise InputError(
                f"{file}: the {what} of {self.name} cannot be read: {error}"
            ) from error
        for number, line in enumerate(lines[1:], 2):
            cells = line.split("\t")
            if len(cells) < len(wanted):
                cells_wanted = ", a tab and ".join(wanted)
                raise InputError(f"{file}, line {number}: must be {cells_wanted}, but is {line!r}")
            yield cells


def _folded(name: str) -> str:
    return re.sub(r"[^a-z0-9]", "", name.lower())

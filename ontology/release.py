"""What a release of an ontology is: one frozen description, and the rows that its reader gives.

Nothing outside a release's own file knows a release by its name: what its codes look like, which
levels its tree has, what search leaves out and how exports call it is asked of the `Release`.
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
    """A release as read: parallel columns, a parent before its children, each subtree in one piece.

    `parents` holds the parent's position (-1 for a root), `levels` the place of a node's level in
    `Release.levels` (its depth, where the release names no levels), `notes` position -> kind of
    note -> the notes. `variants` are the positions of codes that only vary their parent, and whose
    name is the parent's with theirs behind it. `edition` says which edition was read.
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

    name: lower-case letters, digits, . _ -; signatures and kept files carry it. read: makes the
    rows; called with this release. version: the edition, in the owner's words. package: the
    installed package that carries it, if one does.

    levels: what the levels of the tree are called, from the root down; the last one goes on below.
    Without them a node's level is its depth ("level 1"). headings: the levels whose nodes only
    group codes and are never a text's code. The first level that is no heading is the category,
    to which `--specificity category` cuts.

    grammar: how codes are written; by default they are matched as the release writes them, but
    for case, blanks, dots, dashes and the prefix. left_out: the roots that are not searched unless
    asked for. unspecified: what in a name says that no more is said. settings: words that a text
    should hold for a code with this first letter (word stems of six letters). histories: how codes
    start that themselves name a history. read_note: makes a term of a note of a code, or None.
    synonyms: a file of further terms (term, code) in `folder`.

    prefix: of its codes in CURIEs, the name in capitals unless given; iri: what the prefix stands
    for; registered: its CURIE in the Bioregistry. fhir: its system address in FHIR. omop: its
    vocabulary id in OMOP. vocabularies, addresses: the names and parts of addresses, in small
    letters and digits, by which files of terms refer to it; akin: releases that mostly share its
    codes.
    columns: names of a column with its codes. books: the forms of term sources in its codes.

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
    unspecified: tuple[str, ...] = ("unspecified",)
    settings: Mapping[str, frozenset[str]] = field(default_factory=lambda: MappingProxyType({}))
    histories: tuple[str, ...] = ()
    read_note: Callable[[str, str], str | None] = lambda note, code: note.strip() or None
    synonyms: str | None = None
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
                f"{self.name!r} cannot be the name of a release: lower-case letters, digits, "
                ". _ -, at most 40"
            )
        if len(set(self.levels)) < len(self.levels):
            raise UsageError(f"the release {self.name} names a level twice: {self.levels}")
        if self.headings != self.levels[: len(self.headings)]:
            raise UsageError(
                f"the release {self.name}: headings {self.headings} are not the first of its "
                f"levels {self.levels}"
            )
        if self.levels and len(self.headings) == len(self.levels):
            raise UsageError(f"the release {self.name}: every level is a heading, none holds codes")

    @property
    def shown(self) -> str:
        """What people call it."""
        return self.title or self.name

    @property
    def codes(self) -> Grammar:
        """How its codes are written."""
        return self.grammar or plain_grammar(self.curie_prefix)

    @property
    def curie_prefix(self) -> str:
        """The prefix of its codes in CURIEs."""
        return self.prefix or re.sub(r"[^A-Z0-9]", "", self.name.upper())

    @property
    def address(self) -> str:
        """What the prefix stands for."""
        return self.iri or f"https://example.org/{self.name}/"

    def curie(self, code: str) -> str:
        """A code as a CURIE; one that is written with the prefix stays."""
        start = f"{self.curie_prefix}:"
        return code if code.startswith(start) else f"{start}{code}"

    def is_unspecified(self, name: str) -> bool:
        """Whether a name says that no more is said."""
        lower = name.lower()
        return any(word in lower for word in self.unspecified)

    def code_columns(self) -> tuple[str, ...]:
        """The usual names of a column with its codes, folded."""
        name = _folded(self.name)
        return self.columns or (name, f"{name}code")

    def is_named(self, vocabulary: str) -> bool:
        """Whether a file of terms means this release by the name or address of a vocabulary."""
        folded = _folded(vocabulary)
        names = self.vocabularies or tuple(map(_folded, (self.name, self.curie_prefix)))
        addresses = self.addresses or ((_folded(self.iri),) if self.iri else ())
        return folded.endswith(names) or any(address in folded for address in addresses)

    def further_terms(self) -> Iterator[tuple[str, str]]:
        """(term, code) of its file of synonyms.

        Raises InputError that names the line where the file cannot be used.
        """
        if self.synonyms is None:
            return
        file = self.folder.joinpath(self.synonyms)
        try:
            lines = file.read_text("utf-8").splitlines()
        except (OSError, UnicodeDecodeError) as error:
            raise InputError(
                f"{file}: the synonyms of {self.name} cannot be read: {error}"
            ) from error
        for number, line in enumerate(lines[1:], 2):
            cells = line.split("\t")
            if len(cells) < 2:
                raise InputError(f"{file}, line {number}: not a term, a tab and a code: {line!r}")
            yield cells[0], cells[1]


def _folded(name: str) -> str:
    return re.sub(r"[^a-z0-9]", "", name.lower())

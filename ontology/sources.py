"""Further term sources as data: tables, SSSOM mapping sets, OBO ontologies and OBO graphs."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from ..errors import InputError, UnknownCode
from .sources_obo import read_graph, read_obo
from .sources_sssom import is_sssom, read_sssom
from .sources_table import read_table
from .terms import Term
from .tree import Tree
from .xref import Row

LONGEST = 400
"""Characters of a term; what is longer is a definition."""

Reader = Callable[[Path, str, str], Iterable[Row]]
"""Called with (path, its text, the release); the path is for messages alone."""


class Skipped(NamedTuple):
    """A row of a source that gives no term: `where` ("line 7", "node DOID:3"), its text, why."""

    where: str
    text: str
    reason: str


@dataclass(frozen=True)
class SourceReading:
    """What a source gave: its terms, the rows that gave none, the matches left out as inexact."""

    name: str
    terms: tuple[Term, ...]
    skipped: tuple[Skipped, ...]
    inexact: int


def read_source(
    path: str | Path, tree: Tree, *, name: str | None = None, exact_only: bool = True
) -> SourceReading:
    """The terms of a file, each with `name` (default: the file's name) as its source.

    Read are tables of (term, code[, source]) with or without a header, SSSOM TSV, OBO 1.4 and
    OBO-graph JSON with cross-references to ICD-10-CM (or, where a file has none of those, to
    ICD-10). A cell may hold several codes, separated by "|" or ";".

    Of mappings only exact ones count: `skos:exactMatch`, `MONDO:equivalentTo`, or all where a
    file never says. `exact_only=False` adds close matches and diseases that lie within the
    code, which is how a coder files a disease that has no code of its own.

    Raises InputError, which names the file and the line, where it cannot be read in any form
    or never refers to a code.
    """
    path = Path(path)
    text = _read_text(path)
    rows = list(_reader(path, text)(path, text, tree.release))
    if any(row.own for row in rows):
        rows = [row for row in rows if row.own]
    if not rows:
        raise InputError(f"{path}: nothing in it refers to a code of {tree.release}")
    wanted = _wanted(rows, exact_only)
    name = name or path.name.split(".")[0]
    results = dict.fromkeys(result for row in wanted for result in _terms(row, tree, name))
    return SourceReading(
        name,
        tuple(each for each in results if isinstance(each, Term)),
        tuple(each for each in results if isinstance(each, Skipped)),
        len({row[1:3] for row in rows} - {row[1:3] for row in wanted}),
    )


def _read_text(path: Path) -> str:
    try:
        data = path.read_bytes()
    except OSError as error:
        raise InputError(f"{path}: cannot be read: {error.strerror}") from error
    if b"\0" in data:
        raise InputError(f"{path}: is a binary file")
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise InputError(f"{path}, line {line}: is not UTF-8 text") from error
    if not text.strip():
        raise InputError(f"{path}: the file is empty")
    return text


def _reader(path: Path, text: str) -> Reader:
    start = text.lstrip()
    if path.suffix == ".json" or start.startswith("{"):
        return read_graph
    if start.startswith("<"):
        raise InputError(
            f"{path}, line 1: RDF/XML is not read; convert it first, for example with "
            "`robot convert --format json`"
        )
    if path.suffix == ".obo" or start.startswith(("format-version:", "[Term]")):
        return read_obo
    return read_sssom if is_sssom(text) else read_table


def _wanted(rows: list[Row], exact_only: bool) -> list[Row]:
    kinds = {"exact"} if exact_only else {"exact", "near", "unstated"}
    if not any(row.relation == "exact" for row in rows):
        kinds.add("unstated")
    return [row for row in rows if row.relation in kinds]


def _terms(row: Row, tree: Tree, name: str) -> Iterator[Term | Skipped]:
    text = " ".join("".join(c if c.isprintable() else " " for c in row.text).split())
    codes = [code.strip() for code in row.code.replace(";", "|").split("|")]
    if not text:
        yield Skipped(row.where, row.code, "no term")
    elif len(text) > LONGEST:
        yield Skipped(row.where, f"{text[:40]}…", f"longer than {LONGEST} characters")
    elif not any(codes):
        yield Skipped(row.where, text, "no code")
    else:
        for code in filter(None, codes):
            try:
                node = tree.node(code)
            except UnknownCode as error:
                yield Skipped(row.where, text, str(error))
                continue
            if node.kind in ("chapter", "block"):
                yield Skipped(row.where, text, f"{node.code} is a {node.kind}, not a code")
            else:
                yield Term(text, node.code, row.source or name)

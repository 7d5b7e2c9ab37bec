"""Further term sources as data: tables, SSSOM, OBO and OBO graphs, CMS and Orphanet XML."""

import io
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from ...errors import InputError, UnknownCode
from ...files.bytes import decode, unpack
from ...files.excel import is_excel
from ...files.rows_in import read_sheet
from ...files.rows_out import write_sheet
from ..terms import Term
from ..tree import Tree
from .cms import read_index, read_neoplasms
from .obo import read_graph, read_obo
from .orphanet import read_orphanet
from .sssom import is_sssom, read_sssom
from .tabular import ANY, Columns, read_table
from .xref import Row

LONGEST = 400
"""Characters of a term; what is longer is a definition."""

_DECLARED = re.compile(rb"\s*<\?xml[^>]*encoding=[\"']([A-Za-z0-9._-]+)[\"']")

Reader = Callable[[Path, str, Tree], Iterable[Row]]
"""Called with (path, its text, the tree); the path is for messages alone."""


class Skipped(NamedTuple):
    """A row of a source that gives no term: `where` ("line 7", "node DOID:3"), its text, why."""

    where: str
    text: str
    reason: str


@dataclass(frozen=True)
class SourceReading:
    """What a source gave: its terms, the rows that gave none, the matches left out as inexact.

    `rows` counts the pairs of term and code in it, `format` is a name of `FORMATS`.
    """

    name: str
    terms: tuple[Term, ...]
    skipped: tuple[Skipped, ...]
    inexact: int
    rows: int = 0
    format: str = "table"


FORMATS: dict[str, Reader] = {
    "table": read_table,
    "sssom": read_sssom,
    "obo": read_obo,
    "obograph": read_graph,
    "cms-index": read_index,
    "cms-neoplasms": read_neoplasms,
    "orphanet": read_orphanet,
}


def read_source(
    path: str | Path,
    tree: Tree,
    *,
    name: str | None = None,
    exact_only: bool = True,
    columns: Columns = ANY,
    encoding: str | None = None,
) -> SourceReading:
    """The terms of a file, each with `name` (default: the file's name) as its source.

    Read are tables of (term, code[, source]) with or without a header, SSSOM TSV, OBO 1.4 and
    OBO-graph JSON with cross-references to the release (or, where a file has none of those, to
    one akin to it), the Alphabetic Index and the Table of Neoplasms of CMS, and Orphanet's
    nomenclature.
    A cell may hold several codes, separated by "|" or ";". `columns` names those of a table.

    Of mappings only exact ones count: `skos:exactMatch`, `MONDO:equivalentTo`, or all where a
    file never says. `exact_only=False` adds close matches and diseases that lie within the
    code, which is how a coder files a disease that has no code of its own.

    Raises InputError, which names the file and the line, where it cannot be read in any form
    or never refers to a code.
    """
    path = Path(path)
    text = _read_text(path, encoding)
    format = format_of(path, text)
    if format == "table":
        rows = list(read_table(path, text, tree, columns))
    else:
        rows = list(FORMATS[format](path, text, tree))
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
        len({row[1:3] for row in rows}),
        format,
    )


def format_of(path: Path, text: str) -> str:
    """The name in `FORMATS` of what a text is, by its suffix and its start.

    Raises InputError for RDF/XML, a web page and XML of another kind.
    """
    start = text.lstrip()
    if path.suffix == ".json" or start.startswith("{"):
        return "obograph"
    if start.startswith("<"):
        return _xml_format(path, start)
    if path.suffix == ".obo" or start.startswith(("format-version:", "[Term]")):
        return "obo"
    return "sssom" if is_sssom(text) else "table"


def _xml_format(path: Path, text: str) -> str:
    if "<rdf:RDF" in text[:4096] or "<Ontology" in text[:4096]:
        raise InputError(
            f"{path}, line 1: RDF/XML is not read; convert it first, for example with "
            "`robot convert --format json`"
        )
    if "<ICD10CM.index" in text[:4096]:
        return "cms-neoplasms" if "<cell" in text else "cms-index"
    if "<JDBOR" in text[:4096]:
        return "orphanet"
    said = "a web page" if re.match(r"(?i)<!doctype html|<html", text) else "XML of no known kind"
    raise InputError(
        f"{path}, line 1: is {said}; read are ICD10CM.index (CMS) and JDBOR (Orphadata)"
    )


def _read_text(path: Path, encoding: str | None) -> str:
    try:
        data = unpack(path.read_bytes(), str(path))
    except OSError as error:
        raise InputError(f"{path}: cannot be read: {error.strerror}") from error
    if is_excel(data) or data.startswith(b"PAR1"):
        return _as_text(path)
    declared = _DECLARED.match(data)
    if encoding is None and declared:
        encoding = declared[1].decode("ascii")
    if encoding is not None:
        text = decode(data, str(path), encoding)
    else:
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


def _as_text(path: Path) -> str:
    """A workbook or a Parquet file as tab-separated text."""
    content = io.BytesIO()
    write_sheet(content, "tsv", read_sheet(str(path)), {})
    return content.getvalue().decode()


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
            if not tree.is_code(node):
                yield Skipped(row.where, text, f"{node.code} is a {node.kind}, not a code")
            else:
                yield Term(text, node.code, row.source or name)

"""Read a source of terms in any form: tables, SSSOM, OBO, OBO graphs, CMS and Orphanet XML."""

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
"""The most characters of a term; a longer text is a definition."""

_DECLARED = re.compile(rb"\s*<\?xml[^>]*encoding=[\"']([A-Za-z0-9._-]+)[\"']")

Reader = Callable[[Path, str, Tree], Iterable[Row]]
"""Called with (path, text of the file, tree); the path is only used in messages."""


class Skipped(NamedTuple):
    """A row of a source without a term: its place ("line 7", "node DOID:3"), text and reason."""

    where: str
    text: str
    reason: str


@dataclass(frozen=True)
class SourceReading:
    """The terms of a source, the rows without a term, and the number of inexact matches left out.

    `rows` counts the distinct pairs of term and code in it. `format` is a name of `FORMATS`.
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
    """Read the terms of a file; `name` (default: the file's name) is their source.

    The forms are: tables of (term, code[, source]) with or without a header; SSSOM TSV; OBO 1.4
    and OBO-graph JSON with cross-references to the release; the Alphabetic Index and the Table of
    Neoplasms of CMS; Orphanet's nomenclature. Where a file does not refer to the release, its
    references to an akin release count. A cell may hold several codes, separated by "|" or ";".
    `columns` names the columns of a table.

    Only exact mappings count: `skos:exactMatch`, `MONDO:equivalentTo`, or all where a file never
    states the relation. `exact_only=False` adds close matches and diseases that lie within the
    code, as a coder chooses the broader code for a disease without a code.

    Raises InputError, which names the file and the line, where no reader can read the file or it
    never refers to a code.
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
        tuple(result for result in results if isinstance(result, Term)),
        tuple(result for result in results if isinstance(result, Skipped)),
        len({row[1:3] for row in rows} - {row[1:3] for row in wanted}),
        len({row[1:3] for row in rows}),
        format,
    )


def format_of(path: Path, text: str) -> str:
    """Return the name in `FORMATS` of a text's form, by the file's suffix and the first lines.

    Raises InputError for RDF/XML, a web page and other XML.
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
            f"{path}, line 1: RDF/XML cannot be read; convert it first, for example with "
            "`robot convert --format json`"
        )
    if "<ICD10CM.index" in text[:4096]:
        return "cms-neoplasms" if "<cell" in text else "cms-index"
    if "<JDBOR" in text[:4096]:
        return "orphanet"
    kind = "a web page" if re.match(r"(?i)<!doctype html|<html", text) else "XML of an unknown kind"
    raise InputError(
        f"{path}, line 1: is {kind}; XML must be ICD10CM.index (CMS) or JDBOR (Orphadata)"
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
    """Return a workbook or a Parquet file as tab-separated text."""
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

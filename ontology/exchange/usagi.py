"""Write and read the file in which OHDSI's Usagi saves its mappings (a CSV, Usagi 1.4).

Usagi maps source codes to OMOP concepts. A text has its id as source code and itself as name; the
columns ADD_INFO:… hold its codes, so that nothing is lost where no concepts are at hand, and,
quoted as in an address, a text that Usagi cannot read as it is.
"""

from pathlib import Path
from typing import BinaryIO
from urllib.parse import quote, unquote

from ...errors import InputError
from ...files.bytes import decode, read_bytes
from ...files.delimited import Style, parse_delimited, write_delimited
from ..table_row import written_codes
from ..tree import Tree
from .concepts import Concept, Concepts
from .curated import Curated, reviewed_entry
from .mapped_text import MappedText, Relation, exportable

_CODE, _NAME, _TEXT = "ADD_INFO:code", "ADD_INFO:name", "ADD_INFO:text"
_FURTHER = "ADD_INFO:additional_codes"
_COLUMNS = (
    "sourceCode",
    "sourceName",
    "sourceFrequency",
    "sourceAutoAssignedConceptIds",
    _CODE,
    _NAME,
    _FURTHER,
    _TEXT,
    "matchScore",
    "mappingStatus",
    "equivalence",
    "statusSetBy",
    "statusSetOn",
    "conceptId",
    "conceptName",
    "domainId",
    "mappingType",
    "comment",
    "createdBy",
    "createdOn",
    "assignedReviewer",
)
_NEEDED = ("sourceName", "conceptId", "mappingStatus")
_EQUIVALENCE: dict[Relation, str] = {"equal": "EQUAL", "wider": "WIDER", "close": "EQUIVALENT"}
_NOBODY = Concept(0, "Unmapped", "", "None", "", False)
_APPROVED = "APPROVED"


def write_usagi(file: BinaryIO, texts: list[MappedText], concepts: Concepts | None) -> None:
    """Write one row for each text and concept; a text that a person decided is APPROVED.

    Without concepts every row has the concept 0, and Usagi shows the code as additional
    information. Texts with more rows in the input come first, as Usagi sorts them.
    """
    ordered = sorted(exportable(texts), key=lambda text: -text.rows)
    rows = [
        _row(text, concept)
        for text in ordered
        for concept in (concepts.of_mapping(text.mapping) if concepts else ()) or (_NOBODY,)
    ]
    write_delimited(file, _COLUMNS, rows, Style(",", False, "\n"))


def _row(text: MappedText, concept: Concept) -> list[str]:
    mapping, assigned = text.mapping, str(concept.id) if concept.id else ""
    unmapped = "UNMATCHED" if mapping.code is None else _EQUIVALENCE[text.relation]
    return [
        text.id,
        _one_line(mapping.text),
        str(text.rows),
        assigned,
        mapping.code or "",
        mapping.name or "",
        mapping.additional_codes or "",
        quote(mapping.text, safe=" ") if _one_line(mapping.text) != mapping.text else "",
        f"{mapping.score:.2f}",
        _APPROVED if text.reviewed else "UNCHECKED",
        unmapped if text.reviewed else "UNREVIEWED",
        text.reviewer,
        "0",
        str(concept.id),
        concept.name,
        concept.domain,
        "MAPS_TO",
        _one_line(text.comment),
        "dxjudge",
        "0",
        "",
    ]


def _one_line(text: str) -> str:
    # Usagi reads line by line, and a backslash escapes the next character.
    return " ".join(text.split()).replace("\\", "\\\\")


def read_usagi(path: Path, tree: Tree, concepts: Concepts | None) -> Curated:
    """Return a reviewed row for each text that Usagi says is APPROVED, in the order of the file.

    The code is that of the approved concept. Without any concept in the file it is the code that
    dxjudge wrote beside the text. Of several concepts of a text the first gives the code, and the
    others give the codes beside it. Approved without a concept means that no code fits.

    Raises InputError, which names the line, for a concept that has no code or several, and where
    the file has concepts but `concepts` is None.
    """
    sheet = parse_delimited(decode(read_bytes(path), str(path)), str(path), ",")
    if missing := [name for name in _NEEDED if name not in sheet.columns]:
        raise InputError(f"{path} has no column {missing[0]!r}: is it a file of Usagi?")
    rows = [dict(zip(sheet.columns, row, strict=True)) for row in sheet.rows]
    has_concepts = any(_concept(row) for row in rows)
    if has_concepts and concepts is None:
        raise InputError(f"{path} holds concepts: name the folder with CONCEPT.csv (--concepts)")
    by_text: dict[str, list[tuple[int, dict[str, str]]]] = {}
    for row, line in zip(rows, sheet.lines, strict=True):
        if row["mappingStatus"] == _APPROVED:
            text = unquote(row.get(_TEXT, "")) or row["sourceName"]
            by_text.setdefault(text, []).append((line, row))
    entries = []
    for text, of_text in by_text.items():
        first, *further = _codes(of_text, path, tree, concepts if has_concepts else None)
        line, row = of_text[0]
        entry = reviewed_entry(
            text,
            first,
            tree,
            f"{path}, line {line}",
            reviewer=row.get("statusSetBy", ""),
            further=filter(None, further if first else ()),
            note=row.get("comment", ""),
            rows=row.get("sourceFrequency", ""),
        )
        entries.append(entry)
    return Curated(entries, sum(row["mappingStatus"] != _APPROVED for row in rows))


def _concept(row: dict[str, str]) -> int:
    return int(row["conceptId"]) if row["conceptId"].isdigit() else 0


def _codes(
    numbered: list[tuple[int, dict[str, str]]], path: Path, tree: Tree, concepts: Concepts | None
) -> list[str | None]:
    """Return the codes of the rows of a text. concepts: None where the file has none."""
    row = numbered[0][1]
    written = [row.get(_CODE) or None, *written_codes(row.get(_FURTHER, ""))]
    if concepts is None:
        return written
    chosen = {concept for _, row in numbered if (concept := _concept(row))}
    offered = {one.id for code in written for one in concepts.of(code or "")}
    # Some of the codes may have no concept, or the same one: nobody has changed anything then.
    if chosen and chosen == offered:
        return written
    codes = [_code(row, f"{path}, line {line}", tree, concepts) for line, row in numbered]
    return codes if chosen or codes[0] is None else written


def _code(row: dict[str, str], place: str, tree: Tree, concepts: Concepts) -> str | None:
    suggested = row.get(_CODE, "")
    if not (concept := _concept(row)):
        # Where the vocabulary has no concept of the code, Usagi had none to offer to the person.
        offered = row.get("sourceAutoAssignedConceptIds", "").strip()
        return None if offered or row.get("equivalence") == "UNMATCHED" else suggested or None
    codes = concepts.codes_of(concept)
    for known in (suggested, *written_codes(row.get(_FURTHER, ""))):
        if known in codes:
            return known
    if len(codes) != 1:
        named = f"several codes: {', '.join(codes[:5])}" if codes else "no code"
        raise InputError(f"{place}: the concept {concept} has {named} in {tree.descriptor.shown}")
    return codes[0]

"""ICD-10-CM, from the package simple-icd-10-cm."""

import re
import xml.etree.ElementTree as ET

from ..release import Release, Rows
from .icd10 import ICD10
from .icd10_codes import ICD10_GRAMMAR, ICD10_LEVELS, ICD10_SETTINGS
from .icd10_notes import term_of_note
from .installed import data_file, parse_data, text_of

_PACKAGE = "simple-icd-10-cm"
_CHAPTER, _BLOCK, _CATEGORY, _SUBCATEGORY = range(len(ICD10_LEVELS))
_NOTES = {
    "includes": "includes",
    "inclusionTerm": "inclusion",
    "excludes1": "excludes1",
    "excludes2": "excludes2",
    "codeFirst": "code_first",
    "useAdditionalCode": "use_additional_code",
    "codeAlso": "code_also",
    "notes": "notes",
}
_NUMBERED = re.compile(r"^\d{5} +")  # the running number of the official "order" file
_RANGE_AT_END = re.compile(r"\s*\([A-Z0-9]{3}(?:-[A-Z0-9]{3})?\)$")


def read_icd10cm(release: Release) -> Rows:
    """Read 22 chapters and all below them, with notes, down to the 7th-character variants."""
    path = data_file(_PACKAGE, "icd10c-tabular-*.xml")
    listed = data_file(_PACKAGE, "code-list-*.txt").read_text("utf-8")
    edition = path.stem.removeprefix("icd10c-tabular-").replace("-", " ")
    return rows_of(parse_data(path), listed, edition)


def rows_of(tabular: ET.Element, listed: str, edition: str) -> Rows:
    """Return the rows of a tabular list, with the 7th-character variants of a list of codes.

    listed: the official list of codes, one a line, first in its line or after a running number.
    """
    rows = Rows(edition)
    lines = (_NUMBERED.sub("", line) for line in listed.splitlines())
    confirmed = {line.split(" ")[0].replace(".", "") for line in lines}
    for chapter in tabular.iter("chapter"):
        _add(rows, chapter, -1, {}, confirmed)
    return rows


def _add(
    rows: Rows, element: ET.Element, parent: int, sevenths: dict[str, str], confirmed: set[str]
) -> None:
    """Add a chapter, section or diagnosis with all below it.

    `sevenths` maps 7th characters to meanings: those of the element or of its nearest ancestor.
    `confirmed` holds all codes of the official list, without dots.
    """
    code = element.get("id") or text_of(element.find("name"))
    level = {"chapter": _CHAPTER, "section": _BLOCK}.get(element.tag)
    if level is None:
        level = _CATEGORY if len(code) == 3 else _SUBCATEGORY
    name = text_of(element.find("desc"))
    if level in (_CHAPTER, _BLOCK):
        name = _RANGE_AT_END.sub("", name)
    position = rows.add(level, code, name, parent)
    if notes := _notes(element):
        rows.notes[position] = notes
    defined = element.find("sevenChrDef")
    if defined is not None:
        sevenths = _sevenths(defined)
    below = [child for child in element if child.tag in ("section", "diag")]
    for child in below:
        _add(rows, child, position, sevenths, confirmed)
    if not below and element.tag == "diag":
        _add_encounters(rows, position, sevenths, confirmed)


def _add_encounters(
    rows: Rows, position: int, sevenths: dict[str, str], confirmed: set[str]
) -> None:
    code = rows.codes[position]
    filled = (f"{code}." if len(code) == 3 else code).ljust(7, "X")
    for character, meaning in sevenths.items():
        # The official list leaves some combinations out.
        if f"{filled}{character}".replace(".", "") in confirmed:
            rows.variants.append(rows.add(_SUBCATEGORY, f"{filled}{character}", meaning, position))


def _sevenths(defined: ET.Element) -> dict[str, str]:
    """Return the meaning of each 7th character; notes, which only repeat a meaning, are ignored."""
    extensions = defined.iterfind("extension")
    return {extension.get("char", ""): text_of(extension) for extension in extensions}


def _notes(element: ET.Element) -> dict[str, list[str]]:
    notes: dict[str, list[str]] = {}
    for child in element:
        texts = [text for note in child.iter("note") if (text := text_of(note))]
        if child.tag in _NOTES and texts:
            notes.setdefault(_NOTES[child.tag], []).extend(texts)
    return notes


ICD10CM = Release(
    name="icd10cm",
    title="ICD-10-CM",
    read=read_icd10cm,
    package=_PACKAGE,
    levels=ICD10_LEVELS,
    headings=ICD10_LEVELS[:2],
    grammar=ICD10_GRAMMAR,
    left_out=("20", "21"),
    scope="chapters",
    settings=ICD10_SETTINGS,
    histories=("Z",),
    read_note=term_of_note,
    synonyms="synonyms.tsv",
    factors="factors.tsv",
    prefix="ICD10CM",
    iri="http://purl.bioontology.org/ontology/ICD10CM/",
    registered="bioregistry:icd10cm",
    fhir="http://hl7.org/fhir/sid/icd-10-cm",
    omop="ICD10CM",
    vocabularies=("icd10cm",),
    akin=(ICD10,),
    columns=ICD10.columns,
    books=("cms-index", "cms-neoplasms"),
    fitted=True,
)
"""ICD-10-CM; the scope "diagnoses" leaves out external causes (V00-Y99) and factors (Z00-Z99)."""

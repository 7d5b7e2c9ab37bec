"""Reading the ICD-10 releases that two PyPI packages carry, straight from their XML files.

The packages' own functions hold one node per code, so that the block B20 hides the category
B20, and importing them parses ten megabytes; their data files hold everything.
"""

import re
import xml.etree.ElementTree as ET
from collections.abc import Callable
from dataclasses import dataclass, field
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path

from ...errors import EnvironmentFault

# One letter a node, as stored: chapter, block, category, subcategory, and the subcategories
# that a 7th character makes, whose name is their parent's and the character's meaning.
CHAPTER, BLOCK, CATEGORY, SUBCATEGORY, ENCOUNTER = "hbcse"

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
_RANGE_AT_END = re.compile(r"\s*\([A-Z0-9]{3}(?:-[A-Z0-9]{3})?\)$")


@dataclass
class Release:
    """One release as parallel columns in tabular order, a parent before its children.

    `kinds` holds one letter a node, `parents` the parent's position (-1 for a chapter),
    `notes` position -> kind of note -> the notes.
    """

    name: str
    version: str
    kinds: list[str] = field(default_factory=list)
    codes: list[str] = field(default_factory=list)
    names: list[str] = field(default_factory=list)
    parents: list[int] = field(default_factory=list)
    notes: dict[int, dict[str, list[str]]] = field(default_factory=dict)

    def add(self, kind: str, code: str, name: str, parent: int) -> int:
        """Append a node and return its position."""
        self.kinds.append(kind)
        self.codes.append(code)
        self.names.append(name)
        self.parents.append(parent)
        return len(self.codes) - 1


def read_icd10cm() -> Release:
    """ICD-10-CM from simple-icd-10-cm: 22 chapters to the 7th-character variants."""
    path = _data_file(PACKAGES["icd10cm"], "icd10c-tabular-*.xml")
    listed = _data_file(PACKAGES["icd10cm"], "code-list-*.txt").read_text("utf-8")
    edition = path.stem.removeprefix("icd10c-tabular-").replace("-", " ")
    release = Release("icd10cm", f"{edition}, {package_version('icd10cm')}")
    confirmed = {line.split(" ")[0].replace(".", "") for line in listed.splitlines()}
    for chapter in _parse(path).iter("chapter"):
        _add_cm(release, chapter, -1, {}, confirmed)
    return release


def read_icd10() -> Release:
    """The WHO's ICD-10 from simple-icd-10; blocks may lie within blocks, no notes."""
    path = _data_file(PACKAGES["icd10"], "icd_10_v*.xml")
    edition = path.stem.removeprefix("icd_10_v")
    release = Release("icd10", f"{edition}, {package_version('icd10')}")
    for chapter in _parse(path):
        _add_who(release, chapter, -1)
    return release


PACKAGES = {"icd10cm": "simple-icd-10-cm", "icd10": "simple-icd-10"}
RELEASES: dict[str, Callable[[], Release]] = {"icd10cm": read_icd10cm, "icd10": read_icd10}


def package_version(release: str) -> str:
    """The package that carries a release, with its version: "simple-icd-10-cm 1.5.0"."""
    return f"{PACKAGES[release]} {version(PACKAGES[release])}"


def _data_file(package: str, pattern: str) -> Path:
    # find_spec of a top-level name does not import it.
    spec = find_spec(package.replace("-", "_"))
    folders = spec.submodule_search_locations if spec else None
    found = [path for folder in folders or [] for path in Path(folder, "data").glob(pattern)]
    if len(found) != 1:
        raise EnvironmentFault(f"the package {package} holds no one data file {pattern}")
    return found[0]


def _parse(path: Path) -> ET.Element:
    try:
        return ET.parse(path).getroot()
    except (OSError, ET.ParseError) as error:
        raise EnvironmentFault(f"{path.name} cannot be read: {error}") from error


def _add_cm(
    release: Release,
    element: ET.Element,
    parent: int,
    sevenths: dict[str, str],
    confirmed: set[str],
) -> None:
    """Add a chapter, section or diagnosis with all below it.

    `sevenths` are the 7th characters in force, the element's own or its nearest ancestor's.
    """
    code = element.get("id") or _text(element.find("name"))
    kind = {"chapter": CHAPTER, "section": BLOCK}.get(element.tag)
    if kind is None:
        kind = CATEGORY if len(code) == 3 else SUBCATEGORY
    name = _text(element.find("desc"))
    if kind in (CHAPTER, BLOCK):
        name = _RANGE_AT_END.sub("", name)
    position = release.add(kind, code, name, parent)
    if notes := _notes(element):
        release.notes[position] = notes
    defined = element.find("sevenChrDef")
    if defined is not None:
        sevenths = _sevenths(defined)
    below = [child for child in element if child.tag in ("section", "diag")]
    for child in below:
        _add_cm(release, child, position, sevenths, confirmed)
    if not below and element.tag == "diag":
        _add_encounters(release, position, sevenths, confirmed)


def _add_encounters(
    release: Release, position: int, sevenths: dict[str, str], confirmed: set[str]
) -> None:
    code = release.codes[position]
    filled = (f"{code}." if len(code) == 3 else code).ljust(7, "X")
    for character, meaning in sevenths.items():
        # The official list leaves some combinations out.
        if f"{filled}{character}".replace(".", "") in confirmed:
            release.add(ENCOUNTER, f"{filled}{character}", meaning, position)


def _sevenths(defined: ET.Element) -> dict[str, str]:
    """7th character -> meaning; the notes between them only word a meaning another way."""
    return {each.get("char", ""): _text(each) for each in defined.iterfind("extension")}


def _notes(element: ET.Element) -> dict[str, list[str]]:
    notes: dict[str, list[str]] = {}
    for child in element:
        texts = [text for note in child.iter("note") if (text := _text(note))]
        if child.tag in _NOTES and texts:
            notes.setdefault(_NOTES[child.tag], []).extend(texts)
    return notes


def _add_who(release: Release, element: ET.Element, parent: int) -> None:
    kind = {"chapter": CHAPTER, "block": BLOCK, "category": CATEGORY}.get(
        element.get("type", ""), SUBCATEGORY
    )
    code, name = _text(element.find("name")), _text(element.find("description"))
    position = release.add(kind, code, name, parent)
    for child in element.iterfind("item"):
        _add_who(release, child, position)


def _text(element: ET.Element | None) -> str:
    return " ".join((element.text or "").split()) if element is not None else ""

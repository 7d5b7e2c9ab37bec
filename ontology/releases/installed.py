"""The data files of the packages that carry releases, found without importing the packages.

The packages' own functions hold one node per code, so that the block B20 hides the category
B20, and importing them parses ten megabytes; their data files hold everything.
"""

import xml.etree.ElementTree as ET
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path

from ...errors import EnvironmentFault


def package_version(package: str) -> str:
    """A package with its version: "simple-icd-10-cm 1.5.0"."""
    return f"{package} {version(package)}"


def data_file(package: str, pattern: str) -> Path:
    """The one data file of a package that a pattern names. Raises EnvironmentFault without it."""
    # find_spec of a top-level name does not import it.
    spec = find_spec(package.replace("-", "_"))
    folders = spec.submodule_search_locations if spec else None
    paths = [path for folder in folders or [] for path in Path(folder, "data").glob(pattern)]
    if len(paths) != 1:
        raise EnvironmentFault(f"the package {package} holds no one data file {pattern}")
    return paths[0]


def parse_data(path: Path) -> ET.Element:
    """The root of an XML data file. Raises EnvironmentFault where it cannot be read."""
    try:
        return ET.parse(path).getroot()
    except (OSError, ET.ParseError) as error:
        raise EnvironmentFault(f"{path.name} cannot be read: {error}") from error


def text_of(element: ET.Element | None) -> str:
    """The text of an element with single blanks, "" without one."""
    return " ".join((element.text or "").split()) if element is not None else ""

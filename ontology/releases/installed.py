"""Find the data files of the packages that carry releases, without importing the packages.

The data files hold every node. The packages' own functions have one node for each code, so that
the block B20 hides the category B20, and an import parses ten megabytes.
"""

import xml.etree.ElementTree as ET
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path

from ...errors import EnvironmentFault


def package_version(package: str) -> str:
    """Return a package with its version: "simple-icd-10-cm 1.5.0"."""
    return f"{package} {version(package)}"


def data_file(package: str, pattern: str) -> Path:
    """Return the data file of a package that matches a pattern.

    Raises EnvironmentFault where no file or more than one file matches.
    """
    # find_spec of a top-level name does not import it.
    spec = find_spec(package.replace("-", "_"))
    folders = spec.submodule_search_locations if spec else None
    paths = [path for folder in folders or [] for path in Path(folder, "data").glob(pattern)]
    if len(paths) != 1:
        raise EnvironmentFault(
            f"the package {package} must hold one data file {pattern}, but holds {len(paths)}; "
            "install it again"
        )
    return paths[0]


def parse_data(path: Path) -> ET.Element:
    """Return the root of an XML data file. Raises EnvironmentFault where it cannot be read."""
    try:
        return ET.parse(path).getroot()
    except (OSError, ET.ParseError) as error:
        raise EnvironmentFault(f"{path.name} cannot be read: {error}") from error


def text_of(element: ET.Element | None) -> str:
    """Return the text of an element with single blanks between words, "" for None."""
    return " ".join((element.text or "").split()) if element is not None else ""

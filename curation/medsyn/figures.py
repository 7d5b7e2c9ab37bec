"""Find the image files of the figures of a report."""

from collections.abc import Mapping
from pathlib import Path

from bs4 import BeautifulSoup

from ...agents.making.figures import figure_tag, figure_tags
from ...errors import InputError
from ...files.json_text import load_cell
from ..paths import is_remote
from ..reports import Report


def figure_files(report: Report) -> dict[str, str]:
    """Return the image of each figure: an address, or a path from the working directory.

    The figures are those of the report's column `figures`, an object of figure and path, and those
    of its HTML, where each element `figure` has an `img` and a caption that begins with its name.
    Raises InputError, naming the report, for a file that does not exist, and for a column that is
    not such an object.
    """
    named = {**_in_page(report.content), **_in_column(report)}
    files = {}
    for tag, source in named.items():
        path = source if is_remote(source) else str(report.folder / source)
        if path is not source and not Path(path).is_file():
            raise InputError(f"report {report.id}, figure {tag}: there is no file {path}")
        files[tag] = path
    return files


def _in_column(report: Report) -> dict[str, str]:
    cell = report.about.get("figures")
    if cell in (None, ""):
        return {}
    if isinstance(cell, str):
        try:
            cell = load_cell(cell)
        except ValueError as fault:
            raise InputError(f"report {report.id}: the column figures is not JSON") from fault
    if not isinstance(cell, Mapping) or not all(isinstance(path, str) for path in cell.values()):
        raise InputError(
            f"report {report.id}: the column figures is not an object of figure and path"
        )
    return {figure_tag(str(name)): path for name, path in cell.items()}


def _in_page(content: str) -> dict[str, str]:
    if "<figure" not in content.lower():
        return {}
    files = {}
    for element in BeautifulSoup(content, "html.parser")("figure"):
        image, caption = element.find("img"), element.find("figcaption")
        tags = figure_tags(caption.get_text(" ")) if caption is not None else ()
        if image is not None and tags and image.get("src"):
            files[tags[0]] = str(image["src"])
    return files

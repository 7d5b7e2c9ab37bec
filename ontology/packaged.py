"""Find the data files of the package's ontology folder."""

from importlib import resources
from importlib.resources.abc import Traversable


def word_lists() -> list[str]:
    """Return the names of the package's tables and lists of words and codes, in order."""
    suffixes = (".tsv", ".txt")
    return sorted(file.name for file in packaged("").iterdir() if file.name.endswith(suffixes))


def packaged(name: str) -> Traversable:
    """Return the file or folder `name` in ontology/data/."""
    return resources.files(__package__).joinpath("data", name)


def packaged_rows(name: str) -> list[list[str]]:
    """Return the cells of a packaged table without its comments and its head."""
    lines = packaged(name).read_text("utf-8").splitlines()
    return [line.split("\t") for line in lines if line and not line.startswith("#")][1:]

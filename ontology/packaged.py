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

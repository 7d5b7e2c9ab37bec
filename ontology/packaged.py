"""Find the data files of the package's ontology folder."""

from importlib import resources
from importlib.resources.abc import Traversable


def packaged(name: str) -> Traversable:
    """Return the file or folder `name` in ontology/data/."""
    return resources.files(__package__).joinpath("data", name)

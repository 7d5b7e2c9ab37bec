"""Write the paths of images so that they lead to the same files from another folder."""

import os
from pathlib import Path


def is_remote(image: str) -> bool:
    """Whether an image is a URL or data, which no folder changes."""
    return image[:8].casefold().startswith(("http://", "https://", "data:"))


def seen_from(image: str, folder: Path) -> str:
    """Return the path of an image as it is written in a file of this folder."""
    return image if is_remote(image) else Path(os.path.relpath(image, folder)).as_posix()

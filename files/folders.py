"""The folder in which dxjudge keeps its own files between runs."""

import os
import re
from pathlib import Path

from platformdirs import user_cache_path

from ..errors import UsageError

VARIABLE = "DXJUDGE_CACHE_DIR"
_UNSET = re.compile(r"\$\w+|\$\{\w+\}")


def cache_folder() -> Path:
    """Return the folder for everything that can be created again; it may not exist yet.

    `DXJUDGE_CACHE_DIR` names it, with `~` and variables replaced; a relative path starts at the
    working folder. When it is not set, the folder is the user's cache folder of the platform.
    Replies, indexes, releases and added sources each have a place in it.

    Raises UsageError when the variable contains a user or a variable that does not exist.
    """
    setting = os.environ.get(VARIABLE)
    if not setting:
        return user_cache_path("dxjudge", appauthor=False)
    place = os.path.expanduser(os.path.expandvars(setting))
    if place.startswith("~") or _UNSET.search(place):
        raise UsageError(f"{VARIABLE} is {setting!r}: the user or variable in it does not exist")
    return Path(os.path.abspath(place))

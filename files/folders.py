"""Where dxjudge keeps files of its own between runs."""

import os
import re
from pathlib import Path

from platformdirs import user_cache_path

from ..errors import UsageError

VARIABLE = "DXJUDGE_CACHE_DIR"
_UNSET = re.compile(r"\$\w+|\$\{\w+\}")


def cache_folder() -> Path:
    """The folder for everything that can be made again; it may not exist yet.

    `DXJUDGE_CACHE_DIR` names it where set, with `~` and variables replaced and as seen from the
    working folder; else it is the platform's cache folder of the user. Replies, indexes, releases
    and added sources each have a place in it.

    Raises UsageError where the variable names a user or a variable that does not exist.
    """
    named = os.environ.get(VARIABLE)
    if not named:
        return user_cache_path("dxjudge", appauthor=False)
    place = os.path.expanduser(os.path.expandvars(named))
    if place.startswith("~") or _UNSET.search(place):
        raise UsageError(f"{VARIABLE} is {named!r}: there is no such user or variable")
    return Path(os.path.abspath(place))

"""Where dxjudge keeps files of its own between runs."""

import os
from pathlib import Path

from platformdirs import user_cache_path


def cache_folder() -> Path:
    """The folder for everything that can be made again; it may not exist yet.

    `DXJUDGE_CACHE_DIR` names it where set, else it is the platform's cache folder of the user.
    """
    named = os.environ.get("DXJUDGE_CACHE_DIR")
    return Path(named).expanduser() if named else user_cache_path("dxjudge", appauthor=False)

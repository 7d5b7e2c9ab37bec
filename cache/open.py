"""Open the store in which replies are kept."""

from pathlib import Path
from typing import cast

from ..errors import UsageError
from ..files.folders import cache_folder
from .sqlite import SqliteStore
from .store import Store, without_password


def default_path() -> Path:
    """Return the path of this user's reply cache; DXJUDGE_CACHE_DIR names another folder."""
    return cache_folder() / "replies.sqlite"


def open_store(place: str | Path | None = None) -> Store:
    """Open a store: None for the user's own cache, a path to a file, or `redis://…`.

    Raises UsageError for another kind of URL, EnvironmentFault for a store that cannot be used.
    """
    text = str(place) if place is not None else ""
    if text.startswith(("redis://", "rediss://")):
        from .redis import RedisStore  # its imports are half of what `map` needs to start

        return cast(Store, RedisStore(text))
    if "://" in text:
        raise UsageError(f"cache {without_password(text)!r} is neither a file nor redis://…")
    return SqliteStore(Path(text).expanduser() if text else default_path())

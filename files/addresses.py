"""Addresses that a command takes, such as s3://bucket/folder: none may hold a secret."""

import re
from urllib.parse import parse_qsl

from ..errors import UsageError

_SCHEME = re.compile(r"^[a-z][a-z0-9+.-]*://", re.IGNORECASE)
_SECRET = re.compile(
    r"secret|passw|token|(^|[_-]|access|account|api)key$|signature|^sig$", re.IGNORECASE
)
# HOST, USER@HOST or [HOST]:PORT, or USER@HOST:PORT. But HOST:PORT may be the user and the first
# digits of a password with a "/", where an "@" follows.
_HOST = re.compile(r"([^@:]*@)?([^@:]*|\[[^@]*\](:\d*)?)|[^@:]*@[^@:]*:\d*")


def check_address(address: str, what: str, instead: str) -> None:
    """Raise UsageError for an address that holds a password or a key.

    Journals and messages name the address. The message of the error does not, but begins with
    `what`, and ends with `instead`: where the secret belongs.
    """
    if _holds_secret(address):
        raise UsageError(f"{what} holds a password or a key, which others could read: {instead}")


def _holds_secret(address: str) -> bool:
    """Whether an address, or one in its query, has a password or a key."""
    place, _, query = _SCHEME.sub("", address).partition("?")
    return _has_password(place) or any(
        _SECRET.search(name) or _holds_secret(value)
        for name, value in parse_qsl(query, keep_blank_values=True)
    )


def _has_password(place: str) -> bool:
    """Return whether a place is USER:PASSWORD@HOST/PATH, also with "/" in the password."""
    return "@" in place and not _HOST.fullmatch(place.partition("/")[0])

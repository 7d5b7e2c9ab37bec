"""Addresses that a command takes, such as s3://bucket/folder: none may hold a secret."""

import re
from urllib.parse import parse_qsl

from ..errors import UsageError

_SCHEME = re.compile(r"^[a-z][a-z0-9+.-]*://", re.IGNORECASE)
_SECRET = re.compile(r"secret|passw|token|key|signature|^sig$", re.IGNORECASE)


def check_address(address: str, what: str, instead: str) -> None:
    """Raise UsageError for an address that holds a password or a key.

    Journals and messages name the address. The message of the error does not, but begins with
    `what`, and ends with `instead`: where the secret belongs.
    """
    place, _, query = _SCHEME.sub("", address).partition("?")
    named = (name for name, _ in parse_qsl(query, keep_blank_values=True))
    if _has_password(place) or any(map(_SECRET.search, named)):
        raise UsageError(f"{what} holds a password or a key, which others could read: {instead}")


def _has_password(place: str) -> bool:
    """Return whether a place is USER:PASSWORD@HOST/PATH, also with "/" in the password."""
    _, colon, after = place.partition("/")[0].partition(":")
    is_port = re.fullmatch(r"\d*", after) is not None
    return bool(colon) and not is_port and "@" in place

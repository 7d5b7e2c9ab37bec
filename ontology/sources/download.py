"""Download one file over HTTP, whole or not at all."""

import hashlib
import http.client
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

from ...errors import EnvironmentFault, InputError, UsageError

Progress = Callable[[str, int, int], None]
"""Called with ("downloading", bytes so far, total bytes); the total is 0 where it is unknown."""

_CHUNK = 1 << 16
_SILENCE = 60.0  # seconds without a byte
_PAGE = (b"<!doctype html", b"<html")


class Download(NamedTuple):
    """A downloaded file: its address after redirects, size in bytes, and sha256."""

    url: str
    size: int
    sha256: str


def download(
    url: str, path: Path, *, sha256: str | None = None, progress: Progress | None = None
) -> Download:
    """Write the content of `url` to `path`; after an error or Ctrl-C there is no file.

    `sha256` is the checksum that the content must have. Raises UsageError for an address that is
    not http(s), EnvironmentFault where the server cannot be reached, refuses or breaks off, and
    InputError for a web page in place of data or another checksum.
    """
    if urllib.parse.urlsplit(url).scheme not in {"http", "https"}:
        raise UsageError(f"{url!r} is not an address that starts with http:// or https://")
    try:
        fetched = _fetch(url, path, progress)
        _check(fetched, path, url, sha256)
    except BaseException:
        path.unlink(missing_ok=True)
        raise
    return fetched


def _fetch(url: str, path: Path, progress: Progress | None) -> Download:
    request = urllib.request.Request(url, headers={"User-Agent": "dxjudge"})
    try:
        with urllib.request.urlopen(request, timeout=_SILENCE) as reply, path.open("wb") as file:
            return _copy(reply, file, progress)
    except urllib.error.HTTPError as error:
        raise EnvironmentFault(
            f"{error.url}: the server answered {error.code} {error.reason}; "
            "give a newer address with --url"
        ) from error
    except (urllib.error.URLError, TimeoutError, ConnectionError, http.client.HTTPException) as e:
        reason = getattr(e, "reason", e)
        raise EnvironmentFault(
            f"{url} cannot be reached: {reason}; on a machine without a network, download the "
            "file elsewhere and add it by its path"
        ) from e


def _copy(reply: Any, file: Any, progress: Progress | None) -> Download:
    total = int(reply.headers.get("Content-Length") or 0)
    digest, done = hashlib.sha256(), 0
    while chunk := reply.read(_CHUNK):
        file.write(chunk)
        digest.update(chunk)
        done += len(chunk)
        if progress:
            progress("downloading", done, total)
    if total and done != total:
        raise EnvironmentFault(
            f"{reply.url}: the connection broke off after {done:,} of {total:,} bytes; try again"
        )
    return Download(reply.url, done, digest.hexdigest())


def _check(fetched: Download, path: Path, url: str, sha256: str | None) -> None:
    if sha256 and fetched.sha256 != sha256.lower():
        raise InputError(
            f"{url}: has the checksum {fetched.sha256}, not {sha256.lower()}; nothing was added"
        )
    with path.open("rb") as file:
        start = file.read(1024).lstrip(b"\xef\xbb\xbf \t\r\n").lower()
    if not start:
        raise InputError(f"{url}: the server sent nothing")
    if start.startswith(_PAGE):
        raise InputError(f"{url}: is a web page, not data; give the file's own address with --url")

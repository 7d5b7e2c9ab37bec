"""A compact copy of a parsed release in the cache folder, so that only the first start parses.

Two lines of JSON: a header that says what the second line is made from and its digest, and the
columns. Anything unexpected about it means that it is made again, never an error.
"""

import contextlib
import hashlib
import json
import os
import tempfile
from pathlib import Path
from typing import Any

from ...files.folders import cache_folder
from ..release import Release, Rows
from .installed import package_version

_FORMAT = 2  # goes up whenever reading a package gives another result


def load_rows(release: Release) -> Rows:
    """The rows of a release that a package carries, from their kept copy, else parsed and kept.

    Where the folder cannot be written they are not kept. Rows of a user's own file are read anew.
    """
    if release.package is None:
        return release.read(release)
    package = package_version(release.package)
    path = cache_folder() / "ontology" / f"{package.replace(' ', '-')}-{_FORMAT}.json"
    rows = _read(path, package)
    if rows is None:
        rows = release.read(release)
        with contextlib.suppress(OSError):
            _write(path, package, rows)
    return rows


def _header(package: str, body: bytes) -> dict[str, Any]:
    digest = hashlib.sha256(body).hexdigest()
    return {"format": _FORMAT, "package": package, "sha256": digest}


def _read(path: Path, package: str) -> Rows | None:
    try:
        first, body = path.read_bytes().split(b"\n", 1)
        if json.loads(first) != _header(package, body):
            return None
        columns = json.loads(body)
    except (OSError, ValueError):
        return None
    columns["notes"] = {int(position): notes for position, notes in columns["notes"].items()}
    return Rows(**columns)


def _write(path: Path, package: str, rows: Rows) -> None:
    body = json.dumps(vars(rows), ensure_ascii=False, separators=(",", ":")).encode()
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=".release-")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(json.dumps(_header(package, body)).encode() + b"\n" + body)
        os.replace(temporary, path)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise

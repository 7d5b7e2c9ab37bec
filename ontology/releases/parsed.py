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
from .read import RELEASES, Release, package_version

_FORMAT = 1  # goes up whenever reading a package gives another result


def load_release(name: str) -> Release:
    """The release from its kept copy, or parsed (and then kept, where the folder allows)."""
    package = package_version(name)
    path = cache_folder() / "ontology" / f"{package.replace(' ', '-')}-{_FORMAT}.json"
    release = _read(path, package)
    if release is None:
        release = RELEASES[name]()
        with contextlib.suppress(OSError):
            _write(path, package, release)
    return release


def _header(package: str, body: bytes) -> dict[str, Any]:
    digest = hashlib.sha256(body).hexdigest()
    return {"format": _FORMAT, "package": package, "sha256": digest}


def _read(path: Path, package: str) -> Release | None:
    try:
        first, body = path.read_bytes().split(b"\n", 1)
        if json.loads(first) != _header(package, body):
            return None
        columns = json.loads(body)
    except (OSError, ValueError):
        return None
    columns["notes"] = {int(position): notes for position, notes in columns["notes"].items()}
    return Release(**columns)


def _write(path: Path, package: str, release: Release) -> None:
    body = json.dumps(vars(release), ensure_ascii=False, separators=(",", ":")).encode()
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=".release-")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(json.dumps(_header(package, body)).encode() + b"\n" + body)
        os.replace(temporary, path)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise

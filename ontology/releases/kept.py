"""Keep a compact copy of a parsed release in the cache folder, so that only the first start parses.

The copy is two lines of JSON. The first names the package that the second was made from and the
digest of the second; the second holds the columns. A copy that cannot be used is made again.
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

_FORMAT = 2  # must be raised whenever a change of the code gives other rows for the same package


def load_rows(release: Release) -> Rows:
    """Return the rows of a release; those of a package come from the kept copy where it is valid.

    Otherwise the package is parsed and a copy is kept, unless the folder cannot be written. The
    user's own file is read each time.
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

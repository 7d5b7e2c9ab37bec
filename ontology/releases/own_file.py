"""Load a release from the user's own file: "path/to/release.py:NAME"."""

import importlib.util
import re
import traceback
from dataclasses import replace
from pathlib import Path
from types import ModuleType

from ...errors import UsageError
from ..release import Release

_REFERENCE = re.compile(r"(?P<path>.+\.py)(?::(?P<name>\w+))?")


def is_reference(text: str) -> bool:
    """Return whether a text names a file, not a release that comes with the package."""
    return _REFERENCE.fullmatch(text) is not None


def load_own(reference: str) -> Release:
    """Return the release that a file defines as NAME; its data files lie in the file's folder.

    The file is run again at each call. NAME may be left out where the file defines one release
    only. Raises UsageError, which names the file, where the file does not exist, fails or does not
    define the release.
    """
    parts = _REFERENCE.fullmatch(reference)
    assert parts
    path = Path(parts["path"]).expanduser()
    if not path.is_file():
        raise UsageError(f"{reference}: there is no file {path}")
    module = _run(path)
    releases = {name: value for name, value in vars(module).items() if isinstance(value, Release)}
    if parts["name"] is None and len(releases) == 1:
        (release,) = releases.values()
    elif parts["name"] in releases:
        release = releases[parts["name"]]
    else:
        defined = f"it has {', '.join(releases)}" if releases else "it defines no Release"
        missing = (
            f"no release {parts['name']!r} in {path}"
            if parts["name"]
            else f"name a release in {path}, as {path.name}:NAME"
        )
        raise UsageError(f"{reference}: {missing}; {defined}")
    return replace(release, folder=path.resolve().parent)


def _run(path: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location(f"dxjudge_own_{path.stem}", path)
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    try:
        spec.loader.exec_module(module)
    except Exception as fault:
        lines = [
            frame.lineno
            for frame in traceback.extract_tb(fault.__traceback__)
            if frame.filename == str(path)
        ]
        line = getattr(fault, "lineno", None) or (lines[-1] if lines else 1)
        raise UsageError(
            f"{path}, line {line}: the file fails: {type(fault).__name__}: {fault}"
        ) from fault
    return module

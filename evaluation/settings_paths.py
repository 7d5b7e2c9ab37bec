"""Find the files that a settings file names: relative paths start at the folder of that file."""

import hashlib
import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from ..errors import UsageError
from ..files.bytes import read_bytes

_FILE = re.compile(r"(?P<path>.+\.(?:py|yaml|yml|json))(?P<name>:.*)?", re.DOTALL)
_KEYS = ("rubric", "taxonomy", "ontology")


def with_paths(settings: Mapping[str, Any], file: Path) -> dict[str, Any]:
    """Return the settings of a file with paths that can be opened from the working directory.

    Paths are those of steps, of the rubric, the taxonomy and the release. A file that is not in
    the folder of the settings is looked for in the working directory. Raises UsageError for a
    file that is in neither, and for a path that means different files in the two.
    """
    return _changed(settings, lambda text: _found(text, file))


def without_folders(settings: Mapping[str, Any]) -> dict[str, Any]:
    """Return settings that name each file without its folder.

    They are equal for the same files, whatever the working directory was.
    """
    return _changed(settings, _bare)


def digests_of(settings: Mapping[str, Any]) -> dict[str, str]:
    """Map the name of each file in the settings to the sha256 of its bytes.

    Raises InputError for a file that cannot be read.
    """
    digests: dict[str, str] = {}

    def note(text: str) -> str:
        match = _FILE.fullmatch(text)
        if match is not None:
            path = Path(match["path"]).expanduser()
            digests[path.name] = hashlib.sha256(read_bytes(path)).hexdigest()
        return text

    _changed(settings, note)
    return digests


def _changed(settings: Mapping[str, Any], change: Callable[[str], str]) -> dict[str, Any]:
    """Change every setting that may be a path: of the rubric, the taxonomy, the release, a step."""
    changed = dict(settings)
    for key in _KEYS:
        if isinstance(changed.get(key), str):
            changed[key] = change(changed[key])
    if isinstance(changed.get("tasks"), list):
        changed["tasks"] = [_task(task, change) for task in changed["tasks"]]
    return changed


def _task(task: Any, change: Callable[[str], str]) -> Any:
    if isinstance(task, Mapping) and isinstance(task.get("step"), str):
        return {**task, "step": change(task["step"])}
    return task


def _bare(text: str) -> str:
    match = _FILE.fullmatch(text)
    return f"{Path(match['path']).name}{match['name'] or ''}" if match else text


def _found(text: str, file: Path) -> str:
    match = _FILE.fullmatch(text)
    if match is None:
        return text
    here = Path(match["path"]).expanduser()
    if here.is_absolute():
        return text
    beside = file.parent / here
    if not beside.exists() and not here.exists():
        raise UsageError(
            f"{file}: there is no file {here}, neither in the folder of {file.name} "
            f"({file.parent.resolve()}) nor in the working directory ({Path.cwd()})"
        )
    if beside.exists() and here.exists() and not beside.samefile(here):
        raise UsageError(
            f"{file}: {here} may be {beside} or {here.resolve()} in the working directory; write "
            "an absolute path, or rename one of the files"
        )
    return text if here.exists() else f"{beside}{match['name'] or ''}"

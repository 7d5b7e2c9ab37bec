"""Find the files that a settings file names: relative paths start at the folder of that file."""

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ..errors import UsageError

_FILE = re.compile(r"(?P<path>.+\.(?:py|yaml|yml|json))(?P<name>:.*)?", re.DOTALL)


def with_paths(settings: Mapping[str, Any], file: Path) -> dict[str, Any]:
    """Return the settings of a file with paths that can be opened from the working directory.

    Paths are those of steps, of the rubric, the taxonomy and the release. A file that is not in
    the folder of the settings is looked for in the working directory. Raises UsageError for a
    file that is in neither, and for a path that means different files in the two.
    """
    changed = dict(settings)
    for key in ("rubric", "taxonomy", "ontology"):
        if isinstance(changed.get(key), str):
            changed[key] = _found(changed[key], file)
    if isinstance(changed.get("tasks"), list):
        changed["tasks"] = [_task(task, file) for task in changed["tasks"]]
    return changed


def _task(task: Any, file: Path) -> Any:
    if isinstance(task, Mapping) and isinstance(task.get("step"), str):
        return {**task, "step": _found(task["step"], file)}
    return task


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

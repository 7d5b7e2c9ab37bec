"""Read the settings of an evaluation: those of a preset, a YAML file and flags."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import yaml
from pydantic import ValidationError

from ..agents.engine.judges import as_judge
from ..errors import InputError, UsageError
from ..files.bytes import read_bytes
from ..files.counted import counted
from ..files.nearest import no_such
from ..scoring.jury import check_weights
from .paper import check_paper, load_paper
from .presets import find_preset, main_columns
from .settings import Settings
from .settings_paths import with_paths


def read_settings(path: Path | None, **flags: Any) -> Settings:
    """Read the settings: those of a preset, changed by a YAML file, then by flags that are set.

    A flag that is None is not set. A path in the file is relative to the folder of the file.

    Raises UsageError for an unknown preset or key or a bad value, InputError for a file that
    cannot be read.
    """
    changes = with_paths(_read_yaml(path), path) if path else {}
    changes |= {name: value for name, value in flags.items() if value is not None}
    preset = find_preset(changes.get("preset", "diagnosis"))
    settings = _settings({**preset.settings, "tasks": preset.tasks, **changes})
    if settings.jury and len(settings.judges) < 2:
        raise UsageError("a jury needs at least two judges: give --judge twice or more")
    if settings.errors_sample is not None and settings.errors_of != "wrong":
        raise UsageError("errors_sample draws wrong responses: it needs errors_of: wrong")
    _check_jury(settings)
    main_columns(settings)  # so that a column that no task fills is an error before any work
    paper = load_paper(preset.name)
    if paper is not None:
        check_paper(paper, _settings({**preset.settings, "tasks": preset.tasks}))
    return settings


def _check_jury(settings: Settings) -> None:
    if settings.jury is None and (settings.quorum is not None or settings.weights is not None):
        raise UsageError("a quorum and weights need a jury; name its rule with --jury")
    if settings.jury == "weighted":
        labels = {as_judge(name).spec.label for name in settings.judges}
        check_weights(settings.weights, labels)
    elif settings.weights is not None:
        raise UsageError(f"weights need the jury rule weighted, not {settings.jury}")
    if settings.quorum is not None and settings.quorum > len(settings.judges):
        raise UsageError(
            f"a quorum of {settings.quorum} cannot be met by "
            f"{counted(len(settings.judges), 'judge')}"
        )


def _settings(values: Mapping[str, Any]) -> Settings:
    try:
        return Settings(**values)
    except ValidationError as fault:
        lines = [_fault(error) for error in fault.errors(include_url=False)]
        raise UsageError(f"evaluation settings: {'; '.join(lines)}") from fault


def _fault(error: Mapping[str, Any]) -> str:
    if error["type"] == "extra_forbidden":
        return no_such("setting", error["loc"], Settings.model_fields)
    return f"{'.'.join(map(str, error['loc']))}: {error['msg']}"


def _read_yaml(path: Path) -> dict[str, Any]:
    try:
        mapping = yaml.safe_load(read_bytes(path))
    except yaml.YAMLError as fault:
        raise InputError(f"{path} is not YAML: {' '.join(str(fault).split())}") from fault
    if not isinstance(mapping, dict):
        raise InputError(f"{path} is not a mapping of settings; write lines like `seed: 1`")
    return mapping

"""Says why the numbers of two evaluations cannot be compared: what their signatures differ in."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ..settings_paths import without_folders
from .read_run import FinishedRun

_FREE = ("seed", "resamples", "level", "interval", "groups", "columns", "models", "preset")
"""Settings that do not change a number over the same cases: intervals are computed again."""

_LONGEST = 80  # the characters of a value in a message

_WORDS = {
    "dxjudge": "the version of dxjudge",
    "judges": "judge",
    "settings": "the setting",
    "setting_files": "the content of the file",
    "prompts": "the prompt of",
    "left_out": "the task that was left out:",
    "ontology": "the mapping of diagnoses:",
    "encoder": "the encoder of semantic scores",
}


def conditions_of(signature: Mapping[str, Any]) -> dict[str, str]:
    """Return everything in a signature that can change a number, as words and a value.

    The cases and responses are not part of it, and neither are the texts that were mapped.
    """
    settings = without_folders(signature["settings"])
    ontology = signature["ontology"]
    parts = {
        "dxjudge": signature["dxjudge"],
        "settings": {k: v for k, v in settings.items() if k not in _FREE},
        "setting_files": signature.get("setting_files", {}),
        "judges": signature["judges"],
        "prompts": signature["prompts"],
        "left_out": signature["left_out"],
        "ontology": ontology and ontology["mapper"],
        "encoder": signature["encoder"],
    }
    return {
        " ".join((_WORDS[name], *path)): value
        for name, part in parts.items()
        for path, value in _flat(part)
    }


def _flat(value: Any) -> Iterator[tuple[tuple[str, ...], str]]:
    """Yield the path and the text of every single value."""
    if isinstance(value, Mapping):
        for name, part in value.items():
            yield from (((str(name), *path), text) for path, text in _flat(part))
    elif isinstance(value, list):
        for number, part in enumerate(value, 1):
            yield from (((str(number), *path), text) for path, text in _flat(part))
    else:
        yield (), "nothing" if value is None or value == "" else str(value)


def differences_between(first: FinishedRun, second: FinishedRun) -> list[str]:
    """Return a sentence for each condition in which two runs differ; empty for the same."""
    a, b = conditions_of(first.signature), conditions_of(second.signature)
    return [
        f"{name} is {_short(a.get(name, 'nothing'))} in {first.name} and "
        f"{_short(b.get(name, 'nothing'))} in {second.name}"
        for name in dict.fromkeys((*a, *b))
        if a.get(name, "nothing") != b.get(name, "nothing")
    ]


def _short(value: str) -> str:
    return value if len(value) <= _LONGEST else f"{value[:_LONGEST]}…"


def alike(runs: Sequence[FinishedRun]) -> list[list[FinishedRun]]:
    """Sort the runs into sets whose numbers can be compared, in the order of their first runs."""
    sets: list[list[FinishedRun]] = []
    for run in runs:
        fitting = next((one for one in sets if not differences_between(one[0], run)), None)
        if fitting is None:
            sets.append([run])
        else:
            fitting.append(run)
    return sets

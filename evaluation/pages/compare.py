"""Two finished runs side by side: what differs between them, and what moved with it."""

import json
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ..finished.read_run import FinishedRun, Key, value_of
from ..measures.measure import Score

MOST = 2000
"""The largest number of changed cases on the page."""
_KINDS = {"prompts": "prompt", "judges": "judge", "jury": "judge", "ontology": "release",
          "dxjudge": "code"}  # fmt: skip
_SETTINGS = {"judges": "judge", "jury": "judge", "ontology": "release"}
_LONGEST = 300


@dataclass(frozen=True)
class Difference:
    """A part of the signature that is not the same; None where a run does not have it.

    kind: prompt, judge, release, code, or another part of the signature by its name.
    """

    kind: str
    name: str
    first: str | None
    second: str | None


@dataclass(frozen=True)
class Moved:
    """A number of both runs; `change` is second minus first.

    judge: that of the first run; the second has `second_judge`. changed: the units that both runs
    have and whose score or status differs, of `shared`.
    """

    metric: str
    model: str
    judge: str
    second_judge: str
    first: float
    second: float
    change: float
    first_n: int
    second_n: int
    changed: int
    shared: int


@dataclass(frozen=True)
class ChangedCase:
    """A unit (a case, or a pair of cases) whose score or status differs between the runs."""

    unit: str
    metric: str
    model: str
    judge: str
    first: str
    second: str


@dataclass(frozen=True)
class Comparison:
    """What two runs do not share. `changed` counts all changed cases, `cases` has the first ones.

    only_first, only_second: the numbers that one run alone has, in words.
    """

    first: str
    second: str
    differences: tuple[Difference, ...]
    moved: tuple[Moved, ...]
    cases: tuple[ChangedCase, ...]
    changed: int
    only_first: tuple[str, ...]
    only_second: tuple[str, ...]


def compare_runs(first: FinishedRun, second: FinishedRun) -> Comparison:
    """Compare two finished runs: signatures, numbers over all units, and single cases."""
    pairs = dict(_pairs(first, second))
    cases = [case for ours, theirs in pairs.items() for case in _cases(first, second, ours, theirs)]
    taken = set(pairs.values())
    return Comparison(
        first=first.name,
        second=second.name,
        differences=tuple(_differences(first.signature, second.signature)),
        moved=tuple(_moved(first, second, ours, theirs) for ours, theirs in pairs.items()),
        cases=tuple(cases[:MOST]),
        changed=len(cases),
        only_first=tuple(_words(key) for key in first.numbers if key not in pairs),
        only_second=tuple(_words(key) for key in second.numbers if key not in taken),
    )


def _words(key: Key) -> str:
    return ", ".join(filter(None, key))


def _pairs(first: FinishedRun, second: FinishedRun) -> Iterator[tuple[Key, Key]]:
    """The numbers of the same metric, model and judge; a run's only judge faces the other's."""
    ours, theirs = (sorted({judge for _, judge, _ in run.numbers if judge})
                    for run in (first, second))  # fmt: skip
    faced = dict(_faced(ours, theirs))
    for key in first.numbers:
        metric, judge, model = key
        other = (metric, faced.get(judge, judge), model)
        if other in second.numbers:
            yield key, other


def _faced(ours: Sequence[str], theirs: Sequence[str]) -> Iterator[tuple[str, str]]:
    """The judges that face each other: the same, else the one at another address, else the only.

    >>> dict(_faced(["a:x@http://one:1/v1", "b:y"], ["a:x@http://two:2/v1", "b:y", "c:z"]))
    {'a:x@http://one:1/v1': 'a:x@http://two:2/v1', 'b:y': 'b:y'}
    >>> dict(_faced(["b:y"], ["c:z"])), dict(_faced(["b:y"], ["c:z", "d:w"]))
    ({'b:y': 'c:z'}, {})
    """
    for judge in ours:
        same = [judge] if judge in theirs else [*_named_like(judge, theirs)]
        if len(same) == 1 and (judge in theirs or len([*_named_like(judge, ours)]) == 1):
            yield judge, same[0]
        elif len(ours) == len(theirs) == 1:
            yield judge, theirs[0]


def _named_like(judge: str, judges: Iterable[str]) -> Iterator[str]:
    bare = judge.partition("@http")[0]
    return (one for one in judges if one.partition("@http")[0] == bare)


def _moved(first: FinishedRun, second: FinishedRun, ours: Key, theirs: Key) -> Moved:
    a, b = first.numbers[ours], second.numbers[theirs]
    before, after = _float(a["value"]), _float(b["value"])
    scores = first.scores.get(ours, {}), second.scores.get(theirs, {})
    shared = scores[0].keys() & scores[1].keys()
    changed = sum(_differ(scores[0][unit], scores[1][unit]) for unit in shared)
    return Moved(ours[0], ours[2], ours[1], theirs[1], before, after, after - before,
                 int(a["n"]), int(b["n"]), changed, len(shared))  # fmt: skip


def _float(text: str) -> float:
    return float(text) if text else math.nan


def _differ(a: Score, b: Score) -> bool:
    x, y = value_of(a), value_of(b)
    same = x == y or (x != x and y != y)
    return not same or a.status != b.status


def _cases(
    first: FinishedRun, second: FinishedRun, ours: Key, theirs: Key
) -> Iterator[ChangedCase]:
    before, after = first.scores.get(ours, {}), second.scores.get(theirs, {})
    for unit, score in before.items():
        if unit in after and _differ(score, after[unit]):
            yield ChangedCase(unit, ours[0], ours[2], ours[1], _shown(score), _shown(after[unit]))


def _shown(score: Score) -> str:
    value = value_of(score)
    return score.status if value != value else f"{value:g}"


def _differences(first: Mapping[str, Any], second: Mapping[str, Any]) -> Iterator[Difference]:
    a, b = dict(_flat(first)), dict(_flat(second))
    for path in dict.fromkeys((*a, *b)):
        if path[0] != "id" and a.get(path) != b.get(path):
            yield Difference(_kind(path), " › ".join(path), a.get(path), b.get(path))


def _flat(value: Any, path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], str]]:
    if isinstance(value, Mapping) and value:
        for name, part in value.items():
            yield from _flat(part, (*path, str(name)))
    elif isinstance(value, list) and value and all(isinstance(one, Mapping) for one in value):
        for place, part in enumerate(value, 1):
            yield from _flat(part, (*path, str(place)))
    else:
        yield path, json.dumps(value, ensure_ascii=False)[:_LONGEST]


def _kind(path: tuple[str, ...]) -> str:
    if path[-1] == "step_version":
        return "code"
    if path[0] == "settings" and len(path) > 1:
        return _SETTINGS.get(path[1], "settings")
    return _KINDS.get(path[0], path[0])

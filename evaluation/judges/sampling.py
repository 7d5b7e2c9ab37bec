"""With which probability each unit was chosen for a human check, from columns of the votes."""

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from ...errors import UsageError
from ...files.nearest import did_you_mean
from ...scoring.calibration import sampling_p_value
from ...scoring.raters.sampled import population_z
from .agreement_units import MODEL, Unit

VERDICT = "verdict"
"""The name that makes strata of the judge's own verdicts."""
UNLIKE = 0.01
"""Below this p-value the checked units do not count as a random draw of all units."""
FAR = 3.3
"""A z value that a true probability gives once in a thousand draws."""


@dataclass(frozen=True)
class Sampling:
    """The probability of every unit (None if it is not known), or why there is none."""

    probability: tuple[float | None, ...]
    why: str = ""


def sampling_of(
    units: Sequence[Unit],
    checked: Sequence[bool],
    verdicts: Sequence[object],
    differ: Sequence[bool],
    names: Sequence[str],
) -> Sampling:
    """Return how the checked units were drawn.

    names: one column of probabilities; or columns within whose values units were drawn at random
    ("verdict" for the judge's own verdicts). verdicts: the judge's, by unit. differ: whether
    judges differ on the unit.

    Raises UsageError for a column that no unit has, and for a checked unit whose probability is
    not above 0 and at most 1.
    """
    check_sampling(units, names)
    if len(names) == 1 and names[0] != VERDICT:
        texts = [unit.groups.get(names[0], "") for unit in units]
        given = [text for text, was in zip(texts, checked, strict=True) if was and text]
        if given and all(chance_of(text) is not None for text in given):
            return _by_probability(units, checked, verdicts, differ, names[0])
    return _by_strata(units, checked, verdicts, differ, names)


def check_sampling(units: Sequence[Unit], names: Sequence[str]) -> None:
    """Raise UsageError for a column that no unit has."""
    for name in names:
        if name != VERDICT and not any(name in unit.groups for unit in units):
            columns = sorted({key for unit in units for key in unit.groups})
            hint = did_you_mean(name, columns, f"there are: {', '.join(columns) or 'none'}")
            raise UsageError(f"--sampling {name}: no vote has this column; {hint}")


def chance_of(text: str) -> float | None:
    """Return the number in a cell; None where there is none."""
    try:
        value = float(text)
    except ValueError:
        return None
    return value if math.isfinite(value) else None


def _by_probability(
    units: Sequence[Unit],
    checked: Sequence[bool],
    verdicts: Sequence[object],
    differ: Sequence[bool],
    name: str,
) -> Sampling:
    values = [chance_of(unit.groups.get(name, "")) for unit in units]
    for unit, value, was in zip(units, values, checked, strict=True):
        if was and (value is None or not 0 < value <= 1):
            raise UsageError(
                f"--sampling {name}: case {unit.case!r}, step {unit.step!r} was checked, but its "
                f"probability is {unit.groups.get(name, '')!r}; it must be above 0 and at most 1"
            )
    groups: dict[str, list[int]] = {"": list(range(len(units)))}
    for at, unit in enumerate(units):
        model = unit.groups.get(MODEL, "")
        words = [f" of the model {model}"] if model else []
        words += [f" with this judge's verdict {verdicts[at]}",
                  f" on which judges {'differ' if differ[at] else 'agree'}"]  # fmt: skip
        for word in words:
            groups.setdefault(word, []).append(at)
    every = [value for at in groups[""] if checked[at] and (value := values[at]) is not None]
    for word, places in groups.items():
        chosen = [value for at in places if checked[at] and (value := values[at]) is not None]
        if abs(population_z(chosen, len(places), weights=chosen or every)) > FAR:
            stands = sum(1 / value for value in chosen)
            return Sampling(
                (),
                f"by the column {name} the checked units{word} stand for {stands:.0f}, but "
                f"the units are {len(places)}: it cannot hold the probability of being checked",
            )
    return Sampling(tuple(values))


def _by_strata(
    units: Sequence[Unit],
    checked: Sequence[bool],
    verdicts: Sequence[object],
    differ: Sequence[bool],
    names: Sequence[str],
) -> Sampling:
    strata = [
        tuple(str(verdict) if name == VERDICT else unit.groups.get(name, "") for name in names)
        for unit, verdict in zip(units, verdicts, strict=True)
    ]
    size, drawn = Counter(strata), Counter(s for s, was in zip(strata, checked, strict=True) if was)
    for stratum in size:
        if not drawn[stratum]:
            words = ", ".join(f"{a} {b!r}" for a, b in zip(names, stratum, strict=True))
            return Sampling((), f"no unit with {words} was checked: check some of every stratum")
        inside = [at for at, one in enumerate(strata) if one == stratum]
        for what, marks in (
            ("the units on which judges differ", differ), ("this judge's verdicts", verdicts),
        ):  # fmt: skip
            p_value = sampling_p_value([checked[at] for at in inside], [marks[at] for at in inside])
            if p_value < UNLIKE / len(size):
                words = ", ".join(f"{a} {b!r}" for a, b in zip(names, stratum, strict=True))
                return Sampling(
                    (), f"within {words} the checked units are not like the rest by {what}: check "
                    "units drawn at random",
                )  # fmt: skip
    return Sampling(tuple(drawn[stratum] / size[stratum] for stratum in strata))

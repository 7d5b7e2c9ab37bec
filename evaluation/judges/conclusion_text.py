"""Write a conclusion on two models as one sentence."""

from collections.abc import Sequence

from .agreement_text import number
from .side import Side
from .swap_rows import Conclusion, SharedErrorRow


def sentence(
    title: str,
    conclusion: Conclusion,
    sides: Sequence[Side],
    silent: Sequence[str],
    agreeing: Sequence[SharedErrorRow],
    warning: str,
) -> str:
    """Return the conclusion in words: size, certainty, missing verdicts, judges to distrust."""
    judges = len(sides) + len(silent)
    parts = [f"{_size(conclusion, sides, warning)}, {_certainty(conclusion, sides, judges)}"]
    lost = [f"{s.unresolved} under {s.judge}" for s in sides if s.unresolved]
    if lost:
        parts.append(f"cases without both verdicts: {_and(lost)}")
    loose = [s.judge for s in sides if s.loose]
    if loose:
        parts.append(
            f"with the missing verdicts at their worst it would not be clear under {_and(loose)}"
        )
    if silent:
        parts.append(f"{_and(silent)} gave no verdict")
    parts += [
        f"{row.first} and {row.second} make the same errors (correlation "
        f"{number(row.correlation, row.low, row.high)}), so that their agreement counts for less"
        for row in agreeing
    ]
    return f"{title}: {'; '.join(parts)}."


def _size(conclusion: Conclusion, sides: Sequence[Side], warning: str) -> str:
    """Return the difference with its interval; the verb says how certain the order is."""
    better, worse = conclusion.better, conclusion.worse
    size = number(conclusion.difference, conclusion.low, conclusion.high)
    cases = f"{conclusion.n} case{'s' * (conclusion.n != 1)}"
    without = "" if conclusion.low == conclusion.low else f"; no interval: {warning}"
    about = f"{size} (mean over the judges, {cases}{without})"
    if not conclusion.difference > 0 or conclusion.clear_against:
        return f"{better} minus {worse} is {about}"
    certain = conclusion.low > 0 and any(s.clear for s in sides)
    verb = "beats" if certain else "is ahead of"
    return f"{better} {verb} {worse} by {about}"


def _certainty(conclusion: Conclusion, sides: Sequence[Side], judges: int) -> str:
    clear = [s.judge for s in sides if s.clear]
    against = [s.judge for s in sides if s.turned().clear]
    ahead = f"{conclusion.better} is ahead under {sum(s.value > 0 for s in sides)} of {judges}"
    if against:
        better, worse = conclusion.better, conclusion.worse
        mine = f"{better} beats {worse} clearly under {_and(clear)}" if clear else ahead
        theirs = f"{worse} beats {better} clearly under {_and(against)}"
        return f"the judges contradict each other: {mine}; {theirs}"
    if clear and len(clear) == judges:
        return f"clear under every judge ({judges} of {judges})"
    if clear:
        rest = [s.judge for s in sides if s.judge not in clear]
        tail = f", not clear under {_and(rest)}" if rest else ""
        return f"clear under {len(clear)} of {judges} judges ({_and(clear)}){tail}"
    if not any(s.value for s in sides):
        return "a tie under every judge that gave verdicts"
    return f"clear under no judge ({ahead})"


def _and(names: Sequence[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"

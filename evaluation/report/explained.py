"""The parts of a judged item that a report shows: its number, its verdict, the judge's words."""

from ..judges.as_votes import votes_of_one
from ..judging import JudgedItem


def explained(item: JudgedItem) -> str:
    """The judge's explanation; for a step with several parts, every explanation with its part."""
    lines = []
    for vote in votes_of_one(item):
        if not vote.explanation:
            continue
        part = vote.step.removeprefix(item.task)[1:]
        about = part if isinstance(vote.verdict, bool) else f"{part}: {vote.verdict}"
        lines.append(f"[{about}] {vote.explanation}" if part else vote.explanation)
    return " ".join(lines)


def score_of(item: JudgedItem) -> float | None:
    """The verdict as one number, or the number computed from its parts; None without one."""
    verdict = item.step.verdict
    if item.value is None or verdict is None:
        return None
    if verdict.parts is not None and verdict.parts.total:
        return verdict.total(item.value)
    if not verdict.field or not (verdict.is_numeric or verdict.kind == "truth"):
        return None
    votes = votes_of_one(item)
    return float(votes[0].verdict) if votes[0].verdict is not None else None


def shown(item: JudgedItem) -> str:
    """The verdict in words for a reader; "" where there is none."""
    verdict = item.step.verdict
    votes = [vote for vote in votes_of_one(item) if vote.verdict is not None]
    if verdict is None or not votes:
        return ""
    score = score_of(item)
    if votes[0].step != item.task:
        present = [vote.step.removeprefix(item.task)[1:] for vote in votes if vote.verdict is True]
        return "; ".join(present) or "none" if score is None else f"{score:g}"
    value = votes[0].verdict
    if isinstance(value, bool):
        return verdict.shown.get(value, "yes" if value else "no")
    if isinstance(value, str):
        names = getattr(item.value, verdict.field)
        return ", ".join(names) if isinstance(names, tuple) else str(names)
    return f"{value:g}"

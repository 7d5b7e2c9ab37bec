"""What a reader of a report sees of a verdict: its number, its value and the judge's words."""

from ..judges.as_votes import votes_of_one
from ..judging import Verdict


def explained(one: Verdict) -> str:
    """The judge's own words; of a step with several parts those that are present, by name."""
    lines = []
    for vote in votes_of_one(one):
        if not vote.explanation:
            continue
        part = vote.step.removeprefix(one.task)[1:]
        about = part if isinstance(vote.verdict, bool) else f"{part}: {vote.verdict}"
        lines.append(f"[{about}] {vote.explanation}" if part else vote.explanation)
    return " ".join(lines)


def score_of(one: Verdict) -> float | None:
    """The one number of a verdict: itself, or what code computed from its parts; else None."""
    verdict = one.step.verdict
    if one.value is None or verdict is None:
        return None
    if verdict.parts is not None and verdict.parts.total:
        return verdict.total(one.value)
    if not verdict.field or not (verdict.is_numeric or verdict.kind == "truth"):
        return None
    votes = votes_of_one(one)
    return float(votes[0].verdict) if votes[0].verdict is not None else None


def shown(one: Verdict) -> str:
    """The verdict in words for a reader; "" where there is none."""
    verdict = one.step.verdict
    votes = [vote for vote in votes_of_one(one) if vote.verdict is not None]
    if verdict is None or not votes:
        return ""
    score = score_of(one)
    if votes[0].step != one.task:
        present = [vote.step.removeprefix(one.task)[1:] for vote in votes if vote.verdict is True]
        return "; ".join(present) or "none" if score is None else f"{score:g}"
    said = votes[0].verdict
    if isinstance(said, bool):
        return verdict.shown.get(said, "yes" if said else "no")
    if isinstance(said, str):
        held = getattr(one.value, verdict.field)
        return ", ".join(held) if isinstance(held, tuple) else str(held)
    return f"{said:g}"

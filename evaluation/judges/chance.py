"""The column with which `dxjudge rate` says how likely a person was asked about a unit."""

from collections.abc import Sequence
from dataclasses import replace

from ...scoring.votes import Vote
from .agreement_rows import Terms
from .agreement_units import CHANCE
from .sampling import chance_of


def weighted_by_chance(
    votes: Sequence[Vote], terms: Terms
) -> tuple[Sequence[Vote], Terms, tuple[str, ...]]:
    """Use the column `chance` of the human's votes, as `dxjudge rate` writes it.

    Return the votes with this column only where it is the human's, the terms with it as the
    sampling if they name none, and a sentence that says what it is used for.
    """
    if not any(CHANCE in vote.groups for vote in votes):
        return votes, terms, ()
    own = [vote for vote in votes if vote.judge == terms.human and vote.status != "failed"]
    bare = [
        vote
        if vote.judge == terms.human
        else replace(vote, groups={k: v for k, v in vote.groups.items() if k != CHANCE})
        for vote in votes
    ]
    if terms.human is None:
        return bare, terms, (
            f"the column {CHANCE} is not used: name the person with --human, so that the corrected "
            "share is weighted by it",
        )  # fmt: skip
    if terms.sampling or not own or not all(_is_chance(vote) for vote in own):
        return bare, terms, ()
    if all(float(vote.groups[CHANCE]) == 1 for vote in own):
        return bare, terms, ()
    note = (
        f"the corrected share weights each unit of {terms.human} by 1 / {CHANCE}; the agreement "
        "with other judges is over these units as they were drawn, without weights"
    )
    return bare, replace(terms, sampling=(CHANCE,)), (note,)


def _is_chance(vote: Vote) -> bool:
    value = chance_of(str(vote.groups.get(CHANCE, "")))
    return value is not None and 0 < value <= 1

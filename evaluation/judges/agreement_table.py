"""Compute the agreement table of a set of votes: every measure in every cell, with intervals."""

from collections import Counter
from collections.abc import Iterator, Sequence

from ...errors import UsageError
from ...files.nearest import did_you_mean
from ...scoring.votes import Vote
from .agreement_cells import rows_of_cell
from .agreement_rows import Agreement, CountRow, Terms
from .agreement_units import (
    CHANCE,
    Measured,
    Unit,
    known_scale,
    measured,
    units_of,
    with_human_column,
)
from .chance import weighted_by_chance
from .contested import contested_units
from .corrected import corrected_rows
from .sampling import check_sampling


def agree(votes: Sequence[Vote], terms: Terms | None = None) -> Agreement:
    """Compare the judges of a set of votes.

    Raises UsageError for no votes, an unknown column or human, two votes on the same item that
    differ in no column, or verdicts outside the categories.
    """
    terms = terms or Terms()
    if not votes:
        raise UsageError("there are no votes to compare")
    if terms.sampling and terms.human is None:
        raise UsageError("sampling says which units a human checked: name the human with --human")
    votes = _with_human(votes, terms.human)
    votes, terms, weighting = weighted_by_chance(votes, terms)
    units = units_of(votes, terms.item, apart=(*terms.sampling, CHANCE))
    _check_columns(units, terms.by)
    check_sampling(units, terms.sampling)  # also where there is nothing to correct
    steps = list(dict.fromkeys(unit.step for unit in units))
    by_step = {step: [unit for unit in units if unit.step == step] for step in steps}
    measured_as = {
        step: measured(step_units, step, terms.scale, terms.categories, terms.span, terms.known)
        for step, step_units in by_step.items()
    }
    notes = [comparison.note for comparison in measured_as.values()]
    cells = [(step, step_units, measured_as[step]) for step, step_units in by_step.items()]
    if len(steps) > 1:
        notes += _over_all(units, measured_as, cells)
    notes += [*weighting, *_silent(votes)]
    rows = [row for cell in cells for row in rows_of_cell(*cell, terms)]
    return Agreement(
        tuple(rows),
        tuple(_counts(votes)),
        tuple(
            row
            for step, step_units in by_step.items()
            for row in corrected_rows(
                step,
                step_units,
                terms.human,
                terms.positive,
                terms.by,
                terms.plan,
                sampling=terms.sampling,
                graded=known_scale(step, terms.known)[0] not in (None, "nominal"),
            )
        ),
        tuple(contested_units(units, measured_as)),
        tuple(notes),
    )


def _with_human(votes: Sequence[Vote], human: str | None) -> Sequence[Vote]:
    if human is None or any(vote.judge == human for vote in votes):
        return votes
    if any(human in vote.groups for vote in votes):
        return with_human_column(votes, human)
    judges = list(dict.fromkeys(vote.judge for vote in votes))
    hint = did_you_mean(human, [*judges, *votes[0].groups], "give one of them with --human")
    raise UsageError(
        f"{human!r} is neither a judge ({', '.join(judges)}) nor a column of the votes; {hint}"
    )


def _check_columns(units: Sequence[Unit], by: Sequence[str]) -> None:
    known = {name for unit in units for name in unit.groups}
    for name in by:
        if name not in known:
            hint = did_you_mean(name, known, f"there are: {', '.join(sorted(known)) or 'none'}")
            raise UsageError(f"no vote has the group column {name!r}; {hint}")


def _over_all(
    units: list[Unit], how: dict[str, Measured], cells: list[tuple[str, list[Unit], Measured]]
) -> list[str]:
    """Add the cell over all steps if they share a scale; else return a note that says why not."""
    kinds = {
        (comparison.kind, comparison.scale, comparison.categories, comparison.span)
        for comparison in how.values()
    }
    if len(kinds) > 1:
        return [
            "the steps have different scales, or verdicts of different kinds, so there is no "
            "table over all of them"
        ]
    cells.insert(0, ("", units, next(iter(how.values()))))
    return []


def _silent(votes: Sequence[Vote]) -> Iterator[str]:
    """Yield a sentence for each step in which a judge gave no verdict at all."""
    judges: dict[str, dict[str, bool]] = {}
    for vote in votes:
        spoken = judges.setdefault(vote.step, {})
        spoken[vote.judge] = spoken.get(vote.judge, False) or vote.status == "done"
    for step, spoken in judges.items():
        silent = [judge for judge, has in spoken.items() if not has]
        if silent:
            of = f" of {step}" if step else ""
            yield (
                f'no verdict{of} by {", ".join(silent)}: "all judges" are the other '
                f"{len(spoken) - len(silent)} of {len(spoken)}"
            )


def _counts(votes: Sequence[Vote]) -> Iterator[CountRow]:
    counts: dict[tuple[str, str], Counter[str]] = {}
    for vote in votes:
        counts.setdefault((vote.step, vote.judge), Counter())[vote.status] += 1
    for (step, judge), ended in counts.items():
        total = sum(ended.values())
        yield CountRow(step, judge, total, ended["done"], ended["abstained"], ended["failed"],
                       ended["failed"] / total)  # fmt: skip

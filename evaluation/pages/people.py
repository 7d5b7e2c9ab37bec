"""What the page about judges shows of people: each judge with each person, item by item."""

import itertools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from ...graphs.jury.votes_file import read_known
from ...scoring.votes import Vote
from ..judges.agreement_rows import Terms
from ..judges.agreement_table import agree
from ..judges.agreement_text import blocks_of
from ..judges.as_votes import ITEM
from ..judges.names import short_names
from ..judging import JURY
from .confusions import Confusion, confusions_of
from .items import Items
from .judges import grid_of_block
from .plain import Grid


@dataclass(frozen=True)
class PeoplePage:
    """Judges and people on the items that people judged.

    pairs: each judge with each person, then every two people. differ: the rows of the table of
    verdicts that a person contradicts. unused: verdicts of people on items that the run does not
    have, or that no judge of the run judged.
    """

    people: tuple[str, ...]
    pairs: tuple[Confusion, ...]
    agreement: tuple[Grid, ...]
    notes: tuple[str, ...]
    differ: int
    unused: int


def people_page(items: Items) -> PeoplePage | None:
    """Compare what people and judges said of the same items; None where no person said anything."""
    if not items.people:
        return None
    by_people, by_judges = list(_of_people(items)), list(_of_judges(items))
    votes = [*by_judges, *by_people]
    people = tuple(dict.fromkeys(vote.judge for vote in by_people))
    judges = tuple(dict.fromkeys(vote.judge for vote in by_judges))
    judged = {_unit(vote) for vote in by_judges}
    agreement = agree(votes, Terms(item=ITEM))
    pairs = [*itertools.product(judges, people), *itertools.combinations(people, 2)]
    people_of_rows = items.facets["people"]
    return PeoplePage(
        people,
        confusions_of(votes, pairs, agreement.rows, short_names(judges)),
        tuple(map(grid_of_block, blocks_of(agreement))),
        agreement.notes,
        int((people_of_rows.codes == people_of_rows.values.index("differ")).sum()),
        sum(_unit(vote) not in judged for vote in by_people),
    )


def _unit(vote: Vote) -> tuple[str, ...]:
    return (vote.step, vote.case, *(vote.groups[name] for name in ITEM))


def _of_people(items: Items) -> Iterator[Vote]:
    for (task, *item), by_person in items.people.items():
        for person, parts in by_person.items():
            yield from _votes(task, item, person, parts)


def _of_judges(items: Items) -> Iterator[Vote]:
    """The votes of single judges on the items that people judged."""
    judges = [name for name in items.facets["judge"].values if name and not name.startswith(JURY)]
    for unit in items.people:
        for judge in judges:
            task, *item = unit
            yield from _votes(task, item, judge, items.said.get((unit, judge), {}))


def _votes(
    task: str, item: Sequence[str], judge: str, parts: Mapping[str, tuple[str, str]]
) -> Iterator[Vote]:
    model, case, response, place = item
    for part, (cell, words) in parts.items():
        step = f"{task}.{part}" if part else task
        if cell:
            verdict = read_known(step, cell)
            groups = {"model": model, "response": response, "place": place}
            yield Vote(case, step, judge, verdict=verdict, explanation=words, groups=groups)

"""What the page about judges shows: agreement, pairs, contested cases, self-preference."""

import itertools
from collections.abc import Sequence
from dataclasses import dataclass

from ..judges.agreement_text import Block, blocks_of
from ..judges.as_votes import votes_of
from ..judges.names import short_names
from ..judges.swap_rows import Conclusion
from ..judges.swap_text import FAMILIES, no_family, swap_blocks
from ..report.figure import Figure
from ..result import Evaluation
from .confusions import Confusion, confusions_of
from .contested_views import ContestedView, contested_views
from .overview import Drawing, Judge, drawings
from .plain import Grid, grid_of


@dataclass(frozen=True)
class JudgesPage:
    """The page about judges.

    left: the number of contested items that are not shown. pairs: every two judges on every step.
    families: what judges give models of their own family; empty where `family_note` says why.
    """

    judges: tuple[Judge, ...]
    notes: tuple[str, ...]
    conclusions: tuple[Conclusion, ...]
    family_note: str
    families: tuple[Grid, ...]
    pairs: tuple[Confusion, ...]
    figures: tuple[Drawing, ...]
    contested: tuple[ContestedView, ...]
    left: int
    swap: tuple[Grid, ...]
    agreement: tuple[Grid, ...]


def judges_page(evaluation: Evaluation, figures: Sequence[Figure]) -> JudgesPage | None:
    """Shape the page about judges; None without an agreement and without figures.

    `figures` are those of `judge_figures`.
    """
    agreement, swap = evaluation.agreement, evaluation.swap
    if agreement is None and not figures:
        return None
    names = short_names(evaluation.judged.judges)
    blocks = swap_blocks(swap) if swap else []
    contested = contested_views(evaluation)
    return JudgesPage(
        judges=tuple(Judge(judge, names[judge]) for judge in evaluation.judged.judges),
        notes=agreement.notes if agreement else (),
        conclusions=swap.conclusions if swap else (),
        family_note=no_family(swap) if swap else "",
        families=tuple(grid_of_block(block) for block in blocks if block.title == FAMILIES),
        pairs=_pairs(evaluation),
        figures=drawings(figures),
        contested=contested,
        left=len(agreement.contested) - len(contested) if agreement else 0,
        swap=tuple(grid_of_block(block) for block in blocks if block.title != FAMILIES),
        agreement=tuple(map(grid_of_block, blocks_of(agreement))) if agreement else (),
    )


def _pairs(evaluation: Evaluation) -> tuple[Confusion, ...]:
    if evaluation.agreement is None:
        return ()
    judges = evaluation.judged.single_judges
    pairs = list(itertools.combinations(judges, 2))
    votes, rows = votes_of(evaluation.judged), evaluation.agreement.rows
    return confusions_of(votes, pairs, rows, short_names(judges))


def grid_of_block(block: Block) -> Grid:
    """Return a small table as the pages show it."""
    return grid_of(block.title, block.header, block.rows, "; ".join(block.notes))

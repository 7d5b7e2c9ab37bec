"""What the page about judges shows: agreement, pairs, contested cases, self-preference."""

from collections.abc import Sequence
from dataclasses import dataclass

from ..judges.agreement_text import Block, blocks_of
from ..judges.names import short_names
from ..judges.swap_rows import Conclusion
from ..judges.swap_text import no_family, swap_blocks
from ..report.figure import Figure
from ..result import Evaluation
from .contested_views import ContestedView, contested_views
from .overview import Drawing, Judge, drawings
from .plain import Grid, grid_of

JUDGES = "judges.json"
"""The file with the data of the page about judges in the folder of an evaluation."""


@dataclass(frozen=True)
class JudgesPage:
    """The page about judges. `left` is the number of contested items that are not shown."""

    judges: tuple[Judge, ...]
    notes: tuple[str, ...]
    conclusions: tuple[Conclusion, ...]
    family_note: str
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
    contested = contested_views(evaluation)
    return JudgesPage(
        judges=tuple(Judge(judge, names[judge]) for judge in evaluation.judged.judges),
        notes=agreement.notes if agreement else (),
        conclusions=swap.conclusions if swap else (),
        family_note=no_family(swap) if swap else "",
        figures=drawings(figures),
        contested=contested,
        left=len(agreement.contested) - len(contested) if agreement else 0,
        swap=tuple(map(_grid, swap_blocks(swap))) if swap else (),
        agreement=tuple(map(_grid, blocks_of(agreement))) if agreement else (),
    )


def _grid(block: Block) -> Grid:
    return grid_of(block.title, block.header, block.rows, "; ".join(block.notes))

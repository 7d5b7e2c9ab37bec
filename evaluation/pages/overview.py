"""What the front page of a run shows: its numbers, what hangs on the judge, figures, tables."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ..judges.names import short_names
from ..judges.swap_rows import Conclusion
from ..judges.swap_text import no_family
from ..measures.standings import Gap
from ..presets import title_of
from ..report.figure import Figure
from ..report.latex import caption_of, show
from ..report.main_table import expanded, failed_note
from ..report.pairwise_tables import pairwise_view
from ..report.paper_tables import paper_views
from ..report.paper_text import paper_text
from ..report.rank_table import RANKS_SAY, rank_notes, rank_rows
from ..result import Evaluation
from .main_cells import MainTable, main_cells
from .plain import Grid, Section, grid_of

_MOST = 2000  # the rows of a table on the page
_MISSES = 300
_GAPS = ("Metric", "Judge", "First", "Second", "Difference", "Low", "High", "p", "Holm", "BH",
         "tests", "n", "If unresolved were wrong", "Could be")  # fmt: skip
_GROUP_GAPS = ("Metric", "Judge", "Model", "Groups of", "Worst", "Best", "Gap", "Low", "High",
               "Corrected", "By chance", "p", "Holm", "BH", "Too few cases")  # fmt: skip
_GAPS_SAY = (
    "Differences are over the same resampled cases. Holm and BH (Benjamini and Hochberg) are the "
    "p-values after correction. The p-values of all pairs of models under one metric and one judge "
    'are corrected together; "tests" is how many these are.'
)
_GROUPS_SAY = (
    "The measured gap is too large on average, because the best group was lucky and the worst was "
    'not. "By chance" is the gap that chance alone would give if all groups were equal; '
    '"corrected" is the gap without its estimated bias; low and high are limits of the true gap. '
    "Holm and BH correct the p-values of all models under one metric, judge and column together. "
    "Groups with too few cases are not compared."
)


@dataclass(frozen=True)
class Judge:
    """A judge by its whole name, and by the short one that tables show."""

    name: str
    short: str


@dataclass(frozen=True)
class Remark:
    """Why a task is left out, or which cases it could not judge."""

    task: str
    reason: str


@dataclass(frozen=True)
class Drawing:
    """A figure with its numbers as a table."""

    name: str
    title: str
    caption: str
    svg: str
    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


@dataclass(frozen=True)
class Overview:
    """Everything on the front page of a run."""

    title: str
    models: int
    cases: int
    seed: int
    version: str
    id: str
    judges: tuple[Judge, ...]
    left_out: tuple[Remark, ...]
    skipped: tuple[Remark, ...]
    notes: tuple[str, ...]
    failures: Mapping[str, int]
    main: MainTable
    caption: str
    rank_notes: tuple[str, ...]
    conclusions: tuple[Conclusion, ...]
    family_note: str
    figures: tuple[Drawing, ...]
    sections: tuple[Section, ...]
    signature: Mapping[str, Any]


def overview_of(evaluation: Evaluation, figures: Sequence[Figure]) -> Overview:
    """Shape an evaluation for the front page; `figures` are drawn as they are."""
    judged, swap = evaluation.judged, evaluation.swap
    names = short_names(judged.judges)
    return Overview(
        title=title_of(evaluation.settings),
        models=len(judged.models),
        cases=len(judged.cases),
        seed=evaluation.settings.seed,
        version=str(evaluation.signature["dxjudge"]),
        id=str(evaluation.signature["id"]),
        judges=tuple(Judge(judge, names[judge]) for judge in judged.judges),
        left_out=tuple(Remark(one.task, one.reason) for one in evaluation.left_out),
        skipped=tuple(Remark(one.task, one.reason) for one in evaluation.skipped),
        notes=tuple(evaluation.notes),
        failures=evaluation.failures,
        main=main_cells(evaluation),
        caption=f"{caption_of(evaluation, by_row=False)} {failed_note(evaluation, names)}".strip(),
        rank_notes=tuple(rank_notes(evaluation, names)),
        conclusions=swap.conclusions if swap else (),
        family_note=no_family(swap) if swap else "",
        figures=drawings(figures),
        sections=tuple(section for section in _sections(evaluation) if section.grids),
        signature=evaluation.signature,
    )


def drawings(figures: Sequence[Figure]) -> tuple[Drawing, ...]:
    """Draw the figures, each with its numbers as a table."""
    return tuple(
        Drawing(one.name, one.title, one.caption, one.svg, one.chart.header, one.chart.rows)
        for one in figures
    )


def _sections(evaluation: Evaluation) -> Iterator[Section]:
    papers = [paper_text(view, evaluation) for view in paper_views(evaluation)]
    tables = [grid_of(one.title, one.header, one.rows, " ".join(one.notes)) for one in papers]
    yield Section("paper", "Tables of the paper", (), tuple(tables))
    tables = [
        grid_of(one["title"], one["header"], one["rows"], one["caption"])
        for one in pairwise_view(evaluation)
    ]
    yield Section("pairwise", "Compared two at a time", (), tuple(tables))
    header, rows = rank_rows(evaluation)
    ranks = grid_of("Ranks by metric and judge", header, rows, RANKS_SAY)
    yield Section("ranks", "Ranks", (), (ranks,) if rows else ())
    yield Section("differences", "Paired differences", (), tuple(_differences(evaluation)))
    yield Section("groups", "Groups", (), tuple(_groups(evaluation)))
    yield Section("misses", "Misses", (), tuple(_misses(evaluation)))


def _capped(title: str, header: Sequence[str], rows: Sequence[Sequence[str]], say: str,
            file: str, most: int = _MOST) -> Grid:  # fmt: skip
    if len(rows) > most:
        say = f"{say} {most:,} of {len(rows):,} rows are shown; {file} has all.".strip()
    return grid_of(title, header, rows[:most], say)


def _differences(evaluation: Evaluation) -> Iterator[Grid]:
    gaps = [gap for gap in evaluation.gaps if not gap.slice and not gap.group_by]
    if gaps:
        rows = [_gap(gap) for gap in gaps]
        title = "The first model minus the second"
        yield _capped(title, _GAPS, rows, _GAPS_SAY, "differences.csv")


def _gap(gap: Gap) -> list[str]:
    tested = (gap.low, gap.high, gap.p_value, gap.p_holm, gap.p_bh)
    numbers = [f"{one:.3f}" for one in tested] if gap.low == gap.low else [gap.warning, *("",) * 4]
    doubt = ["", ""]
    if gap.unresolved and gap.if_wrong == gap.if_wrong:
        doubt = [f"{gap.if_wrong:.3f}", f"{gap.lowest:.3f} to {gap.highest:.3f}"]
    return [gap.metric, gap.judge, gap.first, gap.second, f"{gap.value:.3f}", *numbers,
            str(gap.tests), str(gap.n), *doubt]  # fmt: skip


def _groups(evaluation: Evaluation) -> Iterator[Grid]:
    rows = []
    for gap in evaluation.group_gaps:
        about = [gap.metric, gap.judge, gap.model, gap.group_by]
        if gap.worst:
            numbers = (gap.value, gap.low, gap.high, gap.corrected, gap.by_chance, gap.p_value,
                       gap.p_holm, gap.p_bh)  # fmt: skip
            about += [f"{gap.worst} {gap.worst_value:.3f} (n {gap.worst_n})",
                      f"{gap.best} {gap.best_value:.3f} (n {gap.best_n})",
                      *(f"{one:.3f}" if one == one else "-" for one in numbers)]  # fmt: skip
        elif gap.too_few:
            about += [gap.warning, *("",) * 9]
        else:
            continue
        rows.append([*about, gap.too_few])
    if rows:
        title = "Gaps between groups: the best group minus the worst"
        yield _capped(title, _GROUP_GAPS, rows, _GROUPS_SAY, "group_gaps.csv")
    yield from _by_group(evaluation)


def _by_group(evaluation: Evaluation) -> Iterator[Grid]:
    """A table for each metric of the main table and each group column: a row for each group."""
    judge = evaluation.judged.judges[0]
    for column in dict.fromkeys(column for column, _ in expanded(evaluation) if not column.by):
        for by in evaluation.units.groups:
            rows = []
            for group in evaluation.units.values(by):
                numbers = [
                    evaluation.number(column.metric, model, judge, group_by=by, group=group)
                    for model in evaluation.judged.models
                ]
                n = max((one.n for one in numbers if one), default=0)
                rows.append([group, str(n), *map(show, numbers)])
            yield grid_of(f"{column.title} by {by}", [by, "n", *evaluation.judged.models], rows)


def _misses(evaluation: Evaluation) -> Iterator[Grid]:
    if evaluation.misses:
        header = ("Model", "Case", "Diagnosis", "Codes", "Predicted", "Still right")
        rows = [
            (one.model, one.case, one.diagnosis, one.codes, one.predicted,
             f"{one.level}: {one.shared} {one.shared_name}" if one.shared else one.level)
            for one in evaluation.misses
        ]  # fmt: skip
        title = "True diagnoses that no prediction matches, and the deepest level still right"
        yield _capped(title, header, rows, "", "misses.csv", _MISSES)

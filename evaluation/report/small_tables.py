"""The tables that the tables of a paper use too: ranks, variants, samples, image and text."""

from collections.abc import Callable, Mapping

from ..measures.alignment import AlignmentRow
from ..measures.evidence import ModalGap
from ..measures.samples import SampleSpread
from ..measures.standings import Rank
from ..result import Evaluation
from .table import Table, table_of


def ranks_table(evaluation: Evaluation) -> Table:
    """The ranks of the models under every metric."""
    return table_of("ranks", Rank, evaluation.ranks)


def shifts_table(evaluation: Evaluation) -> Table:
    """The ranks of each model under the two metrics that the preset compares, and the ties."""
    rows = [
        [judge, shift.model, shift.before, shift.after, shift.change,
         "; ".join(shift.tied_before), "; ".join(shift.tied_after)]
        for judge, shifts in evaluation.shifts.items()
        for shift in shifts
    ]  # fmt: skip
    before, after = evaluation.preset.before, evaluation.preset.after
    columns = ("judge", "model", f"rank {before}", f"rank {after}", "places climbed",
               f"same rank {before}", f"same rank {after}")  # fmt: skip
    return Table("rank_change", columns, rows)


def spreads_table(evaluation: Evaluation) -> Table:
    """The spread of set accuracy over prompt variants."""
    rows = [[model, judge, s.mean, s.sd, s.lowest, s.highest, s.n]
            for (model, judge), s in evaluation.spreads.items()]  # fmt: skip
    names = ("model", "judge", "mean set accuracy", "sd", "lowest", "highest", "variants")
    return Table("variants", names, rows)


def samples_table(evaluation: Evaluation) -> Table:
    """The spread of the scores of pairs over samples, by wording of the prompt."""
    return table_of("samples", SampleSpread, evaluation.samples)


def modal_table(evaluation: Evaluation) -> Table:
    """Image against text, by model and type of evidence."""
    return table_of("cross_modal", ModalGap, evaluation.modal)


def alignment_table(evaluation: Evaluation) -> Table:
    """The agreement of every metric with the people who rated the responses."""
    return table_of("alignment", AlignmentRow, evaluation.alignment)


def small_table(evaluation: Evaluation, name: str) -> Table:
    """One of these tables by its name."""
    return _MAKERS[name](evaluation)


_MAKERS: Mapping[str, Callable[[Evaluation], Table]] = {
    "ranks": ranks_table,
    "rank_change": shifts_table,
    "variants": spreads_table,
    "samples": samples_table,
    "cross_modal": modal_table,
    "alignment": alignment_table,
}

"""The result of an evaluation: everything that its tables and its report show."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ..files.counted import counted
from ..scoring.flat import RankChange
from ..scoring.paired import Spread
from ..scoring.stability import RankingStability
from .judged import Judged, LeftOut
from .judges.agreement_rows import Agreement
from .judges.swap_rows import Swap
from .judging import JURY
from .measures.alignment import AlignmentRow
from .measures.compare import MissRow
from .measures.evidence import ModalGap
from .measures.group_gaps import GroupGap
from .measures.measure import Measure, Units
from .measures.model_groups import GroupMean
from .measures.numbers import Number
from .measures.pairwise import Pairwise
from .measures.samples import SampleSpread
from .measures.standings import Gap, Rank
from .presets import Preset
from .settings import Column, Settings


@dataclass(frozen=True, repr=False)
class Evaluation:
    """Everything that an evaluation reports.

    columns: of the main table.
    grouped: the metrics that are compared in every group, with a table for each group column.
    agreement: of the judges; None with fewer than two judges.
    spreads: over prompt variants, by model and judge.
    modal: NMSE gap and share below the diagonal, by model and type of evidence.
    model_groups: means over groups of models, where the models have attributes.
    alignment: agreement of every metric with the people who rated responses, if there are any.
    sensitivity: evidence sensitivity by case, for each model, type of evidence and presentation.
    swap: the same responses under each judge; None with fewer than two judges.
    pairwise: the comparisons of every two models under each judge, and what follows from them.
    samples: the spread over samples, by model, judge, wording of the prompt and metric.
    notes: sentences about what was read and how.
    skipped: the tasks that could not judge some of the cases, with the number of these cases.
    group_gaps: the best group minus the worst, by model, metric and group column.
    """

    preset: Preset
    columns: tuple[Column, ...]
    grouped: tuple[str, ...]
    settings: Settings
    judged: Judged
    units: Units
    measures: tuple[Measure, ...]
    numbers: tuple[Number, ...]
    gaps: tuple[Gap, ...]
    ranks: tuple[Rank, ...]
    shifts: Mapping[str, tuple[RankChange, ...]]
    misses: tuple[MissRow, ...]
    agreement: Agreement | None
    stability: Mapping[str, RankingStability]
    spreads: Mapping[tuple[str, str], Spread]
    modal: tuple[ModalGap, ...]
    sensitivity: Mapping[tuple[str, str, str], Mapping[str, float]]
    signature: Mapping[str, Any]
    left_out: tuple[LeftOut, ...] = ()
    swap: Swap | None = None
    alignment: tuple[AlignmentRow, ...] = ()
    model_groups: tuple[GroupMean, ...] = ()
    pairwise: tuple[Pairwise, ...] = ()
    notes: tuple[str, ...] = ()
    samples: tuple[SampleSpread, ...] = ()
    group_gaps: tuple[GroupGap, ...] = ()
    skipped: tuple[LeftOut, ...] = ()

    def __repr__(self) -> str:
        models, cases = len(self.judged.models), len(self.judged.cases)
        numbers = counted(len(self.numbers), "number")
        about = f"{counted(models, 'model')}, {counted(cases, 'case')}, {numbers}"
        failed = sum(self.failures.values())
        return f"Evaluation({self.preset.name!r}: {about}, {failed} failed)"

    def number(self, metric: str, model: str, judge: str = "", **where: str) -> Number | None:
        """One number, or None; `where` may name slice, group_by and group."""
        wanted = {"slice": "", "group_by": "", "group": "", **where}
        for one in self.numbers:
            if one.metric == metric and one.model == model and one.judge in ("", judge):
                if all(getattr(one, name) == value for name, value in wanted.items()):
                    return one
        return None

    @property
    def failures(self) -> Mapping[str, int]:
        """How many items failed, by task: judged items, missing responses, mappings."""
        counted: Counter[str] = Counter()
        for (task, judge, *_), items in self.judged.outcomes.items():
            if not judge.startswith(JURY):  # a jury fails with its judges, or is only undecided
                counted[task] += sum(item.outcome.status == "failed" for item in items)
        for model in self.judged.models:
            counted["missing response"] += sum(
                self.judged.first_response(model, case.id) is None for case in self.judged.cases
            )
        if self.judged.codes is not None:
            rows = self.judged.codes.mappings.values()
            counted["map_to_icd10"] += sum(row.status == "failed" for row in rows)
        counted["probabilities"] = sum(
            bool(response.fault)
            for by_case in self.judged.responses.values()
            for responses in by_case.values()
            for response in responses
        )
        failures = {name: count for name, count in counted.items() if count}
        unresolved = max((one.failed + one.undecided for one in self.numbers), default=0)
        return failures or ({"unresolved": unresolved} if unresolved else {})

    @property
    def unresolved_models(self) -> tuple[str, ...]:
        """The models without a number, because all their items failed."""
        known = {one.model for one in self.numbers if one.value == one.value}
        return tuple(model for model in self.judged.models if model not in known)

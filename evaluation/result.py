"""What an evaluation comes to: everything that its tables and its report are made of."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ..scoring.flat import RankChange
from ..scoring.paired import Spread
from ..scoring.stability import RankingStability
from .judged import Judged, LeftOut
from .judges.agreement_table import Agreement
from .judges.swap_rows import Swap
from .judging import JURY
from .measures.compare import MissRow
from .measures.evidence import ModalGap
from .measures.measure import Measure, Units
from .measures.numbers import Number
from .measures.standings import Gap, Rank
from .presets import Preset
from .settings import Column, Settings


@dataclass(frozen=True)
class Evaluation:
    """Everything that an evaluation reports.

    `columns` are those of the main table; `grouped` are the metrics that stand by group in
    tables of their own. `agreement` is None with fewer than two judges.
    `spreads` is over prompt variants by model and judge; `modal` holds NMSE gap and share
    below the diagonal by model and type of evidence; `sensitivity` the evidence sensitivities by
    model, type of evidence, presentation and case. `swap` is the same responses under each
    judge; None with fewer than two. `notes` are sentences on what was read and how.
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
    notes: tuple[str, ...] = ()

    def number(self, metric: str, model: str, judge: str = "", **where: str) -> Number | None:
        """One number; `where` may say slice, group_by and group. None where there is none."""
        wanted = {"slice": "", "group_by": "", "group": "", **where}
        for one in self.numbers:
            if one.metric == metric and one.model == model and one.judge in ("", judge):
                if all(getattr(one, name) == value for name, value in wanted.items()):
                    return one
        return None

    @property
    def failures(self) -> Mapping[str, int]:
        """How many items failed, by task: verdicts, missing responses, mappings."""
        counted: Counter[str] = Counter()
        for (task, judge, *_), verdicts in self.judged.verdicts.items():
            if not judge.startswith(JURY):  # what it lacks, its judges lack, or they are at odds
                counted[task] += sum(one.outcome.status == "failed" for one in verdicts)
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
            for held in by_case.values()
            for response in held
        )
        found = {name: count for name, count in counted.items() if count}
        unresolved = max((one.failed for one in self.numbers), default=0)
        return found or ({"unresolved": unresolved} if unresolved else {})

    @property
    def unresolved_models(self) -> tuple[str, ...]:
        """The models without any number: every item of theirs failed."""
        known = {one.model for one in self.numbers if one.value == one.value}
        return tuple(model for model in self.judged.models if model not in known)

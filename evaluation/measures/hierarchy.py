"""Compare predicted with true codes: hierarchical measures on every level and chapter."""

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from ...ontology.mapping import Mapping
from ...scoring.hierarchical import HierarchicalCounts, counts_by_model
from ...scoring.shares import FAILED
from ..cases import Case, Diagnosis
from ..judged import MISSING, Diagnoses, Judged
from ..settings import Settings
from .measure import Measure, Status


def true_diagnoses(case: Case, settings: Settings) -> list[Diagnosis]:
    """Return the true diagnoses of the settings: the differential, the diagnosis, or both."""
    main = [case.diagnosis] if case.diagnosis else []
    chosen = {"ddx": list(case.ddx), "diagnosis": main, "both": [*main, *case.ddx]}
    return chosen[settings.truth]


def predicted_names(judged: Judged, model: str, case: Case, settings: Settings) -> Diagnoses:
    """Return the predictions of the settings: the differential, the final diagnosis, or both."""
    final = judged.finals.get((model, case.id), MISSING)
    ddx = judged.ddx.get((model, case.id), MISSING)
    if settings.predicted == "ddx":
        return ddx
    if settings.predicted == "final":
        return final
    if "failed" in (final.status, ddx.status):
        return final if final.status == "failed" else ddx
    names = tuple(dict.fromkeys((*final.names, *ddx.names)))
    return Diagnoses("done" if names else "abstained", names)


def codes_of_truth(case: Case, judged: Judged, settings: Settings) -> list[list[str]]:
    """Return the codes of each true diagnosis: those in the file, else the mapped one if any."""
    assert judged.tree is not None
    coded = []
    for diagnosis in true_diagnoses(case, settings):
        known = [code for code in diagnosis.codes if judged.tree.contains(code)]
        row = _row(judged, diagnosis.text)
        coded.append(known or ([row.code] if row and row.code else []))
    return coded


def codes_of_prediction(judged: Judged, model: str, case: Case, settings: Settings) -> Any:
    """Return the code of each prediction; FAILED if an extraction or a mapping failed."""
    predicted = predicted_names(judged, model, case, settings)
    rows = [_row(judged, name) for name in predicted.names]
    if predicted.status == "failed" or any(row is None or row.status == "failed" for row in rows):
        return FAILED
    return [row.code if row else None for row in rows]


def _row(judged: Judged, text: str) -> Mapping | None:
    return judged.codes.find(text) if judged.codes else None


def hierarchical_measures(judged: Judged, settings: Settings) -> Iterator[Measure]:
    """Yield HDP, HDR and HDF1 of every model: over all nodes, per level, and per chapter."""
    if judged.codes is None or judged.tree is None:
        return
    truth = [codes_of_truth(case, judged, settings) for case in judged.cases]
    predicted = {
        model: [codes_of_prediction(judged, model, case, settings) for case in judged.cases]
        for model in judged.models
    }
    counts = counts_by_model(truth, predicted, judged.tree, unmapped=settings.unmapped)
    for model, counted in counts.items():
        statuses = _statuses(judged, model, settings, counted)
        unmapped = np.bincount(
            [entry.case for entry in counted.unmapped], minlength=len(judged.cases)
        )
        for name, cell in _cells(counted):
            yield from _cell_measures(counted, model, name, cell, statuses, unmapped)


def _cells(counted: HierarchicalCounts) -> Iterator[tuple[str, tuple[int, int]]]:
    """Yield the name and place of the cells: everything, each level, each chapter with a case."""
    for at, level in enumerate(counted.levels):
        yield f"level: {level}" if level else "", (at, 0)
    for at, chapter in enumerate(counted.chapters):
        if chapter is not None and counted.truth[:, 0, at].any():
            yield f"chapter: {chapter.code}", (0, at)


def _statuses(
    judged: Judged, model: str, settings: Settings, counted: HierarchicalCounts
) -> tuple[Status, ...]:
    failed = set(counted.failed)
    return tuple(
        "failed"
        if place in failed
        else "abstained"
        if predicted_names(judged, model, case, settings).status == "abstained"
        else "done"
        for place, case in enumerate(judged.cases)
    )


def _cell_measures(
    counted: HierarchicalCounts,
    model: str,
    name: str,
    cell: tuple[int, int],
    statuses: Sequence[Status],
    unmapped: Any,
) -> Iterator[Measure]:
    precision, recall, _ = (part[:, cell[0], cell[1]] for part in counted.ratios())
    concerned = counted.truth[:, cell[0], cell[1]] > 0
    scored = concerned & ~np.isnan(recall)
    status: tuple[Status, ...] = tuple(
        own_status if wanted else "none"
        for own_status, wanted in zip(statuses, concerned, strict=True)
    )
    columns = np.column_stack([np.where(scored, precision, 0.0), np.where(scored, recall, 0.0)])
    below = np.column_stack([scored, scored]).astype(float)
    for metric, places in (("hdp", [0]), ("hdr", [1]), ("hdf1", [0, 1])):
        width = len(places)
        yield Measure(
            metric,
            model,
            "",
            columns[:, places],
            below[:, places],
            concerned & ~scored,
            status,
            (0.0,) * width,
            (1.0,) * width,
            (1.0,) * width,
            combine="harmonic" if width == 2 else "ratio",
            slice=name,
            unmapped=np.where(concerned, unmapped, 0),
        )

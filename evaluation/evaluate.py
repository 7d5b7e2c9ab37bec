"""A whole evaluation: cases and responses in, everything that is reported out."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from ..agents.engine.models import AnyJudge
from ..errors import UsageError
from ..scoring.paired import Spread
from .cases import Case
from .judged import Judged, LeftOut, Responses
from .judges.as_votes import judge_agreement
from .judges.swap import swap_of
from .judging import Panel
from .measures.answers import (
    answer_measures,
    gap_measures,
    pair_measures,
    pair_units,
    variant_spreads,
)
from .measures.compare import list_misses, stability_of
from .measures.diagnosis import diagnosis_measures
from .measures.evidence import (
    cross_modal,
    sensitivities,
    sensitivity_measures,
    withheld_kinds,
)
from .measures.hierarchy import hierarchical_measures
from .measures.likeness import find_encoder, overlap_measures, semantic_measures
from .measures.measure import Measure, Units, case_units
from .measures.numbers import differences_of, numbers_of, rank_shift, ranks_of
from .presets import Preset, find_preset
from .result import Evaluation
from .run import Coder, judge_all
from .settings import Settings
from .signature import signature_of


def evaluate(
    cases: Sequence[Case],
    responses: Mapping[str, Responses],
    settings: Settings,
    panel: Panel | None = None,
    coder: Coder | None = None,
    *,
    judges: Sequence[AnyJudge] = (),
    files: Mapping[str, str] | None = None,
) -> Evaluation:
    """Run a whole evaluation.

    Args:
        cases: the cases, in the order of all tables.
        responses: model under test -> case id -> its responses.
        settings: preset, tasks and everything that can change a number.
        panel: the judges with their run and journal; by default a new one with `judges`.
        coder: how diagnoses get codes; without one there are no hierarchical scores.
        judges: used where no panel is given.
        files: name -> sha256 of the files read, for the signature.

    Raises:
        UsageError: no case, no model, a preset whose columns the cases lack.
    """
    if not cases or not responses:
        raise UsageError("an evaluation needs at least one case and one model")
    preset = find_preset(settings.preset)
    _check_needs(cases, preset)
    panel = replace(panel or Panel(tuple(judges)), jury=settings.jury)
    judged = judge_all(tuple(cases), responses, settings, panel, coder)
    units, measures, left_out, spreads, encoder = _measure(judged, settings)
    numbers = numbers_of(measures, units, settings.plan)
    main = [column.metric for column in preset.columns]
    headline = [one for one in measures if one.metric in main]
    made = Evaluation(
        preset,
        settings,
        judged,
        units,
        tuple(measures),
        tuple(numbers),
        tuple(
            differences_of(headline, units, settings.plan, grouped=(preset.before, preset.after))
        ),
        tuple(ranks_of(numbers)),
        rank_shift(numbers, preset.before, preset.after) if preset.before else {},
        tuple(list_misses(judged, settings)),
        judge_agreement(judged, settings.plan),
        stability_of(headline, judged.single_judges, settings.plan),
        spreads,
        {m: found for m in judged.models if (found := cross_modal(judged, m)) is not None},
        {
            (model, kind): sensitivities(judged, model, kind)
            for model in judged.models
            for kind in withheld_kinds(judged)
        },
        signature_of(judged, settings, panel.judges, files or {}, encoder),
        (*judged.left_out, *left_out),
    )
    return replace(made, swap=swap_of(made))


def _check_needs(cases: Sequence[Case], preset: Preset) -> None:
    for name in preset.needs:
        held = [case.options or case.answer if name == "answer" else getattr(case, name)
                for case in cases]  # fmt: skip
        if not any(held):
            needs = ", ".join(preset.needs)
            raise UsageError(
                f"the preset {preset.name} needs cases with {needs}; no case has {name}"
            )


def _measure(
    judged: Judged, settings: Settings
) -> tuple[Units, list[Measure], list[LeftOut], dict[tuple[str, str], Spread], str | None]:
    """Units and measures, what could not be measured, spreads, and the encoder's name."""
    done = {task for task in settings.tasks} - {entry.task for entry in judged.left_out}
    if "score_free_answer" in done:
        units, pairs = pair_units(judged.cases)
        return units, list(pair_measures(judged, pairs)), [], variant_spreads(judged, pairs), None
    measures = list(diagnosis_measures(judged, settings))
    left_out = []
    encoder = None
    if "map_to_icd10" in done:
        measures += hierarchical_measures(judged, settings)
    if "semantic" in done:
        encoder = find_encoder(settings.encoder)
        measures += semantic_measures(judged, settings, encoder)
    if "text_overlap" in done:
        measures += overlap_measures(judged, encoder)
        if not hasattr(encoder, "encode_tokens"):
            left_out.append(
                LeftOut(
                    "bert_score",
                    f"the encoder {settings.encoder!r} gives no token vectors; pass "
                    "--semantic-encoder with a sentence-transformers model",
                )
            )
    measures += answer_measures(judged, multiple=settings.preset == "medlesionvqa")
    measures += gap_measures(measures)
    if "evidence_sensitivity" in done and withheld_kinds(judged):
        measures += sensitivity_measures(judged)
    named = getattr(encoder, "identity", None) or getattr(encoder, "name", None)
    return case_units(judged.cases), measures, left_out, {}, named

"""Runs a whole evaluation: from cases and responses to everything that is reported."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from ..agents.engine.judges import AnyJudge, as_judge, check_named_once
from ..errors import UsageError
from ..files.counted import counted
from ..scoring.paired import Spread
from ..scoring.text import bleu, meteor, rouge
from .cases import Case
from .failures import about_errors
from .judged import Judged, LeftOut, Responses
from .judges.as_votes import judge_agreement
from .judges.swap import swap_of
from .judging import Panel
from .measures.alignment import alignment_of
from .measures.answers import gap_measures
from .measures.compare import list_misses, stability_of
from .measures.evidence import (
    cross_modal,
    presentations,
    sensitivities,
    withheld_kinds,
)
from .measures.group_gaps import group_gaps_of
from .measures.likeness import find_encoder
from .measures.measure import Measure, Units, case_units
from .measures.model_groups import group_means
from .measures.numbers import numbers_of
from .measures.pairs import pair_units, variant_spreads
from .measures.pairwise import pairwise_of, strength_numbers
from .measures.samples import SampleSpread, sample_spreads
from .measures.standings import Gap, differences_of, rank_shift, ranks_of, too_coarse
from .own_task import check_columns
from .pairing import check_models
from .presets import Preset, find_preset, main_columns
from .ratings import Ratings
from .result import Evaluation
from .run import Coder, judge_all
from .settings import Settings
from .signature import signature_of
from .task import Task, unsuited
from .tasks import is_listed, tasks_of


def evaluate(
    cases: Sequence[Case],
    responses: Mapping[str, Responses],
    settings: Settings,
    panel: Panel | None = None,
    coder: Coder | None = None,
    *,
    judges: Sequence[AnyJudge] = (),
    files: Mapping[str, str] | None = None,
    notes: Sequence[str] = (),
    ratings: Ratings | None = None,
) -> Evaluation:
    """Run a whole evaluation.

    Args:
        cases: the cases; all tables have them in this order.
        responses: model under test -> case id -> its responses.
        settings: the preset, the tasks, and everything else that can change a number.
        panel: the judges with their run and journal; by default a new panel with `judges`.
        coder: how diagnoses get codes; without a coder there are no hierarchical scores.
        judges: the judges, where no panel is given.
        files: name -> sha256 of the files read, for the signature.
        notes: sentences about what was read; they are reported with the numbers.
        ratings: what people said of the responses; every metric is compared with it.

    Raises:
        UsageError: no case, no model, the same judge twice, or a preset whose columns the cases
            lack.
    """
    panel = replace(
        panel or Panel(tuple(judges)),
        jury=settings.jury,
        quorum=settings.quorum,
        weights=settings.weights,
    )
    check_evaluation(cases, responses, settings, panel.judges)
    preset = find_preset(settings.preset)
    columns = main_columns(settings)
    judged = judge_all(tuple(cases), responses, settings, panel, coder)
    undone = {entry.task for entry in judged.left_out}
    tasks = [task for task in tasks_of(settings) if task.name not in undone]
    encoder, left_out = _encoder(settings, tasks)
    units, measures, spreads, samples = _measure(judged, settings, tasks)
    pairwise = pairwise_of(judged, settings)
    numbers = [
        *strength_numbers(pairwise, measures),
        *numbers_of(measures, units, settings.plan),
    ]
    places = ranks_of(measures, units)
    grouped = _grouped(preset, settings, measures)
    headline = [one for one in measures if any(c.covers(one.metric) for c in columns)]
    gaps = differences_of(headline, units, settings.plan, grouped=grouped)
    evaluation = Evaluation(
        preset,
        columns,
        grouped,
        settings,
        judged,
        units,
        tuple(measures),
        tuple(numbers),
        tuple(gaps),
        tuple(places),
        rank_shift(places, preset.before, preset.after) if preset.before else {},
        tuple(list_misses(judged, settings)),
        judge_agreement(judged, settings.plan),
        stability_of(headline, judged.single_judges, units, settings.plan),
        spreads,
        cross_modal(judged, settings.plan),
        {
            (model, kind, shown): sensitivities(judged, model, kind, shown)
            for model in judged.models
            for kind in withheld_kinds(judged)
            for shown in presentations(judged, kind)
        },
        signature_of(judged, settings, panel.judges, files or {}, encoder),
        (*judged.left_out, *left_out),
        alignment=tuple(alignment_of(measures, units, ratings, settings.plan)) if ratings else (),
        model_groups=tuple(group_means(measures, units, settings.plan, settings.models)),
        pairwise=pairwise,
        samples=samples,
        notes=_notes(notes, judged, settings, gaps),
        group_gaps=tuple(group_gaps_of(headline, units, settings.plan)),
        skipped=tuple(unsuited(tasks, judged.cases)),
    )
    return replace(evaluation, swap=swap_of(evaluation))


def check_evaluation(
    cases: Sequence[Case],
    responses: Mapping[str, Responses],
    settings: Settings,
    judges: Sequence[AnyJudge],
) -> None:
    """Check everything that can be checked before a judge is asked. Raises as `evaluate` does."""
    if not cases or not responses:
        raise UsageError("an evaluation needs at least one case and one model")
    check_named_once(map(as_judge, judges))
    main_columns(settings)
    _check_needs(cases, find_preset(settings.preset))
    check_columns(settings, cases, responses)
    check_models(settings, responses)
    _check_packages(settings)


def _check_packages(settings: Settings) -> None:
    """Raise MissingExtra where a task needs a package that is not installed."""
    if "text_overlap" in settings.tasks:
        for score in (bleu, meteor, rouge):
            score("gout", "gout")
    if "semantic" in settings.tasks:
        find_encoder(settings.encoder)


def _check_needs(cases: Sequence[Case], preset: Preset) -> None:
    for name in preset.needs:
        values = [case.options or case.answer if name == "answer" else getattr(case, name)
                  for case in cases]  # fmt: skip
        if not any(values):
            needs = ", ".join(preset.needs)
            raise UsageError(
                f"the preset {preset.name} needs cases with {needs}; no case has the field {name}"
            )


def _measure(
    judged: Judged, settings: Settings, tasks: Sequence[Task]
) -> tuple[Units, list[Measure], dict[tuple[str, str], Spread], tuple[SampleSpread, ...]]:
    """The units, the measures of the tasks, and the spreads over prompt variants and samples."""
    of_pairs = [task for task in tasks if task.of_pairs]
    over_cases = _measures_of([task for task in tasks if not task.of_pairs], judged, settings)
    over_cases += gap_measures(over_cases)
    if not of_pairs:
        return case_units(judged.cases), over_cases, {}, ()
    units, pairs = pair_units(judged.cases)
    measures = _measures_of(of_pairs, judged, settings)
    spreads = variant_spreads(judged, pairs), tuple(sample_spreads(judged, pairs))
    return units, [*measures, *over_cases], *spreads


def _measures_of(tasks: Sequence[Task], judged: Judged, settings: Settings) -> list[Measure]:
    makers = dict.fromkeys(task.measures for task in tasks if task.measures is not None)
    return [measure for make in makers for measure in make(judged, settings)]


def _notes(
    notes: Sequence[str], judged: Judged, settings: Settings, gaps: Sequence[Gap]
) -> tuple[str, ...]:
    tests = max((gap.tests for gap in gaps), default=0)
    further = (
        *_about_probabilities(judged.responses),
        *about_errors(judged, settings),
    )
    return tuple(filter(None, (*notes, *further, too_coarse(tests, settings.plan))))


def _about_probabilities(responses: Mapping[str, Responses]) -> Iterator[str]:
    """Sentences on how many distributions were scaled, and how many cannot be used."""
    for model, by_case in responses.items():
        of_model = [response for of_case in by_case.values() for response in of_case]
        scaled = sum(response.scaled for response in of_model)
        unusable = [response for response in of_model if response.fault]
        if scaled:
            yield (
                f"{model}: in {counted(scaled, 'response')} the probabilities do not sum to 1 "
                "exactly, but within 0.01; they were scaled to sum to 1"
            )
        if unusable:
            first = unusable[0]
            yield (
                f"{model}: failed because of their probabilities: "
                f"{counted(len(unusable), 'response')}, the first to "
                f"case {first.case}: {first.fault}"
            )


def _grouped(preset: Preset, settings: Settings, measures: Sequence[Measure]) -> tuple[str, ...]:
    """The metrics that are compared in every group: two of the preset, and those of own tasks."""
    columns = [
        column
        for task in tasks_of(settings)
        if not is_listed(task)
        for column in task.columns(settings)
    ]
    own = (one.metric for one in measures if any(c.covers(one.metric) for c in columns))
    return tuple(dict.fromkeys(filter(None, (preset.before, preset.after, *own))))


def _encoder(settings: Settings, tasks: Sequence[Task]) -> tuple[str | None, list[LeftOut]]:
    """The name of the encoder of the semantic scores, and the scores that it cannot give."""
    names = {task.name for task in tasks}
    encoder = find_encoder(settings.encoder) if "semantic" in names else None
    left_out = []
    if "text_overlap" in names and not hasattr(encoder, "encode_tokens"):
        left_out.append(
            LeftOut(
                "bert_score",
                f"the encoder {settings.encoder!r} gives no token vectors; pass "
                "--semantic-encoder with a sentence-transformers model",
            )
        )
    return getattr(encoder, "identity", None) or getattr(encoder, "name", None), left_out

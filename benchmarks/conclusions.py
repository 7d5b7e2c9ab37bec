"""Plant judges with known faults and count how often each printed sentence and interval is true.

    python benchmarks/conclusions.py [--seeds 60] [--cases 300] [--resamples 400] [--world NAME]
                                     [--by-seed FILE]

Four models with known accuracies answer the cases, and judges with known faults judge them. The
verdicts enter `evaluate` as records, so that no model is asked; everything after them is what
`dxjudge evaluate`, `compare-judges` and `agree --human` compute. Each world is drawn once a seed.

A sentence on two models is true if the better model has the higher accuracy. An interval covers
if it contains the value that the planted judges have over all possible cases. `--by-seed` writes a
row for each world, seed and statement. `--seeds 5` takes about a minute.
"""

import argparse
import csv
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import NormalDist
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dxjudge.agents.judge import JudgeSpec
from dxjudge.agents.judge_equivalence import JUDGE_EQUIVALENCE
from dxjudge.agents.outcome import Done, Failed, Outcome
from dxjudge.evaluation.cases import Case, Diagnosis, Response
from dxjudge.evaluation.evaluate import evaluate
from dxjudge.evaluation.judges.swap_rows import Conclusion, Swap
from dxjudge.evaluation.judging import Panel, RecordKey
from dxjudge.evaluation.read_settings import read_settings
from dxjudge.evaluation.result import Evaluation

Floats = NDArray[np.float64]
Count = tuple[str, bool]
"""A statement, and whether it is true."""
MODELS = ("qwen-model", "plain-b", "plain-c", "plain-d")
ALIKE = 0.3
"""The correlation of two models' right answers: some cases are hard for all."""
STEP = JUDGE_EQUIVALENCE.name


@dataclass(frozen=True)
class Planted:
    """A judge: how often it says yes to a right and to a wrong answer.

    bonus: how much more often it says yes to a wrong answer of the first model. common: the share
    of verdicts in which its error depends on luck that all judges with `common` share. silent: it
    fails on everything. fails: the share of the first model's wrong answers on which it fails.
    """

    name: str
    yes_if_right: float = 0.9
    yes_if_wrong: float = 0.1
    bonus: float = 0.0
    common: float = 0.0
    fails: float = 0.0
    silent: bool = False

    def score(self, accuracy: float, first: bool) -> float:
        """The share of yes over all possible cases of a model with this accuracy."""
        wrong = min(1.0, self.yes_if_wrong + self.bonus * first)
        return accuracy * self.yes_if_right + (1 - accuracy) * wrong


def honest(name: str, accuracy: float) -> Planted:
    """A judge that errs equally often on right and wrong answers."""
    return Planted(name, accuracy, 1 - accuracy)


@dataclass(frozen=True)
class World:
    """Four models with known accuracies, and the judges."""

    name: str
    judges: tuple[Planted, ...]
    accuracies: tuple[float, ...] = (0.6, 0.6, 0.7, 0.5)

    def draw(self, cases: int, rng: np.random.Generator) -> tuple[Floats, dict[str, Floats]]:
        """Draw which answers are right (models x cases), and the verdicts; NaN has failed."""
        hard = rng.normal(size=cases)
        ease = ALIKE**0.5 * hard + (1 - ALIKE) ** 0.5 * rng.normal(size=(len(MODELS), cases))
        limits = [NormalDist().inv_cdf(accuracy) for accuracy in self.accuracies]
        right = ease < np.array(limits)[:, None]
        shared, broken = rng.random(right.shape), rng.random(right.shape)
        verdicts = {}
        first = np.arange(len(MODELS))[:, None] == 0
        for judge in self.judges:
            luck = np.where(rng.random(right.shape) < judge.common, shared, rng.random(right.shape))
            wrong = np.minimum(1.0, judge.yes_if_wrong + judge.bonus * first)
            # The same luck makes an error on a right and on a wrong answer.
            yes = np.where(right, luck >= 1 - judge.yes_if_right, luck < wrong) * 1.0
            failed = (broken < judge.fails) & ~right & first
            verdicts[judge.name] = np.where(failed | judge.silent, np.nan, yes)
        return right * 1.0, verdicts


_FAIR = (honest("alpha", 0.95), honest("beta", 0.9))
_OTHERS = (*_FAIR, honest("gamma", 0.8))
WORLDS = (
    World("honest judges", _OTHERS),
    World("four equal models", _FAIR, (0.6,) * 4),
    World("one lenient judge", (*_FAIR, Planted("gamma", 0.98, 0.4))),
    World("one noisy judge", (*_FAIR, honest("gamma", 0.65))),
    World("own family", (*_FAIR, Planted("qwen-judge", bonus=0.3))),
    World("lenient, no favour", (*_FAIR, Planted("qwen-judge", 0.98, 0.4))),
    World("noisy, no favour", (*_FAIR, honest("qwen-judge", 0.65))),
    # 20 and 40 % of the wrong answers of a model that is right in 60 % are 8 and 16 % of all.
    World("8 % failures", tuple(Planted(name, fails=0.2) for name in ("alpha", "beta")),
          (0.6,) * 4),
    World("16 % failures", tuple(Planted(name, fails=0.4) for name in ("alpha", "beta")),
          (0.6,) * 4),
    World("two of three share errors", (*(Planted(name, 0.85, 0.15, common=0.8) for name in
          ("alpha", "beta")), honest("gamma", 0.85))),
    World("two of four share errors", (*(Planted(name, 0.85, 0.15, common=0.8) for name in
          ("alpha", "beta")), honest("gamma", 0.85), honest("delta", 0.85))),
    World("all favour one", tuple(Planted(name, 0.9, 0.1, bonus=0.2, common=0.8) for name in
          ("alpha", "beta", "gamma")), (0.6,) * 4),
    World("one silent judge", (*_FAIR, Planted("gamma", silent=True))),
)  # fmt: skip


_ABOUT: dict[str, Any] = {"step": STEP, "version": JUDGE_EQUIVALENCE.version}
_VERDICTS: dict[bool, Outcome] = {
    yes: Done(**_ABOUT, value={"equivalent": yes}) for yes in (True, False)
}
_FAILURE = Failed(**_ABOUT, kind="refused", reasons=("planted",))


def _outcome(value: float) -> Outcome:
    return _VERDICTS[bool(value)] if value == value else _FAILURE


def evaluation_of(
    world: World, verdicts: dict[str, Floats], seed: int, resamples: int
) -> Evaluation:
    """Evaluate the planted verdicts without asking a model."""
    cases = [Case(f"c{n:03}", diagnosis=Diagnosis(f"true {n}"))
             for n in range(next(iter(verdicts.values())).shape[1])]  # fmt: skip
    responses = {
        model: {case.id: (Response(case.id, diagnosis=f"{model} on {case.id}"),) for case in cases}
        for model in MODELS
    }
    specs = [JudgeSpec(provider="openai", model=judge.name) for judge in world.judges]
    records: dict[RecordKey, Outcome] = {}
    for spec in specs:
        for model, row in zip(MODELS, verdicts[spec.model], strict=True):
            for case, value in zip(cases, row.tolist(), strict=True):
                records[spec.label, STEP, model, case.id, 0, 0] = _outcome(value)
    settings = read_settings(
        None, tasks=["extract_final_diagnosis", STEP], columns=["final_accuracy"],
        resamples=resamples, seed=seed,
    )  # fmt: skip
    return evaluate(cases, responses, settings, Panel(tuple(specs), records=records))


def about_conclusions(
    world: World, verdicts: dict[str, Floats], evaluation: Evaluation
) -> Iterator[Count]:
    """Check every sentence on two models against the planted accuracies and the verdicts."""
    assert evaluation.swap is not None
    accuracy = dict(zip(MODELS, world.accuracies, strict=True))
    for one in evaluation.swap.conclusions:
        better, worse = accuracy[one.better], accuracy[one.worse]
        if one.holds == "every judge":
            yield "clear under every judge: the better model is better", better > worse
        elif one.clear_for:
            yield "clear under some judges: the better model is better", better > worse
        if better == worse:
            yield "equal models are not clear under every judge", one.holds != "every judge"
            yield "equal models are not clear under any judge", not one.clear_for
        yield from _checked(one, verdicts)


def _checked(one: Conclusion, verdicts: dict[str, Floats]) -> Iterator[Count]:
    """Check direction, failures and bounds of a conclusion against the drawn verdicts."""
    pair = MODELS.index(one.better), MODELS.index(one.worse)
    lead, missing, reversible = 0, False, False
    for judge, table in verdicts.items():
        first, second = table[pair[0]], table[pair[1]]
        both = ~np.isnan(first - second)
        missing |= not both.all()
        if both.any():
            apart = float((first - second)[both].mean())
            lead += (apart > 1e-9) - (apart < -1e-9)
        lowest = float((np.nan_to_num(first) - np.nan_to_num(second, nan=1.0)).mean())
        reversible |= lowest < -1e-9 and f"openai:{judge}" in one.clear_for.split("; ")
    yield "the headline follows most judges", lead >= 0
    yield "no clear judge whose bounds reverse the order", not reversible
    yield "the size with its interval stands before the judges", "[" in one.sentence.split("(")[0]
    if missing:
        named = "cases without both verdicts" in one.sentence or "no verdict" in one.sentence
        yield "missing verdicts stand in the sentence", named


def about_intervals(world: World, evaluation: Evaluation) -> Iterator[Count]:
    """Check every interval against its value over all possible cases."""
    assert evaluation.swap is not None
    swap = evaluation.swap
    whole = [j for j in world.judges if not (j.silent or j.fails)]
    planted = {
        (f"openai:{judge.name}", model): judge.score(accuracy, at == 0)
        for judge in whole
        for at, (model, accuracy) in enumerate(zip(MODELS, world.accuracies, strict=True))
    }
    for score in swap.scores:
        if (score.judge, score.model) in planted:
            value = planted[score.judge, score.model]
            yield "interval of a score", score.low <= value <= score.high
    for gap in evaluation.gaps:
        if not gap.group_by and (gap.judge, gap.first) in planted:
            value = planted[gap.judge, gap.first] - planted[gap.judge, gap.second]
            yield "interval of a difference", gap.low <= value <= gap.high
    if not any(judge.fails for judge in world.judges):
        yield from _means(swap, planted)


def _means(swap: Swap, planted: dict[tuple[str, str], float]) -> Iterator[Count]:
    """Check the intervals of means over the judges."""
    judges = list(dict.fromkeys(judge for judge, _ in planted))
    mean = {m: float(np.mean([planted[j, m] for j in judges])) for m in MODELS}
    for one in swap.conclusions:
        value = mean[one.better] - mean[one.worse]
        yield "interval of the mean difference", one.low <= value <= one.high
    for row in swap.left_out:
        rest = [planted[j, row.model] for j in judges if j != row.left_out]
        value = float(np.mean(rest)) - mean[row.model]
        yield "interval of leave-one-out", row.low <= value <= row.high


def about_families(world: World, swap: Swap) -> Iterator[Count]:
    """Check the self-preference of the judge that is of the first model's family."""
    for row in swap.families:
        if row.low is None or row.high is None:
            continue
        (judge,) = (j for j in world.judges if f"openai:{j.name}" == row.judge)
        # The bonus counts where the model is wrong.
        value = judge.bonus * (1 - world.accuracies[0])
        yield "interval of self-preference", row.low <= value <= row.high
        found = row.low > 0
        if judge.bonus:
            yield "a planted favour is found", found
        else:
            yield "no favour is found where there is none", not found


def about_errors(world: World, swap: Swap) -> Iterator[Count]:
    """Check which judges are said to make the same errors."""
    common = {f"openai:{judge.name}" for judge in world.judges if judge.common}
    statement = "judges with errors in common are named"
    if len(common) == len(world.judges):
        statement = "errors in common to all judges are found"
    for row in swap.shared_errors:
        if row.p_value is None:
            continue
        if {row.first, row.second} <= common:
            yield statement, row.shared
        else:
            yield "judges without errors in common are not named", not row.shared


def checks(world: World, seed: int, cases: int, resamples: int) -> Iterator[Count]:
    """Draw a world, evaluate it and check everything that it prints."""
    right, verdicts = world.draw(cases, np.random.default_rng([seed, WORLDS.index(world)]))
    evaluation = evaluation_of(world, verdicts, seed, resamples)
    assert evaluation.swap is not None
    yield from about_conclusions(world, verdicts, evaluation)
    yield from about_intervals(world, evaluation)
    yield from about_families(world, evaluation.swap)
    yield from about_errors(world, evaluation.swap)


def main() -> None:
    parser = argparse.ArgumentParser(description="How often the printed sentences are true")
    parser.add_argument("--seeds", type=int, default=60)
    parser.add_argument("--cases", type=int, default=300)
    parser.add_argument("--resamples", type=int, default=400)
    parser.add_argument("--world", choices=[world.name for world in WORLDS])
    parser.add_argument("--by-seed", type=Path)
    options = parser.parse_args()
    rows: list[tuple[str, int, str, int, int]] = []
    for world in WORLDS:
        if options.world in (None, world.name):
            for seed in range(options.seeds):
                counts = list(checks(world, seed, options.cases, options.resamples))
                rows += _rows(world.name, seed, counts)
            _print(world.name, rows)
    if options.by_seed:
        with options.by_seed.open("w", encoding="utf-8", newline="") as file:
            csv.writer(file).writerows([("world", "seed", "statement", "true", "of"), *rows])


def _rows(
    world: str, seed: int, counts: Sequence[Count]
) -> Iterator[tuple[str, int, str, int, int]]:
    true, total = Counter(s for s, holds in counts if holds), Counter(s for s, _ in counts)
    for statement in total:
        yield world, seed, statement, true[statement], total[statement]


def _print(world: str, rows: Sequence[tuple[str, int, str, int, int]]) -> None:
    """Print one line a statement: true, of how many, percent, and in how many seeds it failed."""
    mine = [row for row in rows if row[0] == world]
    for statement in dict.fromkeys(row[2] for row in mine):
        own = [row for row in mine if row[2] == statement]
        true, total = sum(row[3] for row in own), sum(row[4] for row in own)
        seeds = sum(row[3] < row[4] for row in own)
        share = f"{100 * true / total:.1f}"
        print(f"| {world} | {statement} | {true} of {total} | {share} | {seeds} |", flush=True)


if __name__ == "__main__":
    main()

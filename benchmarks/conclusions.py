"""Plant judges with known faults and count how often each printed sentence and interval is true.

    python benchmarks/conclusions.py [--seeds 60] [--cases 300] [--resamples 400] [--world NAME]
                                     [--by-seed FILE]

Four models with known accuracies answer the cases, and judges with known faults judge them
(planted.py). The verdicts enter `evaluate` as records, so that no model is asked; everything after
them is what `dxjudge evaluate`, `compare-judges` and `agree --human` compute. Each world is drawn
once a seed.

A sentence on two models is true if the better model has the higher accuracy. An interval covers
if it contains the value that the planted judges have over all possible cases. `--by-seed` writes a
row for each world, seed and statement. `--seeds 5` takes about a minute and a half.
"""

import argparse
import csv
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
from planted import (
    CHECKED,
    MODELS,
    WAYS,
    WORLDS,
    Checks,
    Floats,
    World,
    evaluation_of,
    votes_with_human,
)

from dxjudge.evaluation.judges.agreement_rows import Terms
from dxjudge.evaluation.judges.agreement_table import agree
from dxjudge.evaluation.judges.swap_rows import Conclusion, Swap
from dxjudge.evaluation.result import Evaluation
from dxjudge.scoring import Plan

Count = tuple[str, bool]
"""A statement, and whether it is true."""


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
    if any(judge.common for judge in world.judges):
        yield from about_people(world, seed, cases, resamples)


def about_people(world: World, seed: int, cases: int, resamples: int) -> Iterator[Count]:
    """Check the correlation of errors on the units that a human checked."""
    rng = np.random.default_rng([seed, 5])
    right, verdicts = world.draw(cases, rng)
    votes = votes_with_human(WAYS[0], right, verdicts, rng)
    terms = Terms(human="doctor", plan=Plan(resamples=resamples, seed=seed))
    common = {judge.name for judge in world.judges if judge.common}
    for row in agree(votes, terms).rows:
        if row.measure == "error_correlation" and row.low is not None and row.high is not None:
            if {row.first, row.second} <= common:
                yield "agree --human: errors in common are found", row.low > 0
            else:
                yield "agree --human: no errors in common are found", row.low <= 0


def about_checks(way: Checks, seed: int, cases: int, resamples: int) -> Iterator[Count]:
    """Check the shares of `agree --human`, corrected with the units that a human checked."""
    rng = np.random.default_rng([seed, WAYS.index(way), 7])
    right, verdicts = CHECKED.draw(cases, rng)
    votes = votes_with_human(way, right, verdicts, rng)
    plan = Plan(resamples=resamples, seed=seed)
    terms = Terms(human="doctor", sampling=way.sampling, plan=plan)
    truth = float(np.mean(CHECKED.accuracies))
    for row in agree(votes, terms).corrected:
        refused = row.value is None
        if way.refused:
            yield f"agree --human, {way.name}: refused", refused
        else:
            yield f"agree --human, {way.name}: not refused", not refused
        if row.low is not None and row.high is not None:
            method = row.method.removesuffix(", weighted")
            yield f"agree --human, {way.name}: {method}", row.low <= truth <= row.high


def main() -> None:
    parser = argparse.ArgumentParser(description="How often the printed sentences are true")
    parser.add_argument("--seeds", type=int, default=60)
    parser.add_argument("--cases", type=int, default=300)
    parser.add_argument("--resamples", type=int, default=400)
    parser.add_argument("--world", choices=[world.name for world in (*WORLDS, CHECKED)])
    parser.add_argument("--by-seed", type=Path)
    options = parser.parse_args()
    rows: list[tuple[str, int, str, int, int]] = []
    for world in WORLDS:
        if options.world in (None, world.name):
            for seed in range(options.seeds):
                counts = list(checks(world, seed, options.cases, options.resamples))
                rows += _rows(world.name, seed, counts)
            _print(world.name, rows)
    if options.world in (None, CHECKED.name):
        for seed in range(options.seeds):
            for way in WAYS:
                counts = list(about_checks(way, seed, options.cases, options.resamples))
                rows += _rows(CHECKED.name, seed, counts)
        _print(CHECKED.name, rows)
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

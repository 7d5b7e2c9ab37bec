"""Worlds of planted judges for conclusions.py: models with known accuracies, judges with faults."""

from dataclasses import dataclass
from statistics import NormalDist
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dxjudge.agents.judge import JudgeSpec
from dxjudge.agents.judge_equivalence import JUDGE_EQUIVALENCE
from dxjudge.agents.outcome import Done, Failed, Outcome
from dxjudge.evaluation.cases import Case, Diagnosis, Response
from dxjudge.evaluation.evaluate import evaluate
from dxjudge.evaluation.judging import Panel, RecordKey
from dxjudge.evaluation.read_settings import read_settings
from dxjudge.evaluation.result import Evaluation
from dxjudge.scoring import Vote

Floats = NDArray[np.float64]
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


@dataclass(frozen=True)
class Checks:
    """How a human chooses the units to check, and whether `agree` must refuse them.

    sampling: the columns of `agree --sampling`.
    """

    name: str
    refused: bool = False
    sampling: tuple[str, ...] = ()


CHECKED = World("honest judges, a human checks some", (_FAIR[0], _OTHERS[2]), (0.7, 0.6, 0.6, 0.5))
WAYS = (
    Checks("at random"),
    Checks("one model only", refused=True),
    Checks("contested first", refused=True),
    Checks("contested oftener, known weights", sampling=("chance",)),
    Checks("one model oftener, strata", sampling=("model",)),
    Checks("contested first, false weights", refused=True, sampling=("chance",)),
)
OFTEN, SELDOM, EVENLY = 0.3, 0.05, 0.1


def votes_with_human(
    way: Checks, right: Floats, verdicts: dict[str, Floats], rng: np.random.Generator
) -> list[Vote]:
    """Return the judges' votes, and the human's on the units that the human chose."""
    tables = np.stack(list(verdicts.values()))
    contested = tables.min(axis=0) < tables.max(axis=0)
    first = np.broadcast_to(np.arange(len(MODELS))[:, None] == 0, right.shape)
    luck = rng.random(right.shape)
    chance = np.full(right.shape, EVENLY)
    if way.name == "one model only":
        luck = np.where(first, luck / 4, 1.0)
    elif way.name.startswith("contested first"):
        luck = np.where(contested, luck / 4, 1.0)
    elif way.sampling:
        often = contested if way.sampling == ("chance",) else first
        chance = np.where(often, OFTEN, SELDOM)
    chosen = luck < chance
    votes = []
    for m, model in enumerate(MODELS):
        for n in range(right.shape[1]):
            about = {"case": f"c{n:03}", "step": STEP}
            groups = {"model": model}
            votes += [
                Vote(**about, judge=name, verdict=bool(table[m, n]), groups=groups)
                for name, table in verdicts.items()
            ]
            if chosen[m, n]:
                known = {"chance": str(chance[m, n])} if "chance" in way.sampling else {}
                verdict = bool(right[m, n])
                votes.append(Vote(**about, judge="doctor", verdict=verdict, groups=groups | known))
    return votes

"""Two hidden classes, right and wrong, fitted to the verdicts of judges by maximum likelihood.

The truth is not known. Each model under test has its own share of right responses, and within a
class the blocks of judges are independent (Dawid and Skene 1979, Applied Statistics 28; Hui and
Walter 1980, Biometrics 36). Judges of one block may depend on each other in any way.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ..bootstrap import Floats

_LEAST = 1e-6
_ALIKE = 0.8
"""Where the fit starts: a judge says yes to this share of the right responses."""


@dataclass(frozen=True)
class Latent:
    """The fit for each of b samples.

    prevalence: share of right responses, b x models. answers: for each block the probability of
    each answer in the classes right and wrong, b x 2 x answers. mass: responses in each class,
    b x 2. log_likelihood: b.
    """

    prevalence: Floats
    answers: tuple[Floats, ...]
    mass: Floats
    log_likelihood: Floats

    def repeated(self, samples: int) -> "Latent":
        """Return the first sample's fit as the start for several samples."""

        def again(values: Floats) -> Floats:
            return np.repeat(values[:1], samples, axis=0)

        return Latent(again(self.prevalence), tuple(map(again, self.answers)), again(self.mass),
                      again(self.log_likelihood))  # fmt: skip


Blocks = tuple[tuple[int, ...], ...]
"""The judges by place, divided into items: judges of one block may depend on each other."""


def start(blocks: Blocks) -> Latent:
    """Return a start for one sample: judges are right in most cases, and independent."""
    answers = []
    for block in blocks:
        right: Floats = np.ones(1)
        for _ in block:
            right = np.kron(right, [1 - _ALIKE, _ALIKE]).astype(np.float64)
        answers.append(np.stack([right, right[::-1]])[None])
    return Latent(np.zeros((1, 1)), tuple(answers), np.zeros((1, 2)), np.zeros(1))


def answers_of(patterns: Floats, blocks: Blocks) -> list[Floats]:
    """Return for each block which answer each pattern holds: patterns x answers, one 1 in a row.

    patterns: patterns x judges, 0 or 1. The answers of a block are binary numbers, the first judge
    of the block first: no-no, no-yes, yes-no, yes-yes.
    """
    items = []
    for block in blocks:
        code = np.zeros(len(patterns), dtype=int)
        for judge in block:
            code = 2 * code + patterns[:, judge].astype(int)
        items.append(np.eye(2 ** len(block))[code])
    return items


def fit(counts: Floats, items: Sequence[Floats], begin: Latent, steps: int) -> Latent:
    """Fit by expectation and maximisation (Dempster, Laird and Rubin 1977).

    counts: the responses with each pattern, b x models x patterns. items: as from `answers_of`.
    begin: the answers to start from. A prevalence without a value starts at the share of yes.
    """
    n = np.maximum(counts.sum(axis=2), _LEAST)
    state = begin
    if begin.prevalence.shape != n.shape:
        yes = np.mean([item[:, item.shape[1] // 2 :].sum(axis=1) for item in items], axis=0)
        state = Latent(np.clip(counts @ yes / n, 0.05, 0.95), begin.answers, begin.mass,
                       begin.log_likelihood)  # fmt: skip
    for _ in range(steps):
        state = _step(counts, n, items, state)
    return state


def _step(counts: Floats, n: Floats, items: Sequence[Floats], state: Latent) -> Latent:
    given = np.ones((len(counts), 2, counts.shape[2]))
    for item, answers in zip(items, state.answers, strict=True):
        given = given * (answers @ item.T)
    right = state.prevalence[..., None] * given[:, None, 0]
    wrong = (1 - state.prevalence[..., None]) * given[:, None, 1]
    whole = np.maximum(right + wrong, 1e-300)
    in_right = counts * right / whole
    by_class = np.stack([in_right.sum(axis=1), (counts - in_right).sum(axis=1)], axis=1)
    mass = np.maximum(by_class.sum(axis=2), _LEAST)
    return Latent(
        np.clip(in_right.sum(axis=2) / n, _LEAST, 1 - _LEAST),
        tuple(np.clip(by_class @ item / mass[..., None], _LEAST, 1.0) for item in items),
        mass,
        (counts * np.log(whole)).sum(axis=(1, 2)),
    )

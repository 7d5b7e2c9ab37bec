"""Choices of a model that are read from the probabilities of tokens."""

import math
from collections.abc import Mapping, Sequence


def option_probabilities(
    tokens: Sequence[tuple[str, float]], letters: Sequence[str]
) -> dict[str, float]:
    """Return the probability of each option, from the first token of an answer.

    Tokens that differ only in white space and capitals are one letter, and their probabilities add
    up. The probabilities of the letters are scaled to sum to 1. A letter that is not among the
    tokens is left out.

    Formula: p(letter) = sum of exp(logprob) over its tokens / the same sum over all letters.

    Source: MediConfusion, greedy decoding.

    Args:
        tokens: the likeliest first tokens with their log-probabilities.
        letters: the letters of the options.

    >>> tokens = [("A", math.log(0.5)), (" a", math.log(0.1)), ("B", math.log(0.2))]
    >>> option_probabilities(tokens, "AB")
    {'A': 0.75, 'B': 0.25}
    """
    sums: dict[str, float] = {}
    for token, score in tokens:
        for letter in letters:
            if token.strip().casefold() == letter.casefold():
                sums[letter] = sums.get(letter, 0.0) + math.exp(score)
    total = math.fsum(sums.values())
    return {letter: round(value / total, 12) for letter, value in sums.items()} if total else {}


def mean_logprobs(logprobs: Mapping[str, Sequence[float]]) -> dict[str, float]:
    """Return the mean log-probability of the tokens of each option's text.

    The mean, unlike the sum, does not favour short texts.

    Formula: sum of the log-probabilities of an option's tokens / number of its tokens.

    Source: MediConfusion, prefix scoring.

    Args:
        logprobs: option -> the log-probabilities of the tokens of its text.

    >>> mean_logprobs({"A": [-1.0, -3.0], "B": [-1.5]})
    {'A': -2.0, 'B': -1.5}
    """
    return {name: math.fsum(scores) / len(scores) for name, scores in logprobs.items()}


def likeliest_option(scores: Mapping[str, float]) -> str | None:
    """Return the option with the highest number; None if several share it, or without any.

    Formula: argmax of the probabilities or scores.

    Source: MediConfusion, greedy decoding and prefix scoring.

    Args:
        scores: option -> probability or score.

    >>> likeliest_option({"A": 0.75, "B": 0.25}), likeliest_option({"A": 0.5, "B": 0.5})
    ('A', None)
    """
    if not scores:
        return None
    most = max(scores.values())
    options = [option for option, value in scores.items() if value == most]
    return options[0] if len(options) == 1 else None

"""Read the log-probabilities of tokens in a reply."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

_LEAST, _MOST = -1e6, 0.01
"""Log-probabilities lie between: servers write about -1e4 for 0, and rounding adds a little."""
NO_TOKENS = "the server sent no log-probabilities"


def first_tokens(logprobs: Any) -> list[tuple[str, float]]:
    """Return the likeliest first tokens of an answer with their log-probabilities.

    logprobs: `{"content": [{"token": ..., "logprob": ..., "top_logprobs": [...]}]}`, as servers
    with OpenAI's API send it. Raises ValueError if it has no token.
    """
    content = logprobs.get("content") if isinstance(logprobs, Mapping) else None
    first = content[0] if isinstance(content, Sequence) and content else None
    if not isinstance(first, Mapping):
        raise ValueError(NO_TOKENS)
    others = first.get("top_logprobs")
    entries = others if isinstance(others, list) and others else [first]
    ranked = [entry for entry in entries if _is_scored(entry, "token")]
    if not ranked:
        raise ValueError(NO_TOKENS)
    return [(entry["token"], float(entry["logprob"])) for entry in ranked]


def logprobs_of(text: str, positions: Any) -> list[float]:
    """Return the log-probability of each token of a text with which the prompt ends.

    positions: for each token of the prompt None, or an object from the number of a token to
    `{"logprob": ..., "decoded_token": ...}`, as vLLM sends it as `prompt_logprobs`. An object may
    name the likeliest token too. Raises ValueError if the last tokens do not spell the text.
    """
    if not isinstance(positions, Sequence) or isinstance(positions, str):
        raise ValueError("the server sent no log-probabilities of the prompt")
    scores: list[float] = []
    rest = text.strip()
    for position in reversed(positions):
        if not rest:
            break
        token, score = _last_token(rest, position, started=bool(scores))
        if not token and scores:
            break
        if token:
            scores.append(score)
            rest = rest[: -len(token)] if len(token) < len(rest) else ""
    if rest:
        raise ValueError("the log-probabilities of the prompt do not end with the option's text")
    return scores[::-1]


def _last_token(rest: str, position: Any, *, started: bool) -> tuple[str, float]:
    """Return the token at a position with which the rest of the text ends, "" for none."""
    for token, score in _tokens(position):
        # The first token of a text begins with a space in many vocabularies.
        for form in (token, token.lstrip(), token.rstrip() if not started else token):
            if form and (rest.endswith(form) or form.strip() == rest):
                return form, score
    return "", 0.0


def _tokens(position: Any) -> Iterator[tuple[str, float]]:
    for entry in position.values() if isinstance(position, Mapping) else ():
        if _is_scored(entry, "decoded_token"):
            yield entry["decoded_token"], float(entry["logprob"])


def _is_scored(entry: Any, name: str) -> bool:
    """Whether an entry has a token under this name, and a log-probability."""
    if not isinstance(entry, Mapping) or not isinstance(entry.get(name), str):
        return False
    score = entry.get("logprob")
    if isinstance(score, bool) or not isinstance(score, int | float):
        return False
    return _LEAST <= score <= _MOST

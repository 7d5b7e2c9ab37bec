"""Overlap of words between diagnosis strings: BLEU, METEOR, ROUGE, BERTScore.

BLEU, METEOR and ROUGE come from the libraries sacrebleu, nltk and rouge-score (extra `text`);
nothing is downloaded at run time. BERTScore needs an encoder with token vectors
(`encoders.load_encoder`). All scores are between 0 and 1.
"""

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import Any, Protocol

import numpy as np

from ..errors import EnvironmentFault, MissingExtra, UsageError
from .bootstrap import Floats

Synonyms = Callable[[str], Iterable[str]]


class TokenEncoder(Protocol):
    """Anything that turns each text into a tokens x d array of vectors."""

    def encode_tokens(self, texts: Sequence[str]) -> list[Floats]:
        """Encode the texts in order."""


@dataclass(frozen=True, slots=True)
class Overlap:
    """Precision, recall and their harmonic mean for one pair of texts."""

    precision: float
    recall: float
    f1: float


@dataclass(frozen=True, slots=True)
class TextScores:
    """Mean scores over pairs of texts; `bert` is None without an encoder.

    `bleu` is the mean of sentence BLEU, `corpus_bleu` pools n-gram counts over all pairs.
    """

    bleu: float
    corpus_bleu: float
    meteor: float
    rouge1: float
    rouge2: float
    rouge_l: float
    bert: float | None
    n: int


def bleu(predicted: str, truth: str) -> float:
    """Return sentence BLEU (sacrebleu: 13a tokens, exponential smoothing, effective order).

    Effective order counts only the n-gram lengths that occur, so that two equal names of two words
    score 1. Case is ignored.

    Formula: brevity penalty x exp(mean log n-gram precision), exponential smoothing.

    Source: Papineni et al. (2002), ACL; sacrebleu (Post 2018, WMT).

    Args:
        predicted: the text to score.
        truth: the true text.

    >>> round(bleu("otitis media", "otitis media"), 6)
    1.0
    """
    return _sacrebleu().sentence_score(predicted, [truth]).score / 100  # type: ignore[no-any-return]


def corpus_bleu(predicted: Sequence[str], truth: Sequence[str]) -> float:
    """Return BLEU over all pairs, with pooled counts, 0 to 1.

    Formula: as `bleu`, with the n-gram counts pooled over all pairs.

    Source: Papineni et al. (2002), ACL; sacrebleu (Post 2018, WMT).

    Args:
        predicted: the texts to score.
        truth: the true text of each.

    >>> round(corpus_bleu(["otitis media"], ["otitis media"]), 6)
    1.0
    """
    _same_length(predicted, truth)
    return _sacrebleu().corpus_score(list(predicted), [list(truth)]).score / 100  # type: ignore[no-any-return]


def _library(name: str) -> Any:
    try:
        return import_module(name)
    except ImportError as fault:
        raise MissingExtra("the overlap of words", "text", fault) from fault


def _sacrebleu() -> Any:
    BLEU = _library("sacrebleu.metrics.bleu").BLEU
    return BLEU(lowercase=True, effective_order=True)


def rouge(predicted: str, truth: str, *, stem: bool = True) -> dict[str, Overlap]:
    """Return ROUGE-1, -2 and -L by name (rouge-score; Porter stems by default).

    Formula: recall and precision of shared n-grams (1, 2) and of the longest common subsequence
    (L).

    Source: Lin (2004), "ROUGE"; rouge-score.

    Args:
        predicted: the text to score.
        truth: the true text.
        stem: whether words are compared by their stems.

    >>> rouge("chronic otitis media", "otitis media")["rouge1"].recall
    1.0
    """
    RougeScorer = _library("rouge_score.rouge_scorer").RougeScorer
    kinds = ["rouge1", "rouge2", "rougeL"]
    scores = RougeScorer(kinds, use_stemmer=stem).score(truth, predicted)
    return {kind: Overlap(*map(float, scores[kind])) for kind in kinds}


def meteor(
    predicted: str,
    truth: str,
    *,
    synonyms: Synonyms | None = None,
    alpha: float = 0.9,
    beta: float = 3.0,
    gamma: float = 0.5,
) -> float:
    """Return METEOR (nltk): matches of exact words, then Porter stems, then synonyms.

    Formula: F = P R / (alpha P + (1 - alpha) R), times 1 - gamma (chunks / matches)^beta.

    Source: Banerjee and Lavie (2005), ACL workshop; nltk.

    Args:
        predicted: text to score; words are runs of letters and digits, lower-cased.
        truth: reference text.
        synonyms: a function from a word to its synonyms. None matches no synonyms, because
            WordNet's data would have to be downloaded. If nltk's WordNet is installed,
            `wordnet_synonyms` returns this function.
        alpha: weight of recall relative to precision.
        beta: exponent of the penalty for matches in several chunks.
        gamma: largest penalty.

    >>> round(meteor("acute otitis media", "otitis media"), 4)
    0.8929
    """
    stem = _library("nltk.stem.porter").PorterStemmer().stem
    single_meteor_score = _library("nltk.translate.meteor_score").single_meteor_score
    true_words, words = _words(truth), _words(predicted)
    stems = {stem(word): set[str]() for word in words}
    if synonyms is not None:
        for word in words:
            stems[stem(word)] |= {stem(other) for other in synonyms(word)}
    return float(
        single_meteor_score(
            true_words, words, wordnet=_Synonyms(stems), alpha=alpha, beta=beta, gamma=gamma
        )
    )


def _words(text: str) -> list[str]:
    return re.findall(r"[^\W_]+", text.casefold())


@dataclass(frozen=True, slots=True)
class _Synonyms:
    """The part of nltk's WordNet reader that its METEOR uses, with a table of synonyms.

    nltk asks for synonyms after it has stemmed the remaining words, so that the table maps a stem
    to stems. A word has one synset; its lemmas are all synonyms of the word.
    """

    stems: dict[str, set[str]]

    def synsets(self, stem: str) -> list["_Synset"]:
        return [_Synset(self.stems.get(stem, set()))]


@dataclass(frozen=True, slots=True)
class _Synset:
    stems: set[str]

    def lemmas(self) -> list["_Lemma"]:
        return [_Lemma(stem) for stem in sorted(self.stems)]


@dataclass(frozen=True, slots=True)
class _Lemma:
    stem: str

    def name(self) -> str:
        return self.stem


def wordnet_synonyms() -> Synonyms:
    """Return the synonym function of nltk's WordNet data.

    Raises:
        EnvironmentFault: the data are not installed; the message names the command.
    """
    wordnet = _library("nltk.corpus").wordnet
    try:
        wordnet.ensure_loaded()
    except LookupError:
        raise EnvironmentFault(
            "WordNet's data are missing: run python -m nltk.downloader wordnet"
        ) from None

    def synonyms(word: str) -> set[str]:
        return {lemma.name() for synset in wordnet.synsets(word) for lemma in synset.lemmas()}

    return synonyms


def bert_score(
    predicted: Sequence[str], truth: Sequence[str], encoder: TokenEncoder
) -> list[Overlap]:
    """Return the BERTScore of each pair from an encoder's token vectors.

    There are no idf weights and no rescaling. The encoder decides from which layer the vectors
    come, and whether special tokens count.

    Formula: recall = mean over true tokens of the largest cosine with a predicted token; precision
    = mean over predicted tokens of the largest cosine with a true token; F1 their harmonic mean.

    Source: Zhang et al. (2020), "BERTScore", ICLR.

    Args:
        predicted: the texts to score.
        truth: the true text of each.
        encoder: gives the vectors of a text's tokens.

    >>> class Words:
    ...     def encode_tokens(self, texts):
    ...         return [np.eye(4)[[len(word) % 4 for word in text.split()]] for text in texts]
    >>> bert_score(["a bb"], ["a bb ccc"], Words())[0].recall.__round__(4)
    0.6667
    """
    _same_length(predicted, truth)
    vectors = encoder.encode_tokens([*predicted, *truth])
    n = len(predicted)
    return [_greedy(vectors[i], vectors[n + i]) for i in range(n)]


def _greedy(predicted: Floats, truth: Floats) -> Overlap:
    from .semantic import cosine_matrix

    if not len(predicted) or not len(truth):
        return Overlap(0.0, 0.0, 0.0)
    cosine = cosine_matrix(predicted, truth)
    precision, recall = float(cosine.max(axis=1).mean()), float(cosine.max(axis=0).mean())
    both = precision + recall
    return Overlap(precision, recall, 2 * precision * recall / both if both > 0 else 0.0)


def text_scores(
    predicted: Sequence[str],
    truth: Sequence[str],
    *,
    encoder: TokenEncoder | None = None,
    synonyms: Synonyms | None = None,
) -> TextScores:
    """Average every score over the pairs (F1 of ROUGE and of BERTScore).

    Formula: mean over pairs of each score.

    Source: DermCase, overlap of words between diagnoses.

    Args:
        predicted: the texts to score.
        truth: the true text of each.
        encoder: gives token vectors for BERTScore; None leaves it out.
        synonyms: a word's synonyms for METEOR; None for none.

    Returns:
        the mean of each score.

    Raises:
        UsageError: lists of different lengths, or empty.

    >>> made = text_scores(["otitis media"], ["otitis media"])
    >>> round(made.rouge1, 4), made.bert is None
    (1.0, True)
    """
    _same_length(predicted, truth)
    if not predicted:
        raise UsageError("there is no pair of texts to score")
    pairs = list(zip(predicted, truth, strict=True))
    rouges = [rouge(p, t) for p, t in pairs]
    berts = [score.f1 for score in bert_score(predicted, truth, encoder)] if encoder else None
    return TextScores(
        bleu=_mean(bleu(p, t) for p, t in pairs),
        corpus_bleu=corpus_bleu(predicted, truth),
        meteor=_mean(meteor(p, t, synonyms=synonyms) for p, t in pairs),
        rouge1=_mean(scores["rouge1"].f1 for scores in rouges),
        rouge2=_mean(scores["rouge2"].f1 for scores in rouges),
        rouge_l=_mean(scores["rougeL"].f1 for scores in rouges),
        bert=None if berts is None else _mean(berts),
        n=len(pairs),
    )


def _mean(values: Iterable[float]) -> float:
    return float(np.mean(list(values)))


def _same_length(predicted: Sequence[str], truth: Sequence[str]) -> None:
    if len(predicted) != len(truth):
        raise UsageError(f"{len(predicted)} predicted texts but {len(truth)} true ones")

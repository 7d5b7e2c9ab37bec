"""Verdicts in words, for a reader of the pages."""

from collections.abc import Mapping

from ...agents.verdict import Scalar, Verdict

_TRUTHS = {"true": True, "false": False}  # as the table of votes writes them


def words_of(verdict: Scalar) -> str:
    """Return a verdict of any step: "yes" and "no" for true and false."""
    return Verdict().word(verdict) if isinstance(verdict, bool) else str(verdict)


def in_words(parts: Mapping[str, tuple[str, str]], step: Verdict | None = None) -> str:
    """Return what was said of an item; of labels, those that apply.

    parts: part -> verdict, as in the table of votes, and words. step: what says how the verdicts of
    the step are called; None for a step whose file is not at hand.

    >>> in_words({"": ("true", "")}), in_words({"logic": ("false", ""), "other": ("true", "")})
    ('yes', 'other')
    >>> in_words({"": ("true", "")}, Verdict("same", shown={True: "the same disease"}))
    'the same disease'
    >>> in_words({"chain": ("3", "well made"), "terms": ("2", "")})
    'chain 3; terms 2'
    """
    step = step or Verdict()
    given = {part: verdict for part, (verdict, _) in parts.items() if verdict}
    are_labels = not step.shown and all(part and said in _TRUTHS for part, said in given.items())
    if given and are_labels:
        return ", ".join(part for part, said in given.items() if _TRUTHS[said]) or "none"
    words = {text: step.word(truth) for text, truth in _TRUTHS.items()}
    return "; ".join(f"{part} {words.get(said, said)}".strip() for part, said in given.items())

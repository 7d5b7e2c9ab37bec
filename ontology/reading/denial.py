"""Read denials: "no DVT", "never had TB", "MI was ruled out", "seizure free"."""

import re
from collections.abc import Iterable

from .normalise import normalise_text

_LONGEST = 400  # characters of a text that are read
_NOT = r"(?:not|n['’]t)"
_BEFORE = (
    rf"(?:(?:pt|patient|he|she|it|biopsy|test|culture|work-?up|imaging|ct|mri)\s+)?(?:"
    rf"no longer|no|nil|never (?:had|been|diagnosed with)|never|without|w/o|negative for|neg for|"
    rf"denie[sd]|denying|(?:absence|lack) of|free (?:of|from)|ruled out for|r/o'?d for|rules? out "
    rf"|excludes?|unlikely|doubt(?:ful)?|(?:not|in)\s?consistent with|rather than|neither|"
    rf"(?:does|did|do|has|have|is|was|are|were)(?:\s?{_NOT})(?: have| had| been)?|"
    r"not|has no|had no)"
    r"(?!\w)"
)
_BETWEEN = (
    r"(?:\s+(?:any|an?|the|acute|known|active|current|further|clear|definite|more|e/o|h/o|fh of|"
    r"(?:evidence|signs?|history|hx|symptoms?|suspicion|recurrence|family history) (?:of|for)))*"
)
_AFTER = (
    r"(?:is |was |has been |were )?(?:ruled[ -]out|r/o'?d|excluded|neg(?:ative)?|absent|free|"
    rf"{_NOT} (?:seen|found|present|detected|identified|suspected|likely)|unlikely)"
)
_DENIED = re.compile(
    rf"{_BEFORE}{_BETWEEN}\s+(\S.*?)|([^\s,;][^,;]*?)[\s-]+{_AFTER}", re.IGNORECASE
)
# What a body or a life should have: "no appetite" is a complaint, no denial.
_WANTED = frozenset(
    """appetite energy sleep period periods menses menstruation menstrual urine urination stool
    stools bowel pulse breathing breath movement movements speech vision hearing smell taste
    sensation feeling libido erection sweat sweating tears saliva milk interest motivation friends
    home house housing job work money food water insurance response growth care voice memory gag
    reflexes residence place abode schooling teeth hair flatus heartbeat carried done taken
    immunized vaccinated remission healing healed union""".split()
)
_UNDONE = re.compile(
    r"\s*not\s", re.IGNORECASE
)  # "not eating" is a complaint, "no wheezing" is not
_LACKING = frozenset(
    """no not non without absence absent lack loss lost never negative free none anosmia unable
    failure failed poor missing nonunion under insufficient deficient""".split()
)


def what_is_not_there(text: str) -> str | None:
    """Return the condition that a text denies ("no DVT"), where it begins or ends with a denial.

    >>> what_is_not_there("DVT ruled out"), what_is_not_there("never had TB")
    ('DVT', 'TB')
    >>> what_is_not_there("no appetite")
    """
    match = _DENIED.fullmatch(text[:_LONGEST].strip(" ."))
    denied: str | None = (match[1] or match[2]) if match else None
    words = normalise_text(denied or "").split()
    undone = bool(words) and words[0].endswith("ing") and _UNDONE.match(text) is not None
    is_complaint = not words or undone or not _WANTED.isdisjoint(words)
    return None if is_complaint else denied


def names_a_lack(texts: Iterable[str]) -> bool:
    """Return whether one of the texts says that something is missing ("loss of smell")."""
    words = {word for text in texts for word in normalise_text(text).split()}
    return not _LACKING.isdisjoint(words)

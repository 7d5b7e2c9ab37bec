"""Read denials: "no DVT", "never had TB", "MI was ruled out", "DM: N", "niega asma"."""

import re
from collections import defaultdict
from collections.abc import Iterable
from functools import lru_cache
from typing import NamedTuple

from ..packaged import packaged_rows
from .normalise import LONGEST, normalise_text

_SHORT = 4  # letters of the longest word of a text of abbreviations: "RA RF"
_PHRASE = 3  # words of a phrase for what a body or a life should have
_NOT = r"(?:not|n['’]t)"
_DONE_WRONGLY = r"(?:labell?ed|diagnosed|coded|listed|recorded|entered|charted|documented)"
_BEFORE = (
    rf"(?:(?:(?:pt|patient|he|she)(?:\s+(?:states|reports|says))?|it|biopsy|test|culture|work-?up|"
    r"imaging|ct|mri|cxr|x-?ray|ultrasound|echo|resolved)\s+)?(?:"
    rf"no longer|no|nil|never (?:had|been|diagnosed with)|never|without|w/o|negative for|neg for|"
    rf"denie[sd]|denying|(?:absence|lack) of|free (?:of|from)|ruled out for|r/o'?d for|rules? out "
    rf"|excludes?|unlikely|doubt(?:ful)?|(?:not|in)\s?consistent with|rather than|neither|"
    r"(?:can ?no|could ?n[o'’])t (?:confirm|find|demonstrate|detect|identify|establish)|"
    r"unable to (?:confirm|find|demonstrate|detect|identify|establish)|"
    r"(?:very )?(?:low|no|little|minimal) (?:clinical )?(?:index of )?"
    r"(?:suspicion|concern|probability|likelihood) (?:for|of)|"
    rf"(?:wrongly|incorrectly|erroneously|falsely|mistakenly) {_DONE_WRONGLY} (?:as|with)|"
    rf"nothing (?:to suggest|suggestive of)|"
    rf"{_NOT} (?:thought|felt|believed|considered) to (?:be|have)|"
    rf"mis-?{_DONE_WRONGLY} (?:as|with)|n/?k/?c/?o|not? (?:an? )?(?:k/?c/?o|known case of)|"
    rf"(?:does|did|do|has|have|is|was|are|were)(?:\s?{_NOT})(?: have| had| been)?|"
    r"not|has no|had no)"
    r"(?!\w)"
)
_BETWEEN = (
    r"(?:\s+(?:any|in|an?|the|acute|known|active|current|further|clear|definite|more|e/o|h/o|fh of|"
    r"(?:evidence|signs?|history|hx|symptoms?|suspicion|recurrence|family history) (?:of|for)))*"
)
_SIGN = r"(?:Ø(?=\s)|[∅⊖]|\([-–]\)(?=\s*\w)|\[[-–]\](?=\s*\w))"
_AFTER = (
    r"(?:is |was |has been |were )?(?:"
    r"(?:ruled[ -]out|r/o'?d|excluded|refuted|disproved|disproven|"
    rf"(?:{_NOT}|never) (?:borne out|substantiated)|never confirmed|"
    rf"{_DONE_WRONGLY} in error|un(?:likely|founded))"
    r"(?:\s+(?:by|on|with|per|after|at|in|via|from|clinically|today)\b[^,;]*)?|"
    r"neg(?:ative)?|(?<=-)ve|absent|never|free|non-?\s?reactive|(?-i:NR)|"
    rf"{_NOT} (?:seen|found|present|detected|identified|suspected|likely|reactive))"
)
# The value of a field: "DM: N", "Stroke=FALSE", "HTN (-)", "Epilepsy - none".
_FIELD = (
    r"(?:neg(?:ative)?|(?:no|none|nil)(?: (?:known|reported|noted|seen|identified|elicited))?|n|"
    r"0|false|denie[sd]|absent|never|excluded|ruled out(?: by [^()]*)?|"
    rf"{_NOT} (?:detected|seen|present|found|reported))(?:\s*x\s?\d)?"
)
_VALUE = (
    rf"(?:\s*[:=]\s*(?:{_FIELD}|unremarkable|wnl|nad|within normal limits)|"
    rf"\s+[-–]\s*(?!0|n\b){_FIELD}|"
    rf"\s*[(\[](?:[-–]|(?!0|n\b){_FIELD})[)\]])"
)
# One part of a text: what stands before "with", "but" or a dash is another one.
_PART = r"[^\s,;](?:(?!\s[-–]\s|\b(?:with|but)\b)[^,;])*?"
# "Pt with" before a condition names no other part.
_WHO = r"(?:(?:pt|patient|he|she|adm|admitted|presents?|presented|presenting) (?:with|for)\s+)?"
# What follows a comma and one of these words is there: "no fever, likely viral URI".
_LIKELY = r"\s*,\s*(?=(?:(?:most|more|very) )?(?:likely|probabl[ey]|but|suspect)\b)"
_DENIED = rf"[^\s;](?:(?!{_LIKELY})[^;])*?"
_PARTS = re.compile(rf"\s*;\s*|{_LIKELY}", re.IGNORECASE)
_ENGLISH = re.compile(
    rf"{_BEFORE}{_BETWEEN}\s+({_DENIED})|{_SIGN}\s*({_DENIED})|{_WHO}({_PART})[\s,–-]+{_AFTER}|"
    rf"([^\s,;:][^,;:]*?)(?<!stage)(?<!grade)(?<!score){_VALUE}",
    re.IGNORECASE,
)
_BY_SIGN = re.compile(rf"^\s*{_SIGN}|[(\[]\s*(?:[-–]|(?!0|n\b){_FIELD})\s*[)\]]\s*$", re.IGNORECASE)
# What a body or a life should have: "no appetite" is a complaint, no denial.
_WANTED = frozenset(
    """appetite energy sleep period periods menses menstruation menstrual urine urination stool
    stools bowel pulse breathing breath movement movements speech vision hearing smell taste
    sensation feeling libido erection sweat sweating tears saliva milk interest motivation friends
    home house housing job work money food water insurance response growth care voice memory gag
    reflexes residence place abode schooling teeth hair flatus heartbeat carried done taken
    immunized vaccinated remission healing healed union consciousness
    """.split()
)
# The same, but before another noun they only qualify it: "no effort angina" is a denial.
_WANTED_AT_END = frozenset(
    """pulses reflex power strength tone insight effort contraception support transport heating
    income employment pupil pupils""".split()
)
# Markers, whose absence is a kind of the condition: "breast cancer ER (-)".
_MARKERS = frozenset("er pr her2 rh rhd receptor receptors gram".split())
# With these before a sign, the condition itself is denied: "HIV Ab (-)".
_TESTS = frozenset(
    """test tests testing screen screening swab pcr naat rdt rapid ab abs antibody antibodies ag
    antigen rna dna igg igm serology titer titre""".split()
)
_KINDS = re.compile(r"[A-Z](?:/[A-Z])+")  # "hepatitis A/B/C"
_MARKED = frozenset({"smear", "strep"})  # markers that are words; others have two capitals
_PREPOSITIONS = frozenset("in of to at for on".split())
_UNDONE = re.compile(
    r"\s*not\s", re.IGNORECASE
)  # "not eating" is a complaint, "no wheezing" is not
_LACKING = frozenset(
    """no not non absence absent lack loss lost never negative free none anosmia unable
    failure failed poor missing nonunion under insufficient deficient""".split()
)


def what_is_not_there(text: str) -> str | None:
    """Return the condition that a text denies ("no DVT"), where it begins or ends with a denial.

    >>> what_is_not_there("DVT ruled out"), what_is_not_there("never had TB")
    ('DVT', 'TB')
    >>> what_is_not_there("no appetite")
    """
    short = text[:LONGEST].strip(" .。")
    match = _ENGLISH.fullmatch(short)
    denied = next(filter(None, match.groups()), None) if match else _denied_elsewhere(short)
    words = normalise_text(denied or "").split()
    undone = bool(words) and words[0].endswith("ing") and _UNDONE.match(text) is not None
    is_kind = denied_at_end(text, denied or "") and not _MARKERS.isdisjoint(words[-1:])
    return None if not words or undone or is_kind or _is_wanted(words) else denied


def denied_at_end(text: str, denied: str) -> bool:
    """Return whether what denies a condition stands after it: "MI ruled out", "HTN (-)"."""
    return not text.strip().endswith(denied) and denied in text


def before_marker(denied: str) -> str:
    """Return what stands before a marker at the end of a denied phrase, else "".

    "Chronic hepatitis B HBeAg (-)" denies the marker only. A test is one for the condition, and so
    are its kinds ("flu A/B").

    >>> before_marker("celiac disease tTG"), before_marker("HIV Ab"), before_marker("leg swelling")
    ('celiac disease', '', '')
    """
    *before, last = denied.split()
    if _KINDS.fullmatch(last):
        return ""
    is_loud = denied.isupper() and max(map(len, denied.split())) > _SHORT
    is_marker = last in _MARKED or (sum(map(str.isupper, last)) > 1 and not is_loud)
    return " ".join(before) if is_marker and last.lower() not in _TESTS else ""


def without_denied(text: str) -> tuple[str, str]:
    """Return the parts of a text that deny nothing, and those that do, where it has both.

    >>> without_denied("no fever, likely viral URI"), without_denied("no fever; no chills")
    (('likely viral URI', 'no fever'), ('no fever; no chills', ''))
    """
    parts = _PARTS.split(text) if len(text) < LONGEST else []
    denied = [part for part in parts if what_is_not_there(part)]
    kept = [part for part in parts if part not in denied]
    return ("; ".join(kept), "; ".join(denied)) if denied and kept else (text, "")


def denies_by_sign(text: str) -> bool:
    """Return whether a sign or brackets deny a condition: "HTN (-)", "GERD (ruled out)"."""
    return _BY_SIGN.search(text[:LONGEST]) is not None


def _is_wanted(words: list[str]) -> bool:
    """Return whether a body or a life should have what a text denies.

    In other languages it stands first: "без сознания", but "без потери сознания" denies a loss.
    """
    begins = any(" ".join(words[:n]) in _elsewhere().wanted for n in range(1, _PHRASE + 1))
    ends = {
        word for word, then in zip(words, [*words[1:], "in"], strict=True) if then in _PREPOSITIONS
    }
    return begins or not _WANTED.isdisjoint(words) or not _WANTED_AT_END.isdisjoint(ends)


def denies_in_another_language(text: str) -> bool:
    """Return whether the words that deny a condition are not English.

    >>> denies_in_another_language("niega asma"), denies_in_another_language("no asthma")
    (True, False)
    """
    short = text[:LONGEST].strip(" .。")
    return _ENGLISH.fullmatch(short) is None and _denied_elsewhere(short) is not None


def _denied_elsewhere(text: str) -> str | None:
    """Return what a text in another language than English denies, None where it denies nothing."""
    match = next(filter(None, (one.fullmatch(text) for one in _elsewhere().patterns)), None)
    return next(filter(None, match.groups()), None) if match else None


class _Denials(NamedTuple):
    """The denials of data/denials.tsv: of languages that put blanks between words, and of others.

    `wanted` holds their words for what a body or a life should have, normalised.
    """

    patterns: tuple[re.Pattern[str], ...]
    wanted: frozenset[str]


@lru_cache(maxsize=1)
def _elsewhere() -> _Denials:
    """Read data/denials.tsv.

    A word before the condition may have signs and articles after it ("sin signos de sepsis").
    """
    alternatives: defaultdict[str, list[str]] = defaultdict(list)
    for _, place, words in packaged_rows("denials.tsv"):
        alternatives[place].append(words)
    wanted = frozenset(map(normalise_text, " ".join(alternatives.pop("wanted")).split()))
    part = {place: f"(?:{'|'.join(words)})" for place, words in alternatives.items()}
    end = r"(?:(?<=['’])|(?![\w-]))"
    signs = rf"{part['sign']}\s+{part['of']}{end}"
    before = part["before"].replace("SIGN", part["sign"])
    spaced = (
        rf"(?:{part['person']}\s+)?{before}{end}(?:\s*(?:{signs}|{part['article']}{end}))*\s*"
        rf"(\S.*?)|([^\s,;][^,;]*?)\s+{part['after']}"
    )
    joined = rf"{part['joined before']}\s*(\S+?)|([^\s,;、，][^,;、，]*?)\s*{part['joined after']}"
    return _Denials((re.compile(spaced, re.IGNORECASE), re.compile(joined)), wanted)


def names_a_lack(texts: Iterable[str]) -> bool:
    """Return whether one of the texts says that something is missing ("loss of smell")."""
    words = {word for text in texts for word in normalise_text(text).split()}
    return not _LACKING.isdisjoint(words)

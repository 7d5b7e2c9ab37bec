"""Clean and compare diagnoses: remove lead-in words, and find one text for one disease."""

import re
from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import NamedTuple

from ...ontology.reading.abbreviations import expand_abbreviations
from ...ontology.reading.normalise import normalise_text

# Words before a diagnosis that are not part of its name, in the languages of the examples.
_LEAD_IN = re.compile(
    r"^\s*(?P<words>(?:(?:the |a |an )?(?:final |working |most likely |likely |main |primary )?"
    r"(?:diagnos(?:is|es)|dx|impression)\b(?:\s+(?:is|of|was)\b)?|"
    r"(?:this|it|that) (?:is|was|appears|seems)\b|the (?:patient|picture|findings?) \w+|"
    r"(?:most |very |highly )?"
    r"(?:likely|probabl[ey]|possibl[ey]|presum(?:ed|ptive|ably)|suspected)\b|"
    r"(?:suspicion|suspicious|suggestive|indicative|typical|diagnostic|features|evidence|signs) "
    r"(?:of|for)\b|"
    r"(?:consistent|compatible|in keeping|in line) with\b|(?:favou?rs?|favou?ring|concern for|"
    r"concerning for|rule out|r/o)\b|"
    r"(?:muy )?(?:probable|posible|sospecha de|compatible con|sugestivo de|diagnóstico(?: de)?)\b|"
    r"(?:très )?(?:probablement|suspicion de|compatible avec|évocateur de|diagnostic(?: de)?)\b|"
    r"(?:wahrscheinlich(?:e[rs]?)?|vermutlich|verdacht auf|v\.\s?a\.|vereinbar mit|diagnose)(?!\w)|"
    r"(?:最可能|可能|疑似|考虑|诊断)(?:是|为)?))\s*[:：,-]?\s*",
    re.IGNORECASE,
)
_EXPLANATION = re.compile(
    r"\b(?:because|since|given (?:the|that|his|her)|based on|as evidenced by|as shown by|"
    r"supported by|as indicated by|in view of|in light of|which|porque|dado que|parce que|weil)\b",
    re.IGNORECASE,
)
_SEVERAL = re.compile(
    r"\n|;|\s(?:vs\.?|versus|oder|ou|o bien)\s|(?<!with)\sor\s(?!without\b)", re.IGNORECASE
)
_NEGATION = re.compile(
    r"^\s*(?:no|not|without|kein\w*|sin|pas de|没有|排除)\b|\b(?:ruled out|excluded|ausgeschlossen|"
    r"descartad[oa]|exclue?)\s*$",
    re.IGNORECASE,
)
_NUMBER = re.compile(r"^\s*(?:\(?\d{1,2}[.):]|[-*•–·]|#\d+)\s*")
_TAIL = re.compile(
    r"\s*(?:[-–—:,]?\s*[\[(]?\s*(?:~|about |approx\.? )?\d{1,3}(?:\.\d+)?\s*%[^\w]*|"
    r"[-–—:,]?\s*[\[(](?:(?:most|very|highly|less|more|un)?\s*(?:likely|probable|possible)|unlikely|"
    r"ruled out|excluded|suspected|high|moderate|low|[a-z]+ (?:probability|likelihood|confidence))"
    r"[\])]|\s[-–—]\s*(?:un|less |most )?likely)\s*$",
    re.IGNORECASE,
)
_SHORT_FORM = re.compile(r"\s*\((?=[^)]*[A-Z][^)]*[A-Z])[A-Z][\w-]{1,7}\)\s*$")
_HEAD = 5  # letters; so many are the same in the other forms of a word
_LONGEST = 30  # words; the longest official names are shorter


@lru_cache(maxsize=100_000)
def fold(diagnosis: str) -> str:
    """Return a normalised text of a diagnosis, with abbreviations written out.

    >>> fold("TTP") == fold("Thrombotic thrombocytopenic purpura")
    True
    """
    bare = _SHORT_FORM.sub("", diagnosis)
    return normalise_text(expand_abbreviations(bare or diagnosis).text)


def as_verdict(diagnosis: str) -> str:
    """Return the text that votes count: folded, or unchanged if folding leaves nothing."""
    return fold(diagnosis) or diagnosis


def faults(diagnosis: str) -> list[str]:
    """Return the reasons why a text is not the bare name of one diagnosis, as short clauses."""
    problems: list[str] = []
    if not any(char.isalpha() for char in diagnosis):
        return ["is empty"]
    lead_in = _LEAD_IN.match(diagnosis)
    if lead_in:
        problems.append(f"starts with {lead_in['words'].strip()!r}, which is not part of the name")
    if _EXPLANATION.search(diagnosis) or len(diagnosis.split()) > _LONGEST:
        problems.append("holds an explanation; keep the name of the diagnosis only")
    if _SEVERAL.search(diagnosis.strip()):
        problems.append("holds more than one diagnosis")
    if _NEGATION.search(diagnosis):
        problems.append("says what is not the diagnosis")
    return problems


def bare_name(entry: str) -> str:
    """Return an entry of a list without its number, lead-in words, probability and remarks.

    >>> bare_name("2) Probable tuberculous meningitis (80 %)")
    'tuberculous meningitis'
    """
    text = _NUMBER.sub("", " ".join(entry.split())).strip(" .,;*_")
    before = ""
    while text and text != before:
        before = text
        text = _TAIL.sub("", _LEAD_IN.sub("", text)).strip(" .,;*_")
    return text


class Merged(NamedTuple):
    """An entry that was left out because it names the same disease as a kept entry."""

    kept: str
    dropped: str


def merge(entries: Iterable[str]) -> tuple[tuple[str, ...], tuple[Merged, ...]]:
    """Clean the entries of a list and keep each disease once, at its first place."""
    names: dict[str, str] = {}
    dropped: list[Merged] = []
    for entry in entries:
        name = bare_name(entry)
        key = fold(name)
        if not key:
            continue
        if key in names:
            dropped.append(Merged(names[key], name))
        else:
            names[key] = name
    return tuple(names.values()), tuple(dropped)


def shares_words(name: str, text: str) -> bool:
    """Whether a word of a name, or the first letters of a word, occurs in a text.

    If not, the name does not come from the text. In scripts without spaces, two letters in a row
    must occur.

    >>> shares_words("Crohn's disease", "Crohn was considered"), shares_words("json", "It is gout.")
    (True, False)
    """
    plain = normalise_text(text)
    written_out = normalise_text(expand_abbreviations(text).text)
    heads = {word[:_HEAD] for word in (*fold(name).split(), *normalise_text(name).split())}
    for head in heads:
        pieces = [head] if head.isascii() else [head[i : i + 2] for i in range(len(head) - 1)]
        if any(piece in plain or piece in written_out for piece in pieces if len(piece) > 1):
            return True
    return False


def blank_entries(entries: Sequence[str]) -> list[int]:
    """Return the places, from 1, of entries that do not name a disease."""
    return [place for place, entry in enumerate(entries, 1) if not fold(bare_name(entry))]

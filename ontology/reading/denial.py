"""Read denials: "no DVT", "never had TB", "MI was ruled out", "seizure free", "niega asma"."""

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
# The same in Spanish, French, German, Italian and Portuguese. "Ausencia de testículo" is a
# condition, and "ausencia de signos de sepsis" denies one.
_SIGNS = (
    r"(?:signos?|síntomas?|datos|evidencias?|indicios|signes?|preuve|arguments?|anzeichen|zeichen|"
    r"anhalt|hinweise?|segni|sintomi|evidenza|sinais|sintomas|evidências?)"
)
_OF = r"(?:de|del|des|du|di|da|do|d['’]|en faveur (?:de|du|d['’])|für|auf|von)"
_ELSEWHERE_BEFORE = (
    r"(?:(?:el |la |le )?(?:paciente|patiente?|paziente)\s+)?(?:"
    r"sin|niega|nunca (?:ha tenido|tuvo)|no (?:tiene|hay|presenta|padece|refiere|se observan?)|"
    r"(?:se )?descarta(?:d[oa]s?)?|sans|aucune?|pas (?:de|d['’])|ni(?:e|ant)|"
    r"n['’]a (?:pas|jamais)(?: eu)? (?:de|d['’])|(?:n['’]a )?jamais eu (?:de|d['’])|"
    r"kein(?:e[nrms]?)?|ohne|verneint|negiert|ausschluss(?: von)?|"
    r"nessun[ao]?|senza|nega|non (?:ha|presenta)|mai avuto|"
    r"sem|nunca teve|não (?:tem|há|apresenta)|nenhuma?|"
    rf"(?:ausencia|absence|assenza|ausência) (?:de|di|d['’])(?=\s*{_SIGNS}))(?:(?<=['’])|(?!\w))"
)
_ELSEWHERE_BETWEEN = (
    rf"(?:\s*(?:{_SIGNS}\s+{_OF}(?:(?<=['’])|(?!\w))|l['’]|"
    r"(?:el|la|il|lo|les?|un[ae]?|os?|as)(?!\w)))*"
)
_ELSEWHERE_AFTER = (
    r"(?:descartad[oa]s?|excluid[oa]s?|exclue?s?|écartée?s?|ausgeschlossen|verneint|negiert|"
    r"esclus[oa]|excluíd[oa]s?)"
)
_DENIED = re.compile(
    rf"{_BEFORE}{_BETWEEN}\s+(\S.*?)|([^\s,;][^,;]*?)[\s-]+{_AFTER}|"
    rf"{_ELSEWHERE_BEFORE}{_ELSEWHERE_BETWEEN}\s*(\S.*?)|([^\s,;][^,;]*?)\s+{_ELSEWHERE_AFTER}",
    re.IGNORECASE,
)
# What a body or a life should have: "no appetite" is a complaint, no denial.
_WANTED = frozenset(
    """appetite energy sleep period periods menses menstruation menstrual urine urination stool
    stools bowel pulse breathing breath movement movements speech vision hearing smell taste
    sensation feeling libido erection sweat sweating tears saliva milk interest motivation friends
    home house housing job work money food water insurance response growth care voice memory gag
    reflexes residence place abode schooling teeth hair flatus heartbeat carried done taken
    immunized vaccinated remission healing healed union
    dientes dents zahne denti apetito hambre hogar trabajo sueno regla menstruacion pulso orina
    especificar mencion faim sommeil travail regles precision selles appetit hunger schlaf arbeit
    wohnung angabe nahere appetito fame sonno lavoro casa apetite fome sono trabalho mencao
    """.split()
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
    denied: str | None = next(filter(None, match.groups()), None) if match else None
    words = normalise_text(denied or "").split()
    undone = bool(words) and words[0].endswith("ing") and _UNDONE.match(text) is not None
    is_complaint = not words or undone or not _WANTED.isdisjoint(words)
    return None if is_complaint else denied


def denies_in_another_language(text: str) -> bool:
    """Return whether the words that deny a condition are not English.

    >>> denies_in_another_language("niega asma"), denies_in_another_language("no asthma")
    (True, False)
    """
    match = _DENIED.fullmatch(text[:_LONGEST].strip(" ."))
    return match is not None and bool(match[3] or match[4])


def names_a_lack(texts: Iterable[str]) -> bool:
    """Return whether one of the texts says that something is missing ("loss of smell")."""
    words = {word for text in texts for word in normalise_text(text).split()}
    return not _LACKING.isdisjoint(words)

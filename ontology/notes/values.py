"""Read a lab value that is all that a note tells: "weak, K 2.4" is hypokalemia.

Beside a named diagnosis a value says nothing. So each other word of the note must be one of those
that stand beside such a value: a complaint of it, its ECG, the treatment, a missed dialysis.
"""

import re

from ..reading.measured import term_for
from .parts import NotePart, Retold
from .tellings import place_of

_VALUE = r"\s*(?:of|is|was|=|:|>|~)?\s*(?P<n>\d{1,3}(?:\.\d+)?)(?![\d/%.:+-])(?:\s?mmol(?:/l)?)?"
_LABS = tuple(
    (name, codes, re.compile(rf"(?<![\w/])(?P<said>(?:serum |s\.? ?)?{names}{_VALUE})"))
    for name, codes, names in (
        ("potassium", ("E87.5", "E87.6"), r"(?:K\+?|[Pp]otassium)"),
        ("sodium", ("E87.0", "E87.1"), r"(?:Na\+?|[Ss]odium)"),
        ("magnesium", ("E83.4",), r"(?:Mg(?:2\+|\+\+)?|[Mm]agnesium)"),
        ("inr", ("R79.1",), r"INR"),
    )
)
_BESIDE = re.compile(
    r"""\b(?:\d+\s?(?:m|f|yo|y/o|yrs?)|m|f|pt|male|female|wk|weak\w*|muscle|cramps?|legs?|tired|
    letharg\w*|drows\w*|confus\w*|fatigue|palps?|palpitations?|tetany|asympt\w*|incidental\w*|well|
    ecg|ekg|tented|peaked|t|u|waves?|changes?|flat\w*|wide|broad|qrs|sine|long|prolonged|qtc?|brady\w*|
    normal|nl|nil|no|not|without|bleed(?:s|ing)?|ha?ematoma|bruis\w*|missed|skipped|hd|dialysis|
    session|sessions|x\s?\d*|on|stop(?:ped)?|hold|held|omit|vit\s?k|po|iv|oral|repeat|rpt|recheck|
    ca|calcium|gluc\w*|gluconate|insulin|dex\w*|salbutamol|nebs?|kcl|sando-?k|replac\w*|infusion|
    inf|saline|hypertonic|fluid|restrict\w*|warf\w*|doac|apixaban|clarithro\w*|abx|recent|
    furosemide|frusemide|lasix|thiazides?|indap\w*|bendro\w*|hctz|spiro\w*|acei|arb|ramipril|
    lisinopril|losartan|trimethoprim|septrin|ppis?|omeprazole|ssris?|sertraline|citalopram|
    and|with|w|after|today|admit\w*|adm|ed|for|urgent|low|high|raised|elevated|v|very|diet|banana\w*|
    \d+)\b""",
    re.IGNORECASE | re.VERBOSE,
)


def value_in(text: str, parts: tuple[NotePart, ...]) -> Retold | None:
    """Return what the lab value of a note means that names nothing else, else None.

    >>> value_in("missed HD, K 7", ()).words, value_in("weak, Na 112", ()).words
    ('hyperkalemia', 'hyponatremia')
    >>> value_in("DKA, K 6.2", ()), value_in("K 4.1", ())
    (None, None)
    """
    text = " ".join(text.split())
    for name, codes, pattern in _LABS:
        match = pattern.search(text)
        words = term_for(name, float(match["n"])) if match else ""
        if match and words:
            rest = _BESIDE.sub("", f"{text[: match.start()]} {text[match.end() :]}")
            is_alone = not any(map(str.isalpha, rest))
            return Retold(words, place_of(match["said"], parts), codes) if is_alone else None
    return None

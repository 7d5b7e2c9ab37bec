"""Read what a stroke of the past has left: "old CVA, R hemi" is hemiplegia after the infarct.

Codes of I69 stand for the deficits of an old stroke (section I.C.9.d of the guidelines), a history
without one for the stroke alone.
"""

import re

from .parts import NotePart, Retold
from .tellings import place_of

_STROKE = (
    r"(?:(?:l|r|left|right|bilat|ischa?emic|ha?emorrhagic|lacunar|embolic|mca|aca|pca|"
    r"pontine|brainstem|cerebellar|cerebral|major|minor|small|big|large|2|two)\s+){0,3}"
    r"(?:cvas?|cva['’]s|strokes?|infarcts?|ich|sah)\b(?! prevention| unit| clinic)"
)
_WHEN = (
    r"(?:\s*,?\s*\(?(?:in |since )?(?:(?:19|20)\d\d|['’]\d\d|last y(?:ea)?r|"
    r"\d+\s?(?:y|yrs?|years?|mo|months?|/12)\s?ago)\)?)"
)
_PAST = re.compile(
    r"\b(?:old|previous|prev|prior|known|remote|past|h/o|hx(?: of)?|history of|k/c(?:/o)?|s/p|"
    r"bkgd|background|residual(?: from)?|sequelae? of|post|after|since|from|following|2/2|due to|"
    rf"late effects? of)[\s:-]+(?:(?:old|prior|prev(?:ious)?|known)\s+)?{_STROKE}|"
    rf"\b{_STROKE}(?:{_WHEN}|(?=.{{0,40}}\bresidual\b))",
    re.IGNORECASE,
)
_BRAIN = re.compile(
    r"cva|stroke|ich|sah|\b(?:mca|aca|pca|lacunar|cerebral|cerebellar|pontine|brain\w*)\b", re.I
)
# Of a stroke today, or of a note that is about something else.
_NOT = re.compile(
    r"\b(?:acute|sudden|onset|tpa|tnk|thrombectomy|thromboly\w*|evt|code stroke|nihss|now|new|"
    r"today|d\d+|day \d+|pod\s?\d+|post[- ]?op|no|w/o|without|denies|nil|resolved|recovered|"
    r"fully|full recovery|improved|\?|r/o|rule out|tia|risk|fam\w*|fhx?|mother|father|mum|dad|"
    r"worse\w*|worsening|recurrent|seizures?|fits?|epilepsy|depress\w*|dementia|prevent\w*|screen|"
    r"fall|fell|sepsis|pneumonia|pna|uti|ulcers?|fracture|fx|fever|chest|admitted|adm|"
    r"adm(?:it)? (?:for|with|w)|x ?\d+ ?[hdw]|\d+ ?[hd])\b",
    re.IGNORECASE,
)
_SIDE = r"(?:l|r|left|right|lt|rt)\b[- ]?(?:sided?\b[- ]?)?(?:spastic |dense |mild |residual )*"
_DEFICITS = tuple(
    (digit, words, re.compile(rf"(?P<said>{pattern})", re.IGNORECASE))
    for digit, words, pattern in (
        ("5", "hemiplegia and hemiparesis", r"\b(?:hemi(?:-?(?:pleg|pares)\w*|s)?)\b"),
        ("5", "hemiplegia and hemiparesis", rf"\b{_SIDE}(?:weak\w*|wkns|pleg\w*|pares[ie]s)\b"),
        ("5", "hemiplegia and hemiparesis", r"\bweak\w*,? (?:l|r|left|right)(?: side\w*)?\b"),
        (
            "3",
            "monoplegia of upper limb",
            rf"\b{_SIDE}(?:arm|ul|ue|hand|upper limb) (?:weak\w*|monoplegia|monoparesis|paresis)\b",
        ),
        (
            "4",
            "monoplegia of lower limb",
            rf"\b{_SIDE}(?:leg|ll|lower limb) (?:weak\w*|monoplegia|monoparesis|paresis)\b",
        ),
        ("20", "aphasia", r"\b(?:\w+ )?aphasi[ac]\b"),
        ("21", "dysphasia", r"\b(?:\w+ )?dysphasi[ac]\b"),
        ("22", "dysarthria", r"\b(?:dysarthri[ac]|slurred speech|slurring)\b"),
        ("91", "dysphagia", r"\b(?:dysphagi[ac]|swallow(?:ing)? (?:difficult\w*|problems?))\b"),
        ("92", "facial weakness", r"\bfacial (?:droop|weakness|palsy)\b"),
        ("93", "ataxia", r"\bataxi[ac]\b"),
        (
            "1",
            "cognitive deficits",
            r"\b(?:vasc\w* )?(?:cog\w* (?:imp\w*|deficits?|decline)|vci|memory (?:deficit|loss))\b",
        ),
        (
            "98",
            "other sequelae",
            r"\b(?:spastic\w*|contractures?|hemianopi\w*|foot drop|shoulder pain)\b",
        ),
    )
)
_CAUSES = (
    ("I69.0", "nontraumatic subarachnoid hemorrhage", re.compile(r"\bsah\b", re.I)),
    (
        "I69.1",
        "nontraumatic intracerebral hemorrhage",
        re.compile(r"\bich\b|\bha?emorrhagic (?:stroke|cva)\b", re.I),
    ),
    ("I69.3", "cerebral infarction", re.compile("")),
)


def old_stroke_in(text: str, parts: tuple[NotePart, ...]) -> Retold | None:
    """Return the first deficit that a note tells of an old stroke, None where it tells none.

    >>> old_stroke_in("old CVA R hemi (dominant)", ()).codes
    ('I69.35',)
    >>> old_stroke_in("old CVA, new R hemi today", ()), old_stroke_in("old CVA", ())
    (None, None)
    """
    text = " ".join(text.split())
    past = _PAST.search(text)
    if past is None or _NOT.search(text) or not _BRAIN.search(past.group()):
        return None
    code, cause, _ = next(one for one in _CAUSES if one[2].search(past.group()))
    for digit, words, pattern in _DEFICITS:
        if match := pattern.search(text):
            link = "of" if digit == "98" else "following"
            place = place_of(match["said"], parts)
            return Retold(f"{words} {link} {cause}", place, (f"{code}{digit}",))
    return None

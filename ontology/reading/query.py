"""Read a free-text diagnosis: its forms, the diagnoses in it, and why a text is not a diagnosis."""

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

from ..packaged import packaged
from .abbreviations import Abbreviation, Expansion, expand_abbreviations
from .absent import absent_phrases, unrelated_to
from .coders import (
    not_elsewhere,
    turned,
    without_certainty,
    without_encounter,
    written_out,
)
from .denial import without_denied
from .frames import Frame, read_frame
from .glossary import gloss
from .lay import in_clinical_words
from .measured import whole_measure
from .normalise import normalise_text
from .states import wordings_of_state
from .told import terms_told
from .values import is_lab_value

LONGEST = 400
"""The number of characters of a text that search reads; a longer text is a report."""

_OF_CONDITION = 0.9  # the weight of the condition alone where a text has a frame
_OF_LAY = 0.95  # the weight of a text in clinical words
_LONGEST_WORD = 60  # the longest word of ICD-10-CM has 35 letters

_BRACKETS = re.compile(r"\s*[(\[]([^()\[\]]*)[)\]]")
_SLASH = re.compile(r"\s+/\s+")
_EITHER = re.compile(r"[a-zA-Z-]{3,}(?:/[a-zA-Z-]{3,}){1,3}")
_LISTED = re.compile(r"\s*,\s*(?:and\s)?\s*|\s*\+\s*|\s+(?:&|and)\s+", re.IGNORECASE)
_NUMBERED = re.compile(r"(?:^|\s)\(?\d{1,2}[.)]\s+(?=[A-Za-z])")
_SEVERAL = re.compile(r"\s*(?:;|\n|\||•)\s*")
_PAST_OR_DOUBT = (
    r"suspected|suspect|presumptive|susp\.?|probable|prob\.?|possible|poss\.?|presumed|likely|"
    r"query|rule out|r/o|"
    r"k/?c/?o|known case of|consistent with|c/w|"
    r"suggestive of|concern(?:ing)? for|suspicious for|worrisome for|"
    # German, French, Spanish, Italian, Portuguese, Dutch.
    r"v\.\s?a\.|(?:dringender |hochgradiger )?verdacht auf|suspicion de?|"
    r"sospecha(?: cl[íi]nica)? de|probables?|posible|sospett[oa](?: di)?|suspeita de|"
    r"hip[óo]tese de|prov[áa]vel|poss[íi]vel|"
    r"(?:sterke |klinische )?(?:verdenking(?: op)?|verdacht voor|vermoeden van)|mogelijke?|"
    r"waarschijnlijke?|vermoedelijke?"
)
_SET_ASIDE = re.compile(rf"\?|\b(?:{_PAST_OR_DOUBT})(?!\w)", re.IGNORECASE)
# What follows is sought for; what stands before it is what the patient has.
_SOUGHT = re.compile(
    r"(?P<found>\w.*?)[\s,;:(-]+(?P<sought>(?:(?:to|must|need to)\s+)?(?:r/o|rule out|ruling out|"
    r"eval(?:uate)? for|evaluation for|worrisome for|suspicious for|concerning for|concern for|"
    r"\?(?=\s*[a-zA-Z]))(?!\w)\s*\S.*)",
    re.IGNORECASE,
)
_LEAD_IN = re.compile(
    r"^(?:(?:the )?(?:final |primary |principal |working |provisional |most likely |likely |"
    r"discharge |admission )?(?:diagnosis|dx|impression|assessment|"
    r"(?:werk|hoofd|ontslag)?diagnose|conclusie)(?: is| of|:| -)\s*|"
    rf"(?:{_PAST_OR_DOUBT}|known|confirmed|bekend met|"
    r"patient with|pt with|dx|c/o|complain(?:s|ing|ed) of|"
    r"(?:presents?|presented|presenting|adm|admitted) (?:with|for))(?!\w)[: '’]\s*)+",
    re.IGNORECASE,
)
_EVENT = re.compile(
    r"((?:s/p\s+)?(?:(?:mechanical|witnessed|unwitnessed|ground[- ]level)\s+)?"
    r"(?:fall|glf|mva|mvc|mcc|assault))\s*[,;]\s*(?=\S)",
    re.IGNORECASE,
)
_INJECTED = r"heroin|cocaine|meth(?:amphetamine)?|fentanyl|opioids?|opiates?|amphetamines?"
_SHORTHAND = (
    (re.compile(r"(?<!\w)w/(?!(?:o|out|d|u|c|i|in)\b)\s*|(?<=[a-z] )w (?=[a-z])", re.I), "with "),
    (re.compile(r"(?<![\w/])2/2(?![\w/])(?! (?:bottles|blood|pos))"), "secondary to"),
    (re.compile(r"\bchr\.? (?=[a-z])", re.I), "chronic "),
    (re.compile(r"(?<![\w#])#\s?(?=[a-z])", re.I), "fracture "),
    (
        re.compile(
            r"\s?\+ve\b|(?<=[a-z]{2})\+(?=[\s,;]|$)|(?<=[a-z]{2})\s\+(?=\s*(?:\d|,|$))", re.I
        ),
        " positive",
    ),
    (re.compile(r"(?<=[a-z\d] )def\b\.?(?=\s*(?:$|[,;(]|\d|anemia))", re.I), "deficiency"),
    (re.compile(r"\bAo(?=C[A-Z]{2,3}\d?\b)"), "acute on "),
    (re.compile(r"(?<=\s)-ve\b", re.I), "negative"),
    (
        re.compile(
            rf"\bIVD[UA][\s,:(/-]+(?:with |of )?({_INJECTED})\)?|\b({_INJECTED}) IVD[UA]\b", re.I
        ),
        r"\1\2 abuse",
    ),
    # The titles of ICD-9-CM, which older lists keep.
    (re.compile(r"\breplaced by transplant\b", re.I), "transplant status"),
    (
        re.compile(
            r"^\s*([^,]+),\s*([^,]+),\s*old(?:,? without (?:sequelae|residuals?))?\s*$", re.I
        ),
        r"old \2 \1",
    ),
    (re.compile(r"^\s*(\S.*?),\s*old(?:,? without (?:sequelae|residuals?))?\s*$", re.I), r"old \1"),
    (
        re.compile(r"^\s*(?:mets|metastas[ei]s) (?:to|in|of)(?: the)? (?=[a-z][^,]*$)", re.I),
        "secondary malignant neoplasm of ",
    ),
)
_LATE_EFFECT = re.compile(r"\blate effects?(?: of| from)?\s+(?=\w)", re.IGNORECASE)
# Sizes, ages, days, doses and values, which charts write after a diagnosis.
_MEASURES = re.compile(
    r"(?<![\w.])(?<!type )(?<!stage )(?<!grade )(?:"
    r"(?:bmi|(?:lv)?ef|ck|cpk|a1c|hba1c|hgb|hb|inr|k|na|cr|gfr|egfr|ast|alt|psa|trop|bnp|gcs|"
    r"nihss|ecog|gleason|apgars?|bal|etoh level|t max|tmax)\s*(?:of|is|[:=<>~])?\s*"
    r"\d[\d.,/+=]*\s?(?:k|%|\w{1,2}(?:/\w{1,3})?)?"
    r"|\d+(?:\.\d+)?\s?(?:x\s?\d+(?:\.\d+)?\s?)*(?:cm|mm)"
    r"|\d+(?:\.\d+)?\s?(?:[npµum]?c?g|m?mol|meq|m?iu|k?u)/(?:d?l|ml|hr?|min|kg)"
    r"|\d+(?:[.,]\d+)?k?\s?(?:mg|mcg|g|units?|iu|k)?\s?(?:q\s?(?:wk|week|d|day|mo|month)|weekly|daily)"
    r"|\d+(?:[.+]\d+)?\s?-?(?:%|kg|mg|mcg|ml|wks?|weeks?|weekers?|days?|mo|months?|yrs?|"
    r"years?|yo|y/o|hrs?|hours?)(?:\s(?:old|ago))?"
    r"|\d{2,}[wdyh]"
    r"|(?:day|dol|pod|hd|week)\s?#?\d+"
    r"|x\s?\d+(?:\s?(?:d|days?|wks?|weeks?|mo|months?|yrs?|years?|h|hrs?|hours?))?"
    r"|#\s?\d+"
    r")(?![\w/=])",
    re.IGNORECASE,
)
_SIDE = re.compile(
    r"\b(?:left|right|both|bilateral)(?: eyes?| ears?| side| sided)?\b"
    r"(?! (?:heart|ventric|atri|bundle|shift|upper|lower|anterior|main|middle))"
    r"|(?-i:\bO[DSU])(?=$|,| with| after)",
    re.IGNORECASE,
)
# The text after these is mostly a detail, a second condition or the treatment of the first.
_TAIL = re.compile(
    r"\s*(?:,|:|\s-+\s|\s(?:with|s/p|on(?! chr)|after|following|needing|requiring|requires|needs|"
    r"complicated by|c/b|secondary to|causing|per|in (?:the )?setting of|i/s/o|improving|improved|"
    r"resolving|resolved|worsening|uncontrolled|poorly|"
    r"to (?:the )?(?:or|icu|cath lab|theatre))(?!\w))",
    re.IGNORECASE,
)
_LEADING = re.compile(r"^\s*(?:with|on|of)\s", re.IGNORECASE)
_QUALIFIER = frozenset(
    """acute chronic subacute severe mild moderate recurrent old new left right pain primary
    secondary congenital acquired suspected possible known other""".split()
)
_MARK = re.compile(r"^\s*#\s?(?=[a-z])", re.IGNORECASE)
# What is left of a text that only announces a condition: "h/o ?", "history of", "suspected".
_NO_CONDITION = frozenset(("", "of", "for", "possible", "r o", "suspected", "suspicion of"))
_CODE_PREFIX = re.compile(r"^\s*(?:[-*•–]+|\d{1,2}[.)])\s+")

_TELLING = frozenset(
    """male female man woman boy girl dob past january february april june july august september
    october november december monday tuesday wednesday thursday friday saturday sunday""".split()
)
_DATES = _TELLING | frozenset(
    """age aged year years yr yrs y o yo old month months mo week weeks wk wks day days d hour hours
    hr hrs h am pm at on in of the born since ago next last half quarter noon midnight march may m f
    st nd rd th date time mon tue tues wed thu thur thurs fri jan feb mar apr jun jul aug sep sept
    oct nov dec one two three four five six seven eight nine ten eleven twelve""".split()
)
_NUMBER = re.compile(r"\d+(?:st|nd|rd|th|y|yo|yrs?|m|f|d|h|w|mo|am|pm)?")
_PERSON = re.compile(
    r"\S+@\S+\.\w+|(?:Dr|Mrs?|Ms|Prof|Sr)\. (?:[A-Z][\w.'-]*\s?){1,4}"
    r"|[A-Z][\w.'-]+(?: [A-Z][\w.'-]*){1,2}, (?:RN|PA-C|NP)"
)


class Form(NamedTuple):
    """One way to read a text, normalised; `weight` in (0, 1] scales the scores of its matches."""

    text: str
    weight: float
    kind: str


@dataclass(frozen=True)
class Query:
    """A diagnosis as search sees it. `refusal` says why the text is not a diagnosis, else None.

    `set_aside` holds the words that say that the condition is in doubt ("?", "likely"). `frame`
    says that the condition is past, of a relative, looked for or met. `excluded` is what the text
    says the condition is unrelated to, normalised. `codes` are the codes of the
    release that stand in the text, `likely_codes` are words that may be codes. `turned` holds other
    wordings of the whole text, normalised, which are looked up and not searched.
    """

    text: str
    forms: tuple[Form, ...]
    expanded: tuple[Abbreviation, ...] = ()
    ambiguous: tuple[Abbreviation, ...] = ()
    refusal: str | None = None
    set_aside: str = ""
    frame: Frame | None = None
    excluded: str = ""
    absent: tuple[str, ...] = ()
    turned: tuple[str, ...] = ()
    codes: tuple[str, ...] = ()
    likely_codes: tuple[str, ...] = ()


def read_query(text: str, *, frames: bool = True) -> Query:
    """Read one diagnosis: write out abbreviations, add forms for brackets and slashes.

    frames: whether histories and the like have codes of their own; else the condition is read.
    """
    measure = whole_measure(text[:LONGEST]) if frames else ""
    refusal = None if measure else why_not_a_diagnosis(text)
    if refusal:
        return Query(text, (), refusal=refusal)
    short = measure or _CODE_PREFIX.sub("", text[:LONGEST])
    for pattern, words in _SHORTHAND:
        short = pattern.sub(words, short)
    short, denied = without_denied(written_out(without_encounter(short)))
    bare = _LEAD_IN.sub("", short.lstrip(" ?")).strip() or short
    before = short[: len(short) - len(bare)] if short.endswith(bare) else ""
    doubts = (match.group() for match in _SET_ASIDE.finditer(before))
    set_aside = " ".join(filter(None, (denied, *doubts)))
    bare, doubt = without_certainty(bare)
    set_aside = f"{set_aside} {doubt}".strip()
    if sought := _SOUGHT.fullmatch(bare):
        bare, set_aside = sought["found"], f"{set_aside} {sought['sought']}".strip()
    told = terms_told(bare) if frames else ()
    frame = read_frame(bare)
    bare, plain = not_elsewhere(frame.rest if frame else bare)
    if normalise_text(bare) in _NO_CONDITION:
        return Query(text, (), refusal="names no condition")
    english = gloss(_BRACKETS.sub(" ", bare))
    expansion = (
        Expansion(bare, (), ())
        if english
        else expand_abbreviations(bare, f"{set_aside} {short if frame else ''}")
    )
    is_alone = expansion.ambiguous and sought is None
    if is_alone and normalise_text(bare) == expansion.ambiguous[0].short.lower():
        meanings = " or ".join(expansion.ambiguous[0].expansions)
        reason = f"ambiguous abbreviation: {bare.strip()} may mean {meanings}"
        return Query(text, _meanings(expansion), (), expansion.ambiguous, reason)
    forms = [*_forms(expansion.text, english), *_meanings(expansion)]
    if (sequelae := _LATE_EFFECT.sub("sequelae of ", expansion.text)) != expansion.text:
        forms.append(Form(normalise_text(sequelae), 0.97, "sequelae"))
    if plain:
        forms.append(Form(normalise_text(expand_abbreviations(plain).text), 0.97, "without NEC"))
    if lay := None if english else in_clinical_words(bare):
        forms.append(Form(normalise_text(lay), _OF_LAY, "lay"))
    folded = forms[0].text
    as_written = (short,) if expansion.expanded or frame else ()
    states = wordings_of_state(bare, frame.kind if frame else "") if frames else ()
    orders = _in_frame(frame if frames else None, turned(folded, expansion.text))
    others = tuple(map(normalise_text, filter(None, (*told, *as_written, *orders, lay, *states))))
    if frame and not frames:
        set_aside = " ".join(filter(None, (set_aside, frame.written)))
    elif frame:
        forms = [_whole_of(frame, folded), *map(_condition, forms)]
    return Query(
        text,
        tuple(forms),
        expansion.expanded,
        expansion.ambiguous,
        set_aside=set_aside,
        frame=frame if frames else None,
        excluded=unrelated_to(bare),
        absent=absent_phrases(expansion.text),
        turned=others,
    )


def _in_frame(frame: Frame | None, wordings: tuple[str, ...]) -> tuple[str, ...]:
    """Return the wordings of a text with its frame; the condition alone is less than the text."""
    return tuple(f"{frame.phrase} {wording}" for wording in wordings) if frame else wordings


def unmarked(text: str) -> str:
    """Return a text without "#" before it, which marks a line of a list: "# HTN", or a fracture."""
    return _MARK.sub("", text)


def event_before(text: str) -> tuple[str, str]:
    """Return the event that a text begins with, and what follows it: "fall, hip fracture".

    What follows may say what came of the event, or only more about it: "fall, recurrent".

    >>> event_before("Mechanical fall, hip fracture"), event_before("hip fracture")
    (('Mechanical fall', 'hip fracture'), ('', 'hip fracture'))
    """
    match = _EVENT.match(text)
    return (match[1], text[match.end() :]) if match else ("", text)


def _whole_of(frame: Frame, condition: str) -> Form:
    return Form(f"{frame.phrase} {condition}", 1.0, "whole")


def _condition(form: Form) -> Form:
    kind = "condition" if form.kind in {"whole", "without brackets"} else form.kind
    return Form(form.text, round(form.weight * _OF_CONDITION, 4), kind)


def _meanings(expansion: Expansion) -> tuple[Form, ...]:
    """Return one form for each meaning of the first ambiguous abbreviation in the text."""
    if not expansion.ambiguous:
        return ()
    entry = expansion.ambiguous[0]
    short = re.compile(rf"(?<![\w-]){re.escape(entry.short)}(?![\w-])", re.IGNORECASE)
    written = (short.sub(meaning, expansion.text, count=1) for meaning in entry.expansions)
    return tuple(Form(normalise_text(form), 0.9, "one meaning") for form in written)


def _forms(text: str, english: str | None) -> tuple[Form, ...]:
    forms = [Form(normalise_text(text), 1.0, "whole")]
    without = _BRACKETS.sub(" ", text)
    if without != text:
        forms.append(Form(normalise_text(without), 0.98, "without brackets"))
        inside = (match.group(1) for match in _BRACKETS.finditer(text))
        forms += [Form(normalise_text(part), 0.85, "in brackets") for part in inside]
    for part in _alternatives(without):
        forms.append(Form(normalise_text(part), 0.95, "alternative"))
    plain = _SIDE.sub(" ", _MEASURES.sub(" ", without))
    if plain != without:
        forms.append(Form(normalise_text(plain), 0.95, "without details"))
    first = _TAIL.split(_LEADING.sub("", plain), maxsplit=1)[0].strip()
    if first.lower() not in _QUALIFIER:
        forms.append(Form(normalise_text(first), 0.75, "first part"))
    if english:
        written = expand_abbreviations(english).text
        forms.append(Form(normalise_text(written), 0.95, "word for word"))
    distinct: dict[str, Form] = {}
    for form in forms:
        if len(form.text) > (0 if form.kind == "whole" else 2):
            distinct.setdefault(form.text, form)
    return tuple(distinct.values())


def _alternatives(text: str) -> list[str]:
    """Return the readings of a slash: either part, or either word in its place.

    "NSTEMI / STEMI" has two parts; "Strain of muscle/tendon" reads "Strain of muscle" and "Strain
    of tendon".
    """
    parts = _SLASH.split(text)
    if 1 < len(parts) <= 3:
        return parts
    match = _EITHER.search(text)
    if match is None:
        return []
    words = match.group().split("/")
    return [f"{text[: match.start()]}{word}{text[match.end() :]}" for word in words]


def split_diagnoses(text: str) -> tuple[str, ...]:
    """Split a cell that lists several diagnoses, at semicolons, line ends, bars or numbers.

    Commas, "and" and slashes do not split a cell: they occur too often inside one diagnosis.

    >>> split_diagnoses("pneumonia; sepsis")
    ('pneumonia', 'sepsis')
    >>> split_diagnoses("1. Asthma 2. GERD")
    ('Asthma', 'GERD')
    >>> split_diagnoses("acute bronchitis, viral")
    ('acute bronchitis, viral',)
    """
    parts = _SEVERAL.split(text.strip())
    if len(_NUMBERED.findall(text)) >= 2:
        parts = [piece for part in parts for piece in _NUMBERED.split(part)]
    diagnoses = [part.strip(" ,;") for part in parts]
    diagnoses = [part for part in diagnoses if any(char.isalpha() for char in part)]
    return tuple(dict.fromkeys(diagnoses)) if len(diagnoses) > 1 else (text.strip(),)


def listed_parts(text: str) -> tuple[str, ...]:
    """Return the parts of a text between commas, "and" and plus signs, where there are several.

    >>> listed_parts("HTN, DM2 and HLD")
    ('HTN', 'DM2', 'HLD')
    """
    parts = tuple(dict.fromkeys(part for part in _LISTED.split(text[:LONGEST].strip()) if part))
    return parts if len(parts) > 1 else ()


def why_not_a_diagnosis(text: str) -> str | None:
    """Return the reason why a text holds no diagnosis, or None where it may hold one."""
    if not text.strip():
        return "empty text"
    if sum(char.isalpha() for char in text) < 2:
        return "no words in the text"
    if "\x00" in text or sum(not char.isprintable() and not char.isspace() for char in text) > 3:
        return "control characters, not text"
    folded = normalise_text(text[:LONGEST])
    if not folded:
        return "no words in the text"
    if max(map(len, folded.split())) > _LONGEST_WORD:
        return "one run of characters without words"
    if folded in _phrases():
        return f"says that there is no diagnosis: {text.strip()!r}"
    if len(text) < 60 and len(folded.split()) <= 6 and is_lab_value(text):
        return "a measured value, not a diagnosis"
    words = folded.split()
    if all(word in _DATES or _NUMBER.fullmatch(word) for word in words) and any(
        word in _TELLING or _NUMBER.fullmatch(word) for word in words
    ):
        return "an age, a sex or a date, not a diagnosis"
    if _PERSON.fullmatch(text[:LONGEST].strip()):
        return "a person or an address, not a diagnosis"
    if len(folded) > 4 and len(set(folded)) < 3:
        return "typing noise, not a diagnosis"
    return None


@lru_cache(maxsize=1)
def _phrases() -> frozenset[str]:
    text = packaged("no_diagnosis.txt").read_text("utf-8")
    lines = (line for line in text.splitlines() if not line.startswith("#"))
    return frozenset(normalise_text(line) for line in lines)

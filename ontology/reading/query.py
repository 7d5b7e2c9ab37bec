"""Read a free-text diagnosis: the forms in which search looks for it, and what is set aside."""

import re
from dataclasses import dataclass
from typing import NamedTuple

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
from .injuries import in_words_of_release
from .lay import in_clinical_words
from .measured import whole_measure
from .no_diagnosis import why_not_a_diagnosis
from .normalise import LONGEST, normalise_text
from .overdose import told_overdose
from .own_letters import without_own_letters
from .several import FLARE
from .shorthand import without_shorthand
from .states import wordings_of_state
from .told import terms_told

WORD_FOR_WORD = "word for word"
"""The kind of a form that is a text in another language in English words."""

TRANSLATED = "translated"
"""The kind of a form that is a term near in meaning to a text in another language."""

IN_ENGLISH = (WORD_FOR_WORD, TRANSLATED)
"""The kinds of forms of texts in other languages."""

_OF_CONDITION = 0.9  # the weight of the condition alone where a text has a frame
_WITHOUT_LACK = 0.75  # the weight of a text without what it says is absent
_OF_LAY = 0.95  # the weight of a text in clinical words

_BRACKETS = re.compile(r"\s*[(\[]([^()\[\]]*)[)\]]")
_SLASH = re.compile(r"\s+/\s+")
_EITHER = re.compile(r"[a-zA-Z-]{3,}(?:/[a-zA-Z-]{3,}){1,3}")
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
_LATE_EFFECT = re.compile(r"\blate effects?(?: of| from)?\s+(?=\w)", re.IGNORECASE)
# Sizes, ages, days, doses and values, which charts write after a diagnosis.
_MEASURES = re.compile(
    r"(?<![\w.])(?<!type )(?<!stage )(?<!grade )(?:"
    r"(?:bmi|(?:lv)?ef|ck|cpk|a1c|hba1c|hgb|hb|inr|k|na|cr|gfr|egfr|ast|alt|psa|trop|bnp|gcs|"
    r"nihss|ecog|gleason|apgars?|bal|etoh level|t max|tmax|ferritin|tsh|ldl|hdl|tg|plt|wbc|esr|crp|"
    r"ahi|iop|phq-?9|gad-?7|t-?score)\s*(?:of|is|[:=<>~])?\s*"
    r"-?\d[\d.,/+=]*\s?(?:k|%|\w{1,2}(?:/\w{1,3})?)?"
    r"|\d+(?:\.\d+)?\s?(?:x\s?\d+(?:\.\d+)?\s?)*(?:cm|mm)"
    r"|\d+(?:\.\d+)?\s?(?:[npµum]?c?g|m?mol|meq|m?iu|k?u)/(?:d?l|ml|hr?|min|kg)"
    r"|\d+(?:[.,]\d+)?k?\s?(?:mg|mcg|g|units?|iu|k)?\s?(?:q\s?(?:wk|week|d|day|mo|month)|weekly|daily)"
    r"|\d+(?:[.+]\d+)?\s?-?(?:%|kg|mg|mcg|ml|wks?|weeks?|weekers?|days?|mo|months?|yrs?|"
    r"years?|yo|y/o|hrs?|hours?)(?:\s(?:old|ago))?"
    r"|\d{2,}[wdyh]"
    r"|\d{1,2}/(?:52|12|7)(?: (?:ago|old|hx|history))?"
    r"|g\d{1,2}\s?p\d{1,2}(?:\d{3})?(?:\+\d)?"
    r"|(?:day|dol|pod|hd|week)\s?#?\d+"
    r"|x\s?\d+(?:\s?(?:d|days?|wks?|weeks?|mo|months?|yrs?|years?|h|hrs?|hours?))?"
    r"|#\s?\d+"
    r"|(?:3[5-9]|4[0-2])\.\d(?:\s?°?c)?"
    rf"|{FLARE}"
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
_LACKED = re.compile(r"^(.+?\w),?\s(?<!\bor\s)(?<!\band\s)(?:without|w/o)\s.*$", re.IGNORECASE)
_LEADING = re.compile(r"^\s*(?:with|on|of)\s", re.IGNORECASE)
_QUALIFIER = frozenset(
    """acute chronic subacute severe mild moderate recurrent old new left right pain primary
    secondary congenital acquired suspected possible known other""".split()
)
# What is left of a text that only announces a condition: "h/o ?", "history of", "suspected".
_NO_CONDITION = frozenset(("", "of", "for", "possible", "r o", "suspected", "suspicion of"))
_CODE_PREFIX = re.compile(r"^\s*(?:[-*•–]+|\d{1,2}[.)])\s+")


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
    short = measure or without_own_letters(_CODE_PREFIX.sub("", text[:LONGEST]))
    short = written_out(without_encounter(without_shorthand(short)))
    short, denied = without_denied(short)
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
    before = expansion.text
    if frames and not english:
        expansion = expansion._replace(text=in_words_of_release(before))
    is_rewritten = expansion.text != before
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
    if lay := None if english else told_overdose(bare) or in_clinical_words(bare):
        forms.append(Form(normalise_text(lay), _OF_LAY, "lay"))
    folded = forms[0].text
    as_written = [short] if expansion.expanded or frame or is_rewritten else []
    as_written += [before] if is_rewritten else []
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
    if lacked := _LACKED.match(plain):
        forms.append(Form(normalise_text(lacked[1]), _WITHOUT_LACK, "without details"))
    first = _TAIL.split(_LEADING.sub("", plain), maxsplit=1)[0].strip()
    if first.lower() not in _QUALIFIER:
        forms.append(Form(normalise_text(first), 0.75, "first part"))
    if english:
        written = expand_abbreviations(english).text
        forms.append(Form(normalise_text(written), 0.95, WORD_FOR_WORD))
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

"""Read the entries of a healthy mother and of a healthy newborn: antenatal visits and births.

All words of such an entry are of a visit or of a birth: a disease or a complaint in it makes it
none (guidelines of ICD-10-CM, sections I.C.15.b.1, I.C.15.a.4 and I.C.16.a.2).
"""

import re

from ..reading.measured import gestation_of, trimester_of

_CESAREAN = (
    r"(?<![\w/])(?:(?:em|el|repeat|elective|emergency)\s?)?"
    r"(?:lscs|cs|c/s|c-?\s?section|ca?esar[ei]an(?: section)?|section)(?!\w)"
)
_BY_CESAREAN = re.compile(_CESAREAN, re.IGNORECASE)
_BY_VAGINA = re.compile(
    r"\b(?:n?svd|nvd|vag|vaginal(?:ly)?|ventouse|kiwi|forceps|vbac|nvb|svb)\b", re.IGNORECASE
)
_BABY = re.compile(
    r"(?-i:\bNB\b)|\bnewborn\b|\bneonate\b|\bbaby\b|\bbub\b|\bterm (?:aga|male|female|infant)\b|"
    r"\btwin (?:[12]|i{1,2}|a|b)\b|\btriplet\b|\binfant\b",
    re.IGNORECASE,
)
_BETWEEN = re.compile(r"[\s,.;:&()/-]+")
_NUMBER = re.compile(r"[\d+@]+(?:kg|g|cm|f|y|yo|w|wks?|weeks?|st|nd|rd|mo)?|g\d+(?:p\d+)?|p\d+|x\d")
_OF_BIRTH = frozenset(
    """nb newborn neonate baby bub infant boy girl male female m f term full post aga liveborn live
    single singleton twin triplet dcda mcda i ii a b of born birth delivered delivery by via in at
    to for after hospital well healthy normal nl nad ok exam nipe check breast breech bottle fed
    ebf bf ff feeding skin apgar apgars bw kg g vit k given day d dol mum uncomplicated routine
    care w wks weeks cesarean svd nsvd nvd vag vaginal vaginally ventouse kiwi forceps vbac nvb
    svb""".split()
)
_OF_VISIT = frozenset(
    """g p primip primiparous primigravida primips multip multips multiparous grand weeks week wk
    wks w mo month months pregnant pregnancy preg anc an antenatal ante natal booking booked midwife
    midwives mw prenatal ob pnv rob obv visit check checkup clinic review appt rv appointment
    routine rout low risk no nil concern concerns complaints issues problems all well ok normal nl
    nad ceph cephalic vx bp urine clear dip fh fhr fhh sfh fm fm+ fmf fms felt good gfm cm f yo at
    for in the and with bloods taken sent done heard trimester ama advanced maternal age elderly
    seen today uncomplicated singleton iup siup usual care shared""".split()
)
_OF_SCAR = frozenset(
    """prev previous prior past x one two cesarean wants for vbac tolac ercs erics counselled
    counseled discussion discussed plan clinic request requests booked anc low transverse lower
    segment scar weeks wks w""".split()
)

_WEEKS = re.compile(r"\d\d(?:\s?\+\s?\d)?(?:\s?/40|\s?w(?:ee)?ks?\b)|\b\d/40|\d\d\s?\+\s?[0-6]\b")
_PARITY = re.compile(r"\bg\s?\d+\s?p\s?\d|\bprimip\w*|\bmultip\w*|\bpreg\w*", re.IGNORECASE)
_FIRST = re.compile(r"\bg\s?1\s?p\s?0|\bprimip\w*|\bprimigravid\w*|\bg1\b|\bp0\b", re.IGNORECASE)
_MORE = re.compile(r"\bg\s?[2-9]\b|\bg\s?[2-9]\s?p|\bp[1-9]\b|\bmultip(?:ar\w*|s)?\b", re.I)
_GRAND = re.compile(r"\b(?:g\d+\s?)?p\s?(?:[5-9]|1\d)(?:\+\d)?\b|\bgrand multip\w*", re.IGNORECASE)
_OLD = re.compile(r"\bAMA\b|\badvanced maternal age\b|\belderly\b", re.IGNORECASE)
_VISIT = re.compile(
    r"\b(?:anc|an (?:check|visit|clinic|review|appt)|antenatal|ante-natal|booking|booked|"
    r"midwife|mw|prenatal|ob (?:check|visit)|pnv|rob|obv)\b",
    re.IGNORECASE,
)
_AGE = re.compile(r"\b([1-5]\d)\s?(?:f\b|yo?\b)|\bf\s?([1-5]\d)\b", re.IGNORECASE)
_ELDERLY = 35  # years at delivery, in the release
_MONTHS = re.compile(r"\b([1-9])\s?mo(?:nths?)?\b(?=.*\bpreg)|\bpreg\w* ([1-9])\s?mo", re.I)
_BEFORE = re.compile(r"\b(?:prev\w*|prior|past)\s(?:x?\d\s)?cesarean\b", re.IGNORECASE)
_CARRIES = re.compile(r"\b(?:vbac|tolac|anc|g\d+p\d)\b", re.IGNORECASE)
_TRANSVERSE = re.compile(r"\blow(?:er)? (?:transverse|segment)\b", re.IGNORECASE)


def _has_only(text: str, words: frozenset[str]) -> bool:
    """Return whether a text has only these words and numbers of weeks, weights and parity."""
    told = filter(None, _BETWEEN.split(text.lower()))
    return all(word in words or _NUMBER.fullmatch(word) for word in told)


def birth_entry(text: str) -> tuple[str, str] | None:
    """Return the birth of a healthy newborn as its own record names it, and its code, else None.

    >>> birth_entry("twin 2 born by CS, 36+4 well")
    ('Twin liveborn infant, delivered by cesarean', 'Z38.31')
    >>> birth_entry("SVD 39/40 live male"), birth_entry("term baby, SVD, jaundice")
    (None, None)
    """
    told = _BY_CESAREAN.sub("cesarean", text)
    if not (_BABY.search(text) and _has_only(told, _OF_BIRTH)):
        return None
    is_cut = told != text
    if is_cut == (_BY_VAGINA.search(text) is not None):
        return None
    is_twin = "twin" in text.lower()
    if "triplet" in text.lower():
        kind, code = "Triplet", ("Z38.61", "Z38.62")[is_cut]
    else:
        kind = "Twin" if is_twin else "Single"
        code = f"Z38.{'3' if is_twin else '0'}{int(is_cut)}"
    return f"{kind} liveborn infant, delivered {'by cesarean' if is_cut else 'vaginally'}", code


def antenatal_visit(text: str) -> tuple[str, str] | None:
    """Return a visit of a pregnant patient without any complaint, and its code, else None.

    >>> antenatal_visit("G2P1 low risk ANC 28/40")
    ('Encounter for supervision of other normal pregnancy, third trimester', 'Z34.83')
    >>> antenatal_visit("40F G1P0 22/40 routine ANC, AMA")
    ('Supervision of elderly primigravida, second trimester', 'O09.512')
    >>> antenatal_visit("ANC 22/40, spotting")
    """
    is_pregnant = _WEEKS.search(text) or _PARITY.search(text)
    if not (is_pregnant and _VISIT.search(text) and _has_only(text, _OF_VISIT)):
        return None
    when = _trimester(text)
    n = ("first trimester", "second trimester", "third trimester", "").index(when) + 1
    told, place = (f", {when}", str(n)) if when else (", unspecified trimester", "")
    if _GRAND.search(text):
        return f"Supervision of pregnancy with grand multiparity{told}", f"O09.4{place or 0}"
    is_first, is_more = bool(_FIRST.search(text)), bool(_MORE.search(text))
    if (is_first or is_more) and (_OLD.search(text) or _is_elderly(text)):
        who, digit = ("primigravida", 1) if is_first else ("multigravida", 2)
        return f"Supervision of elderly {who}{told}", f"O09.5{digit}{place or 9}"
    if is_first:
        return f"Encounter for supervision of normal first pregnancy{told}", f"Z34.0{place or 0}"
    kind, digit = ("other normal pregnancy", 8) if is_more else ("normal pregnancy, unspecified", 9)
    return f"Encounter for supervision of {kind}{told}", f"Z34.{digit}{place or 0}"


def _trimester(text: str) -> str:
    """Return the trimester of the weeks or the months of a pregnancy, "" where none are told."""
    if gestation_of(text):
        return trimester_of(text)
    months = _MONTHS.search(text)
    if months is None:
        return ""
    return trimester_of(f"{int(months[1] or months[2]) * 13 // 3}/40")


def _is_elderly(text: str) -> bool:
    age = _AGE.search(text)
    return age is not None and int(age[1] or age[2]) >= _ELDERLY


def previous_cesarean(text: str) -> tuple[str, str] | None:
    """Return the scar of a cesarean in a pregnant patient, without one the history, else None.

    >>> previous_cesarean("prev CS 36/40")[1], previous_cesarean("prev LSCS x2")[1]
    ('O34.219', 'Z98.891')
    >>> previous_cesarean("prev LSCS, 36/40 severe PET")
    """
    told = _BY_CESAREAN.sub("cesarean", text)
    if not (_BEFORE.search(told) and _has_only(told, _OF_SCAR)):
        return None
    if not (_WEEKS.search(text) or _CARRIES.search(text)):
        return "History of uterine scar from previous surgery", "Z98.891"
    if _TRANSVERSE.search(text):
        return "Maternal care for low transverse scar from previous cesarean delivery", "O34.211"
    return "Maternal care for unspecified type scar from previous cesarean delivery", "O34.219"

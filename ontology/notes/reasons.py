"""Read the reason of a visit that is no disease: "PPM check, SSS", "FOLFOX C7 D1, sigmoid ca".

The encounter is coded first and the disease beside it: a treatment of a tumor by section I.C.2.e.2
of the guidelines of ICD-10-CM, aftercare and the care of a device by section I.C.21.c.7. What has
gone wrong with either stands before it, and an act that is planned, done long ago or put off is no
encounter. The table is `data/reasons.tsv`.
"""

import re
from functools import lru_cache
from typing import NamedTuple

from ..packaged import packaged_rows
from .parts import Retold
from .said import complains, from_first, has_finding, is_calm, part_of, stands_aside

_CHEMO = (
    r"(?:(?:da-?)?(?:r-?)?(?:epoch|chop|cvp|ice|dhap|gdp|eshap|codox-?m)(?:-?r)?|m?folfox\w*|"
    r"folfiri\w*|folfirinox|"
    r"flot|ecf|eox|xelox|capox|abvd|beacopp|bep|(?-i:EP|AC|EC|TC|TCHP?|FEC(?:-?[DT])?|CMF|VAC|MAP|"
    r"FCR|BR|PCV|CAV|IE)|vdc(?:/ie)?|vide|flag(?:-?ida)?|7\+3|hyper-?cvad|hidac|"
    r"(?:hd|it) ?-?(?:mtx|ara-?c)|gem(?:citabine)?(?:[/ -]?(?:cis|carbo|nab\w*)\w*)?|"
    r"carbo(?:platin)?(?:[/ -]?(?:taxol|pac\w*|pem\w*|gem\w*|etop\w*))?|"
    r"cis(?:platin)?(?:[/ -]?(?:etop\w*|gem\w*|pem\w*|5-?fu))?|oxaliplatin|docetaxel|taxotere|"
    r"(?:nab-?)?paclitaxel|taxol|abraxane|capecitabine|xeloda|5-?fu|irinotecan|topotecan|"
    r"vinorelbine|vincristine|vinblastine|doxorubicin|caelyx|epirubicin|etoposide|temozolomide|"
    r"tmz|pemetrexed|aza(?:citidine)?|vidaza|decitabine|bendamustine|chemo(?:therapy)?)\b"
)
_IMMUNO = (
    r"(?:pembro(?:lizumab)?|keytruda|nivo(?:lumab)?|opdivo|ipi(?:limumab)?(?:[/ +-]?nivo\w*)?|"
    r"atezo(?:lizumab)?|durva(?:lumab)?|avelumab|cemiplimab|herceptin|trastuzumab|pertuzumab|"
    r"phesgo|bev(?:acizumab)?|avastin|cetuximab|panitumumab|dara(?:tumumab)?|obinutuzumab|"
    r"blina\w*|ritux(?:imab)?(?: maint\w*)?(?=.*\b(?:lymphoma|cll|dlbcl|fl|nhl|mcl|mzl))|"
    r"immunotherapy)\b"
)
_PIECES = {
    "chemo": _CHEMO,
    "immuno": _IMMUNO,
    "rt": r"(?-i:RT|XRT|EBRT|IMRT|VMAT|SABR|SBRT|WBRT|CRT|CCRT)\b|radiotherapy\b|rads\b",
    "nm": r"\d{1,2} ?(?:/(?!(?:7|12|52)\b)|of) ?\d{1,2}\b(?!/)",
    "cycle": r"(?-i:C)\d{1,2}(?:[ /]?(?-i:D)\d{1,2})?\b|cycles? (?:no\.? |#)?\d{1,2}\b|"
    r"# ?\d{1,2}\b|"
    r"\d{1,2}(?:st|nd|rd|th) (?:cycle|dose|infusion)\b|(?-i:D1)\b|\d{1,2}/\d{1,2} cycles?",
    "attend": r"\b(?:adm(?:it(?:ted)?|ission)?|attend(?:s|ing|ed)?|here|in|came|day ?(?:unit|case)|"
    r"listed|elective)(?: for)?",
    "check": r"(?:check\w*|interrogat\w*|download\w*|clinic|review\w*|f/?u|follow-?up|"
    r"re-?program\w*|programming|threshold\w*|adjust\w*)\b",
    "vax": r"(?:flu(?:vax|zone|ad)?|influenza|tdap|dtap|adt|td\b|boostrix|mmr ?\d?|mmrv|varivax|"
    r"shingrix|zostavax|gardasil(?: ?9)?|hpv|engerix(?:-b)?|twinrix|havrix|hep ?[ab]\b|"
    r"prevnar(?: ?\d+)?|pneumovax|pcv ?\d+|ppv ?\d+|bcg|rabies|yf\b|yellow fever|typhoid|"
    r"comirnaty|spikevax|covid|men ?(?:b|acwy|c)\b|bexsero|"
    r"rota(?:rix|teq|virus vacc\w*)|pentacel|6-?in-?1|5-?in-?1|"
    r"4-?in-?1|arexvy|abrysvo|rsv|tt\b|je\b)(?:\s*(?:\+|and|/|&)\s*\w+)?",
    "when": r"\d{1,2} ?/ ?(?:52|12|7)\b|(?:pod|d|wk|week|day) ?#?\d{1,2}\b|"
    r"\d{1,2} ?(?:w|wks?|weeks?|d|days?|mths?|months?|/52)\b",
    "seen": r"(?:review\w*|r/v|check\w*|f/?u|follow-?up|clinic|visit|rehab\w*|physio\w*|pt/ot)\b",
    "fine": r"(?:good|ok|healed|healing|sound|clean|well|intact|from|satis\w*|benign|dry|nad)\b",
    "joint": r"(?:thr|tha|tkr|tka|(?:hip|knee|shoulder) (?:replacement|arthroplasty))",
    "digestive": r"(?:chole(?:cystectomy)?|appy|append(?:ic)?ectomy|ihr|hemi(?:colectomy)?|"
    r"(?:(?:inguinal|umbilical|ventral) )?hernia repair|colectomy|sleeve|fundoplication|"
    r"ha?emorrhoidectomy)",
    "gu": r"(?:tur[pb]t?|tah|tlh|vh|hysterectomy|orchidopexy|hydrocele repair|"
    r"pcnl|prostatectomy)",
    "ortho": r"(?:aclr?(?: recon\w*)?|rotator cuff repair|rcr|bunion(?:ectomy| surgery)|"
    r"meniscectomy|"
    r"(?:knee|meniscus) scope|(?:spinal|lumbar|l\d-\d) fusion)",
    "circulatory": r"(?:cabg(?: x ?\d)?|avr|mvr|tav[ir]|evar|aaa repair|cea|fem-?pop(?: bypass)?)",
    "senses": r"(?:phaco|cataract (?:op|surgery|extraction)|trab\w*|stapedectomy)",
    "chest": r"(?:vats(?: \w+)?|lobectomy|pneumonectomy|decortication)",
    "gap": r"(?:\s[^,;:>\n]{0,22}?)?\s?(?:(?<=\W)|(?<=^))",
}

_WELL = ("any", "first", "alone", "carrier", "operation")  # rows of notes that tell of no complaint
_TODAY = re.compile(
    r"\b(?:adm\w*|inpatient|today|day ?unit|here|attend\w*|infusion|for chemo\w*|D1)\b|"
    r"\d ?/ ?\d+\b",
    re.IGNORECASE,
)
_CARRIED = re.compile(
    r"\b(?:asx|asympt\w*|no (?:infection|sx|symptoms)|coloni[sz]\w*|carrier|precautions|isolat\w*|"
    r"side room|decoloni\w*|non[- ]pregnant)\b",
    re.IGNORECASE,
)
_TUMOR = re.compile(
    r"\b(?:ca|cancer|\w*carcinoma|\w*adenoca|mets|\w*sarcoma|lymphoma|leuk\w+|myeloma|melanoma|"
    r"gbm|dcis|tcc|"
    r"glioma|seminoma|(?-i:X?RT|EBRT) ?# ?\d+ ?(?:of|/) ?\d+)\b",  # and what only tumors get
    re.IGNORECASE,
)


class _Row(NamedTuple):
    where: str
    reason: re.Pattern[str]
    words: str
    codes: tuple[str, ...]


def reason_in(text: str, parts: tuple[str, ...]) -> Retold | None:
    """Return the reason of the visit that a note names, None where that is a disease.

    >>> reason_in("PPM check, SSS", ("PPM check", "SSS")).codes
    ('Z45.018',)
    >>> reason_in("s/p 3 cycles FOLFOX, febrile neutropenia", ("s/p 3 cycles FOLFOX", "febrile"))
    """
    told = from_first(text, parts)
    ruled_out = {
        *(_WELL if complains(told) else ()),
        *(() if has_finding(told) else ("found",)),
    }
    for row in _rows():
        if row.where in ruled_out:
            continue
        match = row.reason.search(told)
        if match and _is_placed(row.where, match, told, parts) and not stands_aside(told, match):
            return Retold(row.words, part_of(match, told, parts), row.codes)
    return None


def _is_placed(where: str, match: re.Match[str], told: str, parts: tuple[str, ...]) -> bool:
    """Return whether a reason stands where it may in a note."""
    if not parts and where in {"any", "first", "found", "high"} and not _TUMOR.search(told):
        return False  # what stands alone may be a mere act
    is_first = not parts or match.start() < len(parts[0])
    if where == "alone":
        return is_first and is_calm(told[len(parts[0]) :] if parts else "")
    if where == "carrier":
        return is_first and _CARRIED.search(told) is not None
    return is_first or (where == "any" and _TODAY.search(told) is not None)


@lru_cache(maxsize=1)
def _rows() -> tuple[_Row, ...]:
    """Return the table, with its pieces written out."""
    return tuple(
        _Row(where, _pattern(_operated(reason) if where == "operation" else reason), words, (code,))
        for where, reason, words, code, _ in packaged_rows("reasons.tsv")
    )


def _operated(operation: str) -> str:
    """Return how a note tells that an operation is looked after: "post TURP 6/52, flow good"."""
    op = rf"(?:[lr] |left |right |bilat |lap |elective )*{operation}\b(?: [lr]\b)?"
    since = r"<when>(?: ?post-?op| ago| post)?"
    return (
        rf"^(?:(?:post|s/p|<when>) )*{op}(?:<gap><seen>|[ ,]+{since}"
        r"(?=.*\b(?:<fine>|<seen>|pt\b|sling|brace|quiet|home health|hh))(?!.*\bfor ca\b))|"
        rf"^post-?op (?:check|review|r/v|visit|f/?u) (?:(?:after|post|following) )?{op}|"
        rf"^<when> (?:post-?op|post|after) {op}(?= visit|[, ]+(?:.*\b)?(?:<fine>|<seen>)|$)"
    )


def _pattern(reason: str) -> re.Pattern[str]:
    for name, piece in _PIECES.items():
        reason = reason.replace(f"<{name}>", f"(?:{piece})")
    return re.compile(rf"(?<![\w/]){reason}" if reason[0] != "^" else reason, re.IGNORECASE)

"""Read an infarction that other words tell: "STE in II III aVF", "MI 2 wks ago, new NSTEMI"."""

import re

_ELEVATION = (
    r"\b(?:STE(?:MI|s)?|ST[- ]?(?:segment )?(?:elev\w*|↑))(?! neg)[^,;.]{0,24}?"
    r"(?<!\w)(?:{leads})(?!\w)"
)
_WALLS = (
    (
        "inferior",
        "right coronary artery",
        r"II,?(?: ?[&/+] ?| (?:and )?|,)III|III,?(?: ?[&/+] ?| (?:and )?|,)aVF|inf(?:erior)? leads",
    ),
    (
        "anterior",
        "left anterior descending coronary artery",
        r"V ?[1-4](?: ?(?:-|–|to) ?V? ?[2-6])?|ant(?:erior)? leads",
    ),
    (
        "lateral",
        "left circumflex coronary artery",
        r"I,?(?: ?[&/+] ?| (?:and )?|,)aVL|V ?5 ?(?:-|–|to) ?V? ?6|lat(?:eral)? leads",
    ),
)
_BY_WALL = tuple(
    (wall, artery, re.compile(_ELEVATION.replace("{leads}", leads)))
    for wall, artery, leads in _WALLS
)
_ARTERY = {
    "right coronary artery": re.compile(r"\bRCA\b"),
    "left anterior descending coronary artery": re.compile(r"\bp?LAD\b"),
    "left circumflex coronary artery": re.compile(r"\bL?CX\b|\bLCx\b"),
}
_NO_INFARCTION = re.compile(
    r"\b(?:no|without|nil|(?<!yr )(?<!year )(?<!yo )old|prev\w*|known|chronic|persistent|"
    r"resolved)\s+(?:\w+\s+)?ST(?:E|EMIs?|s)?\b|"
    r"\b(?:pericarditis|repol\w*|brugada|aneurysm|takotsubo|spasm|hyperkal\w*|myopericarditis|"
    r"myocarditis|STE resolved)\b",
    re.IGNORECASE,
)

_INFARCTION = r"(?:N?STEMI|MI|infarct\w*|heart attack)"
_RECENT = re.compile(
    rf"\b{_INFARCTION}\s+(?:\w+ )?(?:(?P<days>\d{{1,2}})\s?(?:d|days?|/7)"
    r"|(?P<weeks>[1-4])\s?(?:w|wks?|weeks?|/52)) ago\b",
    re.IGNORECASE,
)
_AGAIN = re.compile(
    r"\b(?:new|2nd|second|another|re-?peat|recurrent|further|now)\s+"
    r"(?:(?:an?|w|with|inf\w*|ant\w*) )?"
    rf"(?P<kind>{_INFARCTION})\b",
    re.IGNORECASE,
)
_RE_INFARCTION = re.compile(r"\bre-?infarct\w*", re.IGNORECASE)
_DAYS = 28  # within which an infarction after another one is a subsequent one


def infarction_in(text: str) -> str:
    """Return the infarction that a text tells in clinical words, "" where it tells none.

    The wall by the leads as in the names of I21.0 to I21.2; one that follows another within four
    weeks is a subsequent one (guidelines of ICD-10-CM, section I.C.9.e.4).

    >>> infarction_in("58M CP x2h, STE in II III aVF, cath lab")
    'STEMI of inferior wall'
    >>> infarction_in("ST elevation V2-V5, pLAD stented")
    'STEMI involving left anterior descending coronary artery'
    >>> infarction_in("MI 2 wks ago, back w new NSTEMI")
    'subsequent NSTEMI'
    >>> infarction_in("pericarditis, STE in II III aVF"), infarction_in("MI 6 weeks ago, new MI")
    ('', '')
    """
    told = _subsequent(text) or _by_leads(text)
    return f"subsequent {told}" if _RE_INFARCTION.search(text) and told.startswith("STE") else told


def _subsequent(text: str) -> str:
    before, again = _RECENT.search(text), _AGAIN.search(text)
    if before is None or again is None or before.start() == again.start("kind"):
        return ""
    days = int(before["days"] or 7 * int(before["weeks"] or 0))
    kind = again["kind"].upper()
    named = kind if "STEMI" in kind else "myocardial infarction"
    return f"subsequent {named}" if days <= _DAYS else ""


def _by_leads(text: str) -> str:
    if _NO_INFARCTION.search(text):
        return ""
    for wall, artery, leads in _BY_WALL:
        if leads.search(text):
            is_named = _ARTERY[artery].search(text)
            return f"STEMI involving {artery}" if is_named else f"STEMI of {wall} wall"
    return ""

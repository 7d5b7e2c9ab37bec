"""Read who met or carries an infection and is not ill: "partner has chlamydia, asx".

A contact has Z20, a carrier Z22 (guidelines of ICD-10-CM, sections I.C.21.c.1 and I.C.21.c.3); the
disease of another person is not the patient's. Whoever has a complaint is not meant.
"""

import re

from .parts import Retold
from .said import complains, from_first

_PERSON = (
    r"(?:partner|ex|husb\w*|wife|boy-?friend|girl-?friend|room-?mate|house-?mate|flat-?mate|"
    r"brother|sister|sib|sibling|son|daughter|mum|mom|dad|mother|father|twin|class-?mate|colleague|co-?worker)"
)
_WELL = re.compile(
    r"\b(?:asx|asympt\w*|no (?:sx|symptoms?|rash|itch|cough|fever)|nil sx|well|feels? (?:ok|fine|"
    r"well)|"
    r"skin clear|none seen|prophyl\w*|ppx|(?:needs |for )?(?:cipro|rifamp\w*|azithro)(?: x ?1|"
    r" stat)?|"
    r"epi tx|(?:tx|treat\w*) as contact|treat|pep|vzig|hnig|mmr early|doxy(?: given)?|"
    r"permethrin)\b",
    re.IGNORECASE,
)
_WHO = r"(?:close |sexual |household |hh |school |ward |staff |work |kissing |family )*"
_CONTACT = re.compile(
    rf"^(?:(?P<of>[a-z][^,;:?]{{1,28}}?)[ ,]+(?:on ward,? |at daycare,? |in dorm,? )?{_WHO}"
    r"contact\b(?! (?:derm|lens|urtic|precaut|sport|allerg|burn|bleed|ecz|isol|with|of|w/))|"
    rf"{_WHO}contact (?:of |with |w/ ?)(?P<with>[^,;:?]{{2,30}})|"
    rf"{_PERSON} (?:has|had|with|w/|dx(?:ed)?(?: with)?|tested (?:pos\w*|"
    rf"\+) for) (?P<has>[^,;:?]{{2,30}}))",
    re.IGNORECASE,
)
_MET = re.compile(
    r"^(?:allergic|irritant|skin|eye|first|poor|no|nil|lost|family|direct|point of|last|"
    r"close|sexual|lens)\b|\bderm",
    re.IGNORECASE,
)
_CARRIED = re.compile(
    r"^(?P<what>(?:strep(?:tococc\w*)? ?[ab]|gas|gbs|mening\w+|n\.? mening\w+|diphtheria|"
    r"salmonella|"
    r"typhoid|crab|mrsa|mssa|staph aureus|pneumococc\w+|h\.? influenzae)) ?"
    r"(?:throat |nasal |nose |rectal |skin )?(?:carrier|carriage|coloni[sz]\w*)\b",
    re.IGNORECASE,
)
_WRITTEN_OUT = {"crab": "carbapenem-resistant acinetobacter baumannii", "gas": "strep A"}
_SEXUAL = re.compile(
    r"\b(?:chlamydia|ct|gc|gonorr\w*|syphilis|trich\w*|tv|nsu|ngu|m\.? ?genitalium|clap)\b",
    re.IGNORECASE,
)
_OF_SEXUAL = (
    "contact with and (suspected) exposure to infections with a predominantly sexual mode of "
    "transmission"
)


def contact_in(text: str, parts: tuple[str, ...]) -> Retold | None:
    """Return the contact or the carrier that a note is about, None where somebody is ill.

    >>> contact_in("measles contact, asx", ("measles contact", "asx")).words
    'contact with measles'
    >>> contact_in("partner has chlamydia, discharge", ("partner has chlamydia", "discharge"))
    >>> contact_in("contact dermatitis, well", ("contact dermatitis", "well"))
    """
    told = from_first(text, parts)
    if match := _CARRIED.search(told):
        what = match["what"].lower()
        is_ill = complains(told[match.end() :])
        return None if is_ill else Retold(f"carrier of {_WRITTEN_OUT.get(what, what)}", 0, ("Z22",))
    match = _CONTACT.search(told)
    if match is None or not _WELL.search(told[match.start("of") + 1 :]):
        return None
    what = match["of"] or match["with"] or match["has"]
    if _MET.search(what) or complains(told[match.end() :]):
        return None
    if _SEXUAL.search(what):
        return Retold(_OF_SEXUAL, 0, ("Z20.2",))
    return Retold(f"contact with {what}", 0, ("Z20", "Z77"))

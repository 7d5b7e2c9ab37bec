"""Read a burn of a note: what burnt, how deep, and where stand in any order and in short words.

Burns are coded by depth and site, those of chemicals as corrosions (guidelines of ICD-10-CM,
section I.C.19.d), and without a site by how much of the body they involve.
"""

import re
from typing import NamedTuple

_BURN = re.compile(
    r"\b(?:burn(?:s|t|ed)?|scald\w*)\b(?! (?:unit|icu|ward|team|centre|center))", re.IGNORECASE
)
_HEAT = re.compile(
    r"\b(?:hot (?:tea|coffee|water|oil|fat|soup|drink|milk|tar|porridge)|kettle|oven|hob|stove|"
    r"bonfire|"
    r"(?:fat|house|chip pan|petrol) fire|exhaust|radiator|boiling \w+|steam|hair straighteners?|"
    r"hot iron|flames?|hot coals?)\b",
    re.IGNORECASE,
)
_CHEMICAL = re.compile(
    r"\b(?:chem(?:ical)?s?|cement|lime|chuna|(?-i:HF)(?= (?:acid|burns?)\b)|"
    r"hydrofluoric|acid|alkali|bleach|oven cleaner|"
    r"drain cleaner|caustic\w*|lye|phenol)\b",
    re.IGNORECASE,
)
_NO_BURN = re.compile(
    r"\bsun ?burn\w*|\bheart ?burn|\bburn(?:ing|out)\b|\bfriction|\bcarpet|\bwind ?burn|\brazor|"
    r"\bradi(?:ation|otherapy)|\b(?:old|healed|prev\w*|h/o|hx) (?:\w+ )?burns?|\bno burns?\b|"
    r"\bburns? (?:scar|contracture|clinic)|\bgas\b.*\bburning|\beyes?\b|\bcornea\w*",
    re.IGNORECASE,
)
_DEPTHS = (
    ("third", r"full[- ]thickness|(?-i:FT)|3rd deg\w*|third degree|charred|leathery"),
    (
        "second",
        r"(?:superficial |superf |deep |mid )?partial[- ]thickness|(?-i:[SDM]D?PT|PT(?= burns?\b))|"
        r"(?:superf\w*|deep)[- ](?:dermal|partial)|2nd deg\w*|second degree|(?<!no )blister\w*",
    ),
    (
        "first",
        r"red\b,? no blister\w*|superf(?:icial)?|1st deg\w*|first degree|erythema|epidermal",
    ),
)
_SITES = (
    (
        "back of hand",
        r"dors\w* (?:of )?(?:the )?(?:(?:left|right|L|R) )?hand|hand dors\w*|"
        r"hand\b.{0,20}\bdorsum|dorsum\b.{0,6}\bhand",
    ),
    ("palm", r"palms?"),
    ("thumb (nail)", r"thumb"),
    ("multiple fingers (nail), not including thumb", r"fingers"),
    ("single finger (nail) except thumb", r"(?:index|middle|ring|little)|finger"),
    ("wrist", r"wrists?"),
    ("hand, unspecified site", r"hands?"),
    ("forearm", r"forearms?"),
    ("elbow", r"elbows?"),
    ("axilla", r"axilla"),
    ("shoulder", r"shoulders?"),
    ("upper arm", r"upper arms?"),
    ("shoulder and upper limb, except wrist and hand, unspecified site", r"arms?"),
    ("toe(s) (nail)", r"toes?"),
    ("ankle", r"ankles?"),
    ("foot", r"foot|feet"),
    ("knee", r"knees?"),
    ("thigh", r"thighs?"),
    ("lower leg", r"shins?|calf|calves|lower legs?"),
    ("unspecified site of lower limb, except ankle and foot", r"legs?"),
    ("multiple sites of head, face, and neck", r"face (?:and|\+|&) neck"),
    ("scalp [any part]", r"scalp"),
    ("neck", r"neck"),
    ("lip(s)", r"lips?"),
    ("forehead and cheek", r"forehead|cheeks?"),
    ("head, face, and neck, unspecified site", r"face|facial|head"),
    ("chin", r"chin"),
    ("lower back", r"lower back"),
    ("chest wall", r"chest"),
    ("abdominal wall", r"abdo\w*|abdomen"),
    ("buttock", r"buttocks?"),
    ("upper back", r"upper back"),
    ("trunk", r"trunk|torso|back"),
)
_OF_BODY = re.compile(r"\b(\d{1,3})\s?(?:%|pct)\s*(?:TBSA|BSA)", re.IGNORECASE)
_OF_DEEP = re.compile(r"\b(\d{1,2})\s?(?:%|pct)\s*(?:FT|full|third|3rd)", re.IGNORECASE)
_TEN = 10
_DEGREES = ("first", "second", "third")  # by the fourth character; it is higher in corrosions
_CORROSION, _REGIONS = 4, 6
_FOUND = tuple((words, re.compile(rf"(?i:\b(?:{said})\b)")) for words, said in (*_DEPTHS, *_SITES))
_DEPTH, _SITE = _FOUND[: len(_DEPTHS)], _FOUND[len(_DEPTHS) :]


class Burn(NamedTuple):
    """A burn in the words of the release, and how its codes begin."""

    words: str
    codes: tuple[str, ...]


def burn_in(text: str) -> Burn | None:
    """Return the burn of a text whose depth and site, or whose extent, it names.

    >>> burn_in("Hot tea on hand L, blistered dorsum, 1%").words
    'Burn of second degree of back of hand'
    >>> burn_in("wet cement in boots, FT burns both feet").words
    'Corrosion of third degree of foot'
    >>> burn_in("House fire, 45% TBSA (30% FT), tubed").words
    'Burns involving 40-49% of body surface with 30-39% third degree burns'
    >>> burn_in("sunburn of forearm, blisters"), burn_in("zoster, blisters on arm")
    (None, None)
    """
    is_chemical = _CHEMICAL.search(text) is not None
    is_burn = _BURN.search(text) is not None
    if _NO_BURN.search(text) or not (is_burn or _HEAT.search(text)):
        return None
    depth = next((words for words, said in _DEPTH if said.search(text)), "")
    site = next((words for words, said in _SITE if said.search(text)), "")
    if depth and site:
        kind = "Corrosion" if is_chemical else "Burn"
        at = _DEGREES.index(depth) + 1 + _CORROSION * is_chemical
        codes = tuple(f"T2{region}.{at}" for region in range(_REGIONS))
        return Burn(f"{kind} of {depth} degree of {site}", codes)
    return None if site else _of_body(text)


def _of_body(text: str) -> Burn | None:
    """Return the burn by the share of the body that a text names, one of full thickness with it."""
    if (share := _OF_BODY.search(text)) is None:
        return None
    whole, deep = min(int(share[1]), 99), _OF_DEEP.search(text)
    if whole < _TEN:
        return Burn("Burns involving less than 10% of body surface", ("T31.0",))
    third = _tens(min(int(deep[1]), whole) if deep else 0)
    third = "0% to 9%" if third == "0-9%" else third
    words = f"Burns involving {_tens(whole)} of body surface with {third} third degree burns"
    return Burn(words, (f"T31.{whole // _TEN}",))


def _tens(share: int) -> str:
    """Return a share in tens: "40-49%"."""
    low = share // _TEN * _TEN
    return f"{low}-{low + _TEN - 1}%"

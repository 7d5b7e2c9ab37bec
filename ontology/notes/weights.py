"""Read the weight and the weeks of a newborn: "BW 4.8 kg", "ex-prem 28/40", "BW 2.05kg SGA"."""

import re

_WEIGHT = re.compile(
    r"\b(?:bw|birth ?(?:weight|wt))[\s:=]*(?:of )?"
    r"(?P<n>\d(?:\.\d{1,3})?\s?kg|\d{3,4}\s?g(?:m|rams?)?)"
    r"(?!\w)",
    re.IGNORECASE,
)
_SMALL = re.compile(r"(?-i:\bSGA\b)|\bsmall for (?:gest\w* age|dates)\b", re.IGNORECASE)
_LIGHT = re.compile(r"\b(?:light[- ]for[- ]dates|lfd)\b", re.IGNORECASE)
_OTHER = re.compile(
    r"\b(?:rds|cpap|sepsis|hypogly\w*|jaundice|hie|nec|ivh|ttn|mas|bpd|ftt|wt check|back to|"
    r"\d+ ?(?:mo|yo|y)|palsy|dystocia|idm|gdm|scbu for|prev\w*|last|mum|"
    r"adult|pt|obes\w*|apno?ea|anaemia|anemia)\b",
    re.IGNORECASE,
)
_BOUNDS = (500, 750, 1000, 1250, 1500, 1750, 2000, 2500)
_LARGE, _HUGE = 4000, 4500  # grams of a heavy and an exceptionally large newborn, in the release
_PREM = re.compile(
    r"\W*(?:(?:ex[- ]?)?(?:prem(?:ature|mie)?|preterm)(?: (?:baby|infant|nb|newborn))?|"
    r"ex(?=\W+\d\d(?:\s?\+\s?[0-6])?(?:/40|\s?w)))[\s,:]+"
    r"(?:at |born )?(?P<a>2[3-9]|3[0-6])(?:\s?\+\s?[0-6])?"
    r"(?:/40|\s?w(?:ee)?k(?:er|s|r)?|\s?w)?(?:\s[0-6]/7)?\W*",
    re.IGNORECASE,
)
_IMMATURE = 28  # completed weeks, below which immaturity is extreme


def weight_told(text: str) -> tuple[str, str] | None:
    """Return what the weight or the weeks of a newborn mean, and the code, None where none do.

    >>> weight_told("BW 2.05kg 38/40 SGA")
    ('Newborn small for gestational age, 2000-2499 grams', 'P05.18')
    >>> weight_told("BW 4.8 kg")[1], weight_told("prem 34+2")[1]
    ('P08.0', 'P07.37')
    >>> weight_told("BW 3.2 kg"), weight_told("BW 1340g, RDS")
    (None, None)
    """
    if prem := _PREM.fullmatch(text):
        return _immature(int(prem["a"]))
    found = _WEIGHT.search(text)
    if found is None or _OTHER.search(text):
        return None
    number = re.sub(r"[^\d.]", "", found["n"])
    grams = round(float(number) * (1000 if "k" in found["n"].lower() else 1))
    if grams >= _LARGE:
        if grams >= _HUGE:
            return "Exceptionally large newborn baby", "P08.0"
        return "Other heavy for gestational age newborn", "P08.1"
    is_small = _SMALL.search(text) is not None
    return _small(grams, is_small) if is_small or _LIGHT.search(text) else None


def _immature(weeks: int) -> tuple[str, str]:
    """Return the immaturity of a newborn of these completed weeks, and its code."""
    if weeks < _IMMATURE:
        words = f"Extreme immaturity of newborn, gestational age {weeks} completed weeks"
        return words, f"P07.2{weeks - 21}"
    words = f"Preterm newborn, gestational age {weeks} completed weeks"
    return words, f"P07.3{weeks - 27}"


def _small(grams: int, is_small: bool) -> tuple[str, str]:
    """Return a newborn that is small or light for its weeks, by its weight, and its code."""
    place = sum(grams >= bound for bound in _BOUNDS)
    kind = "small" if is_small else "light"
    if place == len(_BOUNDS):
        weight = "other" if is_small else "2500 grams and over"
    else:
        low = _BOUNDS[place - 1] if place else 0
        weight = f"{low}-{_BOUNDS[place] - 1} grams" if place else "less than 500 grams"
    return f"Newborn {kind} for gestational age, {weight}", f"P05.{int(is_small)}{place + 1}"

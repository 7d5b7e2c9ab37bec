"""Write out the shorthand of charts: "w/", "2/2", "#", "+ve", titles of older lists."""

import re

_INJECTED = r"heroin|cocaine|meth(?:amphetamine)?|fentanyl|opioids?|opiates?|amphetamines?"
# What may be acute on chronic; "a/c" before other words is an anticoagulant.
_CHRONIC = (
    r"(?:systolic|diastolic|combined|(?:d?c)?hf|hf[rp]ef|heart failure|hypox\w*|hypercap\w*|"
    r"hypercarb\w*|resp\w*|sdh|subdural|ckd|kidney|renal|liver|anemia|pancreatitis)"
)
# After these "RT" and "LT" are sides; alone they are a radiotherapy and a transplant.
_PART = (
    r"(?i:eyes?|ears?|breast|knee|hip|legs?|arms?|hand|foot|feet|shoulder|ankle|wrist|elbow|thumb|"
    r"finger|toe|heel|calf|thigh|groin|flank|kidney|renal|lung|ovar\w*|adnex\w*|testic\w*|"
    r"inguinal|femur|femoral|tibia\w*|fibula\w*|radius|radial|ulnar?|humer\w*|clavic\w*|ribs?|"
    r"cheek|jaw|lower|upper|lateral|medial|distal|proximal|great|big|little|index|middle|ring|"
    r"forearm|axilla\w*|buttock|iliac|carotid|mca|hemi\w*|pleural|ureter\w*|face|facial|"
    r"temporal|parietal|frontal|occipital|subdural|sided?|acl|otitis|rotator|nostril)\b"
)
_SHORTHAND = (
    (re.compile(r"(?<!\w)w/(?!(?:o|out|d|u|c|i|in)\b)\s*|(?<=[a-z] )w (?=[a-z])", re.I), "with "),
    (re.compile(r"(?<![\w/])2/2(?![\w/])(?! (?:bottles|blood|pos))"), "secondary to"),
    (re.compile(r"\bchr\.? (?=[a-z])", re.I), "chronic "),
    # "Scr" before a number is the creatinine of the serum.
    (
        re.compile(
            r"^\s*scr\.? (?=(?:for )?(?:mammo|colono|(?:[a-z ]+ )?ca\b))|"
            r"(?<=\bca )scr(?=\s*(?:$|[,;(]))|(?<=\bcancer )scr(?=\s*(?:$|[,;(]))",
            re.I,
        ),
        "screening ",
    ),
    (re.compile(rf"\bR(?:t\b\.?|T(?= {_PART}))(?!-)"), "right"),
    (re.compile(rf"\bL(?:t\b\.?|T(?= {_PART}))(?!-)"), "left"),
    (re.compile(r"(?<![\w#])#\s?(?=[CTL]\d{1,2}\b)"), "fracture of vertebra "),
    (re.compile(r"(?<=[a-z])\s?#s(?!\w)|(?<=[a-z])\s?#\s?x\s?[2-9]\b", re.I), " fractures"),
    (re.compile(r"(?<![\w#])#\s?(?=[a-z])", re.I), "fracture "),
    # "Case #, day #" are numbers.
    (
        re.compile(
            r"(?<=[a-z])(?<!case)(?<!day)(?<!bed)(?<!room)(?<!visit)(?<!mrn)(?<!episode)\s#"
            r"(?=\s*(?:$|[,;.()]))",
            re.I,
        ),
        " fracture",
    ),
    (re.compile(r"\b([CTL]\d{1,2}) (?:wedge )?#(?!\s*\w)"), r"fracture of \1 vertebra"),
    (
        re.compile(
            r"\s?\+ve\b|(?<=[a-z]{2})\+(?=[\s,;]|$)|(?<=[a-z]{2})\s\+(?=\s*(?:\d|,|$))", re.I
        ),
        " positive",
    ),
    (re.compile(r"(?<=[a-z\d] )def\b\.?(?=\s*(?:$|[,;(]|\d|anemia))", re.I), "deficiency"),
    (re.compile(r"\bAo(?=C[A-Z]{2,3}\d?\b)"), "acute on "),
    (
        re.compile(rf"(?<![\w/])(?:AoC|a/c)\s+(?=(?:\w+\s+)?{_CHRONIC}\b)", re.I),
        "acute on chronic ",
    ),
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

OF_FORTY = r"(?:[4-9]|[1-3]\d|4[0-3])(?:\+\d)?/40(?! size)"
"""A pattern for weeks of a pregnancy, as "34/40" or "34+2/40"."""

# In a newborn they are those of its birth, and 20/40 is what an eye sees.
_GESTATION = re.compile(rf"(?<![\w/])(?:at )?{OF_FORTY}(?![\w/])")
_SEEN = re.compile(
    r"\b20/40.*(?:cataract|retin|macul|amd\b|glaucoma|cornea|uveit|myop|vitr|blur|ptosis|keratit|"
    r"lens|iol\b|bcva|\bva\b|ambly|\biop\b|sees|\bn\d\b|lasik|npdr|\bpdr|\bdme\b|\berm\b|"
    r"c/d|optic|strabism|squint|\bpco\b|\bpvd\b|20/\d)|"
    r"(?:cataract|retin|macul|amd\b|glaucoma|cornea|uveit|myop|vitr|blur|ptosis|keratit|lens|"
    r"iol\b|ambly|\biop\b|sees|lasik|npdr|\bpdr|\bdme\b|\berm\b|c/d|optic|strabism|squint|"
    r"\bpco\b|\bpvd\b|\bph\b|20/\d\d).*\b20/40",
    re.IGNORECASE,
)
_NOT_CARRIED = re.compile(
    r"\b(?:vision|visual|acuity|VA|eyes?|glasses|rds|prem\w*|preterm infant|neonat\w*|newborn|nb|"
    r"baby|born|infant|ttnb?|exam|score|mark|seen|OD|OS|OU|bw|elbw|vlbw|nicu|scbu|apgars?|jaundice|"
    r"ex[- ]?\d\d|\d+ ?mo|moca|mmse|ace|peak flow|pefr)\b",
    re.IGNORECASE,
)


def without_shorthand(text: str) -> str:
    """Return a text with the signs and short words of charts written out.

    >>> without_shorthand("a/c HFrEF"), without_shorthand("a/c for DVT")
    ('acute on chronic HFrEF', 'a/c for DVT')
    >>> without_shorthand("PNA 2/2 flu w/ sepsis"), without_shorthand("chr. gastritis, old")
    ('PNA secondary to flu with sepsis', 'old chronic gastritis')
    >>> without_shorthand("breech 37/40"), without_shorthand("BW 2 kg, 34/40")
    ('breech in pregnancy', 'BW 2 kg, 34/40')
    """
    for pattern, words in _SHORTHAND:
        text = pattern.sub(words, text)
    return _GESTATION.sub("in pregnancy", text) if is_carried(text) else text


def is_carried(text: str) -> bool:
    """Return whether a text has weeks of forty that are those of a pregnancy: "breech 37/40"."""
    return weeks_carried(text) != ""


def is_born(text: str) -> bool:
    """Return whether a text has words of a newborn or of a score, whose weeks are none of today."""
    return bool(_NOT_CARRIED.search(text) or _SEEN.search(text))


def weeks_carried(text: str) -> str:
    """Return the weeks of forty that are those of a pregnancy, as they are written, else ""."""
    match = None if is_born(text) else _GESTATION.search(text)
    return match.group().removeprefix("at ") if match else ""

"""Read the conventions of coders: "NEC", the encounter at the end, "lead, modifier" order."""

import re

_ENCOUNTER = re.compile(
    r"[\s,;]*\(?(?:\b(?:init(?:ial)?|subs(?:q|equent)?)\.?\s*(?:enc(?:ntr|tr|nter|ounter|ou\w*|o|\.)?"
    r"|visit)?\b(?:\s*for\s+(?:open|opn|clos|closed|fx|fracture).*)?|,\s*(?:sequela|sqla|seq))\)?"
    r"[\s,.]*$",
    re.IGNORECASE,
)
LATER_CARE = re.compile(
    r"^\s*(?:(?:here |in |attends? )?for )?(?:(?:sutures?|stitch(?:es)?|clips|staples) "
    r"(?:out|removed|removal)|removal of (?:sutures|stitches)|(?-i:ROS)(?= (?:today|d\d|day|\d))|"
    r"(?:POP|plaster of paris|cast|plaster|splint|slab) (?:check|off|removed|removal|changed?)|"
    r"wound (?:check|review)|dressing change)\b",
    re.IGNORECASE,
)
"""What a note of later care of a wound or a fracture begins with."""

_ENCOUNTER_WORDS = tuple(
    (re.compile(pattern, re.IGNORECASE), words)
    for pattern, words in (
        (r"\b(?:subs|subsq|subseq)\b\.?", "subsequent"),
        (r"\b(?:sqla|seq|sequelae)\b\.?", "sequela"),
        (r"\binit\b\.?", "initial"),
        (r"\b(?:opn)\b\.?", "open"),
        (r"\b(?:fts|fetus)\s?(?=\d)", "fetus "),
        (LATER_CARE.pattern, "subsequent encounter"),
        (r"\bnonhealing|\bnon-union\b", "nonunion"),
    )
)
_ELSEWHERE = re.compile(
    r"(?P<before>.*[\w)])[\s,;(-]+(?:(?-i:NEC)|nec|not elsewhere classified)\)?(?P<after>\W.*|)",
    re.IGNORECASE | re.DOTALL,
)
# Before these words NEC is necrotizing enterocolitis.
_ENTEROCOLITIS = re.compile(
    r"(?:^|.*\b)(?:suspected|possible|probable|acute|confirmed|known|with|w/|of|for|neonatal|"
    r"surgical|medical|infant|preterm|preemie|newborn|neonate|baby|h/o|hx|r/o|out|no|and|recurrent|"
    r"fulminant|perforated|\?)\W*$",
    re.IGNORECASE | re.DOTALL,
)
_PREPOSITION = r"(?:with(?:out)?|due to|in|of|for|following|by|to|from|on|not|during|at|after|as)"
_OPEN_END = re.compile(rf"(?P<word>\b{_PREPOSITION})\s*,\s*", re.IGNORECASE)
_PHRASE_START = re.compile(rf"{_PREPOSITION}\b|\w+ed by\b", re.IGNORECASE)
_MOST_PARTS = 5  # after the lead of an entry of an index
_MOST_OF_SITE = 3  # parts of an entry of which one is tried as its site
_PLACE = (
    r"(?:upper|lower|eyes?|ears?|arm|leg|hand|foot|wrist|ankle|knee|hip|shoulder|elbow|forearm|thigh|"
    r"calf|finger|thumb|toe|great|little|index|middle|ring|femur|tibia|fibula|humerus|radius|ulna|"
    r"breast|lung|kidney|testis|ovary|side|heel|buttock|groin|heart|lobe|clavicle|rib|patella)\b"
)
_COMPLAINED_OF = (
    r"(?:back|low(?:er)? back|neck|chest|abdominal|abdomen|shoulder|elbow|arm|wrist|hand|finger|"
    r"hip|knee|leg|thigh|ankle|foot|toe|heel|jaw|flank|loin|groin|breast|muscle|joint|testis)"
)
_SHORT_WORDS = tuple(
    (re.compile(pattern, re.IGNORECASE), words)
    for pattern, words in (
        # "of r wrist": a small letter alone is a side only before a part of the body.
        (rf"(?<![\w/.-])r (?={_PLACE})", "right "),
        (rf"(?<![\w/.-])l (?={_PLACE})", "left "),
        # What general practitioners' classifications name by a part of the body is mostly pain.
        (
            rf"^\s*({_COMPLAINED_OF})(?:(?:/| and ){_COMPLAINED_OF})? "
            r"(?:symptoms?|complaints?)(?:[ /]+complaints?)?"
            r"(?:,? (?:nos|unspecified|other|male|female))?\s*$",
            r"\1 pain",
        ),
        # The severities of DSM-5, in the words of the release.
        (
            r"\bmild (?!tobacco )([\w-]+) use disorder\b|"
            r"(?<!\w)(?!tobacco )([\w-]+) use disorder,? ?\(?mild\)?(?!\w)",
            r"\1\2 abuse",
        ),
        (
            r"\b(?:moderate|severe)(?:[-/ ](?:to |or )?severe)? ([\w-]+) use disorder\b|"
            r"([\w-]+) use disorder,? ?\(?(?:moderate|severe)(?:[-/ ](?:to |or )?severe)?\)?(?!\w)",
            r"\1\2 dependence",
        ),
    )
)
_CERTAINTY = re.compile(
    r"\s*(?:[,;:]\s*|\s-+\s*|\(\s*)(?:(?P<doubted>suspect(?:ed)?|susp\.?|probable|presumed|"
    r"presumptive|possible|likely|unconfirmed|not confirmed|query|clinically suspected|\?)|"
    r"(?:(?:lab(?:oratory)?|clinically|microbiologically|histologically|bacteriologically|"
    r"pcr|rdt|biopsy|culture)[- ])?(?:confirmed|proven|diagnosed)|clinical(?: diagnosis)?)"
    r"\s*\)?\s*$",
    re.IGNORECASE,
)
# These have codes of their own where they are suspected.
_SUSPECTED_CODE = re.compile(
    r"\b(?:abuse|neglect|maltreatment|violence|exploitation|glaucoma|covid\S*|exposure|damage|"
    r"newborn|fet(?:us|al)|maternal|not|rape|assault|bull(?:ying|ied)|intimidation|threat\w*)\b",
    re.IGNORECASE,
)
_ALONE = re.compile(r"(?<![\w-])(?-i:NEC)(?![\w-])")
_FULL = "necrotizing enterocolitis"


def without_encounter(text: str) -> str:
    """Cut the encounter off: "Disp fx of R tibia, init encntr". The code has no such character.

    >>> without_encounter("Open bite, right hand, initial encounter")
    'Open bite, right hand'
    """
    cut = _ENCOUNTER.sub("", text).rstrip(" ,;")
    return cut if len(cut) > 3 else text


def written_out(text: str) -> str:
    """Write out sides, complaints of a part of the body, and severities of use disorders.

    >>> written_out("Disp fx of r tibia"), written_out("Knee symptom/complaint")
    ('Disp fx of right tibia', 'Knee pain')
    >>> written_out("Opioid use disorder, severe")
    'Opioid dependence'
    """
    for pattern, words in _SHORT_WORDS:
        text = pattern.sub(words, text)
    return text


def without_certainty(text: str) -> tuple[str, str]:
    """Cut a word for certainty off the end of a text; return it too where it means a doubt.

    >>> without_certainty("Cholera, suspected"), without_certainty("Malaria (confirmed)")
    (('Cholera', 'suspected'), ('Malaria', ''))
    >>> without_certainty("Child abuse, suspected")
    ('Child abuse, suspected', '')
    """
    match = _CERTAINTY.search(text)
    if match is None or match.start() < 2 or _SUSPECTED_CODE.search(text):
        return text, ""
    return text[: match.start()], match["doubted"] or ""


def encounter_words(text: str) -> str:
    """Write out the words for encounter and fetus: "subs" is subsequent, "fts3" is fetus 3.

    >>> encounter_words("Disp fx of R tibia, sqla")
    'Disp fx of R tibia, sequela'
    """
    for pattern, words in _ENCOUNTER_WORDS:
        text = pattern.sub(words, text)
    return text


def later_encounter(text: str) -> str | None:
    """Return "subsequent encounter" or "sequela" where the end of a text says so, else None.

    >>> later_encounter("Disp fx of R tibia, subs encntr")
    'subsequent encounter'
    """
    match = _ENCOUNTER.search(text)
    words = encounter_words(match.group()) if match else ""
    if "subsequent" in words.lower():
        return "subsequent encounter"
    return "sequela" if "sequela" in words.lower() else None


def not_elsewhere(text: str) -> tuple[str, str]:
    """Return a text with "NEC" read, and its other wording ("" where there is none).

    After a condition NEC means "not elsewhere classified"; the code is that of "other".

    >>> not_elsewhere("Headache NEC")
    ('Other headache', 'Headache')
    >>> not_elsewhere("preterm infant with NEC")
    ('preterm infant with necrotizing enterocolitis', '')
    """
    match = _ELSEWHERE.fullmatch(text)
    if match and not _ENTEROCOLITIS.fullmatch(match["before"]):
        plain = f"{match['before']}{match['after']}".strip(" ,;")
        first = plain.split()[0]
        lower = plain[:1].lower() + plain[1:] if first[1:].islower() else plain
        return (plain if first.lower().startswith("oth") else f"Other {lower}"), plain
    return _ALONE.sub(_FULL, text), ""


def turned(folded: str, text: str) -> tuple[str, ...]:
    """Return further wordings of a term for look-up: "Hepatitis B, acute" is "acute hepatitis B".

    Two words are also read in the other order: "hernia inguinal" is "inguinal hernia". Of an entry
    of an index, phrases stay at the end: "Failure, heart, acute, with edema" is "acute heart
    failure with edema". Any modifier may be its site: "Neoplasm, lung, malignant" is "malignant
    neoplasm of lung".

    `folded` is the normalised text, `text` the text with its commas.
    """
    wordings = []
    entry = _OPEN_END.sub(r"\g<word> ", text)
    lead, *parts = [part for part in map(str.strip, entry.split(",")) if part] or [""]
    if 0 < len(parts) <= _MOST_PARTS:
        ends = [part for part in parts if _PHRASE_START.match(part)]
        before = [part for part in reversed(parts) if part not in ends]
        wordings.append(" ".join((*before, lead, *ends)))
        for site in before if len(parts) <= _MOST_OF_SITE else ():
            modifiers = [part for part in before if part is not site]
            wordings.append(" ".join((*modifiers, lead, "of", site, *ends)))
    words = folded.split()
    if len(words) == 2:
        wordings.append(f"{words[1]} {words[0]}")
    for vague in (" unspecified", " nos"):
        if folded.endswith(vague):
            rest = folded.removesuffix(vague)
            wordings += [f"unspecified {rest}", f"{rest} unspecified", f"{rest} nos"]
    return tuple(wordings)

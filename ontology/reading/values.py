"""Tell a measured value from a condition: "Hb 9.8", "CA 125: 11 U/mL", "BP 140/90"."""

import re

from .normalise import american, normalise_text

_UNIT = (
    r"(?:m?g/d?l|[mµun]?mol/l|mmhg|[mµu]?iu/m?l|k?u/ml|ng/dl|x ?10\^?\d+(?:/\w+)?|"
    r"[npµ]g/ml|u/l|meq/l|cells/\w+|beats/min|bpm)"
)
_ANALYTE = (
    r"(?:h(?:a?emo)?gb?|hb|ha?emoglobin|hba1c|a1c|wbc|wcc|rbc|plts?|platelets?|na|k|sodium|"
    r"potassium|neuts?|neutrophils?|eos|lymphocytes?|mcv|bm|cbg|urate|ca|mg|magnesium|phos|po4|sats?|"
    r"chloride|bicarb(?:onate)?|calcium|phosphate|glucose|bun|urea|creatinine|egfr|gfr|"
    r"crp|esr|lactate|troponin|bnp|nt-probnp|d-dimer|inr|pt|aptt|bilirubin|alt|ast|alp|ggt|albumin|"
    r"ldh|ck|tsh|ft4|ferritin|psa|cea|bp|blood pressure|hr|heart rate|pulse|rr|respiratory rate|"
    r"temp(?:erature)?|s[pa]o2|(?:o2|oxygen) sat(?:uration)?s?|pulse ox|hematocrit|hct|weight|"
    r"height|bmi|gcs)"
)
# The value after the name of a substance; "Hyperkalemia: 6.8 mmol/L" names its finding.
_FIELD_VALUE = re.compile(
    rf"([^:=]*?\w)\)?\s*[:=]\s*[<>≤≥~]?\s*\d[\d.,]*\s*{_UNIT}(?!\w)[\s.]*(?:\([^()]*\))?\s*",
    re.IGNORECASE,
)
_FINDING = re.compile(
    r".*(?:emia|uria|penia|osis|itis|tension|pathy|ism|cytosis|cythemia|ache|pain|deficiency|"
    r"failure|injury|shock|coma|overload|fever|elevated|raised|high|low|disease|syndrome|cancer|"
    r"oma|lysis)|def|aki|ckd|dka|hhs|chf",
    re.IGNORECASE,
)
_LAB_VALUE = re.compile(
    rf"\d\s*{_UNIT}(?!\w)|^\s*{_ANALYTE}\s*(?:of|is|was|[:=])?\s*[<>≤≥~]?\s*\d[\d.,/%]*\s*(?!-)\S{{0,6}}"
    r"(?:\s+on\s+(?:room\s+)?(?:air|ra|o2|\d\s?l\S*))?\s*$",
    re.IGNORECASE,
)
_VALUES = re.compile(r"[,;]\s+")  # what stands between several
_VALUE = re.compile(rf"\b{_ANALYTE}\b|[\d.,/<>%=:]+\s*{_UNIT}?", re.IGNORECASE)
_LAB_WORDS = frozenset(
    "serum plasma blood urine level random fasting total free direct result value today".split()
)
_NAMED_AFTER = re.compile(r"cancer antigen|high[- ]sensitivity")  # findings in names of tests


def is_lab_value(text: str) -> bool:
    """Return whether a text is a measured value only: "CK 40,000 rhabdo" is more than that."""
    if len(values := _VALUES.split(text)) > 1:
        return all(map(is_lab_value, values))
    if not _LAB_VALUE.search(text):
        return False
    field = _FIELD_VALUE.fullmatch(text)
    if field and not _names_more(american(field[1].lower())):
        return True
    left = normalise_text(_VALUE.sub(" ", text)).split()
    return all(
        (len(word) < 4 or word in _LAB_WORDS) and not _FINDING.fullmatch(word) for word in left
    )


def _names_more(field: str) -> bool:
    """Return whether a finding or another word stands beside the name of a substance.

    A name that is not listed counts as a whole: "cancer antigen 125", but "prostate cancer PSA".
    """
    named = _NAMED_AFTER.sub(" ", field)
    words = normalise_text(_VALUE.sub(" ", named)).split()
    is_listed = re.search(rf"\b{_ANALYTE}\b", named) is not None
    left = [word for word in words if len(word) > 3 and word not in _LAB_WORDS]
    return any(map(_FINDING.fullmatch, words)) or (is_listed and bool(left))

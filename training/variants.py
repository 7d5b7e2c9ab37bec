"""Ways a clinician writes a term: seeded rewrites that keep its meaning."""

import random
import re
from collections.abc import Callable
from functools import lru_cache
from pathlib import Path

from dxjudge.ontology.reading.abbreviations import _table

ADJECTIVES = dict(
    pair.split("/")
    for pair in (
        "heart/cardiac kidney/renal liver/hepatic lung/pulmonary brain/cerebral stomach/gastric "
        "skin/cutaneous eye/ocular bone/osseous nerve/neural muscle/muscular bladder/vesical "
        "intestine/intestinal spleen/splenic pancreas/pancreatic ovary/ovarian uterus/uterine "
        "cervix/cervical breast/mammary pharynx/pharyngeal larynx/laryngeal nose/nasal "
        "tongue/lingual tooth/dental colon/colonic rectum/rectal esophagus/esophageal "
        "prostate/prostatic testis/testicular penis/penile vagina/vaginal vulva/vulvar "
        "bronchus/bronchial trachea/tracheal pleura/pleural pericardium/pericardial "
        "peritoneum/peritoneal meninges/meningeal retina/retinal cornea/corneal chest/thoracic "
        "abdomen/abdominal pelvis/pelvic spine/spinal joint/articular artery/arterial "
        "vein/venous larynx/laryngeal mouth/oral jaw/mandibular aorta/aortic"
    ).split()
)
SWAPS = [
    ("disease", "disorder"),
    ("disease", "syndrome"),
    ("disorder", "syndrome"),
    ("neoplasm", "tumor"),
    ("hemorrhage", "bleeding"),
    ("infectious", "infective"),
    ("infection", "infectious disease"),
    ("deficiency", "lack"),
    ("insufficiency", "failure"),
    ("congenital", "inborn"),
    ("hereditary", "familial"),
    ("hereditary", "genetic"),
    ("malformation", "anomaly"),
    ("stricture", "stenosis"),
    ("calculus", "stone"),
    ("renal", "kidney"),
    ("inflammation", "inflammatory disease"),
    ("due to", "caused by"),
    ("due to", "secondary to"),
    ("due to", "from"),
    ("associated with", "with"),
    ("type 1", "type I"),
    ("type 2", "type II"),
    ("juvenile", "childhood"),
    ("neonatal", "newborn"),
    ("chronic", "long-standing"),
    ("malignant", "cancerous"),
    ("cerebrovascular accident", "stroke"),
    ("abnormal", "abnormality of"),
]
BRITISH = [("hem", "haem"), ("edem", "oedem"), ("esoph", "oesoph"), ("anem", "anaem")]
BRITISH += [("tumor", "tumour"), ("emia", "aemia"), ("rrhea", "rrhoea")]
FORM_ORDER = (
    (
        re.compile(r"(.*), unspecified"),
        ["{0},Unspec", "{0}, unsp", "{0} NOS", "Unspec {0}", "{0}, unspecified", "{0} unspec"],
    ),
    (
        re.compile(r"[Uu]nspecified (.*)"),
        ["{0},Unspec", "{0}, unsp", "{0} NOS", "Unsp {0}", "{0} unspec"],
    ),
    (
        re.compile(r"[Oo]ther (?:specified )?(.*)"),
        ["{0} NEC", "{0}, NEC", "Oth {0}", "{0},Other", "Other {0}", "{0}, oth"],
    ),
    (re.compile(r"(\w+), (.*)"), ["{1} {0}", "{0},{1}"]),
    (re.compile(r"(Acute|Chronic|Congenital) (\S.*)"), ["{1},{0}", "{1}, {0}", "{0} {1}"]),
)
_VAGUE = re.compile(
    r",? (?:unspecified(?: [a-z]+)?|not otherwise specified|NOS|not elsewhere classified)\b"
)
_CANCER = re.compile(r"malignant neoplasms? of (?:the )?(.+)", re.IGNORECASE)
_BENIGN = re.compile(r"benign neoplasms? of (?:the )?(.+)", re.IGNORECASE)
_OF = re.compile(r"^([\w\- ]+?) of (?:the )?([\w\-]+(?: [\w\-]+){0,2})$")
_DISEASE_OF = re.compile(
    r"^(?:other )?(disorder|disease|infection)s? of (?:the )?([\w\- ]+)$", re.I
)
_DUE = re.compile(r"^(.+?) due to (.+)$")
_BRACKET = re.compile(r"\s*[(\[][^)\]]*[)\]]")


def variant(
    term: str,
    rng: random.Random,
    abbreviations: dict[str, str],
    without: frozenset[str] = frozenset(),
) -> str:
    """One rewrite of a term: 1 to 3 meaning-preserving changes, sometimes a typing slip.

    abbreviations: short forms by expansion, in lower case. without: kinds of `CHANGES` left out,
    for ablations.
    """
    text = _VAGUE.sub("", term) if rng.random() < 0.6 else term
    text = _BRACKET.sub("", text) if rng.random() < 0.6 else text.replace("(", "").replace(")", "")
    for kind, (share, change) in CHANGES.items():
        if rng.random() < share and kind not in without:
            text = change(text, rng, abbreviations)
    return re.sub(r"\s+", " ", text).strip(" ,") or term


def chart(
    term: str, rng: random.Random, abbreviations: dict[str, list[str]], others: list[str]
) -> str:
    """A term as a chart holds it: short forms, details behind it, at times a second condition.

    abbreviations: short forms by expansion, in lower case. others: terms to join to it.
    """
    shapes = _chart_shapes()
    text = _BRACKET.sub("", _VAGUE.sub("", term)).lower()
    if rng.random() < 0.35:
        text = rng.choice(shapes["joint"]).format(text, _VAGUE.sub("", rng.choice(others)).lower())
    for full, shorts in abbreviations.items():
        if full in text and rng.random() < 0.7:
            text = re.sub(rf"\b{re.escape(full)}\b", rng.choice(shorts), text)
    text = _shortened(text, shapes["shorthand"], rng)
    if rng.random() < 0.25:
        text = f"{rng.choice(shapes['lead'])} {text}"
    if rng.random() < 0.5:
        text = _with_detail(text, shapes["detail"], rng)
    if rng.random() < 0.1:
        text = slip(text, rng, {})
    draw = rng.random()
    return text.upper() if draw < 0.1 else text[:1].upper() + text[1:] if draw < 0.4 else text


def form_entry(term: str, rng: random.Random, shorts: dict[str, list[str]]) -> str:
    """Return an official name in the short style of coders' forms: "Disp fx of R tibia, init"."""
    text = term
    for plain, written in FORM_ORDER:
        if (found := plain.fullmatch(text)) and rng.random() < 0.8:
            text = rng.choice(written).format(*found.groups())
            break
    pairs = [full for full in shorts if f" {full} " in f" {text.lower()} "]
    for full in pairs:
        if rng.random() < 0.6:
            short = rng.choice(shorts[full])
            text = re.sub(rf"\b{re.escape(full)}\b", short, text, count=1, flags=re.IGNORECASE)
    words = [_clipped(word, rng) for word in text.split()]
    text = " ".join(word for word in words if word not in {"of", "the"} or rng.random() < 0.6)
    if rng.random() < 0.4:
        text = re.sub(r"\bwithout\b", "w/o", text)
        text = re.sub(r"\bwith\b", rng.choice(["w", "w/"]), text)
    if rng.random() < 0.3:
        for side in ("right", "left"):
            text = re.sub(
                rf"\b{side}\b", rng.choice([side[0].upper(), side[0].upper() + "t"]), text
            )
    return text[:1].upper() + text[1:]


def _clipped(word: str, rng: random.Random) -> str:
    """Return a long word now and then cut short or without its inner vowels."""
    if len(word) < 8 or not word.isalpha() or rng.random() > 0.12:
        return word
    if rng.random() < 0.6:
        return word[: rng.randint(5, len(word) - 2)]
    return word[0] + re.sub("[aeiou]", "", word[1:-1]) + word[-1]


def plain_entry(text: str, rng: random.Random) -> str:
    """What is no diagnosis, a drug, procedure or test, as a chart holds it."""
    shapes = _chart_shapes()
    text = _shortened(text.lower(), shapes["shorthand"] + shapes["plain shorthand"], rng)
    if rng.random() < 0.5:
        text = _with_detail(text, shapes["plain detail"], rng)
    if rng.random() < 0.15:
        text = _with_detail(text, shapes["plain detail"], rng)
    return slip(text, rng, {}) if rng.random() < 0.05 else text


def _shortened(text: str, pairs: list[str], rng: random.Random) -> str:
    for pair in rng.sample(pairs, len(pairs)):
        full, short = pair.split("=")
        if full in text and rng.random() < 0.5:
            text = re.sub(rf"\b{full}\b", short, text)
    return text


def _with_detail(text: str, details: list[str], rng: random.Random) -> str:
    roman = rng.choice(["I", "II", "III", "IV"])
    detail = rng.choice(details).format(n=rng.randint(1, 9), m=rng.randint(20, 45), r=roman)
    return text + rng.choice([" ", " ", ", ", " - "]) + detail


@lru_cache(maxsize=1)
def _chart_shapes() -> dict[str, list[str]]:
    shapes: dict[str, list[str]] = {}
    text = (Path(__file__).parent / "data" / "chart_shapes.txt").read_text("utf-8")
    for line in text.splitlines():
        if not line.startswith("#"):
            name, _, values = line.partition(": ")
            shapes.setdefault(name, []).extend(values.split("|"))
    return shapes


def single_meanings() -> list[tuple[str, str]]:
    """The abbreviations with one meaning, and it."""
    table = _table()[1].values()
    return [(each.short, each.expansions[0]) for each in table if each.kind != "ambiguous"]


def short_forms(rows: list[tuple[str, str]]) -> dict[str, list[str]]:
    """Short forms by what they stand for, longest first, of rows (short form, expansion)."""
    found: dict[str, list[str]] = {}
    for short, full in rows:
        found.setdefault(full.lower(), []).append(short)
    return {full: found[full] for full in sorted(found, key=len, reverse=True)}


def _cancer(text: str, rng: random.Random, _: dict[str, str]) -> str:
    if found := _CANCER.fullmatch(text):
        site = found[1].rstrip(",")
        forms = ["{} cancer", "cancer of {}", "carcinoma of {}", "{} carcinoma", "{} malignancy"]
        forms += ["malignant {} tumor", "malignant {} neoplasm", "malignant tumor of {}"]
        return rng.choice(forms).format(site)
    if found := _BENIGN.fullmatch(text):
        return rng.choice(["benign {} tumor", "{} benign neoplasm", "benign tumor of {}"]).format(
            found[1]
        )
    return text


def _order(text: str, rng: random.Random, _: dict[str, str]) -> str:
    if found := _DISEASE_OF.fullmatch(text):
        return f"{found[2]} {found[1].lower()}"
    if found := _OF.fullmatch(text):
        return f"{found[2]} {found[1]}"
    if found := _DUE.fullmatch(text):
        return rng.choice([f"{found[2]} {found[1]}", f"{found[2]}-related {found[1]}"])
    parts = text.split(", ")
    if len(parts) == 2:
        return rng.choice([f"{parts[1]} {parts[0]}", f"{parts[0]} {parts[1]}"])
    return text


def _swap(text: str, rng: random.Random, _: dict[str, str]) -> str:
    pairs = [(a, b) for pair in SWAPS for a, b in (pair, pair[::-1]) if a in text.lower()]
    if not pairs:
        return text
    old, new = rng.choice(pairs)
    return re.sub(rf"\b{re.escape(old)}\b", new, text, count=1, flags=re.IGNORECASE)


def _adjective(text: str, rng: random.Random, _: dict[str, str]) -> str:
    words = text.split()
    spots = [i for i, word in enumerate(words) if word.lower() in ADJECTIVES]
    if not spots:
        return text
    spot = rng.choice(spots)
    words[spot] = ADJECTIVES[words[spot].lower()]
    if spot >= 2 and words[spot - 1].lower() == "of":
        words = [words[spot], *words[: spot - 1], *words[spot + 1 :]]
    return " ".join(words)


def _abbreviate(text: str, rng: random.Random, abbreviations: dict[str, str]) -> str:
    lowered = text.lower()
    spots = [
        (full, short)
        for full, short in abbreviations.items()
        if full in lowered and re.search(rf"\b{re.escape(full)}\b", lowered)
    ]
    if not spots:
        return text
    full, short = rng.choice(spots)
    return re.sub(rf"\b{re.escape(full)}\b", short, text, count=1, flags=re.IGNORECASE)


def _british(text: str, _: random.Random, __: dict[str, str]) -> str:
    for american, british in BRITISH:
        text = text.replace(american, british)
    return text


def slip(text: str, rng: random.Random, _: dict[str, str]) -> str:
    """A text with a slip of typing, now and then; a short text stays as it is."""
    if len(text) < 6:
        return text
    spot = rng.randrange(1, len(text) - 1)
    kind = rng.randrange(3)
    if kind == 0:
        return text[:spot] + text[spot + 1 :]
    if kind == 1:
        return text[:spot] + text[spot + 1] + text[spot] + text[spot + 2 :]
    return text[:spot] + text[spot] + text[spot:]


CHANGES: dict[str, tuple[float, Callable[[str, random.Random, dict[str, str]], str]]] = {
    "cancer": (0.45, _cancer),
    "order": (0.45, _order),
    "swap": (0.45, _swap),
    "adjective": (0.45, _adjective),
    "abbreviate": (0.45, _abbreviate),
    "british": (0.08, _british),
    "slip": (0.12, slip),
}

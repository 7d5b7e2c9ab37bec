"""The words of a text as the reranker compares them: stems, qualifiers, numbers and opposites."""

import math
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import NamedTuple

_VAGUE = frozenset(
    "unspecified nos other specified classified elsewhere and or of the in to".split()
)
_QUALIFIERS = frozenset(
    """acute subacute chronic recurrent congenital hereditary familial acquired primary secondary
    malignant benign juvenile neonatal newborn infantile childhood adult senile gestational
    pregnancy puerperal postpartum traumatic nontraumatic alcoholic drug postprocedural
    postoperative tuberculous syphilitic gonococcal viral bacterial fungal parasitic toxic
    idiopathic autoimmune obstructive complicated severe mild moderate intractable bilateral
    right left upper lower anterior posterior external internal superficial deep localized
    generalized multiple single complete incomplete with without due following history screening
    exposure encounter remission relapse perforation hemorrhage abscess gangrene situ
    metastatic late early peripheral central atypical induced diabetic rheumatoid""".split()
)
_NUMBERS = {"i": "1", "ii": "2", "iii": "3", "iv": "4", "v": "5", "vi": "6", "vii": "7"}
# In each row a text means one of the words; a term that holds another of the row means another.
_OPPOSED = tuple(
    frozenset(row.split())
    for row in (
        "displaced nondisplaced",
        "open closed",
        "left right bilateral unspecified_side",
        "acute chronic subacute",
        "upper lower",
        "proximal distal middle",
        "traumatic nontraumatic",
        "male female",
        "anterior posterior",
        "internal external",
        "medial lateral",
        "primary secondary",
        "benign malignant",
        "mild moderate severe profound",
        "systolic diastolic",
        "first second third fourth fifth",
        "index ring little thumb great",
        "simple complex",
        "complete incomplete partial",
        "direct indirect",
        "dominant nondominant",
        "hypo hyper",
    )
)
ROW_OF = {word: row for row in _OPPOSED for word in row}
"""The row of opposites that holds a word."""

_OPPOSING = frozenset(ROW_OF)
SIDES = frozenset("left right bilateral".split())
"""The words by which terms name a side."""

_NONE: frozenset[str] = frozenset()  # most texts have no numbers and no opposites: one for all
STEM = 6
"""The letters of a word that are compared."""

RAREST = 11.0
"""The weight of a word that no term holds."""

_DIGIT = re.compile(r"^\d+[a-z]?$")


class Words(NamedTuple):
    """What is compared of a text.

    `weight` is the sum of the weights of the stems. `is_sided` says that it names a side.
    """

    stems: frozenset[str]
    weight: float
    qualifiers: frozenset[str]
    numbers: frozenset[str]
    last: str
    opposed: frozenset[str]
    is_sided: bool


def read_words(folded: str, weights: Mapping[str, float]) -> Words:
    """Return what is compared of a normalised text; `weights` holds those of stems."""
    tokens = [_NUMBERS.get(word, word) for word in folded.split()]
    telling = [word for word in tokens if word not in _VAGUE] or tokens
    stems = frozenset([word[:STEM] for word in telling])
    every = frozenset(tokens)
    opposed = every & _OPPOSING
    return Words(
        stems,
        sum([weights.get(stem, RAREST) for stem in stems]),
        every & _QUALIFIERS or _NONE,
        frozenset([word for word in tokens if word[0].isdigit() and _DIGIT.match(word)]) or _NONE,
        telling[-1][:STEM] if telling else "",
        opposed or _NONE,
        not opposed.isdisjoint(SIDES),
    )


def rarities(terms: Sequence[str]) -> dict[str, float]:
    """Return the weights of the stems of normalised terms; rare ones weigh more."""
    counts: Counter[str] = Counter()
    for folded in terms:
        counts.update({word[:STEM] for word in folded.split()})
    return {stem: math.log(len(terms) / count) + 0.1 for stem, count in counts.items()}

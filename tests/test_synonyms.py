"""The project's own synonyms: each a term of a code that is searched, and of no other."""

from collections import defaultdict
from functools import cache
from itertools import pairwise

from dxjudge.ontology.base import COMMUNITY, default_terms
from dxjudge.ontology.reading.normalise import normalise_text
from dxjudge.ontology.terms import Term
from dxjudge.ontology.tree import load_tree


@cache
def synonyms() -> list[Term]:
    """Those that belong to ICD-10-CM."""
    return [Term(*row, COMMUNITY) for row in load_tree().descriptor.further_terms()]


@cache
def normalised() -> list[tuple[Term, str]]:
    return [(term, normalise_text(term.text)) for term in synonyms()]


@cache
def base() -> list[Term]:
    return default_terms(load_tree())


def test_every_synonym_names_a_code_that_is_searched_once() -> None:
    searched = {term.code for term in base() if term.source == "official"}
    rows = synonyms()
    assert len(rows) > 50_000
    assert [term.text for term in rows if term.code not in searched] == []
    assert [term.text for term in rows if term.text != " ".join(term.text.split())] == []
    assert len({(text, term.code) for term, text in normalised()}) == len(rows)


def test_no_synonym_is_printed_for_another_code() -> None:
    printed: defaultdict[str, set[str]] = defaultdict(set)
    for term in base():
        if term.source != COMMUNITY:
            printed[normalise_text(term.text)].add(term.code)
    rows = [(term.text, term.code, printed.get(text)) for term, text in normalised()]
    assert [row for row in rows if row[2] and row[1] not in row[2]] == []


def test_a_synonym_of_two_codes_stands_in_one_line_of_the_tree() -> None:
    codes: defaultdict[str, list[str]] = defaultdict(list)
    for term, text in normalised():
        codes[text].append(term.code)
    split = {
        text: found
        for text, found in codes.items()
        if not all(code.startswith(min(found, key=len)) for code in found)
    }
    assert split == {}


def test_a_name_with_its_words_in_another_order_stays_in_its_category() -> None:
    categories: defaultdict[frozenset[str], set[str]] = defaultdict(set)
    for term, text in normalised():
        categories[frozenset(text.split())].add(term.code[:3])
    # Goltz-Gorlin is focal dermal hypoplasia, Gorlin-Goltz the basal cell nevus syndrome.
    goltz = frozenset({"goltz", "gorlin", "syndrome"})
    assert [sorted(words) for words, found in categories.items() if len(found) > 1] == [
        sorted(goltz)
    ]


def test_no_synonym_has_a_word_twice_in_a_row() -> None:
    names = {"loa", "heterophyes"}  # the scientific names of two worms
    words = [(term.text, term.text.casefold().split()) for term in synonyms()]
    assert [
        text for text, row in words for a, b in pairwise(row) if a == b and a not in names
    ] == []


def test_a_synonym_that_names_a_side_has_the_code_of_the_side() -> None:
    tree = load_tree()
    sided = []
    for term, text in normalised():
        sides = {"left", "right", "bilateral"} & set(text.split())
        name = tree.name(tree.node(term.code)).casefold() if sides else ""
        if "unspecified" in name and not sides & set(name.split()):
            sided.append((term.text, term.code))
    assert sided == []


OPPOSITES = """
    congenital acquired / acute chronic / benign malignant / upper lower / left right /
    male female / internal external / medial lateral / unilateral bilateral / proximal distal /
    open closed / displaced nondisplaced / traumatic nontraumatic / complete incomplete /
    systolic diastolic / toxic nontoxic / infective noninfective / rheumatic nonrheumatic /
    superior inferior / exudative nonexudative / intrinsic extrinsic / large small / early late
"""


def test_no_synonym_says_the_opposite_of_the_name_of_its_code() -> None:
    pairs = [pair.split() for pair in OPPOSITES.split("/")]
    sides = [*pairs, *(pair[::-1] for pair in pairs)]
    tree = load_tree()
    contradictions = []
    for term, text in normalised():
        words = set(text.split())
        name = set(normalise_text(tree.name(tree.node(term.code))).split())
        contradictions += [
            (term.text, term.code)
            for side, other in sides
            if side in words and other not in words and other in name and side not in name
        ]
    assert contradictions == []

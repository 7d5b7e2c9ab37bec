"""Put the code in front that says what the text says: its side, what is absent, an organism alone.

A code "unspecified" stands before its twin "other" where the text does not say "other".

The ranking network reads these words among many others. Here they decide between a code that it put
first and a code close to it.
"""

import re
from collections.abc import Sequence

from ..reading.abbreviations import expand_abbreviations
from ..reading.agents import organism
from ..reading.normalise import normalise_text
from ..reading.query import Query
from ..specificity import side_of, side_said
from ..tree import Node, Tree
from .detailed import more_detailed, read_details
from .rerank import Ranked
from .retrieve import Retriever
from .words import STEM

_READ = 10  # candidates that are looked at
_SHARE = 0.02  # of the first one's score, which a candidate of the right side must have
_LONG = 6  # letters of a word that an organism's name has; "strep" may be an infection
_WITHOUT = re.compile(r"(?<!\bor )(?<!\band )\b(?:without|no) (.+?)(?= with |$)")
_INTACT = re.compile(r"\b(\w+) (?:is |are )?intact\b")  # without damage to it
_LACK = re.compile(r"\bwithout\b.*?(?= with |$)")
_SMALL = frozenset("or and of the other with complication complications mention".split())
_OF_SIDE = frozenset(("eye", "ear", "lower", "upper", "limb", "extrem", "female", "male"))
_UNSIDED = frozenset("left right bilateral both of the".split())
_OTHER = frozenset(("other", "specified"))
_VAGUE = frozenset(("unspecified",))
_LINKING = frozenset("or and of the in to".split())
_VAGUE_STEMS = frozenset(("unspec",))
_OTHER_STEMS = frozenset(("other", "specif"))
_MALIGNANT = ("Malignant neoplasm", "Malignant melanoma")
# Where metastases of other tumors are rare; a "metastatic liver cancer" began elsewhere.
_SITES = (
    r"breast|lung|bronchial|bronchogenic|colon|colonic|colorectal|rectal|rectum|sigmoid|prostate|"
    r"prostatic|kidney|renal|pancreas|pancreatic|ovary|ovarian|thyroid|stomach|gastric|bladder|"
    r"urothelial|esophagus|esophageal|cervix|cervical|endometrial|uterine|testis|testicular|larynx|"
    r"laryngeal|tongue|gallbladder|vulvar|anal"
)
_BEGUN = rf"({_SITES})"
_SITE = 4  # letters of a site that are compared
_IN_NAMES = {"rena": "kidn", "gast": "stom", "urot": "blad", "anal": "anus"}
_SPREAD_TO = re.compile(
    r"\b(?:liver|hepatic|brain|cerebral|bon[ey]s?|spin[ea]l?|vertebral|pulmonary|pleural?|adrenal|"
    rf"peritone\w+|oment\w+|skin|{_SITES})\b"
)
_SPREAD = r"(?:metastatic|metastasized|disseminated|stage (?:iv|4))"
_CANCER = r"(?:cancer|carcinoma|adenocarcinoma|ca|malignancy)"
_PRIMARY = re.compile(
    rf"\b{_SPREAD} (?:\w+ ){{0,3}}{_BEGUN} (?:cell )?{_CANCER}\b|"
    rf"\b{_SPREAD} {_CANCER} (?:of )?{_BEGUN}\b|"
    rf"\b{_BEGUN} (?:\w+ )?{_CANCER} (?:\w+ ){{0,2}}"
    rf"(?:{_SPREAD}|with (?:\w+ )?(?:mets|metastas[ei]s))|"
    rf"\b{_CANCER} (?:of )?{_BEGUN} (?:\w+ ){{0,2}}{_SPREAD}\b"
)
_FROM_ELSEWHERE = re.compile(
    r"\b(?:metastatic|metastas[ei]s|spread|mets) (?:to|in)\b|\bnodes?\b|\bsecondary\b"
)
# What a text says, what the first code must then not say, and what the code in its place says.
_RULED_OUT = tuple(
    (re.compile(said), re.compile(excluded, re.IGNORECASE), re.compile(wanted, re.IGNORECASE))
    for said, excluded, wanted in (
        (
            r"^(?!.*\b(?:no|not|non|without|negative|benign|ruled|rule|excluded|denies)\b).*(?:"
            r"\bcancer\b(?! antigen| screening| phobia)|\bmalignant (?:neoplasm|tumor)\b|"
            r"\b\w+sarcoma\b|\b(?:adeno)?carcinoma\b(?! in situ))",
            r": (?:benign neoplasm|neoplasms? of (?:unspecified|uncertain) behavior)|"
            r": (?:hem|lymph)angioma\b",
            r": malignant neoplasm|^neoplasms: .*(?:sarcoma|carcinoma)",
        ),
        (
            r"^(?:(?!(?:with|and|on|in|of|to|due|secondary)\b)\w+ ){1,4}cancer$",
            r"^congenital malformations",
            r": malignant neoplasm",
        ),
        (
            r"\b(?:cancer|\w*carcinoma|melanoma|neoplasm|tumor) in situ\b|\bstage 0\b|\btis\b",
            r": malignant neoplasm|^(?!.*in situ).*: .*carcinoma",
            r": carcinoma in situ|: melanoma in situ",
        ),
        (
            r"\bnon ?traumatic\b",
            r"^injury,|: (?!.*non ?traumatic).*\btraumatic\b",
            r"^diseases of",
        ),
        (
            r"^(?!.*\b(?:stress|patholog\w*|fatigue|insufficiency|march|osteopor\w*|fragility|"
            r"neoplas\w*|metasta\w*|myeloma|atypical|spontan\w*|tumou?r|cancer|"
            r"carcinoma|lytic|cyst|osteopeni\w*|low energy|minimal trauma|non ?traumatic|paget\w*|"
            r"osteomalac\w*|brittle|collapse\w*)\b).*\bfractures?\b",
            r": (?:stress|pathological) fracture",
            r"^injury",
        ),
        (r"\buncomplicated\b", r"(?<!un)complicated\b|with (?:other |unspecified )?complic", "."),
        (
            r"^(?!.*\b(?:screen\w*|encounter|test(?:s|ed|ing)?|check\w*|exam\w*|visit|scan|smear)\b)",
            r": encounter for screening",
            r"^(?!.*: encounter)",
        ),
    )
)
_WHOLE = ("whole", "without brackets", "word for word")
_IN_PLACE = re.compile(r"\b(?:non|un|not |minimally )-?displaced|\b(?:hairline|occult|stress)\b")


def as_said(ranked: Sequence[Ranked], query: Query, retriever: Retriever) -> list[Ranked]:
    """Return the candidates with the one in front that says what the text says."""
    texts = [form.text for form in query.forms if form.kind in _WHOLE]
    if not ranked or not texts or query.frame:
        return list(ranked)
    if same := _of_same_words(ranked, texts[0], retriever):
        ranked = _in_front(same, ranked, retriever)
    code = _organism(texts, query, retriever)
    code = code or _without(ranked, texts, retriever.tree)
    code = code or _unspecified(ranked, texts, retriever) or _other(ranked, query, retriever)
    code = code or _primary(ranked, texts, retriever.tree)
    code = code or _displaced(ranked, texts, retriever.tree)
    code = code or _unlike(ranked, texts, retriever)
    code = code or more_detailed(ranked, query, retriever)
    code = code or _sided(ranked, texts, query, retriever)
    return _in_front(code, ranked, retriever) if code else list(ranked)


def in_detail(ranked: Sequence[Ranked], query: Query, retriever: Retriever) -> list[Ranked]:
    """Return the candidates, of which a term equals the text, with its details and side in front.

    The text may be equal but for its brackets: "Urticaria [cold]". "Presence of unspecified
    artificial knee joint" has a twin for the right knee.
    """
    if ranked and (code := more_detailed(ranked, query, retriever)):
        return _in_front(code, ranked, retriever)
    if not ranked or side_of(retriever.tree.name(ranked[0].hit.code)):
        return list(ranked)
    tree, first = retriever.tree, retriever.tree.node(ranked[0].hit.code)
    side = side_said(_read(query), [first], tree)
    twin = side and _twin(first, side, retriever)
    return _in_front(twin, ranked, retriever) if twin else list(ranked)


def _twin(first: Node, side: str, retriever: Retriever) -> str | None:
    """Return the one code beside the first that has its name with a side, None without one."""
    tree, parent = retriever.tree, retriever.tree.parent(first)
    own = _words(tree.name(first)) - _VAGUE
    twins = [
        node.code
        for node in (tree.children(parent) if parent else ())
        if side_of(tree.name(node)) == side
        and node.code in retriever.index.rows.of_code
        and _words(tree.name(node)) - _UNSIDED == own - _UNSIDED
    ]
    return twins[0] if len(twins) == 1 else None


def _of_same_words(ranked: Sequence[Ranked], text: str, retriever: Retriever) -> str | None:
    """Return the code of a term that is the text but for its side, where the first is another's.

    "Fibroadenoma of left breast" is a "fibroadenoma of breast", not "fibroadenosis of left breast".
    """
    tree, folded = retriever.tree, retriever.index.folded
    said = set(text.split()) - _UNSIDED
    if side_of(text) is None or set(folded[ranked[0].hit.row].split()) - _UNSIDED == said:
        return None
    category = tree.category(ranked[0].hit.code)
    codes = (
        one.hit.code
        for one in ranked[1:_READ]
        if set(folded[one.hit.row].split()) - _UNSIDED == said
    )
    return next((code for code in codes if tree.category(code) != category), None)


def _organism(texts: Sequence[str], query: Query, retriever: Retriever) -> str | None:
    """Return the code of an organism where its name is the whole text."""
    read = (normalise_text(query.text), *texts[1:])  # as written, without abbreviations
    names = (text for text in read if max(map(len, text.split()), default=0) >= _LONG)
    code = next(filter(None, map(organism, names)), None)
    return code if code in retriever.index.rows.of_code else None


def _without(ranked: Sequence[Ranked], texts: Sequence[str], tree: Tree) -> str | None:
    """Return the best code of the first one's category where that says what the text excludes."""
    absent = {
        word[:STEM]
        for text in texts
        for match in _WITHOUT.finditer(text)
        for word in match[1].split()
        if word not in _SMALL
    }
    if whole := next(filter(None, map(_INTACT.search, texts)), None):
        absent |= {"damage", whole[1][:STEM]}

    def says(candidate: Ranked) -> bool:
        name = _LACK.sub("", normalise_text(tree.name(candidate.hit.code)))
        return not absent.isdisjoint(word[:STEM] for word in name.partition(" with ")[2].split())

    if not absent or not says(ranked[0]):
        return None
    category, above = tree.category(ranked[0].hit.code), tree.ancestors(ranked[0].hit.code)
    near = (one for one in ranked[1:_READ] if tree.category(one.hit.code) == category)
    fitting = [one.hit.code for one in near if not says(one)]
    # One above the first says nothing of it: a code beside it, "without", is better.
    beside = (code for code in fitting if tree.node(code) not in above)
    return next(beside, next(iter(fitting), None))


def _unspecified(
    ranked: Sequence[Ranked], texts: Sequence[str], retriever: Retriever
) -> str | None:
    """Return the code that has "unspecified" where the first one has "other", else None.

    A first code that another term than its name matched is what that term says.
    """
    tree, hit = retriever.tree, ranked[0].hit
    first = _words(tree.name(hit.code))
    is_named = retriever.index.folded[hit.row] == normalise_text(tree.name(hit.code))
    if not is_named or not first & _OTHER or not _OTHER.isdisjoint(" ".join(texts).split()):
        return None
    category = tree.category(hit.code)
    for one in ranked[1:_READ]:
        words = _words(tree.name(one.hit.code))
        is_twin = words - _VAGUE == first - _OTHER and bool(words & _VAGUE)
        if is_twin and tree.category(one.hit.code) == category:
            return one.hit.code
    return None


def _other(ranked: Sequence[Ranked], query: Query, retriever: Retriever) -> str | None:
    """Return the code that has "other" where the first one has "unspecified" and the text NEC."""
    tree = retriever.tree
    first = _stems(tree.name(ranked[0].hit.code))
    if not first & _VAGUE_STEMS or all(form.kind != "without NEC" for form in query.forms):
        return None
    category = tree.category(ranked[0].hit.code)
    for one in ranked[1:_READ]:
        stems = _stems(tree.name(one.hit.code))
        is_twin = "other" in stems and stems - _OTHER_STEMS == first - _VAGUE_STEMS
        if is_twin and tree.category(one.hit.code) == category:
            return one.hit.code
    return None


def _primary(ranked: Sequence[Ranked], texts: Sequence[str], tree: Tree) -> str | None:
    """Return the code of the primary tumor of a site where the text says that it has spread.

    "Metastatic breast cancer" began in the breast; "metastatic cancer to breast" did not.
    """
    if not _is_secondary(ranked[0], tree) or any(map(_FROM_ELSEWHERE.search, texts)):
        return None
    site = next((_only_site(match) for match in map(_PRIMARY.search, texts) if match), None)
    if site is None:
        return None
    names = ((one.hit.code, tree.name(one.hit.code)) for one in ranked[1:_READ])
    return next(
        (
            code
            for code, name in names
            if name.startswith(_MALIGNANT) and re.search(rf"\b{site}", name)
        ),
        None,
    )


def _only_site(match: re.Match[str]) -> str | None:
    """Return how names of the site begin in which a spread tumor began, None beside other sites.

    "Metastatic breast cancer in liver" may mean either tumor.
    """
    text = match.string
    start, end = match.span(match.lastindex or 0)
    if _SPREAD_TO.search(f"{text[:start]} {text[end:]}"):
        return None
    stem = text[start : start + _SITE]
    return _IN_NAMES.get(stem, stem)


def _is_secondary(one: Ranked, tree: Tree) -> bool:
    return tree.name(one.hit.code).startswith(("Secondary malignant", "Secondary and unspecified"))


def _unlike(ranked: Sequence[Ranked], texts: Sequence[str], retriever: Retriever) -> str | None:
    """Return the best code that is not of a kind that the text rules out, by its own words.

    A text of a cancer names no benign tumor, "nontraumatic" no injury, "uncomplicated" nothing
    complicated; without a word for it, a text is no screening.
    """
    tree = retriever.tree

    def words(one: Ranked) -> str:
        chapter = tree.name(tree.chapter(one.hit.code))
        return f"{chapter}: {tree.name(one.hit.code)}: {retriever.index.folded[one.hit.row]}"

    for said, excluded, wanted in _RULED_OUT:
        if not excluded.search(words(ranked[0])) or not any(map(said.search, texts)):
            continue
        fitting = (one for one in ranked[1:_READ] if not excluded.search(words(one)))
        if code := next((one.hit.code for one in fitting if wanted.search(words(one))), None):
            return code
    return None


def _displaced(ranked: Sequence[Ranked], texts: Sequence[str], tree: Tree) -> str | None:
    """Return the displaced twin of a nondisplaced fracture, where the text says neither.

    The guidelines code a fracture as displaced that is not called displaced or nondisplaced.
    """
    first = tree.node(ranked[0].hit.code)
    name = tree.name(first)
    parent = tree.parent(first)
    if not name.startswith("Nondisplaced ") or any(map(_IN_PLACE.search, texts)) or not parent:
        return None
    wanted = name.replace("Nondisplaced", "Displaced", 1)
    near = (*tree.children(parent), *(tree.node(one.hit.code) for one in ranked[1:]))
    return next((node.code for node in near if tree.name(node) == wanted), None)


def _stems(name: str) -> set[str]:
    return {word[:STEM] for word in normalise_text(name).split() if word not in _LINKING}


def _words(name: str) -> set[str]:
    return set(normalise_text(name).split())


def _sided(
    ranked: Sequence[Ranked], texts: Sequence[str], query: Query, retriever: Retriever
) -> str | None:
    """Return the code of the text's side below the first one or beside it, where that has none.

    It says nothing else that the text does not say: "iritis OD" is not chronic.
    """
    tree = retriever.tree
    first = tree.node(ranked[0].hit.code)
    side = side_of(" ".join(texts)) or side_said(_read(query), [first, *tree.children(first)], tree)
    if side is None or side_of(tree.name(first)):
        return None

    def fits(node: Node) -> bool:
        is_known = node.code in retriever.index.rows.of_code
        return is_known and side_of(tree.name(node)) == side

    below = list(filter(fits, tree.children(first)))
    if len(below) == 1:
        return below[0].code
    own = read_details(tree.name(first)) | read_details(" ".join(texts)) | _OF_SIDE
    near = (
        tree.node(one.hit.code)
        for one in ranked[1:_READ]
        if one.score >= _SHARE * ranked[0].score and read_details(tree.name(one.hit.code)) <= own
    )
    beside = (
        node.code
        for node in near
        if fits(node) and (first in tree.ancestors(node) or tree.parent(node) == tree.parent(first))
    )
    return next(beside, None) or _twin(first, side, retriever)


def _in_front(code: str, ranked: Sequence[Ranked], retriever: Retriever) -> list[Ranked]:
    """Return the candidates with a code in front; it takes the score of the first one."""
    first = ranked[0]
    if first.hit.code == code:
        return list(ranked)
    place = next((at for at, one in enumerate(ranked) if one.hit.code == code), None)
    if place is None:
        row = retriever.index.rows.of_code[code][0]
        front = first._replace(hit=first.hit._replace(code=code, row=row, joined=True))
        rest = [one._replace(score=round(one.score * (1 - first.score), 4)) for one in ranked]
        return [front, *rest]
    changed = list(ranked)
    changed[0] = ranked[place]._replace(score=first.score)
    changed[place] = first._replace(score=ranked[place].score)
    return changed


def _read(query: Query) -> str:
    return expand_abbreviations(query.text).text

"""Train the models that tell diagnoses from what is none, and the weight of their verdict.

    pip install '.[train]'
    python training/refusal.py --gold FOLDER

Diagnoses are the terms of the base, rewrites and initials of them and entries of charts
(variants.py), drugs in diagnoses ("poisoning by X"), what patients say, and diagnoses in four
other languages. The others are made from the lists in ontology/data/non_diagnoses.txt and from
CMS's titles of ICD-9-CM procedures; a text that stands in the test half of
benchmarks/data/non_diagnoses.tsv is taken out. Entries written for this project, of contacts and
states, of notes and of what has no code (data/entries, data/notes), stand beside both: one half of
them here, the other half in the weighing. FOLDER holds `*-dev.tsv` tables: with that half and the
tuning halves of benchmarks/data they set the numbers that weigh the verdict against the best
candidate, so that it refuses at most 7 in 1,000 texts of each table of diagnoses.
"""

import argparse
import csv
import random
import re
import string
import zlib
from collections import Counter
from collections.abc import Iterator
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import numpy as np
from cms import cms_titles
from variants import chart, plain_entry, short_forms, single_meanings, variant

from dxjudge.graphs.mapper import Mapper
from dxjudge.ontology.base import default_terms
from dxjudge.ontology.decide import is_sure_encounter, shown
from dxjudge.ontology.factors import is_factor
from dxjudge.ontology.policy import Policy
from dxjudge.ontology.reading.normalise import normalise_text
from dxjudge.ontology.reading.query import read_query
from dxjudge.ontology.reading.refusal import (
    BINS,
    KINDS,
    RefusalModel,
    evidence,
    features,
    named,
    read_lists,
)
from dxjudge.ontology.scored import score_candidates
from dxjudge.ontology.search.encode import packaged_encoder
from dxjudge.ontology.tree import load_tree

ROOT = Path(__file__).parents[1]
BENCHMARKS = ROOT / "benchmarks" / "data"
WRITTEN = Path(__file__).parent / "data"
OUTPUT = ROOT / "ontology" / "data" / "refusal.npz"
DIAGNOSES = 40000
EACH = {"drug": 5000, "procedure": 8000, "test": 7000, "remark": 7000, "noise": 3000}
CHARTS = 0.4  # read like entries of a chart
CHARTED = {"drug", "procedure", "test"}
OFTEN = 4  # times that a written entry counts
LOST = 0.007  # of the texts of a table of diagnoses
_ASIDE = re.compile(r"\s*[(\[].*?[)\]]|^other |, (?:other|not elsewhere).*")
_TESTS = {"89", "90", "91", "92", "94", "95"}  # chapters of diagnostic ICD-9-CM procedures
Lists = dict[str, list[str]]


def main() -> None:
    """Train, weigh, write, and report."""
    options = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    options.add_argument("--gold", type=Path, required=True)
    options.add_argument("--seed", type=int, default=7)
    chosen = options.parse_args()
    rng = random.Random(chosen.seed)
    rows = list(csv.DictReader(open_table(), delimiter="\t"))
    held_out = {normalise_text(row["text"]) for row in rows if row["half"] == "test"}
    lists = read_lists()
    for name, title in cms_procedures():
        lists.setdefault(name, []).append(title)
    terms = (term.text.lower() for term in default_terms(load_tree()))
    lists["condition"] = [term for term in terms if len(term.split()) <= 3 and "{" not in term]
    texts = [(text, "diagnosis") for text in diagnoses(lists, rng)]
    for kind, count in EACH.items():
        made = {
            (normalise_text(text), text.isupper()): text
            for text in non_diagnoses(kind, lists, count, rng)
        }
        texts += [(text, kind) for (folded, _), text in made.items() if folded not in held_out]
    written = [*written_diagnoses(), *written_others()]
    texts += [entry for entry in written if not is_weighed(entry[0])] * OFTEN
    print(Counter(kind for _, kind in texts))
    model = fit(texts)
    tables = [
        csv.DictReader(path.open(encoding="utf-8"), delimiter="\t")
        for path in sorted(chosen.gold.glob("*-dev.tsv"))
    ]
    charts = csv.DictReader((BENCHMARKS / "charts.tsv").open(encoding="utf-8"), delimiter="\t")
    real = [
        *([row["text"] for row in table] for table in tables),
        [row["text"] for row in charts if row["half"] == "tune"],
    ]
    weighed = [(text, kind) for text, kind in written if is_weighed(text)]
    entries = [text for text, kind in weighed if kind == "diagnosis"]
    none = [row["text"] for row in rows if row["half"] == "tune"]
    none += [text for text, kind in weighed if kind != "diagnosis"]
    model = weigh(model, real, entries, none)
    np.savez_compressed(OUTPUT, **asdict(model))


def open_table() -> Any:
    """The non-diagnoses, both halves."""
    return (BENCHMARKS / "non_diagnoses.tsv").open(encoding="utf-8")


def written_diagnoses() -> Iterator[tuple[str, str]]:
    """Written entries of contacts and states, and notes, of which each has a code."""
    for path in (WRITTEN / "entries" / "factors.tsv", *sorted((WRITTEN / "notes").glob("*.tsv"))):
        with path.open(encoding="utf-8") as file:
            for row in csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE):
                yield row["text"], "diagnosis"


def written_others() -> Iterator[tuple[str, str]]:
    """Written entries that have no code, with their kinds."""
    with (WRITTEN / "entries" / "no_diagnoses.tsv").open(encoding="utf-8") as file:
        for row in csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE):
            yield row["text"], row["kind"]


def is_weighed(text: str) -> bool:
    """Return whether a written entry is of the half that sets the weights."""
    return zlib.crc32(text.encode()) % 2 == 0


def cms_procedures() -> Iterator[tuple[str, str]]:
    """Titles of ICD-9-CM procedures with the list they belong to: imaging, tests, or the others."""
    for code, title in cms_titles("SG"):
        chapter = code[:2]
        name = "imaging" if chapter in {"87", "88"} else "lab" if chapter in _TESTS else None
        title = _ASIDE.sub("", title.lower())
        if len(title) > 4:
            yield name or "cms procedure", title


def diagnoses(lists: Lists, rng: random.Random) -> Iterator[str]:
    """Terms of the base, a third rewritten, some as initials; drugs that make a diagnosis."""
    terms = [term.text for term in default_terms(load_tree())]
    single = single_meanings()
    shorts = short_forms(single)
    known = {normalise_text(term) for term in terms}
    for short, full in single:
        if normalise_text(full) in known:  # others are shorthand, such as w/ and RUQ
            yield chart(full, rng, {full.lower(): [short]}, terms)
            yield short
    for term in rng.sample(terms, DIAGNOSES):
        text = variant(term, rng, {}) if rng.random() < 0.45 else term
        if rng.random() < CHARTS:
            text = chart(term, rng, shorts, terms)
        elif rng.random() < 0.2:
            text = rng.choice(lists["diagnosis shape"]).replace("{}", text.lower())
        yield text
        if rng.random() < 0.03:
            yield rng.choice(lists["lay symptom"])
        if rng.random() < 0.06:
            yield rng.choice(lists["other language"])
        words = [word for word in normalise_text(term).split() if len(word) > 2]
        if 2 <= len(words) <= 5 and rng.random() < 0.1:
            yield "".join(word[0] for word in words).upper() + rng.choice(["", "", "", "1", " II"])
    drugs = lists["drug"] + lists["brand"]
    about = ["{} poisoning", "{} overdose", "{} toxicity", "allergy to {}", "{} allergy"]
    about += ["{} dependence", "{} induced liver injury", "adverse effect of {}", "{} withdrawal"]
    about += ["accidental {} ingestion", "{} abuse", "long-term {} use disorder"]
    about += ["{} associated colitis", "rash due to {}", "{} hypersensitivity"]
    after = ["complication of {}", "status post {}", "post {} syndrome", "infection after {}"]
    after += ["pain after {}", "failed {}", "dehiscence after {}", "{} failure"]
    after += ["adhesions following {}", "bleeding after {}", "history of {}", "{} complication"]
    for _ in range(2000):
        yield rng.choice(about).format(rng.choice(drugs))
        yield rng.choice(after).format(
            rng.choice(lists[rng.choice(["procedure", "procedure phrase"])])
        )


def non_diagnoses(kind: str, lists: Lists, count: int, rng: random.Random) -> Iterator[str]:
    """Made texts of one kind, with the case of real ones."""
    makers = {"drug": _drug, "procedure": _procedure, "test": _test, "remark": _remark}
    make = makers.get(kind, _noise)
    for _ in range(count):
        text = make(lists, rng)
        if kind in CHARTED and rng.random() < CHARTS:
            text = plain_entry(text, rng)
        if kind == "test" and len(text) <= 5 and rng.random() < 0.6:
            yield text.upper()
        else:
            yield text.capitalize() if rng.random() < 0.5 else text


def _drug(lists: Lists, rng: random.Random) -> str:
    if rng.random() < 0.12:
        return rng.choice(lists["drug class"] + lists["drug phrase"])
    name = rng.choice(lists["drug"] if rng.random() < 0.75 else lists["brand"])
    if rng.random() < 0.15:
        name += f" {rng.choice(lists['drug salt'])}"
    if rng.random() < 0.3:
        return name
    dose = rng.choice([1, 2.5, 5, 10, 20, 25, 40, 50, 100, 250, 500, 1000])
    lead = rng.choice(["", "", "", "start", "continue", "on"])
    parts = [f"{dose} {rng.choice(lists['drug unit'])}"]
    parts += [rng.choice(lists[name]) for name in ("drug form", "drug route", "drug rhythm")]
    return " ".join([lead, name, *(part for part in parts if rng.random() < 0.45)]).strip()


def _procedure(lists: Lists, rng: random.Random) -> str:
    if rng.random() < 0.3:
        return rng.choice(lists["cms procedure"])
    if rng.random() < 0.25:
        return rng.choice(lists["treating"]).format(rng.choice(lists["condition"]))
    name = rng.choice(lists["procedure phrase" if rng.random() < 0.5 else "procedure"])
    shape = "{}" if rng.random() < 0.25 else rng.choice(lists["procedure shape"])
    return shape.format(name, site=rng.choice(lists["site"]))


def _test(lists: Lists, rng: random.Random) -> str:
    draw = rng.random()
    if draw < 0.35:
        site, modality = rng.choice(lists["site"]), rng.choice(lists["modality"])
        return rng.choice(lists["imaging shape"]).format(modality, site)
    name = rng.choice(lists["imaging"] if draw < 0.5 else lists["lab"])
    if draw > 0.85:
        value = rng.choice([0.3, 1.2, 4, 7.4, 12, 98, 140])
        return f"{name} {rng.choice(['', 'of ', '= '])}{value}"
    return ("{}" if draw < 0.6 else rng.choice(lists["test shape"])).format(name)


def _remark(lists: Lists, rng: random.Random) -> str:
    draw = rng.random()
    phrases = lists["status"] + lists["none"] + lists["administrative"] + lists["chatter"]
    if draw < 0.12:
        doing, how = rng.choice(lists["doing"]), rng.choice(lists["how"])
        who = rng.choice(["", "", "", "patient ", "pt ", "mother ", "child ", "baby "])
        return who + rng.choice(["{0} {1}", "{0} {1}", "{0}, {1}"]).format(doing, how)
    if draw < 0.24:
        moods = rng.sample(lists["mood"], rng.choice([1, 2, 2, 3]))
        when = rng.choice(["", "", *lists["when"]])
        return rng.choice([", ", " and ", " "]).join(moods) + (when and " ") + when
    if draw < 0.74:
        tail = ["", "", "", "", " today", " at this time", " now", " per nurse", ", will review"]
        return rng.choice(phrases) + rng.choice(tail)
    if draw < 0.86:
        title = ["", "", "Dr. ", "Mr. ", "Mrs. ", "Ms. ", "Prof. ", "nurse ", "seen by dr "]
        name = f"{rng.choice(lists['first'])} {rng.choice(lists['last'])}".title()
        return rng.choice(title) + name + rng.choice(["", "", "", ", MD", "@example.org"])
    if draw < 0.92:
        return rng.choice(lists["place"])
    month = "january february march april may june july august september october november december"
    day = "monday tuesday wednesday thursday friday saturday sunday"
    when = ["{d} {m} {y}", "{m} {y}", "{w} afternoon", "next {w}", "in {d} weeks", "{d} days ago"]
    when += ["since {m}", "on {w}", "{d}-year-old woman", "aged {d}", "year {y}", "at {d} am"]
    return rng.choice(when).format(
        d=rng.randint(1, 90),
        m=rng.choice(month.split()),
        y=rng.randint(1930, 2026),
        w=rng.choice(day.split()),
    )


def _noise(lists: Lists, rng: random.Random) -> str:
    rows = ("qwertyuiop", "asdfghjkl", "zxcvbnm")

    def word() -> str:
        size, draw = rng.randint(5, 10), rng.random()
        if draw < 0.35:  # fingers on one row
            row = rng.choice(rows)
            start = rng.randrange(len(row))
            text = "".join(row[(start + step) % len(row)] for step in range(size))
            return text[::-1] if rng.random() < 0.3 else text
        if draw < 0.6:
            return "".join(rng.choice(rng.choice(rows)) for _ in range(size))
        if draw < 0.75:
            return "".join(rng.choice(rng.choice(rows[1:2])) for _ in range(size))
        if draw < 0.9:
            return (rng.choice(rows)[:3][::-1] if draw < 0.8 else rng.choice("abcdefgxyz") * 3) * 2
        pair = "".join(rng.choice(string.ascii_lowercase) for _ in range(3))
        return pair * rng.randint(2, 3)

    return " ".join(word() for _ in range(rng.choice([1, 1, 1, 2, 2, 3])))


def fit(texts: list[tuple[str, str]]) -> RefusalModel:
    """Two multinomial logistic regressions: over hashed features, rounded to int8, and vectors."""
    from scipy import sparse
    from sklearn.linear_model import LogisticRegression

    bins = [features(text) for text, _ in texts]
    ends = np.cumsum([0, *map(len, bins)])
    values = np.concatenate([np.full(len(row), 1 / np.sqrt(len(row)), np.float32) for row in bins])
    matrix = sparse.csr_matrix((values, np.concatenate(bins), ends), shape=(len(texts), BINS))
    wanted = np.array([KINDS.index(kind) for _, kind in texts])
    spelling = LogisticRegression(C=20.0, max_iter=200).fit(matrix, wanted)
    step = float(np.abs(spelling.coef_).max() / 127)
    vectors = packaged_encoder().encode([_first_form(text) for text, _ in texts])
    meaning = LogisticRegression(C=10.0, max_iter=1000).fit(vectors, wanted)
    return RefusalModel(
        np.round(spelling.coef_.T / step).astype(np.int8),
        step,
        spelling.intercept_.astype(np.float32),
        np.vstack([meaning.coef_.T, meaning.intercept_]).astype(np.float32),
        np.zeros(8, np.float32),
    )


def _first_form(text: str) -> str:
    forms = read_query(text).forms
    return forms[0].text if forms else normalise_text(text)


def weigh(
    model: RefusalModel, real: list[list[str]], entries: list[str], none: list[str]
) -> RefusalModel:
    """Set `doubt`: logistic regression, its bias set to lose `LOST` of each table at most."""
    from sklearn.linear_model import LogisticRegression

    policy = Mapper(added="none").parts.policy
    tables = [_evidence(model, texts, policy) for texts in [*real, entries, none]]
    data = np.concatenate(tables)
    wrong = np.arange(len(data)) >= len(data) - len(tables[-1])
    fitted = LogisticRegression(class_weight="balanced").fit(data[:, :-1], wrong)
    doubt = np.append(fitted.coef_[0], 0.0)
    doubt[-1] = -max(
        np.quantile(table @ doubt, max(0.0, 1 - LOST * len(texts) / len(table)))
        for table, texts in zip(tables, real, strict=False)
    )
    refused = [f"{(table @ doubt > 0).mean():.3f} of {len(table)}" for table in tables]
    print(f"doubt {doubt.round(4)}; refused of those that are asked about: {', '.join(refused)}")
    return replace(model, doubt=doubt.astype(np.float32))


def _evidence(model: RefusalModel, texts: list[str], policy: Policy) -> Any:
    """What the last decision weighs, for each text that comes to it, (texts, 8)."""
    rows = []
    for text in texts:
        query = policy.retriever.read(text)
        if policy.retriever.look_up(query) or query.refusal or named(text):
            continue  # settled before the model is asked
        scored = score_candidates(query, (), policy.retriever.search([query])[0], policy)
        first = shown(scored, policy)[0]
        if is_sure_encounter(query, first, policy):
            continue
        factor = first.category_score if is_factor(first.code, policy.retriever.tree) else None
        reading = model.read(query, policy.retriever.is_term)
        rows.append(evidence(reading, scored.ranked[0].score, factor))
    return np.array(rows)


if __name__ == "__main__":
    main()

"""Train the network that finds the diagnosis of a note among the codes of its parts.

    python training/notes.py

data/notes holds notes with their code, written for this project: text, code, the words that carry
the diagnosis, further codes that a coder would list after it; data/entries holds contacts and
states. Beside them stand texts of which the whole is meant: official names in the short style of
coders' forms. The script prints, by cross-validation over fifths of each kind, how often the
category is right by the whole text alone, with the network, and among its options; then it trains
on all and writes the model. Entries of charts that a rule makes of terms (variants.py) are left
out: they put conditions beside each other that no clinician would, and cost notes 1 to 3 points.
"""

import argparse
import csv
import json
import random
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import listwise
import numpy as np
from reranker import form_entries
from scipy.optimize import minimize_scalar
from variants import form_entry, short_forms, single_meanings

from dxjudge.graphs.mapper import Mapper
from dxjudge.graphs.mapping import MappingParts, map_wholes
from dxjudge.ontology.notes.model import NoteModel, likeliest
from dxjudge.ontology.notes.narrated import read_notes
from dxjudge.ontology.notes.options import NOTE_FEATURES, Options, options_of
from dxjudge.ontology.notes.parts import read_note
from dxjudge.ontology.search.retrieve import Retriever

OUTPUT = Path(__file__).parents[1] / "ontology" / "data" / "notes.json"
DATA = Path(__file__).parent / "data"
FORMS = 6000  # official names in the style of forms that are tried
ACCIDENTS = 1000
FOLDS, EPOCHS, SEEDS = 5, 12, 4
DECAY = 1.0  # of the weights; with less the network learns single notes
BATCH = 64
Rows = list[tuple[str, str]]


class Note(NamedTuple):
    """A note, its code, that of the whole text, and the options of the network."""

    text: str
    code: str
    whole: str
    options: Options

    def right(self) -> np.ndarray[Any, Any]:
        """Which options are right: those of the code, else those of its category."""
        codes = [option.code for option in self.options.options]
        exact = np.array([code == self.code for code in codes])
        return exact if exact.any() else np.array([code[:3] == self.code[:3] for code in codes])


def main() -> None:
    """Collect, validate, train, write."""
    options = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    options.add_argument("--seed", type=int, default=7)
    chosen = options.parse_args()
    rng = random.Random(chosen.seed)
    mapper = Mapper(added="none")
    parts = mapper.parts
    kinds = {
        "notes": collect(written("notes"), parts),
        "factors": collect(written("entries/factors"), parts),
        "forms": collect(of_one_code(form_entries(parts.retriever, FORMS, rng)), parts),
        "accidents": collect(of_one_code(accidents(parts.retriever, rng)), parts),
    }
    for notes in kinds.values():
        rng.shuffle(notes)
    seeds = range(chosen.seed, chosen.seed + SEEDS)
    slope = validate(kinds, seeds)
    model = listwise.rounded(fit([note for notes in kinds.values() for note in notes], seeds))
    content = {"features": list(NOTE_FEATURES), "slope": round(slope, 4), **model}
    OUTPUT.write_text(json.dumps(content) + "\n", encoding="utf-8")


def written(name: str) -> Rows:
    """The entries of a table, or of all tables in a folder, with their codes."""
    rows = []
    for path in sorted(DATA.glob(f"{name}.tsv")) or sorted((DATA / name).glob("*.tsv")):
        with path.open(encoding="utf-8") as file:
            table = csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE)
            rows += [(row["text"], row["code"]) for row in table]
    return rows


def of_one_code(entries: Sequence[tuple[str, frozenset[str]]]) -> Rows:
    """The entries that have parts, with their code."""
    return [(text, next(iter(codes))) for text, codes in entries if read_note(text)]


def accidents(retriever: Retriever, rng: random.Random) -> list[tuple[str, frozenset[str]]]:
    """Official names of external causes in the style of coders' forms."""
    shorts = short_forms(single_meanings())
    terms = [
        term
        for term in retriever.index.terms
        if term.source == "official" and term.code[0] in "VWXY"
    ]
    picked = rng.sample(terms, ACCIDENTS)
    return [(form_entry(term.text, rng, shorts), frozenset({term.code})) for term in picked]


def collect(rows: Rows, parts: MappingParts) -> list[Note]:
    """The options of those texts that the network is asked about."""
    policy = parts.policy
    notes = []
    for start in range(0, len(rows), BATCH):
        batch = rows[start : start + BATCH]
        wholes = map_wholes(parts, [text for text, _ in batch])
        read = read_notes(wholes, policy)
        notes += [
            Note(*batch[place], wholes[place].code or "", options)
            for place, of_note in read.items()
            if (options := options_of(wholes[place], of_note, policy.retriever.tree)).options
        ]
    return notes


def fit(notes: Sequence[Note], seeds: range) -> listwise.Numbers:
    """Networks of several seeds as one, trained on the notes whose code is among the options."""
    pairs = [(note.options.rows, note.right()) for note in notes]
    examples = [pair for pair in pairs if pair[1].any()]
    return listwise.averaged([listwise.fit(examples, EPOCHS, seed, DECAY) for seed in seeds])


def validate(kinds: dict[str, list[Note]], seeds: range) -> float:
    """Print how often the category is right in folds that were held out; return the best slope."""
    held: dict[str, list[tuple[Note, np.ndarray[Any, Any]]]] = {kind: [] for kind in kinds}
    for fold in range(FOLDS):
        others = [note for notes in kinds.values() for note in without(notes, fold)]
        model = NoteModel(**fit(others, seeds), slope=1.0)
        for kind, notes in kinds.items():
            held[kind] += [(note, model.logits(note.options.rows)) for note in notes[fold::FOLDS]]
    for kind, pairs in held.items():
        chosen = sum(is_right(note, logits) for note, logits in pairs)
        whole = sum(note.whole[:3] == note.code[:3] for note, _ in pairs)
        among = sum(
            any(option.code[:3] == note.code[:3] for option in note.options.options)
            for note, _ in pairs
        )
        print(f"{kind}: {len(pairs)}, whole {whole}, network {chosen}, among the options {among}")
    return slope_of([pair for pairs in held.values() for pair in pairs])


def is_right(note: Note, logits: np.ndarray[Any, Any]) -> bool:
    """Whether the category that the network chooses is right."""
    codes = [option.code for option in note.options.options]
    best, _ = likeliest(codes, np.exp(logits - logits.max()))
    return codes[best][:3] == note.code[:3]


def without(notes: Sequence[Note], fold: int) -> list[Note]:
    """The notes of the other folds."""
    return [note for place, note in enumerate(notes) if place % FOLDS != fold]


def slope_of(held: Sequence[tuple[Note, np.ndarray[Any, Any]]]) -> float:
    """The slope with which the shares of the right options are the likeliest."""

    def loss(slope: float) -> float:
        """The mean surprise at the right options; none of them right is a surprise of log(1000)."""
        total = 0.0
        for note, logits in held:
            shares = np.exp(slope * (logits - logits.max()))
            right = float(shares[note.right()].sum() / shares.sum()) if note.right().any() else 0.0
            total -= np.log(max(right, 1e-3))
        return total / len(held)

    return float(minimize_scalar(loss, bounds=(0.2, 2.0), method="bounded").x)


if __name__ == "__main__":
    main()

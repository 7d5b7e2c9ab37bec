"""Train the network that reads seven languages, by distillation from the packaged encoder.

    python training/languages.py --threads 2

Each name of a disease in another language (translations.py) is to have the vector that the packaged
encoder gives its English name. English terms keep their own vectors, also as entries of charts and
misspelt; they teach the network what is English, and the roots that languages share. The script
prints, every 1,000 steps, for held names the share whose nearest term is of an accepted category,
the share with one among the nearest 15, and the mean cosine. It takes some 25 minutes.
"""

import argparse
import random
import time
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import torch
from torch import nn
from translations import glossary_names, made_names, written_names
from variants import chart, form_entry, short_forms, single_meanings, slip, variant

from dxjudge.ontology.base import default_terms
from dxjudge.ontology.reading.normalise import normalise_text
from dxjudge.ontology.reading.refusal import read_lists
from dxjudge.ontology.search.encode import packaged_encoder
from dxjudge.ontology.search.languages import FILE, LANGUAGES, LONGEST, bins_of
from dxjudge.ontology.search.shipped import encode_terms
from dxjudge.ontology.tree import load_tree

OUTPUT = Path(__file__).parents[1] / "ontology" / "data" / FILE
BINS, WIDTH, HEADS, INNER = 1 << 16, 192, 4, 512
BATCH, RATE, SHARPNESS = 512, 2e-3, 25.0
SHARES = {"made": 0.32, "written": 0.36, "glossary": 0.09, "term": 0.12, "entry": 0.08, "own": 0.03}
ALIKE = 6  # names of one category that are drawn together in every second batch
ENTRIES = 60_000  # English terms that are also read as entries of charts, or misspelt
KEPT_WORD, KEPT_RUN = 0.7, 0.9  # the share of words and of runs of letters that a step reads
SHOWN, EVERY = 300, 1000


class Pair(NamedTuple):
    """A text and the row of the vector that it is to have."""

    language: str
    text: str
    row: int


class Data(NamedTuple):
    """Pairs by kind, pairs that are held, the vectors of all rows, and their categories.

    Rows up to `terms` are terms of the base.
    """

    pairs: dict[str, list[Pair]]
    held: list[Pair]
    vectors: torch.Tensor
    categories: list[frozenset[str]]
    terms: int


def main() -> None:
    """Make the data, train, write."""
    options = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    options.add_argument("--steps", type=int, default=4000)
    options.add_argument("--seed", type=int, default=7)
    options.add_argument("--threads", type=int, default=1)
    options.add_argument("--output", type=Path, default=OUTPUT)
    chosen = options.parse_args()
    torch.manual_seed(chosen.seed)
    torch.set_num_threads(chosen.threads)
    rng = random.Random(chosen.seed)
    data = make_data(rng)
    network = Network()
    train(network, data, chosen.steps, rng)
    write(network, chosen.output)


def make_data(rng: random.Random) -> Data:
    """Return the pairs of all kinds, with the vectors of their English."""
    codes: defaultdict[str, set[str]] = defaultdict(set)
    for term in default_terms(load_tree()):
        codes[normalise_text(term.text)].add(term.code[:3])
    codes.pop("", None)
    terms = list(codes)
    rows = {text: row for row, text in enumerate(terms)}

    def pair(language: str, text: str, english: str) -> Pair:
        return Pair(language, text, rows.setdefault(english, len(rows)))

    names = {
        "made": made_names(terms, rng),
        "written": written_names("train"),
        "glossary": glossary_names(),
    }
    pairs = {
        kind: [pair(*name) for name in some if name.text and name.english]
        for kind, some in names.items()
    }
    held = [pair(*name) for name in written_names("held")]
    pairs["term"] = [pair("en", text, text) for text in terms]
    pairs["entry"] = [pair("en", *entry) for entry in entries(terms, rng)]
    pairs["own"] = [pair("en", text, text) for text in own_texts()]
    encoder = packaged_encoder()
    texts = list(rows)
    vectors = np.concatenate(
        [encode_terms(encoder, texts[: len(terms)]), encoder.encode(texts[len(terms) :])]
    )
    print({kind: len(some) for kind, some in pairs.items()}, f"held {len(held)}", flush=True)
    categories = [frozenset(codes.get(text, ())) for text in texts]
    return Data(pairs, held, torch.from_numpy(vectors), categories, len(terms))


def entries(terms: Sequence[str], rng: random.Random) -> list[tuple[str, str]]:
    """English terms as entries of charts and forms, rewritten or misspelt, with the terms."""
    shorts = short_forms(single_meanings())
    made = []
    for term in rng.sample(terms, ENTRIES):
        draw = rng.random()
        if draw < 0.4:
            text = chart(term, rng, shorts, list(terms))
        elif draw < 0.6:
            text = form_entry(term, rng, shorts)
        else:
            text = variant(term, rng, {}) if draw < 0.8 else slip(slip(term, rng, {}), rng, {})
        made.append((normalise_text(text), term))
    return [(text, term) for text, term in made if text]


def own_texts() -> list[str]:
    """English texts that are no diagnosis, and abbreviations, normalised."""
    listed = [text for some in read_lists().values() for text in some]
    texts = map(normalise_text, [*listed, *(short for short, _ in single_meanings())])
    return [text for text in dict.fromkeys(texts) if text]


class Network(nn.Module):
    """Words as sums of the vectors of their bins, one layer of a transformer, a gated mean."""

    def __init__(self) -> None:
        super().__init__()
        self.rows = nn.EmbeddingBag(BINS, WIDTH, mode="sum", sparse=True)
        nn.init.normal_(self.rows.weight, std=0.05)
        self.word = nn.LayerNorm(WIDTH)
        self.place = nn.Parameter(torch.zeros(LONGEST, WIDTH))
        self.layer = nn.TransformerEncoderLayer(
            WIDTH, HEADS, 2 * WIDTH, dropout=0.0, batch_first=True, norm_first=True
        )
        self.gate = nn.Linear(WIDTH, 1)
        width = packaged_encoder().dimension
        self.straight, self.inner = nn.Linear(WIDTH, width), nn.Linear(WIDTH, INNER)
        self.outer, self.language = nn.Linear(INNER, width), nn.Linear(WIDTH, len(LANGUAGES))

    def forward(self, texts: Sequence[str], rng: np.random.Generator | None) -> Any:
        """Unit rows and the odds of the languages; with `rng`, some runs of letters are unread."""
        words = [text.split()[:LONGEST] or [""] for text in texts]
        lengths = np.array(list(map(len, words)))
        bins = [np.array(bins_of(word, BINS)) for row in words for word in row]
        sizes = np.array(list(map(len, bins)))
        flat, starts = np.concatenate(bins), np.concatenate([[0], np.cumsum(sizes)[:-1]])
        if rng is not None:
            kept = rng.random(len(flat)) < KEPT_RUN
            kept[starts] = rng.random(len(starts)) < KEPT_WORD
            kept[np.isin(np.repeat(np.arange(len(sizes)), sizes), np.flatnonzero(sizes < 5))] = True
            sizes = np.add.reduceat(kept.astype(np.int64), starts)
            flat, starts = flat[kept], np.concatenate([[0], np.cumsum(sizes)[:-1]])
        sums = self.rows(torch.from_numpy(flat), torch.from_numpy(starts))
        read = self.word(sums / torch.from_numpy(np.sqrt(np.maximum(sizes, 1))).float()[:, None])
        states = torch.zeros(len(texts), int(lengths.max()), WIDTH)
        real = torch.zeros(states.shape[:2], dtype=torch.bool)
        row = torch.from_numpy(np.repeat(np.arange(len(texts)), lengths))
        place = torch.from_numpy(np.concatenate([np.arange(length) for length in lengths]))
        states = states.index_put((row, place), read) + self.place[: states.shape[1]]
        real[row, place] = True
        states = self.layer(states, src_key_padding_mask=~real)
        gates = nn.functional.softplus(self.gate(states)).squeeze(-1) * real
        mean = (states * gates[..., None]).sum(1) / gates.sum(1, keepdim=True).clamp_min(1e-6)
        vectors = self.straight(mean) + self.outer(torch.relu(self.inner(mean)))
        return nn.functional.normalize(vectors, dim=-1), self.language(mean)


def train(network: Network, data: Data, steps: int, rng: random.Random) -> None:
    """Pull each text to the vector of its English, and away from the others of the batch."""
    draw = np.random.default_rng(rng.randrange(2**32))
    rest = [each for name, each in network.named_parameters() if name != "rows.weight"]
    adams = [
        torch.optim.AdamW(rest, lr=RATE, weight_decay=0.01),
        torch.optim.SparseAdam([network.rows.weight], lr=RATE),
    ]
    alike = {kind: by_category(data, kind) for kind in ("made", "written")}
    started = time.monotonic()
    for step in range(steps):
        batch = drawn(data, alike if step % 2 else {}, rng)
        wanted = torch.tensor([pair.row for pair in batch])
        vectors, odds = network([pair.text for pair in batch], draw)
        targets = data.vectors[wanted]
        cosine = (vectors * targets).sum(1).mean()
        same = (wanted[:, None] == wanted[None]) & ~torch.eye(len(batch), dtype=torch.bool)
        logits = (SHARPNESS * vectors @ targets.T).masked_fill(same, -1e4)
        language = torch.tensor([LANGUAGES.index(pair.language) for pair in batch])
        entropy = nn.functional.cross_entropy
        loss = 4 * (1 - cosine) + entropy(logits, torch.arange(len(batch)))
        loss = loss + 0.2 * entropy(odds, language)
        for adam in adams:
            adam.zero_grad()
            for group in adam.param_groups:
                group["lr"] = RATE * min(1, (step + 1) / 200) * max(0.02, 1 - step / steps)
        loss.backward()
        nn.utils.clip_grad_norm_(rest, 1.0)
        for adam in adams:
            adam.step()
        if step % 100 == 99:
            seconds = time.monotonic() - started
            print(f"step {step + 1}: cosine {cosine.item():.3f}, {seconds:.0f} s", flush=True)
        if step % EVERY == EVERY - 1 or step == steps - 1:
            show(network, data)


def by_category(data: Data, kind: str) -> list[list[Pair]]:
    """The pairs of a kind, those of one category together."""
    pairs: defaultdict[str, list[Pair]] = defaultdict(list)
    for pair in data.pairs[kind]:
        for category in data.categories[pair.row]:
            pairs[category].append(pair)
    return list(pairs.values())


def drawn(data: Data, alike: dict[str, list[list[Pair]]], rng: random.Random) -> list[Pair]:
    """A batch; of the kinds of `alike`, some names of one category at a time."""
    batch: list[Pair] = []
    for kind, share in SHARES.items():
        left = int(share * BATCH)
        if kind not in alike:
            batch += rng.choices(data.pairs[kind], k=left)
            continue
        while left > 0:
            some = rng.choices(rng.choice(alike[kind]), k=min(left, ALIKE))
            batch += some
            left -= len(some)
    return batch


def show(network: Network, data: Data) -> None:
    """Print how well held names are read, by language."""
    network.eval()
    base = data.vectors[: data.terms]
    for language in LANGUAGES[1:]:
        held = [pair for pair in data.held if pair.language == language]
        held = [pair for pair in held if data.categories[pair.row]][:SHOWN]
        with torch.no_grad():
            vectors, odds = network([pair.text for pair in held], None)
        cosine = (vectors * data.vectors[[pair.row for pair in held]]).sum(1).mean().item()
        foreign = (odds.argmax(1) != 0).float().mean().item()
        near = (vectors @ base.T).topk(15).indices.tolist()
        right = [
            [bool(data.categories[row] & data.categories[pair.row]) for row in rows]
            for rows, pair in zip(near, held, strict=True)
        ]
        first, among = np.mean([row[0] for row in right]), np.mean([any(row) for row in right])
        print(
            f"  {language}: category first {first:.3f}, among 15 {among:.3f}, "
            f"cosine {cosine:.3f}, not English {foreign:.3f}, n {len(held)}",
            flush=True,
        )
    network.train()


def write(network: Network, output: Path) -> None:
    """Write the weights: the rows of bins in int8, all else in float16."""
    state = {name: value.detach().numpy() for name, value in network.state_dict().items()}
    rows = state["rows.weight"]
    steps = np.maximum(np.abs(rows).max(axis=1) / 127, 1e-12).astype(np.float32)
    arrays = {"place": state["place"], "heads": np.array(HEADS)}
    layer = {
        "before": "norm1",
        "after": "norm2",
        "asked": "self_attn.in_proj_",
        "mixed": "self_attn.out_proj",
        "first": "linear1",
        "second": "linear2",
    }
    names = {name: f"layer.{inner}" for name, inner in layer.items()}
    names |= {name: name for name in ("word", "gate", "straight", "inner", "outer", "language")}
    for name, inner in names.items():
        stem = inner if inner.endswith("_") else f"{inner}."
        arrays[name] = state[f"{stem}weight"].T
        arrays[f"{name}_bias"] = state[f"{stem}bias"]
    halves = {name: value.astype(np.float16) for name, value in arrays.items()}
    np.savez_compressed(
        output,
        encoder=np.array(packaged_encoder().identity),
        rows=np.round(rows / steps[:, None]).astype(np.int8),
        steps=steps,
        **halves,
    )
    print(f"{output.name}: {output.stat().st_size / 1e6:.1f} MB")


if __name__ == "__main__":
    main()

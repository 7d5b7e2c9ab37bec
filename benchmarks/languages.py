"""Measure the mapping of diagnoses in other languages, with and without translation.

    python benchmarks/languages.py [--part blind] [--encoder MODEL] [--translate JUDGE]
        [--shown FILE]

There are four parts, written for this project, not by a clinician. `first` and `second`
(languages.tsv) are 75 diagnoses in English, German, French, Spanish, Italian, Portuguese, Dutch and
Chinese, with the accepted ICD-10-CM categories (separated by `|`): 50 common ones, and 25 written
after the word table (ontology/data/glossary.tsv) was finished, except for Dutch, whose texts were
written before its words. `blind` (data/languages_blind.tsv) are 100 diagnoses of each of the seven
languages as letters, problem lists and case reports have them, by a writer who saw nothing of the
project. `held` are 150 names of each language on which the network of languages was not trained
(training/data/names); accepted are the categories of their English.

For each language the script prints the percentages of texts with an accepted category at the first
candidate and among 15 candidates, the numbers of refused and failed texts, and how many have a
wrong category at a score of at least 0.5. `--translate` names a model that first translates the
text into English; `--shown` writes the translations to a file.
"""

import argparse
import csv
import random
from collections import defaultdict
from pathlib import Path
from typing import Any

from dxjudge.agents.engine.run import Run
from dxjudge.graphs.mapper import Mapper
from dxjudge.ontology.mapping import MEDIUM, Mapping

_FOLDER = Path(__file__).parent
_TABLE = _FOLDER / "languages.tsv"
_BLIND = _FOLDER / "data" / "languages_blind.tsv"
_NAMES = _FOLDER.parent / "training" / "data" / "names"
_LANGUAGES = ("en", "de", "fr", "es", "it", "pt", "nl", "zh")
_DRAWN = 150  # held names of each language
Texts = dict[str, list[tuple[str, set[str]]]]


def rank(mapping: Mapping, accepted: set[str]) -> int:
    """Return the position of the first candidate with an accepted category, from 0; else 99."""
    categories = [candidate.code[:3] for candidate in mapping.candidates]
    return next((place for place, code in enumerate(categories) if code in accepted), 99)


def texts_of(part: str, mapper: Mapper) -> Texts:
    """Return the texts of a part with their accepted categories, by language."""
    texts: Texts = defaultdict(list)
    if part == "blind":
        for row in _rows(_BLIND):
            texts[row["language"]].append((row["text"], set(row["categories"].split("|"))))
    elif part == "held":
        draw = random.Random(5)
        for language in _LANGUAGES[1:]:
            rows = [row for row in _rows(_NAMES / f"{language}.tsv") if row["part"] == "held"]
            english = mapper.map_many([row["english"] for row in rows])
            known = [
                (row["name"], {mapping.code[:3]})
                for row, mapping in zip(rows, english, strict=True)
                if mapping.decided_by == "exact" and mapping.code
            ]
            texts[language] = draw.sample(known, min(_DRAWN, len(known)))
    else:
        rows = [row for row in _rows(_TABLE) if row["part"] == part]
        for language in _LANGUAGES:
            texts[language] = [(row[language], set(row["codes"].split("|"))) for row in rows]
    return texts


def _rows(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE))


def _is_wrong(mapping: Mapping, accepted: set[str]) -> bool:
    return bool(mapping.code) and mapping.score >= MEDIUM and rank(mapping, accepted) > 0


def _shown(language: str, mapping: Mapping) -> tuple[str, str, str, str]:
    return (language, mapping.text, mapping.translation or "", mapping.code or "")


def main() -> None:
    """Map the texts and print a line for each language."""
    options = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    options.add_argument("--encoder", default="default")
    options.add_argument("--translate", metavar="JUDGE")
    options.add_argument("--languages", nargs="+", choices=_LANGUAGES)
    parts = ["first", "second", "blind", "held"]
    options.add_argument("--part", choices=parts, default="first")
    options.add_argument("--shown", type=Path)
    chosen = options.parse_args()
    lines = []
    with Run() as run:
        asked: dict[str, Any] = {"judge": chosen.translate, "translate": True, "rerank": "none"}
        options_of = asked | {"run": run} if chosen.translate else {}
        mapper = Mapper(model=chosen.encoder, added="none", min_score=0.0, **options_of)
        texts = texts_of(chosen.part, mapper)
        print(f"{'':4} {'n':>3}  hit@1  hit@15  unmapped  failed  wrong at 0.5")
        languages = chosen.languages or list(texts)
        if missing := [language for language in languages if language not in texts]:
            options.error(f"part {chosen.part} has no texts in {', '.join(missing)}")
        for language in languages:
            rows = texts[language]
            mappings = mapper.map_many([text for text, _ in rows])
            accepted = [categories for _, categories in rows]
            pairs = list(zip(mappings, accepted, strict=True))
            ranks = [rank(*pair) for pair in pairs]
            print(
                f"{language:4} {len(rows):3}  {100 * sum(n < 1 for n in ranks) / len(ranks):5.1f}  "
                f"{100 * sum(n < 15 for n in ranks) / len(ranks):6.1f}  "
                f"{sum(mapping.status == 'unmapped' for mapping in mappings):8}  "
                f"{sum(mapping.status == 'failed' for mapping in mappings):6}  "
                f"{sum(_is_wrong(*pair) for pair in pairs):12}",
                flush=True,
            )
            lines += ["\t".join(_shown(language, mapping)) for mapping in mappings]
    if chosen.shown:
        chosen.shown.write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()

"""Measure the mapping of diagnoses in other languages, with and without translation.

    python benchmarks/languages.py [--part second] [--encoder MODEL] [--translate JUDGE]
        [--shown FILE]

languages.tsv contains 75 diagnoses in English, German, French, Spanish, Italian, Portuguese, Dutch
and Chinese, with the accepted ICD-10-CM categories (separated by `|`). They were written for this
benchmark, not by a clinician: 50 common ones, and a second part written after the word table
(ontology/data/glossary.tsv) was finished, except for Dutch, whose texts were written before its
words. For each language the script prints the percentages of texts with an accepted category at the
first candidate and among 15 candidates, and the numbers of refused and failed texts.
`--translate` names a model that first translates the text into English;
`--shown` writes the translations to a file.
"""

import argparse
import csv
from pathlib import Path
from typing import Any

from dxjudge.agents.engine.run import Run
from dxjudge.graphs.mapper import Mapper
from dxjudge.ontology.mapping import Mapping

_TABLE = Path(__file__).with_suffix(".tsv")
_LANGUAGES = ("en", "de", "fr", "es", "it", "pt", "nl", "zh")


def rank(mapping: Mapping, accepted: set[str]) -> int:
    """Return the position of the first candidate with an accepted category, from 0; else 99."""
    categories = [candidate.code[:3] for candidate in mapping.candidates]
    return next((place for place, code in enumerate(categories) if code in accepted), 99)


def _shown(language: str, mapping: Mapping) -> tuple[str, str, str, str]:
    return (language, mapping.text, mapping.translation or "", mapping.code or "")


def main() -> None:
    """Map the table and print a line for each language."""
    options = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    options.add_argument("--encoder", default="default")
    options.add_argument("--translate", metavar="JUDGE")
    options.add_argument("--languages", nargs="+", default=_LANGUAGES)
    options.add_argument("--part", choices=["first", "second"], default="first")
    options.add_argument("--shown", type=Path)
    chosen = options.parse_args()
    table = csv.DictReader(_TABLE.open(encoding="utf-8"), delimiter="\t")
    rows = [row for row in table if row["part"] == chosen.part]
    accepted = [set(row["codes"].split("|")) for row in rows]
    lines = []
    with Run() as run:
        asked: dict[str, Any] = {"judge": chosen.translate, "translate": True, "rerank": "none"}
        options_of = asked | {"run": run} if chosen.translate else {}
        mapper = Mapper(model=chosen.encoder, added="none", min_score=0.0, **options_of)
        print(f"{'':4} {'n':>3}  hit@1  hit@15  unmapped  failed")
        for language in chosen.languages:
            mappings = mapper.map_many([row[language] for row in rows])
            ranks = [
                rank(mapping, codes) for mapping, codes in zip(mappings, accepted, strict=True)
            ]
            print(
                f"{language:4} {len(rows):3}  {100 * sum(n < 1 for n in ranks) / len(ranks):5.1f}  "
                f"{100 * sum(n < 15 for n in ranks) / len(ranks):6.1f}  "
                f"{sum(mapping.status == 'unmapped' for mapping in mappings):8}  "
                f"{sum(mapping.status == 'failed' for mapping in mappings):6}",
                flush=True,
            )
            lines += ["\t".join(_shown(language, mapping)) for mapping in mappings]
    if chosen.shown:
        chosen.shown.write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()

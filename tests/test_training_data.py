"""What the models learn from stands in no list that measures them."""

import csv
from pathlib import Path

ROOT = Path(__file__).parents[1]
MEASURED = ("blind", "charts", "kinds", "several", "non_diagnoses", "languages_blind")


def texts(path: Path) -> set[str]:
    with path.open(encoding="utf-8") as file:
        rows = csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE)
        return {row["text"].strip().casefold() for row in rows}


def test_no_written_entry_is_a_text_of_a_benchmark() -> None:
    data = ROOT / "training" / "data"
    paths = [*(data / "notes").glob("*.tsv"), *(data / "entries").glob("*.tsv")]
    written = set().union(*map(texts, paths))
    assert len(written) > 8000
    for name in MEASURED:
        assert not written & texts(ROOT / "benchmarks" / "data" / f"{name}.tsv"), name

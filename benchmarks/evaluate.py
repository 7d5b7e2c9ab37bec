"""Time a whole evaluation of the H-DDx shape, without a model: 22 models x 730 cases x 5.

    python benchmarks/evaluate.py [--models 22] [--cases 730] [--resamples 1000]

Diagnoses are official names drawn with a seed; the mapper looks these names up. The script prints
the seconds for the evaluation, the tables and the report, and the size of the report.
"""

import argparse
import random
import tempfile
import time
from pathlib import Path

from dxjudge.evaluation.cases import Case, Diagnosis, Response
from dxjudge.evaluation.evaluate import evaluate
from dxjudge.evaluation.judged import Responses
from dxjudge.evaluation.read_settings import read_settings
from dxjudge.evaluation.report.html import write_report
from dxjudge.evaluation.report.tables import all_tables
from dxjudge.evaluation.report.write import write_tables
from dxjudge.evaluation.run import Coder
from dxjudge.ontology.mapping import Mapping
from dxjudge.ontology.tree import load_tree

_TEXT = "The history, the findings and the laboratory were weighed one after the other. " * 12


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--models", type=int, default=22)
    parser.add_argument("--cases", type=int, default=730)
    parser.add_argument("--resamples", type=int, default=1000)
    chosen = parser.parse_args()
    rng = random.Random(0)
    tree = load_tree()
    nodes = [node for node in tree.nodes if node.kind == "category" and tree.children(node)]
    code_of = {tree.name(node): node.code for node in nodes}
    names = list(code_of)

    def map_texts(texts: list[str]) -> list[Mapping]:
        return [Mapping(t, "mapped", code_of[t], t, decided_by="exact") for t in texts]

    cases = make_cases(chosen.cases, names, rng)
    responses = {
        f"model-{number:02d}": make_responses(cases, names, 0.2 + 0.03 * number, rng)
        for number in range(chosen.models)
    }
    settings = read_settings(None, preset="hddx", resamples=chosen.resamples)
    started = time.perf_counter()
    evaluation = evaluate(
        cases, responses, settings, coder=Coder(map_texts, lambda: {"ontology": "icd10cm"})
    )
    print(f"evaluation {time.perf_counter() - started:.1f} s, {len(evaluation.numbers):,} numbers")
    started = time.perf_counter()
    rows = sum(len(table.rows) for table in all_tables(evaluation))
    print(f"tables {time.perf_counter() - started:.1f} s, {rows:,} rows")
    started = time.perf_counter()
    with tempfile.TemporaryDirectory() as folder:
        write_tables(evaluation, Path(folder))
        write_report(evaluation, Path(folder), shown=200)
        size = (Path(folder) / "report.html").stat().st_size
    print(f"report {time.perf_counter() - started:.1f} s, {size / 1e6:.2f} MB")


def make_cases(count: int, names: list[str], rng: random.Random) -> tuple[Case, ...]:
    return tuple(_case(place, rng.sample(names, 5)) for place in range(count))


def _case(place: int, names: list[str]) -> Case:
    specialty = ("Cardiology", "Dermatology", "Neurology")[place % 3]
    return Case(
        id=f"case-{place}",
        case=_TEXT,
        diagnosis=Diagnosis(names[0]),
        ddx=tuple(map(Diagnosis, names)),
        groups={"specialty": (specialty,)},
    )


def make_responses(
    cases: tuple[Case, ...], names: list[str], skill: float, rng: random.Random
) -> Responses:
    responses = {}
    for case in cases:
        ddx = [d.text if rng.random() < skill else rng.choice(names) for d in case.ddx]
        responses[case.id] = (Response(case.id, text=_TEXT, ddx=tuple(dict.fromkeys(ddx))),)
    return responses


if __name__ == "__main__":
    main()

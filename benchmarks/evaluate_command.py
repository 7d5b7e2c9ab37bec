"""Measure the whole command on 22 models: CPU seconds, memory and size of the folder.

    python benchmarks/evaluate_command.py [--models 22] [--cases 730] [--repeats 3]

The data are those of benchmarks/evaluate.py, written to files: 22 models x 730 cases x 5
diagnoses. `dxjudge evaluate --preset hddx` reads, maps and scores them without a model, and writes
the folder with its report. CPU seconds are those of the process (user and system) with one
numerical thread, because the seconds on the clock depend on what else the machine does.
"""

import argparse
import json
import os
import random
import resource
import subprocess
import sys
import tempfile
from pathlib import Path

from evaluate import make_cases, make_responses

from dxjudge.ontology.tree import load_tree


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--models", type=int, default=22)
    parser.add_argument("--cases", type=int, default=730)
    parser.add_argument("--repeats", type=int, default=3)
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        files = write_data(folder, chosen.models, chosen.cases)
        for _ in range(chosen.repeats):
            before = resource.getrusage(resource.RUSAGE_CHILDREN)
            subprocess.run(
                [sys.executable, "-m", "dxjudge", "evaluate", *files, "-o", str(folder / "out"),
                 "--preset", "hddx", "--quiet"],
                env={**os.environ, "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"},
            )  # fmt: skip
            used = resource.getrusage(resource.RUSAGE_CHILDREN)
            seconds = used.ru_utime + used.ru_stime - before.ru_utime - before.ru_stime
            size = sum(path.stat().st_size for path in (folder / "out").rglob("*"))
            print(f"{seconds:.1f} CPU s, at most {used.ru_maxrss / 1e6:.2f} GB (largest run so "
                  f"far), {size / 1e6:.0f} MB written")  # fmt: skip


def write_data(folder: Path, models: int, cases: int) -> list[str]:
    """Write the cases and the responses of each model, and return the paths."""
    rng = random.Random(0)
    tree = load_tree()
    nodes = [node for node in tree.nodes if node.kind == "category" and tree.children(node)]
    names = list(dict.fromkeys(map(tree.name, nodes)))
    made = make_cases(cases, names, rng)
    rows: list[dict[str, object]] = [
        {
            "id": case.id,
            "case": case.case,
            "diagnosis": case.ddx[0].text,
            "ddx": [diagnosis.text for diagnosis in case.ddx],
            "specialty": case.groups["specialty"][0],
        }
        for case in made
    ]
    paths = [_write(folder / "cases.jsonl", rows)]
    for number in range(models):
        answers = make_responses(made, names, 0.2 + 0.03 * number, rng)
        rows = [
            {"id": case, "response": first.text, "predicted_ddx": list(first.ddx or ())}
            for case, (first, *_) in answers.items()
        ]
        paths.append(_write(folder / f"model-{number:02d}.jsonl", rows))
    return paths


def _write(path: Path, rows: list[dict[str, object]]) -> str:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return str(path)


if __name__ == "__main__":
    main()

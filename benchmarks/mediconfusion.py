"""Hold the evaluation of pairs against the rules of MediConfusion's authors, on their own table.

    python benchmarks/mediconfusion.py DATASET

DATASET is `data/dataset.csv` of the repository AIF4S/MediConfusion. The script draws sentences as
answers, with a seed, and evaluates them with the preset. A second, plain computation counts the
same numbers pair by pair, as the authors' rules say: a pair counts in the categories of both of
its images. The script prints the numbers of both, and ends with 1 where they differ.
"""

import argparse
import random
import sys
from collections import Counter, defaultdict
from pathlib import Path
from typing import Any

import dxjudge
from dxjudge.agents.score_free_answer import marked_letter
from dxjudge.evaluation.cases import Case
from dxjudge.evaluation.read import load_cases

_FORMS = ("{}", "{}.", 'The answer is ("{}").', "{}: as far as I see", "({})", "I cannot tell.")
_ALL = "all"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("dataset", type=Path)
    parser.add_argument("--seed", type=int, default=0)
    chosen = parser.parse_args()
    cases = load_cases(chosen.dataset)
    rng = random.Random(chosen.seed)
    texts = {case.id: rng.choice(_FORMS).format(rng.choice("AAB")) for case in cases}
    rows = [{"id": name, "response": text} for name, text in texts.items()]
    result = dxjudge.evaluate(
        chosen.dataset, {"drawn": rows}, preset="mediconfusion", answer_form="letter", resamples=20
    )
    differ = 0
    print("category              items  set   individual  confusion  valid  invalid")
    for category, counts in counted(cases, texts).items():
        where = {} if category == _ALL else {"group_by": "category", "group": category}
        ours = [
            result.number(metric, "drawn", "stand-ins", **where)
            for metric in ("set_accuracy", "individual_accuracy", "confusion")
        ]
        share, single, same = ours
        assert share is not None and single is not None and same is not None
        mine = (single.n, share.value, single.value, same.value, single.invalid)
        theirs = (
            counts["items"],
            counts["set"] / counts["items"],
            counts["right"] / counts["items"],
            counts["same"] / counts["valid"],
            counts["invalid"],
        )
        equal = all(abs(a - b) < 1e-12 for a, b in zip(mine, theirs, strict=True))
        differ += not equal
        print(
            f"{category:20} {single.n:6}  {share.value:.4f}  {single.value:.4f}    "
            f"{same.value:.4f}   {same.n:6} {single.invalid:6}  {'' if equal else f'not {theirs}'}"
        )
    sys.exit(1 if differ else 0)


def counted(cases: tuple[Case, ...], texts: dict[str, str]) -> dict[str, Counter[str]]:
    """Count pair by pair; the numbers of a pair are counted once for each image in a category."""
    counts: dict[str, Counter[str]] = defaultdict(Counter)
    pairs: dict[str, list[Any]] = defaultdict(list)
    for case in cases:
        letter = marked_letter(texts[case.id])
        pairs[case.pair].append((case, letter))
        for category in (_ALL, *case.groups["category"]):
            counts[category]["items"] += 1
            counts[category]["right"] += letter == case.answer
            counts[category]["invalid"] += letter is None
    for items in pairs.values():
        letters = [letter for _, letter in items]
        right = all(letter == case.answer for case, letter in items)
        for case, _ in items:
            for category in (_ALL, *case.groups["category"]):
                counts[category]["set"] += right
                counts[category]["valid"] += None not in letters
                counts[category]["same"] += None not in letters and letters[0] == letters[1]
    return counts


if __name__ == "__main__":
    main()

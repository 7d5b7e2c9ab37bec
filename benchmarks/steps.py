"""Run every step on the example data with one judge: validity, repairs, failures, agreement.

    python benchmarks/steps.py --judge openai:qwen2.5-coder-0.5b@http://127.0.0.1:8080/v1 \
        --cache replies.sqlite --limit 20

The script prints one line per step. `valid first` is the share of first answers that passed types
and checks. `right` is the share of decided items that agree with the gold value of the example, if
there is one. A stopped run continues from its cache.
"""

import argparse
import asyncio
import json
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import aclosing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from dxjudge.agents.engine.run import Run
from dxjudge.agents.judge import JudgeSpec, parse_judge
from dxjudge.agents.outcome import Outcome
from dxjudge.agents.rules.wording import fold
from dxjudge.graphs.step import stream_step

EXAMPLES = Path(__file__).parent.parent / "examples"
Item = tuple[dict[str, Any], Any]  # the step's input, and the gold value or None


@dataclass(frozen=True)
class Task:
    """A step, its items, and the test whether an outcome agrees with the gold (None: no gold)."""

    step: str
    items: Callable[[], Iterable[Item]]
    agrees: Callable[[Outcome, Any], bool] | None = None


def rows(name: str) -> Iterator[dict[str, Any]]:
    with (EXAMPLES / name).open(encoding="utf-8") as lines:
        for line in lines:
            yield json.loads(line)


def picked(name: str, fields: str, gold: str | None = None) -> list[Item]:
    wanted = fields.split()
    return [
        ({field: row[field] for field in wanted}, row[gold] if gold else None) for row in rows(name)
    ]


def final_items() -> list[Item]:
    return [({"response": r["response"]}, r["response_diagnosis"]) for r in rows("cases.jsonl")]


def ddx_items() -> list[Item]:
    return [({"text": r["response"]}, r["response_ddx"]) for r in rows("cases.jsonl")]


def pair_items() -> list[Item]:
    return [
        ({"predicted": r["response_diagnosis"], "truth": r["diagnosis"]}, r["correct"])
        for r in rows("cases.jsonl")
        if r["response_diagnosis"]
    ]


def grade_items(field: str, source: str) -> list[Item]:
    return [
        ({"truth": r["diagnosis"], field: r[source]}, None)
        for r in rows("cases.jsonl")
        if r[source]
    ]


def same_text(outcome: Outcome, gold: str | None) -> bool:
    if gold is None or outcome.status != "done":
        return (gold is None) == (outcome.status == "abstained")
    return fold(outcome.value.diagnosis) == fold(gold)


def same_list(outcome: Outcome, gold: list[str]) -> bool:
    if outcome.status != "done":
        return not gold
    return set(map(fold, outcome.value.diagnoses)) == set(map(fold, gold))


def value_is(field: str, nothing: Any = None) -> Callable[[Outcome, Any], bool]:
    def agrees(outcome: Outcome, gold: Any) -> bool:
        if outcome.status != "done":
            return bool(gold == nothing)
        value = getattr(outcome.value, field)
        return bool((list(value) if isinstance(value, tuple) else value) == gold)

    return agrees


TASKS = (
    Task("extract_final_diagnosis", final_items, same_text),
    Task("extract_ddx", ddx_items, same_list),
    Task("generate_ddx", lambda: picked("patients.jsonl", "sex age evidence")),
    Task("judge_equivalence", pair_items, value_is("equivalent")),
    Task("judge_equivalence.correct", pair_items, value_is("equivalent")),
    Task("grade_ddx", lambda: grade_items("ddx", "response_ddx")),
    Task("grade_final_diagnosis", lambda: grade_items("generated", "response_diagnosis")),
    Task(
        "match_option",
        lambda: picked("options.jsonl", "question options answer multiple", "letters"),
        value_is("letters", []),
    ),
    Task(
        "score_free_answer",
        lambda: picked("pairs.jsonl", "question option_a option_b answer", "choice"),
        value_is("choice"),
    ),
    Task(
        "score_open_answer",
        lambda: picked("open_answers.jsonl", "question reference answer kind", "score"),
        value_is("score"),
    ),
    Task(
        "assign_category",
        lambda: picked("texts.jsonl", "text categories", "labels"),
        value_is("categories", []),
    ),
    Task("label_errors", lambda: picked("cases.jsonl", "case reference response")),
    Task("score_rubric", lambda: picked("cases.jsonl", "case reference response")),
)


async def measure(task: Task, judge: JudgeSpec, options: argparse.Namespace) -> str:
    items = list(task.items())[: options.limit or None]
    outcome_of: dict[int, Outcome] = {}
    start = time.perf_counter()
    # A small machine answers slowly: a call that timed out once will time out again.
    settings = {"concurrency": options.concurrency, "timeout": options.timeout, "attempts": 2}
    with Run(cache=options.cache, mode=options.mode, **settings) as run:
        inputs = [fields for fields, _ in items]
        stream = stream_step(task.step, inputs, judge=judge, run=run, engine=options.engine)
        async with aclosing(stream):
            async for index, outcome in stream:
                outcome_of[index] = outcome
        lines = run.ledger.summary()
    outcomes = [outcome_of[index] for index in range(len(items))]
    if options.outcomes:
        keep(options.outcomes, task.step, judge.label, outcomes)
    return line(task, items, outcomes, lines, time.perf_counter() - start)


def keep(path: Path, step: str, judge: str, outcomes: list[Outcome]) -> None:
    with path.open("a", encoding="utf-8") as file:
        for index, outcome in enumerate(outcomes):
            plain = outcome.model_dump(mode="json")
            row = {"step": step, "judge": judge, "item": index, "outcome": plain}
            file.write(json.dumps(row, ensure_ascii=False) + "\n")


def line(
    task: Task, items: list[Item], outcomes: list[Outcome], lines: list[Any], seconds: float
) -> str:
    asked = [o for o in outcomes if o.decided_by == "llm"]
    first = sum(o.repairs == 0 and o.status != "failed" for o in asked)
    kinds = Counter(o.kind for o in outcomes if o.status == "failed")
    decided = [
        (o, gold) for o, (_, gold) in zip(outcomes, items, strict=True) if o.status != "failed"
    ]
    right = "-"
    if task.agrees is not None and decided:
        agreed = sum(task.agrees(outcome, gold) for outcome, gold in decided)
        right = f"{agreed}/{len(decided)}"
    cells = [
        task.step,
        len(outcomes),
        sum(o.decided_by not in ("llm", "none") for o in outcomes),
        f"{first}/{len(asked)}",
        sum(o.repairs > 0 and o.status != "failed" for o in asked),
        sum(o.status == "done" for o in outcomes),
        sum(o.status == "abstained" for o in outcomes),
        ", ".join(f"{count} {kind}" for kind, count in kinds.most_common()) or 0,
        right,
        sum(entry.calls for entry in lines),
        f"{seconds:.0f}",
    ]
    return "| " + " | ".join(map(str, cells)) + " |"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--judge", required=True)
    parser.add_argument("--engine", default="llm")
    parser.add_argument("--cache")
    parser.add_argument("--mode", default="read-write", help="replay asks no model")
    parser.add_argument("--concurrency", type=int, default=2)
    parser.add_argument("--max-tokens", type=int, help="of one answer")
    parser.add_argument("--timeout", type=float, default=300.0, help="seconds for one answer")
    parser.add_argument("--outcomes", type=Path, help="append every outcome to this JSONL file")
    parser.add_argument("--limit", type=int, default=0, help="items per step; 0 for all")
    parser.add_argument("--steps", nargs="*", help="only these steps")
    options = parser.parse_args()
    judge = parse_judge(options.judge, max_tokens=options.max_tokens)
    print(
        "| step | items | by code | valid first | repaired | done | abstained | failed | right ",
        end="",
    )
    print("| calls now | s |\n|" + "---|" * 11)
    for task in TASKS:
        if options.steps and task.step not in options.steps:
            continue
        print(asyncio.run(measure(task, judge, options)), flush=True)


if __name__ == "__main__":
    main()

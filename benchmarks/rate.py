"""Check that samples for people are unbiased, and time `dxjudge rate` in Chromium.

    python benchmarks/rate.py --samples 3000 --rows 20000 --rated 30

First, samples of a population in which two judges differ on 15 % of the items, and a person finds
right 30 % of these and 90 % of the others. For each design the mean over the samples of the share
that the person finds right, plain and weighted by 1 / chance, beside the share of the population.
The person stops before the end. Then the page: from the key to the next item, on a large file.
"""

import argparse
import json
import random
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from playwright.sync_api import Page, sync_playwright

from dxjudge.agents.steps import find_step
from dxjudge.evaluation.people.sample import Design, draw
from dxjudge.evaluation.people.to_rate import ToRate
from dxjudge.graphs.jury.votes_file import write_votes
from dxjudge.scoring import draw_by_strata, judged_chances
from dxjudge.scoring.votes import Vote

STEP = find_step("judge_equivalence")
ITEMS, SIZE, DONE = 600, 60, 45


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--samples", type=int, default=3000)
    parser.add_argument("--rows", type=int, default=20_000)
    parser.add_argument("--rated", type=int, default=30)
    parser.add_argument("--seed", type=int, default=0)
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        simulate(Path(folder), chosen.samples, chosen.seed)
        if chosen.rated:
            measure(Path(folder), chosen.rows, chosen.rated)


def simulate(folder: Path, samples: int, seed: int) -> None:
    """Print for each design the mean error of the plain and of the weighted share."""
    drawn = random.Random(seed)
    items, votes, truth = [], [], []
    for number in range(ITEMS):
        is_contested = drawn.random() < 0.15
        is_right = drawn.random() < (0.3 if is_contested else 0.9)
        truth.append(is_right)
        inputs = STEP.read_input({"predicted": f"p{number}", "truth": f"t{number}"})
        group = {"ward": "a" if number % 10 else "b"}
        items.append(ToRate(STEP, STEP.name, f"c{number}", inputs, group))
        for judge, verdict in (("j1", is_right), ("j2", is_right != is_contested)):
            votes.append(Vote(case=f"c{number}", step=STEP.name, judge=judge, verdict=verdict))
    table = folder / "judges.csv"
    write_votes(table, votes)
    right = statistics.fmean(truth)
    print(f"{samples} samples of {SIZE} of {ITEMS} items, of which a person does {DONE}")
    print(
        f"{'design':<24}{'truth':>8}{'plain':>8}{'weighted':>10}{'error':>8}{'of which noise':>16}"
    )
    designs = {
        "at random": Design(SIZE),
        "by a column": Design(SIZE, by="ward"),
        "where judges disagree": Design(SIZE, votes=(table,)),
    }
    for name, design in designs.items():
        strata = draw(items, design, seed).strata
        pairs = [_shares(strata, truth, seed + at) for at in range(samples)]
        plain, weighted = (statistics.fmean(column) for column in zip(*pairs, strict=True))
        noise = statistics.stdev(pair[1] for pair in pairs) / samples**0.5
        print(
            f"{name:<24}{right:>8.3f}{plain:>8.3f}{weighted:>10.3f}{weighted - right:>+8.3f}"
            f"{noise:>16.3f}"
        )


def _shares(strata: tuple[str, ...], truth: list[bool], seed: int) -> tuple[float, float]:
    order = draw_by_strata(strata, SIZE, seed)
    random.Random(f"order {seed}").shuffle(order)  # as `open_rating` does
    done = order[:DONE]
    chances = judged_chances(strata, done)
    whole = sum(1 / chances[at] for at in done)
    plain = statistics.fmean(truth[at] for at in done)
    return plain, sum(truth[at] / chances[at] for at in done) / whole


def measure(folder: Path, rows: int, rated: int) -> None:
    """Print how long the command takes to its address, and the page from item to item."""
    table = folder / "items.jsonl"
    with table.open("w", encoding="utf-8") as file:
        for number in range(rows):
            row = {"id": f"c{number}", "predicted": f"tinea {number}", "truth": f"gout {number}"}
            file.write(json.dumps(row) + "\n")
    command = [sys.executable, "-m", "dxjudge", "rate", str(table), "--step", STEP.name]
    started = time.perf_counter()
    with subprocess.Popen(
        [*command, "--no-open", "--rater", "b"], stderr=subprocess.PIPE, text=True
    ) as server:
        try:
            assert server.stderr
            address = next(filter(None, (re.search(r"http\S+", line) for line in server.stderr)))
            print(f"{rows:,} items, to the address: {time.perf_counter() - started:.2f} s")
            with sync_playwright() as driver:
                path = shutil.which("chromium")
                browser = driver.chromium.launch(executable_path=path, args=["--no-sandbox"])
                page = browser.new_page()
                opened = time.perf_counter()
                page.goto(address[0])
                page.wait_for_selector(".rate-form")
                print(f"the page, to the first item: {time.perf_counter() - opened:.2f} s")
                answer(page, rated)
        finally:
            server.terminate()


def answer(page: Page, rated: int) -> None:
    """Answer items by two keys each, and print what one takes."""
    times = []
    for number in range(rated):
        page.keyboard.press("y")
        at = time.perf_counter()
        page.keyboard.press("Enter")
        page.get_by_text(f"Item {number + 2} of").wait_for()
        times.append(time.perf_counter() - at)
    print(
        f"from Enter to the next item, the answer on the disk: median "
        f"{statistics.median(times):.2f} s, longest {max(times):.2f} s, {rated} items"
    )


if __name__ == "__main__":
    main()

"""Time `dxjudge review` in Chromium: opening a table, and what an easy row takes.

    python benchmarks/review.py --rows 100000 --decided 20

An easy row is one Enter: the time from the key to the next row with its candidates, and to the
decision being on the disk. A person's reading comes on top.
"""

import argparse
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

from dxjudge.ontology.table_row import COLUMNS
from dxjudge.ontology.tree import load_tree

TEXT = "[data-testid=text]"


def write_table(path: Path, rows: int, seed: int) -> None:
    """Write a table of texts that resemble official names, with counts like those of a ward."""
    tree, drawn = load_tree(), random.Random(seed)
    codes = [node.code for node in tree.nodes if tree.is_code(node)]
    with path.open("w", encoding="utf-8") as file:
        file.write("\t".join(COLUMNS) + "\n")
        for number in range(rows):
            code, score = drawn.choice(codes), f"{drawn.random() ** 0.3:.4f}"
            name = tree.name(code)
            cells = {
                "text": f"{name.lower()[:80]} {number}",
                "code": code,
                "name": name,
                "score": score,
                "category_score": score,
                "decided_by": "embedded",
                "status": "mapped",
                "term": name,
                "source": "official",
                "reviewed": "no",
                "rows": str(rows // (number + 1) + 1),
                "signature": f"s={code}",
            }
            file.write("\t".join(cells.get(name, "") for name in COLUMNS) + "\n")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=100_000)
    parser.add_argument("--decided", type=int, default=20)
    parser.add_argument("--seed", type=int, default=0)
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        table = Path(folder) / "t.tsv"
        write_table(table, chosen.rows, chosen.seed)
        measure(table, chosen.decided)


def measure(table: Path, decided: int) -> None:
    """Print the times of one run of the command."""
    command = [
        sys.executable,
        "-m",
        "dxjudge",
        "review",
        str(table),
        "--no-open",
        "--reviewer",
        "b",
    ]
    started = time.perf_counter()
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as server:
        try:
            assert server.stderr
            address = re.search(r"http\S+", server.stderr.readline())
            assert address, server.stderr.read()
            print(f"the command, to the address: {time.perf_counter() - started:.2f} s")
            with sync_playwright() as driver:
                path = shutil.which("chromium")
                browser = driver.chromium.launch(executable_path=path, args=["--no-sandbox"])
                page = browser.new_page()
                opened = time.perf_counter()
                page.goto(address[0])
                page.wait_for_selector(TEXT)
                print(f"the page, to the first row: {time.perf_counter() - opened:.2f} s")
                page.wait_for_selector("[aria-label=Candidates]", timeout=120_000)
                print(
                    f"from the start to the first candidates: {time.perf_counter() - started:.2f} s"
                )
                decide(page, decided)
        finally:
            server.terminate()


def decide(page: Page, rows: int) -> None:
    """Press Enter on rows, and print what a row takes."""
    shown, saved = [], []
    for _ in range(rows):
        left = page.inner_text(TEXT)
        at = time.perf_counter()
        page.keyboard.press("Enter")
        page.wait_for_function(
            f"text => document.querySelector('{TEXT}').textContent !== text", arg=left
        )
        page.wait_for_selector("[aria-label=Candidates]")
        shown.append(time.perf_counter() - at)
        page.wait_for_function("() => document.querySelector('.saving').textContent === ''")
        saved.append(time.perf_counter() - at)
    for what, times in (("the next row with candidates", shown), ("saved on the disk", saved)):
        print(
            f"from Enter to {what}: median {statistics.median(times):.2f} s, "
            f"longest {max(times):.2f} s, {rows} rows"
        )


if __name__ == "__main__":
    main()

"""Run the commands behind the claims of README and docs, and compare what comes out.

    python benchmarks/claims.py [--quick] [--only WORD ...] [--gold FOLDER] [--list] [--write]

benchmarks/claims.yaml holds the claims: a sentence, the pages and texts that make it, a command,
and the lines that its output must have. The script prints for each the claim, the command, what
came out, and `ok`, `differs`, or `skipped` with the reason. It ends with 1 where one differs.

`--quick` runs the commands of at most 60 seconds, `--only` those whose claim, command or page
contains a word. `--gold` is the folder of development tables, which is not in the repository.
`--list` runs nothing; `--write` writes the table of docs/claims.md.
"""

import argparse
import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs/claims.md"
QUICK = 60  # seconds
_PATIENCE = 10  # times the seconds of a claim that it may take
_LAST_SECONDS = 10  # that a command has to end once it is asked to
_KILL = getattr(signal, "SIGKILL", signal.SIGTERM)  # Windows has no other than SIGTERM
_NUMBER = r"(-?\d[\d,]*\.?\d*)"
_VALUE = r"-?\d[\d,]*(?:\.\d+)?"
_BRACES = re.compile(rf"\{{({_VALUE})(?:\.\.({_VALUE}))?\}}")


@dataclass(frozen=True)
class Claim:
    """One claim; see claims.yaml for the fields."""

    claim: str
    run: str
    seconds: int
    out: tuple[str, ...]
    stands: dict[str, list[str]]
    needs: tuple[str, ...] = field(default=())

    @property
    def words(self) -> str:
        """The texts that `--only` looks in."""
        return " ".join((self.claim, self.run, *self.stands)).lower()


def load_claims(path: Path = ROOT / "benchmarks/claims.yaml") -> list[Claim]:
    """Return the claims in the order of the file."""
    rows = yaml.safe_load(path.read_text("utf-8"))
    return [Claim(**{**row, "out": tuple(row["out"])}) for row in rows]


def expected(line: str) -> tuple[re.Pattern[str], list[tuple[float, float]]]:
    """Return the pattern of a line, and the lowest and highest value of each of its numbers.

    >>> pattern, limits = expected("dxjudge doid {76.5} {0.5..2}")
    >>> limits, pattern.search("dxjudge   doid 76.4  1.25").groups()
    ([(76.5, 76.5), (0.5, 2.0)], ('76.4', '1.25'))
    """
    limits, parts, end = [], [], 0
    for match in _BRACES.finditer(line):
        low = as_number(match[1])
        limits.append((low, as_number(match[2]) if match[2] else low))
        parts += [_fixed(line[end : match.start()]), _NUMBER]
        end = match.end()
    return re.compile("".join([*parts, _fixed(line[end:])])), limits


def _fixed(text: str) -> str:
    """Return the pattern of a text in which any blanks match any blanks."""
    return r"\s+".join(map(re.escape, re.split(r"\s+", text)))


def as_number(text: str) -> float:
    return float(text.replace(",", ""))


def compare(line: str, output: str) -> tuple[bool, str]:
    """Return whether the output has this line, and what it has in its place.

    The commands of a claim may print lines of one form several times: one of them must fit.
    """
    pattern, limits = expected(line)
    matches = list(pattern.finditer(output))
    for match in matches:
        values = map(as_number, match.groups())
        if all(low <= value <= high for value, (low, high) in zip(values, limits, strict=True)):
            return True, _on_one_line(match[0])
    if matches:
        return False, "; ".join(_on_one_line(match[0]) for match in matches)
    return False, f"no line like: {_BRACES.sub('N', line)}"


def _on_one_line(text: str) -> str:
    return " ".join(text.split())


def run(claim: Claim, gold: Path | None) -> Iterator[tuple[bool, str]]:
    """Run the command of a claim and compare each line that its output must have."""
    place = {**os.environ, "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"}
    command = claim.run.replace("{gold}", str(gold))
    limit = _PATIENCE * claim.seconds
    output, has_ended = _output_of(["bash", "-c", command], limit, place)
    if not has_ended:
        yield False, f"had not ended after {limit} seconds"
    for line in claim.out:
        yield compare(line, output)


def _output_of(command: list[str], limit: float, place: dict[str, str]) -> tuple[str, bool]:
    """Return what a command printed, and whether it ended within `limit` seconds by itself."""
    process = subprocess.Popen(
        command, cwd=ROOT, env=place, text=True, start_new_session=True,
        stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    )  # fmt: skip
    try:
        return "".join(process.communicate(timeout=limit)), True
    except subprocess.TimeoutExpired:
        _end(process, signal.SIGTERM)
    with suppress(subprocess.TimeoutExpired):
        return "".join(process.communicate(timeout=_LAST_SECONDS)), False
    _end(process, _KILL)
    return "".join(process.communicate()), False


def _end(process: "subprocess.Popen[str]", how: signal.Signals) -> None:
    """Send a signal to a process and to those that it started, where a system has such groups."""
    if hasattr(os, "killpg"):
        os.killpg(process.pid, how)
    else:
        process.terminate()


def judge(claim: Claim, chosen: argparse.Namespace) -> str:
    """Print one claim and what came out; return ok, differs or skipped."""
    print(f"{claim.claim}\n  $ {claim.run}", flush=True)
    reason = why_skipped(claim, chosen)
    if reason:
        print(f"  skipped: {reason}\n")
        return "skipped"
    results = list(run(claim, chosen.gold))
    for fits, text in results:
        print(f"  {'ok     ' if fits else 'differs'} {text}")
    print(flush=True)
    return "ok" if all(fits for fits, _ in results) else "differs"


def why_skipped(claim: Claim, chosen: argparse.Namespace) -> str:
    """Return why a claim is not run here; "" if it is."""
    if chosen.list:
        return "only listed"
    if "gold" in claim.needs and chosen.gold is None:
        return "it needs --gold FOLDER, tables that are not in the repository"
    if chosen.quick and claim.seconds > QUICK:
        return f"it takes about {claim.seconds} seconds; leave --quick out"
    return ""


def page(claims: Sequence[Claim]) -> str:
    """Return the table of docs/claims.md."""
    lines = ["| claim | stands in | command | seconds |", "|---|---|---|---|"]
    for claim in claims:
        pages = ", ".join(_link(name) for name in claim.stands)
        shown = " ".join(claim.run.split()).replace("|", "\\|")
        lines.append(f"| {claim.claim} | {pages} | `{shown}` | {claim.seconds} |")
    return "\n".join(lines) + "\n"


def _link(name: str) -> str:
    return f"[{name.removeprefix('docs/')}]({name.removeprefix('docs/')})" if "/" in name else name


def write_page(claims: Sequence[Claim]) -> None:
    """Replace the table of docs/claims.md."""
    text = PAGE.read_text("utf-8")
    PAGE.write_text(text[: text.index("| claim |")] + page(claims), "utf-8")


def main() -> None:
    """Run the chosen claims, and end with 1 where one differs."""
    options = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    options.add_argument("--quick", action="store_true")
    options.add_argument("--only", nargs="+", default=[], metavar="WORD")
    options.add_argument("--gold", type=lambda text: Path(text).resolve())
    options.add_argument("--list", action="store_true")
    options.add_argument("--write", action="store_true")
    chosen: Any = options.parse_args()
    claims = load_claims()
    if chosen.write:
        return write_page(claims)
    words = [word.lower() for word in chosen.only]
    picked = [one for one in claims if not words or any(word in one.words for word in words)]
    (ROOT / "build/claims").mkdir(parents=True, exist_ok=True)
    ended = [judge(claim, chosen) for claim in picked]
    counts = ", ".join(f"{ended.count(name)} {name}" for name in ("ok", "differs", "skipped"))
    print(f"{len(ended)} claims: {counts}")
    raise SystemExit("differs" in ended)


if __name__ == "__main__":
    main()

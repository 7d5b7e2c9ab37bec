"""Judges with a bias of known size, over a real socket: the tables find each, and its size.

Each judge of this module is a function of the item and of its own name, so that every run gives
the same numbers.
"""

import csv
import json
import re
import zlib
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from dxjudge.cli.main import app

from .protocol_server import ProtocolServer, Seen

pytestmark = pytest.mark.usefixtures("one_picture")

CASES = 100
MODELS = ("qwen-a", "mistral-b", "terse", "wordy")
EXTRA = " as the most likely explanation of everything that is known of this patient so far"


@pytest.fixture(autouse=True)
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DXJUDGE_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setenv("OPENAI_API_KEY", "none")


def chance(*words: str) -> float:
    """A number from 0 to 1 that depends on the words alone."""
    return zlib.crc32("\x00".join(words).encode()) / 2**32


def is_right(seen: Seen) -> bool:
    """What a fair judge says: it errs on one item of ten, each judge on others."""
    return ("right" in seen.user) != (chance(seen.body["model"], "errs", seen.user) < 0.1)


def judged(seen: Seen) -> Any:
    """kin says yes to 80 % of what its family has wrong, fan to 80 % of long wrong texts."""
    name, yes = seen.body["model"], is_right(seen)
    lenient = chance(name, "favours", seen.user) < 0.8
    if name == "kin" and "qwen-a says" in seen.user:
        yes = yes or lenient
    if name == "fan" and EXTRA in seen.user:
        yes = yes or lenient
    return {"same_disease": "yes" if yes else "no"}


def write_rows(path: Path, rows: list[dict[str, Any]]) -> Path:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    return path


def run(*arguments: Any) -> Result:
    return CliRunner().invoke(app, [str(argument) for argument in arguments])


def rows_of(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def evaluation(folder: Path, judges: list[str], models: tuple[str, ...]) -> Path:
    """Every model is right on the same half of the cases; wordy says it in more words."""
    cases = [{"id": f"c{n}", "diagnosis": f"disease {n}"} for n in range(CASES)]
    paths = [
        write_rows(folder / f"{model}.jsonl", [
            {
                "id": f"c{n}",
                "predicted_diagnosis": f"{model} says {'wrong' if n % 2 else 'right'} {n}"
                + EXTRA * (model == "wordy"),
            }
            for n in range(CASES)
        ])
        for model in models
    ]  # fmt: skip
    settings = folder / "settings.yaml"
    settings.write_text("tasks: [judge_equivalence]\nresamples: 500\nseed: 1\n", "utf-8")
    named = [word for judge in judges for word in ("--judge", judge)]
    done = run("evaluate", write_rows(folder / "cases.jsonl", cases), *paths, "-o", folder / "out",
               "--config", settings, *named, "-q")  # fmt: skip
    assert done.exit_code == 0, done.output
    return folder / "out"


def test_a_judge_that_favours_its_family_is_found_and_a_fair_one_is_not(tmp_path: Path) -> None:
    # kin's bias makes a fair judge look less fond of qwen-a, so it needs several fair ones beside.
    names = ("kin", "mistral-judge", "third", "fourth", "fifth", "sixth")
    with ProtocolServer(judged) as server:
        judges = [server.judge(name) for name in names]
        out = evaluation(tmp_path, judges, ("qwen-a", "mistral-b", "terse"))
        families = [f"{judges[0]}=qwen", f"{judges[1]}=mistral"]
        asked = len(server.seen)
        done = run("compare-judges", out, "--json", *(w for f in families for w in ("--family", f)))
        assert done.exit_code == 0, done.output
        assert len(server.seen) == asked  # what the evaluation asked is not asked again
    rows = {row["judge"]: row for row in json.loads(done.stdout)["families"]}
    kin, fair = rows[judges[0]], rows[judges[1]]
    # Half of the answers are wrong. A fair judge says no to 90 % of them, and kin says yes to 80 %
    # of those: 0.5 * 0.9 * 0.8 = 0.36 more yes for its own family than for the others. A yes to a
    # right answer that a fair judge would deny adds 0.5 * 0.1 * 0.8 = 0.04.
    assert kin["low"] <= 0.4 <= kin["high"] and kin["low"] > 0
    assert fair["low"] <= 0 <= fair["high"]


def test_a_judge_that_favours_length_is_found_by_a_swap(tmp_path: Path) -> None:
    with ProtocolServer(judged) as server:
        fan, *others = judges = [server.judge(name) for name in ("fan", "second", "third")]
        out = evaluation(tmp_path, judges, ("terse", "wordy"))
        done = run("compare-judges", out, "--json")
        assert done.exit_code == 0, done.output
    rows = [row for row in rows_of(out / "differences.csv") if row["metric"] == "final_accuracy"]
    by_judge = {row["judge"]: row for row in rows}
    assert (by_judge[fan]["first"], by_judge[fan]["second"]) == ("terse", "wordy")
    # As above: 0.36 + 0.04 = 0.4 more yes for the long texts.
    low, high = (float(by_judge[fan][name]) for name in ("low", "high"))
    assert low <= -0.4 <= high < 0
    for judge in others:
        assert float(by_judge[judge]["low"]) <= 0 <= float(by_judge[judge]["high"])
    [conclusion] = json.loads(done.stdout)["conclusions"]
    assert (conclusion["clear_for"], conclusion["clear_against"]) == ("", fan)
    assert "wordy beats terse clearly under fan" in conclusion["sentence"]


PAIRS = 50
RATE = 0.2


def test_a_judge_that_flips_at_a_rate_is_found_at_its_rate(tmp_path: Path) -> None:
    def unsteady(seen: Seen) -> Any:
        """Yes; at a temperature above 0, no to one item of five, each judge to others."""
        is_warm = seen.body["temperature"] > 0
        flips = is_warm and chance(seen.body["model"], seen.user) < RATE
        steady = seen.body["model"] == "steady"
        return {"same_disease": "no" if flips and not steady else "yes"}

    pairs = [{"id": n, "predicted": f"gout {n}", "truth": f"podagra {n}"} for n in range(PAIRS)]
    cases = write_rows(tmp_path / "pairs.jsonl", pairs)
    names = ["steady", *(f"unsteady-{number}" for number in range(12))]
    with ProtocolServer(unsteady) as server:
        words = [word for name in names for word in ("--judge", server.judge(name))]
        done = run("stress", "judge_equivalence", cases, "-o", tmp_path / "t.csv", "--perturb",
                   "repeat", "--repeats", 1, "--json", "-q", *words)  # fmt: skip
        assert done.exit_code == 0, done.output
        of_name = {name: server.judge(name) for name in names}
    rows = [row for row in json.loads(done.stdout)["rates"] if row["perturbation"] == "repeat"]
    rates = {row["judge"]: row for row in rows}
    assert rates[of_name["steady"]]["flips"] == 0
    assert rates[of_name["steady"]]["high"] < RATE
    unsteady_rows = [rates[judge] for name, judge in of_name.items() if name != "steady"]
    covering = sum(row["low"] <= RATE <= row["high"] for row in unsteady_rows)
    # Of 12 intervals with a coverage of 95 %, 10 or more hold with a probability of 98 %.
    assert covering >= 10
    assert all(row["low"] > 0 for row in unsteady_rows)


def test_a_judge_that_favours_length_flips_where_a_sentence_is_added(tmp_path: Path) -> None:
    def by_length(seen: Seen) -> Any:
        """Yes to a long text, whatever it says."""
        text = re.search(r"<predicted-\w+>(.*?)</predicted-", seen.user, re.DOTALL)
        assert text is not None
        return {"same_disease": "yes" if len(text[1]) > 40 else "no"}

    pairs = [
        {"id": n, "predicted": f"gout {n}" + " of the first toe" * 3 * (n % 2), "truth": "podagra"}
        for n in range(20)
    ]
    cases = write_rows(tmp_path / "pairs.jsonl", pairs)
    with ProtocolServer(by_length) as server:
        done = run("stress", "judge_equivalence", cases, "-o", tmp_path / "t.csv", "--perturb",
                   "irrelevant,case", "--json", "-q", "--judge", server.judge())  # fmt: skip
    assert done.exit_code == 0, done.output
    rates = {row["perturbation"]: row for row in json.loads(done.stdout)["rates"]}
    # Every second text is short, and an added sentence makes it long. Wilson for 10 of 20.
    longer = rates["irrelevant"]
    assert (longer["compared"], longer["flips"]) == (20, 10)
    assert (longer["low"], longer["high"]) == pytest.approx((0.2993, 0.7007), abs=1e-4)
    assert rates["case"]["flips"] == 0

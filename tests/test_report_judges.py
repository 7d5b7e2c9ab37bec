"""The judge pages of the report: what they must hold, and how the drawings read."""

import json
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import pytest

from dxjudge.errors import InputError
from dxjudge.evaluation.judges.names import short_names
from dxjudge.evaluation.judges.stress_table import read_rates
from dxjudge.evaluation.report.write import write_everything
from dxjudge.evaluation.result import Evaluation
from dxjudge.scoring.bootstrap import Plan
from dxjudge.scoring.robustness import ALL

from .test_evaluation_report import data_of, make

pytestmark = pytest.mark.usefixtures("texts_are_mapped_once")

TRIALS = """case,step,judge,perturbation,repeat,base,perturbed,status,flipped
{rows}c0,grade_ddx,openai:one,injection,0,5,,failed,
"""


def write_trials(folder: Path) -> Path:
    """30 cases; injection flips every third verdict, whitespace none."""
    path = folder / "stress.csv"
    rows = "".join(
        f"c{n},grade_ddx,openai:one,{kind},0,5,4,x,{kind == 'injection' and n % 3 == 0}\n"
        for kind in ("injection", "whitespace")
        for n in range(30)
    )
    path.write_text(TRIALS.format(rows=rows))
    return path


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> tuple[Evaluation, Path, str]:
    folder = tmp_path_factory.mktemp("judges")
    made = make(folder)
    write_trials(folder)
    write_everything(made, folder, shown=3)
    return made, folder, (folder / "report.html").read_text(encoding="utf-8")


def test_every_part_of_the_judge_pages_is_there(page: tuple[Evaluation, Path, str]) -> None:
    made, folder, text = page
    data = data_of(text)["judges?run=0"]
    figures = {one["name"]: one for one in data["figures"]}
    assert {"agreement", "robustness_grade_ddx", "rank_by_judge_top_1"} <= {*figures}
    assert "rank_by_judge_rubric_total" in figures
    counted = {row[3] for row in figures["robustness_grade_ddx"]["rows"]}
    assert {"10 of 30", "0 of 30", "10 of 60"} <= counted
    assert made.swap is not None and made.agreement is not None
    assert len(data["conclusions"]) == len(made.swap.conclusions) > 0
    assert len(data["contested"]) == min(30, len(made.agreement.contested)) > 0
    assert json.loads((folder / "judges.json").read_text("utf-8")) == data
    for name in ("agreement", "rank_by_judge_top_1", "robustness_grade_ddx"):
        svg = (folder / "figures" / f"{name}.svg").read_text(encoding="utf-8")
        assert ElementTree.fromstring(svg).tag.endswith("svg")


def test_contested_votes_stand_side_by_side(page: tuple[Evaluation, Path, str]) -> None:
    contested = data_of(page[2])["judges?run=0"]["contested"]
    assert all(len(one["votes"]) == 2 for one in contested)
    order = [one["disagreement"] for one in contested]
    assert order == sorted(order, reverse=True)


def test_one_judge_has_no_judge_pages(tmp_path: Path) -> None:
    made = make(tmp_path, judges=1)
    assert made.agreement is None and made.swap is None
    write_everything(made, tmp_path, shown=1)
    assert "judges?run=0" not in data_of((tmp_path / "report.html").read_text(encoding="utf-8"))
    assert (tmp_path / "judges.json").read_text() == "null"


def test_flip_rates_of_a_table_of_trials(tmp_path: Path) -> None:
    rates = {one.perturbation: one for one in read_rates(write_trials(tmp_path), Plan())}
    assert (rates["injection"].flips, rates["injection"].compared) == (10, 30)
    assert rates["injection"].rate == pytest.approx(1 / 3)
    assert rates["injection"].low < 1 / 3 < rates["injection"].high
    assert rates[ALL].rate == pytest.approx(10 / 60)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("case,judge\n1,a\n", "has no column step, perturbation, flipped"),
        ("case,step,judge,perturbation,flipped\n1,s,a,p,maybe\n", "row 1, column 'flipped'"),
    ],
)
def test_another_table_is_no_table_of_trials(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "table.csv"
    path.write_text(text)
    with pytest.raises(InputError, match=message):
        read_rates(path, Plan())
    with pytest.raises(InputError, match="no such file"):
        read_rates(tmp_path / "none.csv", Plan())


def test_short_names_are_unique() -> None:
    here, there = "openai:m@http://127.0.0.1:1/v1", "openai:m@http://127.0.0.1:2/v1"
    assert short_names(["openai:m", "doctor"]) == {"openai:m": "m", "doctor": "doctor"}
    assert len(set(short_names([here, there]).values())) == 2

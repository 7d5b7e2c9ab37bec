"""The style of a column: hospital forms are found from all its texts, and billable codes follow."""

from pathlib import Path

import pytest

from dxjudge.cli.main import run
from dxjudge.cli.runs.map_style import style_in_use
from dxjudge.errors import UsageError
from dxjudge.graphs.mapper import Mapper
from dxjudge.ontology.reading.style import find_style

PLAIN = [f"condition number {word}" for word in "abcdefghijklmnopqrstuvwxyzäöüßéèêà"]
FORMS = ["Headache NEC", "Oth anemia", "Disp fx of R tibia", "Pnctr wnd of hand", "Gout, Unspec"]


@pytest.mark.parametrize("text", [*FORMS, "HEARING LOSS, UNSP", "HRNG LOSS DSRDR"])
def test_an_entry_of_a_form_counts(text: str) -> None:
    assert find_style([text]).share == 1


@pytest.mark.parametrize(
    "text", ["COPD", "type II diabetes", "HTN, DM2", "5 mm stone", "cough 3 wks", "Crohn's", "结石"]
)
def test_an_entry_of_a_chart_does_not(text: str) -> None:
    assert find_style([text]).share == 0


def test_a_column_needs_thirty_texts_and_thirty_percent() -> None:
    forms = [f"{text} {number}" for text in FORMS for number in range(3)]
    assert find_style([*forms, *PLAIN[:14]]).style == "chart"  # 29 texts
    assert find_style([*forms, *PLAIN[:15]]) == ("form", 0.5, 30)
    assert find_style([*forms[:9], *PLAIN[:21]]) == ("form", 0.3, 30)
    assert find_style([*forms[:8], *PLAIN[:22]]).style == "chart"
    assert find_style([*PLAIN[:15], *forms, forms[0], " "]) == ("form", 0.5, 30)


def test_the_style_decides_the_specificity_unless_it_is_given() -> None:
    assert Mapper().specificity == "concept"
    form = Mapper(style="form")
    assert (form.specificity, form.style) == ("billable", "form")
    assert Mapper(style="form", specificity="category").specificity == "category"
    with pytest.raises(UsageError, match="no style 'index'; there is chart, form"):
        Mapper(style="index")


def test_a_column_of_forms_gets_billable_codes_and_the_summary_says_so(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    table = tmp_path / "forms.txt"
    sides = [f"Pain in {side} {joint}, unspec" for side in "LR" for joint in ("hip", "knee")]
    texts = ["Otitis media, Unspec", *sides, *(f"Gout {word}" for word in PLAIN[:25])]
    table.write_text("\n".join([*texts, *(f"{text} NEC" for text in texts[5:12])]) + "\n")

    def first_code(*options: str) -> str:
        out = tmp_path / "out.csv"
        assert run(["map", str(table), "-o", str(out), *options]) == 0
        return out.read_text().splitlines()[1].split(",")[2]

    assert first_code() == "H66.90"
    told = (
        "32 % of the 37 distinct texts are written as on hospital forms: billable codes are given"
    )
    assert f"{told}; --style chart changes this" in capsys.readouterr().err
    assert first_code("--style", "chart") == "H66.9"
    assert "hospital forms" not in capsys.readouterr().err
    kept = style_in_use(None, [f"{n} NEC" for n in range(40)], {"specificity": "category"})
    assert kept.lines()[0].endswith("as on hospital forms: --specificity category is kept")
    assert run(["map", str(table), "--style", "index"]) == 2
    assert "no style 'index'; there is auto, chart, form" in capsys.readouterr().err

"""What commands print fits 80 columns of a pipe, and nothing of it is cut."""

import csv
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from dxjudge.cli.main import run
from dxjudge.cli.terminal.printing import fitted, plain, print_lines, print_table

WORD = st.text("abcdefgh-/.:_0123456789", min_size=1, max_size=30)
CELL = st.one_of(
    st.lists(WORD, max_size=4).map(" ".join),
    st.floats(0, 1).map(lambda value: f"{value:.3f} [{value / 2:.3f}, {value * 2:.3f}]"),
)


@given(
    cells=st.integers(2, 9).flatmap(
        lambda size: st.lists(st.lists(CELL, min_size=size, max_size=size), min_size=2, max_size=5)
    ),
    names=st.integers(1, 3),
    across=st.sampled_from([60, 80, 120]),
)
@example([["", "00000 00000000 0000000000 00000000000000000000000000000"], ["0", ""]], 1, 60)
def test_every_character_of_a_table_is_printed_within_the_width(
    cells: list[list[str]], names: int, across: int
) -> None:
    names = min(names, len(cells[0]) - 1)
    header, *rows = cells
    with pytest.MonkeyPatch.context() as patch:
        printed: list[str] = []
        patch.setenv("COLUMNS", str(across))
        patch.setattr("builtins.print", lambda text="": printed.append(text))
        print_table(header, rows, names=names)
    lines = "\n".join(printed).split("\n")
    assert max(map(len, lines)) <= across
    shown = sorted("".join("".join(lines).split()).replace("─", ""))
    parts = fitted(header, rows, across, names)
    wanted = "".join(cell for titles, lines in parts for line in (titles, *lines) for cell in line)
    assert shown == sorted("".join(wanted.split()))


def test_a_table_that_fits_is_one_table_and_a_wide_one_repeats_its_names() -> None:
    header, row = ["model", "a", "b"], ["m", "0.5 [0.4, 0.6]", "0.7 [0.6, 0.8]"]
    assert list(fitted(header, [row], 80)) == [(header, [row])]
    cut = list(fitted(header, [row], 20))
    assert [titles for titles, _ in cut] == [["model", "a"], ["model", "b"]]
    assert cut[0][1] == [["m", "0.5\n[0.4, 0.6]"]]


def test_sentences_are_broken_between_words(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("COLUMNS", "30")
    path = "/a/very/long/path/that/has/no/space/at/all.csv"
    print_lines([f"  one two three four five six {path}"], indent=4)
    assert capsys.readouterr().out == f"  one two three four five six\n    {path}\n"


def test_numbers_that_do_not_exist_are_null() -> None:
    assert plain({"a": (float("nan"), 1.5), Path("b"): Path("c")}) == {"a": [None, 1.5], "b": "c"}


@pytest.mark.parametrize("columns", [None, "200"])
def test_agreement_of_many_judges_fits_a_pipe(
    columns: str | None,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.delenv("COLUMNS", raising=False)
    if columns:
        monkeypatch.setenv("COLUMNS", columns)
    judges = [f"openai:a-judge-with-a-long-name-{n}" for n in range(4)]
    with (tmp_path / "votes.csv").open("w", newline="") as file:
        table = csv.writer(file)
        table.writerow(["case", "step", "judge", "verdict"])
        for case in range(12):
            for at, judge in enumerate(judges):
                table.writerow([case, "grade_ddx", judge, (case + at * (case % 3)) % 6])
    assert run(["agree", str(tmp_path / "votes.csv"), "--boot", "20"]) == 0
    out = capsys.readouterr().out
    widest = max(map(len, out.splitlines()))
    assert widest <= 80 if columns is None else 80 < widest <= 200
    assert "…" not in out and "krippendorff alpha interval" in " ".join(out.split())

"""Charts: what their drawings and their tables show, without a browser and without a network."""

import io
import os
import subprocess
import sys
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import pytest
import vl_convert
from pypdf import PdfReader

from dxjudge.files.charts import (
    Bar,
    Chart,
    Point,
    bars,
    clouds,
    heat,
    lines,
    radar,
    ranks,
    stacks,
    to_pdf,
    to_png,
    to_svg,
)
from dxjudge.files.charts.chart import SERIES
from dxjudge.files.charts.settled import settled

NAN = float("nan")
EVIL = "</text><script>alert(1)</script> \u202e\u0000&\"'"


def drawn(chart: Chart) -> ElementTree.Element:
    return ElementTree.fromstring(to_svg(chart.spec))


def texts(root: ElementTree.Element) -> list[str]:
    return [one.text or "" for one in root.iter() if one.tag.endswith("text")]


def said(root: ElementTree.Element, kind: str) -> list[ElementTree.Element]:
    return [one for one in root.iter() if one.get("aria-roledescription") == kind]


def test_bars_have_whiskers_their_names_and_what_counts() -> None:
    table = [[Bar(Point(0.5, 0.2, 0.8), "n 10"), Bar(Point(NAN), "0 of 0")]]
    chart = bars("t", ["part"], ["a", "b"], table)
    root = drawn(chart)
    shown = texts(root)
    assert "0.50  (n 10)" in shown and "–  (0 of 0)" in shown and {"a", "b", "part"} <= {*shown}
    (bar,) = [one for one in said(root, "bar") if "0.500" in (one.get("aria-label") or "")]
    assert bar.get("aria-label") == "part, a: 0.500 [0.200, 0.800] n 10"
    assert bar.get("fill") == SERIES[0]
    assert chart.rows == (
        ("part", "a", "0.500 [0.200, 0.800]", "n 10"),
        ("part", "b", "-", "0 of 0"),
    )
    rules = [
        one for one in root.iter() if one.tag.endswith("line") and one.get("stroke") == "#1b1f27"
    ]
    assert len(rules) >= 1


def test_a_model_keeps_its_colour_when_others_stand_before_it() -> None:
    root = drawn(bars("t", ["g"], ["b", "a"], [[Bar(Point(1)), Bar(Point(2))]], places=[1, 0]))
    by_label = {one.get("aria-label"): one.get("fill") for one in said(root, "bar")}
    assert by_label == {"g, b: 1.000": SERIES[1], "g, a: 2.000": SERIES[0]}


def test_stacks_count_each_part_and_the_whole() -> None:
    parts = [("good", "#08306b"), ("undecided", "#e3b23c"), ("failed", "#a8201a")]
    root = drawn(stacks("t", ["m", "none"], parts, [[6, 1, 3], [0, 0, 0]]))
    labels = [one.get("aria-label") for one in said(root, "bar")]
    assert labels == ["m, good: 6 of 10", "m, undecided: 1 of 10", "m, failed: 3 of 10"]
    shown = texts(root)
    assert "n 10" in shown and "n 0" in shown and {"good", "undecided", "failed"} <= {*shown}
    widths = [float((one.get("d") or "").split("h")[1].split("v")[0]) for one in said(root, "bar")]
    assert [round(width / sum(widths), 2) for width in widths] == [0.6, 0.1, 0.3]


def test_a_grid_shows_limits_and_what_is_missing() -> None:
    shown = texts(
        drawn(heat("t", ["s"], ["a / b", "all"], [[Point(-0.001, -0.2, 0.2), Point(NAN)]]))
    )
    assert {"0.00", "[-0.20, 0.20]", "–", "a / b", "all"} <= {*shown}
    assert "3" in texts(drawn(heat("t", ["s"], ["a"], [[Point(3.0)]], top=3, digits=0)))


def test_lines_leave_out_what_is_missing_and_tell_names_apart_without_colour() -> None:
    table = [[Point(0.5, 0.4, 0.6), Point(NAN)], [Point(0.25), Point(1.0)]]
    root = drawn(lines("t", ["a", "b"], ["low", "high"], table))
    labels = {one.get("aria-label") for one in said(root, "point")}
    assert labels == {"a, low: 0.500 [0.400, 0.600]", "b, low: 0.250", "b, high: 1.000"}
    assert {"a", "b", "low", "high"} <= {*texts(root)}
    assert "stroke-dasharray" in ElementTree.tostring(root, encoding="unicode")


def test_names_of_one_rank_stand_on_lines_of_their_own_with_the_same_number() -> None:
    table: list[tuple[str, list[int | None]]] = [("x", [1, 2]), ("y", [1, 1]), ("z", [3, None])]
    root = drawn(ranks("t", ["a", "b"], table))
    spots = said(root, "point")
    assert len(spots) == 5 and len({one.get("transform") for one in spots}) == 5
    shown = texts(root)
    assert [shown.count(text) for text in ("1=", "1", "2", "3")] == [2, 1, 1, 1]
    assert shown.count("x") == shown.count("y") == 2  # at both ends


def test_clouds_say_how_many_points_each_has() -> None:
    chart = clouds("t", ("x", "y"), [("a", [(0, 1), (0.5, 0.5)]), ("b", [])])
    assert "a (n 2)" in texts(drawn(chart))
    assert chart.rows[0] == ("a", "2", "0.250", "0.750")


def test_a_radar_puts_the_first_axis_up_and_leaves_out_what_is_not_known() -> None:
    root = drawn(radar("t", list("abcd"), ['x "1"'], [[0.5, 1.0, NAN, 0.0]]))
    spots = {one.get("aria-label"): one.get("transform") or "" for one in said(root, "point")}
    assert [*spots] == ['x "1", a: 0.500', 'x "1", b: 1.000', 'x "1", d: 0.000']
    up, right, centre = (
        tuple(map(float, spot.removeprefix("translate(").rstrip(")").split(",")))
        for spot in spots.values()
    )
    # The radius is 150: half of it up, all of it to the right, and 0 is the centre.
    assert (centre[0] - up[0], centre[1] - up[1]) == pytest.approx((0, 75), abs=0.01)
    assert (right[0] - centre[0], right[1] - centre[1]) == pytest.approx((150, 0), abs=0.01)


def test_what_a_model_is_called_is_never_markup() -> None:
    for chart in (
        bars(EVIL, [EVIL], [EVIL, EVIL], [[Bar(Point(1), EVIL), Bar(Point(1))]]),
        stacks(EVIL, [EVIL], [(EVIL, "#000000")], [[1]]),
        heat(EVIL, [EVIL], [EVIL], [[Point(1)]], axes=(EVIL, EVIL)),
        lines(EVIL, [EVIL], [EVIL, "]});alert(1)//"], [[Point(1), Point(1)]]),
        ranks(EVIL, [EVIL, EVIL], [(EVIL, [1, 2])]),
        clouds(EVIL, (EVIL, EVIL), [(EVIL, [(0, 0)])]),
        radar(EVIL, [EVIL] * 3, [EVIL], [[1, 1, 1]]),
    ):
        root = drawn(chart)
        names = {one.tag.rpartition("}")[2] for one in root.iter()}
        assert names <= {"svg", "g", "path", "text", "rect", "line", "defs", "clipPath"}, names
        assert not any(name.startswith("on") for one in root.iter() for name in one.keys())


def test_pictures_and_pages_have_readable_words_on_a_machine_without_fonts(tmp_path: Path) -> None:
    script = (
        "from dxjudge.files.charts import *\n"
        "import sys, pathlib\n"
        "svg = to_svg(bars('t', ['g'], [sys.argv[1]], [[Bar(Point(1))]]).spec)\n"
        "pathlib.Path(sys.argv[2]).write_bytes(to_png(svg))\n"
        "pathlib.Path(sys.argv[3]).write_bytes(to_pdf(svg))\n"
    )
    empty = tmp_path / "fonts.conf"
    empty.write_text("<fontconfig></fontconfig>")
    made = []
    for at, name in enumerate(("WWWWWW", "iiiiii")):
        png, pdf = tmp_path / f"{at}.png", tmp_path / f"{at}.pdf"
        subprocess.run([sys.executable, "-c", script, name, str(png), str(pdf)], check=True,
                       env=os.environ | {"FONTCONFIG_FILE": str(empty)})  # fmt: skip
        made.append((png.read_bytes(), b"FontFile" in pdf.read_bytes()))
    assert made[0][0] != made[1][0] and all(has_font for _, has_font in made)


def test_a_drawing_becomes_a_picture() -> None:
    svg = to_svg(heat("t", ["a"], ["b"], [[Point(1)]]).spec)
    assert to_png(svg).startswith(b"\x89PNG") and to_pdf(svg).startswith(b"%PDF")


def test_the_same_drawing_gives_the_same_pdf_with_all_its_words() -> None:
    # Two fonts and several see-through marks, whose order in the file is another one each time.
    table = [[Bar(Point(0.5, 0.2, 0.8), "n 10")]] * 6
    svg = to_svg(bars("t", [f"part {n}" for n in range(6)], ["a name"], table).spec)
    drawn = [bytes(vl_convert.svg_to_pdf(svg)) for _ in range(4)]
    files = {settled(one) for one in drawn}
    assert len({*drawn}) > 1 and len(files) == 1
    (page,) = PdfReader(io.BytesIO(*files), strict=True).pages
    shown = page.extract_text()
    assert all(f"part {n}" in shown for n in range(6)) and shown.count("(n 10)") == 6
    assert settled(b"%PDF-1.7 startxref\n0\n%%EOF") == b"%PDF-1.7 startxref\n0\n%%EOF"

import re
from pathlib import Path
from typing import Any

import pytest
import yaml

from dxjudge.errors import UsageError
from dxjudge.prompts import load_data

RUBRIC: dict[str, Any] = {
    "name": "mine",
    "version": 1,
    "source": "me",
    "invented_cap": 1,
    "dimensions": [
        {
            "name": "a",
            "title": "A",
            "question": "A?",
            "factor": 2,
            "levels": {0: "none", 1: "some"},
        }
    ],
}


def written(tmp_path: Path, content: Any, name: Any = "mine.yaml") -> Any:
    file = tmp_path / name
    file.write_text(content if isinstance(content, str) else yaml.safe_dump(content), "utf-8")
    return file


def test_the_shipped_files_load() -> None:
    assert load_data.load_rubric("dermcase").best == 100
    assert len(load_data.load_taxonomy("dermcase").categories) == 10
    technical = load_data.load_taxonomy("dermcase").technical
    assert technical is not None and technical.name == "technical or system error"
    assert len(load_data.load_taxonomy("medlesionvqa").categories) == 6
    assert len(load_data.load_categories("mediconfusion").categories) == 9
    assert [level.value for level in load_data.load_scale("ddx").levels] == [0, 2, 3, 4, 5]
    assert [level.value for level in load_data.load_scale("final_diagnosis").levels] == [
        1,
        2,
        3,
        4,
        5,
    ]
    kinds = [kind.name for kind in load_data.load_answer_rules("open_answer").kinds]
    assert kinds == ["color", "shape", "size", "lesion", "disease", "other"]


def test_every_level_of_the_shipped_rubric_is_described_differently() -> None:
    for dimension in load_data.load_rubric("dermcase").dimensions:
        texts = [level.text for level in dimension.levels]
        assert dimension.values == (0, 1, 2, 3, 4)
        assert len(set(texts)) == 5


@pytest.mark.parametrize(
    ("path", "value", "told"),
    [
        (("dimensions", 0, "factor"), 0, "dimensions.0.factor: "),
        (("dimensions", 0, "factor"), "much", "dimensions.0.factor: "),
        (("dimensions", 0, "levels"), {0: "one"}, "dimensions.0.levels: "),
        (("dimensions", 0, "levels"), {0: "", 1: "x"}, "dimensions.0.levels.0.text: "),
        (("dimensions", 0, "levels"), {0.5: "x", 1: "y"}, "dimensions.0: levels: .*whole numbers"),
        (("dimensions", 0, "name"), "Two words", "dimensions.0.name: "),
        (("dimensions", 0, "weight"), 1, "dimensions.0.weight: Extra inputs"),
        (("dimensions",), [], "dimensions: "),
        (("invented_cap",), -1, "invented_cap: "),
        (("version",), None, "version: "),
        (("dimensions",), RUBRIC["dimensions"] * 2, "file: the dimension a occurs twice"),
    ],
)
def test_a_fault_names_the_file_and_the_field(
    tmp_path: Path, path: Any, value: Any, told: Any
) -> None:
    broken = yaml.safe_load(yaml.safe_dump(RUBRIC))
    place = broken
    for key in path[:-1]:
        place = place[key]
    place[path[-1]] = value
    file = written(tmp_path, broken)
    with pytest.raises(UsageError, match=f"^rubric {re.escape(str(file))}: {told}"):
        load_data.load_rubric(file)


@pytest.mark.parametrize(
    ("content", "told"),
    [("a: [", "not valid YAML"), ("- a", "is not a mapping"), ("", "is not a mapping")],
)
def test_a_file_that_is_no_mapping(tmp_path: Path, content: Any, told: Any) -> None:
    with pytest.raises(UsageError, match=told):
        load_data.load_taxonomy(written(tmp_path, content))


def test_a_missing_file_and_an_unknown_name() -> None:
    with pytest.raises(UsageError, match="rubric nowhere.yaml: cannot be read: No such file"):
        load_data.load_rubric("nowhere.yaml")
    with pytest.raises(UsageError, match="the toolkit has dermcase; for your own, give a path"):
        load_data.load_rubric("derm")


def test_json_serves_as_well_and_a_changed_file_is_read_again(tmp_path: Path) -> None:
    file = written(
        tmp_path,
        '{"name": "j", "version": 1, "source": "s", "levels": {"1": "a", "2": "b"}}',
        "j.json",
    )
    assert [level.value for level in load_data.load_scale(file).levels] == [1, 2]
    file.write_text(file.read_text().replace('"2": "b"', '"2": "b", "3": "c"'))
    assert [level.value for level in load_data.load_scale(str(file)).levels] == [1, 2, 3]


def test_a_taxonomy_leaves_something_to_the_judge(tmp_path: Path) -> None:
    only_code = {
        "name": "x",
        "version": 1,
        "source": "s",
        "categories": [{"name": "t", "description": "d", "decided_by": "code"}],
    }
    with pytest.raises(UsageError, match="at least one is decided by the judge"):
        load_data.load_taxonomy(written(tmp_path, only_code))


def test_equal_data_are_equal_and_hashable() -> None:
    assert hash(load_data.load_rubric("dermcase")) == hash(load_data.load_rubric("dermcase"))
    assert load_data.given_categories(["a", "b"]) == load_data.given_categories(["a", "b"])

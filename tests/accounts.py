"""What an account says of an estimate, and of the calls that were then made."""

import json
from pathlib import Path
from typing import Any


def calls_by_judge(account: Path) -> tuple[dict[str, int], dict[str, int]]:
    """The estimated and the made calls of each judge."""
    told: dict[str, Any] = json.loads(account.read_text("utf-8"))
    estimated: dict[str, int] = {}
    made: dict[str, int] = {}
    for one in told["estimate"]:
        estimated[one["judge"]] = estimated.get(one["judge"], 0) + one["calls"]
    for line in told["lines"]:
        made[line["judge"]] = made.get(line["judge"], 0) + line["calls"]
    return estimated, {judge: calls for judge, calls in made.items() if calls}


def assert_near(account: Path, within: float) -> None:
    """The estimate names the judges that were asked, and its calls are near those made."""
    estimated, made = calls_by_judge(account)
    assert estimated.keys() == made.keys()
    for judge, calls in made.items():
        assert abs(estimated[judge] / calls - 1) <= within, (judge, estimated, made)

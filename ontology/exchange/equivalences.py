"""Read equivalences of codes: CMS's general equivalence mappings, or a table of two columns.

General equivalence mappings: https://www.cms.gov/medicare/coding-billing/icd-10-codes (files such
as `2018_I9gem.txt`): a code, its equivalent, and five flags: approximate, no map, combination,
scenario, choice list.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from ...errors import InputError
from ...files.bytes import decode, read_bytes
from ...files.delimited import parse_delimited

_GEM = re.compile(r"(?P<code>\w+)\s+(?P<target>\w+)\s+(?P<flags>[01]{2}[01]\d\d)")


@dataclass(frozen=True)
class Equivalent:
    """What a code becomes.

    targets: the codes that may take its place, any one of them. together: whether some of them only
    count together, as a combination. approximate: whether the meaning is only near.
    """

    targets: tuple[str, ...]
    together: bool = False
    approximate: bool = False


def plain_code(code: str) -> str:
    """Return a code in capitals without its dot, as the official files write it."""
    return code.strip().upper().replace(".", "")


def read_equivalences(path: Path) -> Mapping[str, Equivalent]:
    """Return plain code -> its equivalent.

    The file is one of the general equivalence mappings, or a table whose first two columns are the
    old and the new code. Raises InputError, which names the line, for anything else.
    """
    text = decode(read_bytes(path), str(path))
    lines = [(number, line) for number, line in enumerate(text.splitlines(), 1) if line.strip()]
    if lines and _GEM.fullmatch(lines[0][1].strip()):
        return _of_gem(path, lines)
    table = parse_delimited(text, str(path))
    if len(table.columns) < 2:
        raise InputError(f"{path}: has one column; the old and the new code are needed")
    targets: dict[str, list[str]] = {}
    for row in table.rows:
        targets.setdefault(plain_code(row[0]), []).append(row[1].strip())
    return {code: Equivalent(tuple(filter(None, many))) for code, many in targets.items()}


def _of_gem(path: Path, lines: list[tuple[int, str]]) -> dict[str, Equivalent]:
    targets: dict[str, list[str]] = {}
    together: set[str] = set()
    approximate: set[str] = set()
    for number, line in lines:
        match = _GEM.fullmatch(line.strip())
        if match is None:
            raise InputError(f"{path}, line {number}: is not a code, its equivalent and five flags")
        code, flags = match["code"], match["flags"]
        of_code = targets.setdefault(code, [])
        if flags[1] == "1":  # no equivalent
            continue
        of_code.append(match["target"])
        if flags[0] == "1":
            approximate.add(code)
        if flags[2] == "1":
            together.add(code)
    return {
        code: Equivalent(tuple(dict.fromkeys(many)), code in together, code in approximate)
        for code, many in targets.items()
    }

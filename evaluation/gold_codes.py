"""Finds true codes that the release does not have: an error, or cases that are left out."""

from collections.abc import Iterator, Mapping, Sequence

from ..errors import InputError, UnknownCode
from ..ontology.tree import Tree, load_tree
from .cases import Case
from .judged import Responses
from .settings import Settings
from .tasks import tasks_of


def known_cases(
    cases: Sequence[Case], responses: Mapping[str, Responses], settings: Settings
) -> tuple[tuple[Case, ...], dict[str, Responses], tuple[str, ...]]:
    """Keep the cases whose true codes all exist, with their responses and a note on each other.

    Codes are checked only where a task of the settings compares codes.

    Raises InputError, naming the first case and code, unless the settings exclude such cases.
    """
    compared = any(task.by_ontology or task.name == "map_to_icd10" for task in tasks_of(settings))
    if not compared or not any(code for case in cases for code in _codes(case)):
        return tuple(cases), dict(responses), ()
    tree = load_tree(settings.ontology)
    faults = {case.id: fault for case in cases if (fault := _fault(case, tree))}
    if not faults:
        return tuple(cases), dict(responses), ()
    if settings.unknown_codes == "error":
        name, reason = next(iter(faults.items()))
        row = next(number for number, case in enumerate(cases, 1) if case.id == name)
        more = f" (and {len(faults) - 1:,} more cases)" if len(faults) > 1 else ""
        raise InputError(
            f"case {name!r}, row {row}: {reason}{more}; correct the code, choose another "
            "--ontology, or leave such cases out with --unknown-codes exclude"
        )
    known = tuple(case for case in cases if case.id not in faults)
    if not known:
        raise InputError(
            "every case has a code that the release does not have; choose another --ontology"
        )
    answered: dict[str, Responses] = {
        model: {case: of_case for case, of_case in by_case.items() if case not in faults}
        for model, by_case in responses.items()
    }
    notes = tuple(f"left out: case {name}: {reason}" for name, reason in faults.items())
    return known, answered, notes


def _codes(case: Case) -> Iterator[str]:
    for diagnosis in (case.diagnosis, *case.ddx):
        yield from diagnosis.codes if diagnosis is not None else ()


def _fault(case: Case, tree: Tree) -> str:
    """The fault of the first code that does not exist; "" where all codes exist."""
    for code in _codes(case):
        try:
            tree.node(code)
        except UnknownCode as fault:
            return str(fault)
    return ""

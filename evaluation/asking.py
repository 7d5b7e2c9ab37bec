"""What is asked of the judges: the items of every task, from cases and responses."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from ..agents.choose_best import CHOOSE_BEST
from ..agents.extract_ddx import EXTRACT_DDX
from ..agents.extract_final_diagnosis import EXTRACT_FINAL_DIAGNOSIS
from ..agents.grade_ddx import GRADE_DDX
from ..agents.grade_final_diagnosis import GRADE_FINAL_DIAGNOSIS
from ..agents.judge_equivalence import JUDGE_EQUIVALENCE, JUDGE_EQUIVALENCE_CORRECT
from ..agents.label_errors import LABEL_ERRORS
from ..agents.match_option import MATCH_OPTION
from ..agents.score_free_answer import SCORE_FREE_ANSWER
from ..agents.score_open_answer import SCORE_OPEN_ANSWER
from ..agents.score_rubric import SCORE_RUBRIC
from ..agents.step import Step
from .cases import Case, Response
from .judged import Found, Responses, samples_of
from .judging import Item
from .settings import Settings

_ASKED = "Which of the options is the diagnosis?"
_OF_A_CASE = frozenset({"match_option", "score_free_answer", "score_open_answer", "choose_best"})


@dataclass(frozen=True)
class Material:
    """Cases, responses and what was found in them so far."""

    cases: tuple[Case, ...]
    responses: Mapping[str, Responses]
    settings: Settings
    finals: Mapping[tuple[str, str], Found]
    ddx: Mapping[tuple[str, str], Found]


def step_of(task: str, settings: Settings) -> Step[Any, Any]:
    """The step that carries out a task."""
    if task in ("judge_equivalence", "judge_equivalence_ddx"):
        return JUDGE_EQUIVALENCE_CORRECT if settings.style == "correct" else JUDGE_EQUIVALENCE
    return _STEPS[task]


def items_of(task: str, material: Material) -> list[Item]:
    """Every item of a task: by model, case, response and place.

    Tasks about diagnoses take a model's first response with all evidence; those about a
    choice or an answer take all of them.
    """
    return list(_items(task, material))


def _items(task: str, material: Material) -> Iterator[Item]:
    inputs = _INPUTS[task]
    for model, by_case in material.responses.items():
        for case in material.cases:
            responses = by_case.get(case.id, ())
            for index, response in enumerate(responses):
                if not _concerned(task, responses, index):
                    continue
                ask = _Ask(material, model, case, response)
                for place, given in enumerate(inputs(ask)):
                    yield Item(task, model, case.id, index, place, given)


def _concerned(task: str, responses: tuple[Response, ...], index: int) -> bool:
    if task in _OF_A_CASE:
        return True
    first = next((at for at, one in enumerate(responses) if not one.withheld), None)
    return index == first


@dataclass(frozen=True)
class _Ask:
    material: Material
    model: str
    case: Case
    response: Response

    @property
    def final(self) -> str | None:
        found = self.material.finals.get((self.model, self.case.id))
        return found.names[0] if found and found.names else None

    @property
    def ddx(self) -> tuple[str, ...]:
        found = self.material.ddx.get((self.model, self.case.id))
        return found.names if found else ()

    @property
    def truth(self) -> str:
        return self.case.diagnosis.text if self.case.diagnosis else ""


Inputs = list[dict[str, Any]]


def _extract_final(ask: _Ask) -> Inputs:
    if ask.response.diagnosis is not None or ask.response.text is None:
        return []
    return [{"response": ask.response.text}]


def _extract_ddx(ask: _Ask) -> Inputs:
    if ask.response.ddx is not None or ask.response.text is None:
        return []
    return [{"text": ask.response.text}]


def _equivalence(ask: _Ask) -> Inputs:
    return [{"predicted": ask.final, "truth": ask.truth}] if ask.final and ask.truth else []


def _equivalence_ddx(ask: _Ask) -> Inputs:
    shown = ask.ddx[: max(ask.material.settings.top)]
    return [{"predicted": name, "truth": ask.truth} for name in shown] if ask.truth else []


def _grade_ddx(ask: _Ask) -> Inputs:
    return [{"truth": ask.truth, "ddx": list(ask.ddx)}] if ask.ddx and ask.truth else []


def _grade_final(ask: _Ask) -> Inputs:
    return [{"truth": ask.truth, "generated": ask.final}] if ask.final and ask.truth else []


def _rubric(ask: _Ask) -> Inputs:
    if not (ask.case.reference and ask.case.case) or ask.response.text is None:
        return []
    return [
        {
            "case": ask.case.case,
            "reference": ask.case.reference,
            "response": ask.response.text,
            "rubric": ask.material.settings.rubric,
        }
    ]


def _errors(ask: _Ask) -> Inputs:
    reference = ask.case.reference or right_answer(ask.case)
    response = ask.response.answer if ask.case.question else ask.response.text
    if not reference or response is None:
        return []
    return [
        {
            "case": ask.case.case or ask.case.question,
            "reference": reference,
            "response": response,
            "taxonomy": ask.material.settings.taxonomy,
        }
    ]


def right_answer(case: Case) -> str:
    """The right answer of a question in words."""
    if case.options:
        return "; ".join(f"{letter}. {case.options[letter]}" for letter in case.letters)
    return case.answer


def _option(ask: _Ask) -> Inputs:
    if not ask.case.options or ask.response.answer is None:
        return []
    return [
        {
            "question": ask.case.question or _ASKED,
            "options": dict(ask.case.options),
            "answer": ask.response.answer,
            "multiple": ask.material.settings.preset == "medlesionvqa",
        }
    ]


def _free(ask: _Ask) -> Inputs:
    if set(ask.case.options) != {"A", "B"} or ask.response.answer is None:
        return []
    return [
        {
            "question": ask.case.question,
            "option_a": ask.case.options["A"],
            "option_b": ask.case.options["B"],
            "answer": ask.response.answer,
        }
    ]


def _open(ask: _Ask) -> Inputs:
    if ask.case.options or not ask.case.answer or ask.response.answer is None:
        return []
    return [
        {
            "question": ask.case.question,
            "reference": ask.case.answer,
            "answer": ask.response.answer,
            "kind": ask.case.kind,
        }
    ]


def _best(ask: _Ask) -> Inputs:
    """The samples of one wording, once for all of them: at the first."""
    responses = ask.material.responses[ask.model][ask.case.id]
    samples = samples_of(responses, ask.response.variant)
    if len(samples) < 2 or ask.response is not responses[samples[0]] or not ask.case.question:
        return []
    options = "".join(f"\n{letter}. {text}" for letter, text in ask.case.options.items())
    return [
        {
            "question": f"{ask.case.question}{options}",
            "answers": [responses[at].answer or "" for at in samples],
            "shuffle": ask.material.settings.seed,
        }
    ]


_STEPS: dict[str, Step[Any, Any]] = {
    "extract_final_diagnosis": EXTRACT_FINAL_DIAGNOSIS,
    "extract_ddx": EXTRACT_DDX,
    "grade_ddx": GRADE_DDX,
    "grade_final_diagnosis": GRADE_FINAL_DIAGNOSIS,
    "score_rubric": SCORE_RUBRIC,
    "label_errors": LABEL_ERRORS,
    "match_option": MATCH_OPTION,
    "score_free_answer": SCORE_FREE_ANSWER,
    "score_open_answer": SCORE_OPEN_ANSWER,
    "choose_best": CHOOSE_BEST,
}
_INPUTS: dict[str, Callable[[_Ask], Inputs]] = {
    "extract_final_diagnosis": _extract_final,
    "extract_ddx": _extract_ddx,
    "judge_equivalence": _equivalence,
    "judge_equivalence_ddx": _equivalence_ddx,
    "grade_ddx": _grade_ddx,
    "grade_final_diagnosis": _grade_final,
    "score_rubric": _rubric,
    "label_errors": _errors,
    "match_option": _option,
    "score_free_answer": _free,
    "score_open_answer": _open,
    "choose_best": _best,
}

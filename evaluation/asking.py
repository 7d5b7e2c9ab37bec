"""Builds the inputs of the steps: for each task, what it asks about a response."""

from .cases import Case
from .judged import samples_of
from .task import Ask, Inputs

_ASKED = "Which of the options is the diagnosis?"


def extract_final(ask: Ask) -> Inputs:
    """The text of a response whose final diagnosis the file does not give.

    A text that is the answer to a question with options is a choice, not a diagnosis.
    """
    if ask.response.diagnosis is not None or ask.response.text is None:
        return []
    is_choice = ask.case.options and ask.response.answered is None
    if is_choice and "match_option" in ask.settings.tasks:
        return []
    return [{"response": ask.response.text}]


def extract_ddx(ask: Ask) -> Inputs:
    """The text of a response whose differential the file does not give."""
    if ask.response.ddx is not None or ask.response.text is None:
        return []
    return [{"text": ask.response.text}]


def pair_of_final(ask: Ask) -> Inputs:
    """The final diagnosis and the true one."""
    return [{"predicted": ask.final, "truth": ask.truth}] if ask.final and ask.truth else []


def pairs_of_ddx(ask: Ask) -> Inputs:
    """Each of the first diagnoses of the differential, with the true one."""
    shown = ask.ddx[: max(ask.settings.top)]
    return [{"predicted": name, "truth": ask.truth} for name in shown] if ask.truth else []


def graded_ddx(ask: Ask) -> Inputs:
    """The differential and the true diagnosis."""
    return [{"truth": ask.truth, "ddx": list(ask.ddx)}] if ask.ddx and ask.truth else []


def graded_final(ask: Ask) -> Inputs:
    """The final diagnosis and the true one, for a grade."""
    return [{"truth": ask.truth, "generated": ask.final}] if ask.final and ask.truth else []


def scored_response(ask: Ask) -> Inputs:
    """The case, the reference, the response and the rubric."""
    if not (ask.case.reference and ask.case.case) or ask.response.text is None:
        return []
    return [
        {
            "case": ask.case.case,
            "reference": ask.case.reference,
            "response": ask.response.text,
            "rubric": ask.settings.rubric,
        }
    ]


def labelled_response(ask: Ask) -> Inputs:
    """A response (an answer, where the case has a question), its reference and the taxonomy."""
    if ask.settings.errors_of == "wrong":
        failures = ask.material.failures[ask.model]
        if ask.case.id not in failures.drawn:
            return []
    reference = ask.case.reference or right_answer(ask.case)
    response = ask.response.answer if ask.case.question else ask.response.text
    if not reference or response is None:
        return []
    return [
        {
            "case": ask.case.case or ask.case.question,
            "reference": reference,
            "response": response,
            "taxonomy": ask.settings.taxonomy,
        }
    ]


def right_answer(case: Case) -> str:
    """The right answer of a question in words."""
    if case.options:
        return "; ".join(f"{letter}. {case.options[letter]}" for letter in case.letters)
    return case.answer


def matched_answer(ask: Ask) -> Inputs:
    """A question with its options, and the answer to it."""
    if not ask.case.options or ask.response.answer is None:
        return []
    return [
        {
            "question": ask.case.question or _ASKED,
            "options": dict(ask.case.options),
            "answer": ask.response.answer,
            "multiple": ask.settings.multiple,
        }
    ]


def free_answer(ask: Ask) -> Inputs:
    """A question with two options, and the free answer to it."""
    if set(ask.case.options) != {"A", "B"} or ask.response.answer is None:
        return []
    return [
        {
            "question": ask.case.question,
            "option_a": ask.case.options["A"],
            "option_b": ask.case.options["B"],
            "answer": ask.response.answer,
            "gap": ask.settings.gap,
            "form": ask.response.answer_form or ask.settings.answer_form,
        }
    ]


def open_answer(ask: Ask) -> Inputs:
    """A question without options, its reference, and the answer to it."""
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


def judged_criteria(ask: Ask) -> Inputs:
    """The conversation, the response, and one criterion an item; or all of them in one."""
    case, text = ask.case, ask.response.text
    told = case.case or case.question
    if not case.criteria or not told or text is None:
        return []
    criteria = [one.model_dump(mode="json") for one in case.criteria]
    groups = [criteria] if ask.settings.criteria == "all" else [[one] for one in criteria]
    return [{"conversation": told, "response": text, "criteria": group} for group in groups]


def best_of_samples(ask: Ask) -> Inputs:
    """All samples of one wording, asked once: at the first sample."""
    responses = ask.material.responses[ask.model][ask.case.id]
    samples = samples_of(responses, ask.response.wording)
    if len(samples) < 2 or ask.response is not responses[samples[0]] or not ask.case.question:
        return []
    options = "".join(f"\n{letter}. {text}" for letter, text in ask.case.options.items())
    return [
        {
            "question": f"{ask.case.question}{options}",
            "answers": [responses[at].answer or "" for at in samples],
            "shuffle": ask.settings.seed,
        }
    ]

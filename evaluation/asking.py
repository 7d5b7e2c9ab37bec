"""What each task asks about a response: the inputs of its step."""

from .cases import Case
from .judged import samples_of
from .task import Ask, Inputs

_ASKED = "Which of the options is the diagnosis?"


def extract_final(ask: Ask) -> Inputs:
    """A response whose final diagnosis is not given."""
    if ask.response.diagnosis is not None or ask.response.text is None:
        return []
    return [{"response": ask.response.text}]


def extract_ddx(ask: Ask) -> Inputs:
    """A response whose differential is not given."""
    if ask.response.ddx is not None or ask.response.text is None:
        return []
    return [{"text": ask.response.text}]


def pair_of_final(ask: Ask) -> Inputs:
    """The final diagnosis against the true one."""
    return [{"predicted": ask.final, "truth": ask.truth}] if ask.final and ask.truth else []


def pairs_of_ddx(ask: Ask) -> Inputs:
    """Each of the first diagnoses of the differential against the true one."""
    shown = ask.ddx[: max(ask.settings.top)]
    return [{"predicted": name, "truth": ask.truth} for name in shown] if ask.truth else []


def graded_ddx(ask: Ask) -> Inputs:
    """The differential against the true diagnosis."""
    return [{"truth": ask.truth, "ddx": list(ask.ddx)}] if ask.ddx and ask.truth else []


def graded_final(ask: Ask) -> Inputs:
    """The final diagnosis against the true one, to be graded."""
    return [{"truth": ask.truth, "generated": ask.final}] if ask.final and ask.truth else []


def scored_response(ask: Ask) -> Inputs:
    """The response against the reference, by the rubric."""
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
    """A response (an answer, where the case asks a question) and the reference to label it by."""
    if ask.settings.errors_of == "wrong" and (ask.model, ask.case.id, ask.place) in (
        ask.material.right
    ):
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
    """An answer to a question with options."""
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
    """A free answer to a question with two options."""
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


def open_answer(ask: Ask) -> Inputs:
    """An answer to a question without options."""
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


def best_of_samples(ask: Ask) -> Inputs:
    """The samples of one wording, once for all of them: at the first."""
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

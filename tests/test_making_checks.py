"""Each check of a step that writes data finds its planted fault, and nothing in a good answer."""

from collections.abc import Iterator
from typing import Any

import pytest

from dxjudge.agents.judge_equivalence import MappedCode
from dxjudge.agents.making.guess_option import GUESS_OPTION
from dxjudge.agents.making.list_categories import LIST_CATEGORIES
from dxjudge.agents.making.list_unsupported import LIST_UNSUPPORTED
from dxjudge.agents.making.split_report import SPLIT_REPORT
from dxjudge.agents.making.verify_record import VERIFY_RECORD
from dxjudge.agents.making.write_distractors import WRITE_DISTRACTORS
from dxjudge.agents.making.write_question import WRITE_VISUAL_QUESTION
from dxjudge.agents.making.write_reasoning import WRITE_REASONING
from dxjudge.agents.step import Step
from dxjudge.curation.medsyn.stages import MedsynSettings

from .scripted_medsyn import CASES
from .test_curation_dermcase import QUESTION, REASONING, RECORD
from .test_curation_medsyn import ARMS, OPTIONS, code_of, curate_one, problems_of

CAPTIONS = {"captions": ["a chest radiograph", "a film of the knee"]}
CHEST = {"name": "chest", "description": "lungs and heart", "captions": [1]}
KNEE = {"name": "knee", "description": "bones of the leg", "captions": [2]}
REPORT = "Case 1 was a man with gout. He got well. Case 2 was a woman with scabies. She did too."
TWO = [{"begins": "Case 1 was", "ends": "got well."}, {"begins": "Case 2 was", "ends": "did too."}]
FIELDS = {
    name: [{"text": text, "source": "report", "start": 0, "end": 1} for text in texts]
    for name, texts in RECORD.items()
}
ASKED = {
    "record": {"fields": FIELDS},
    "structure": "history first",
    "hidden": ["erythema multiforme"],
}
CHECKED = {"case": REPORT, "record": {"fields": FIELDS}}
REASONED = {"record": {"fields": FIELDS}, "question": QUESTION}
NO_TESTS = {"record": {"fields": {**FIELDS, "diagnostic_process": []}}, "question": QUESTION}
STATED = {"source": "A man had gout.", "text": "The man had gout and fever.", "allowed": "nothing"}
WRONG = [{"quote": "and fever", "reason": "the source has none"}]
DIFFERENTIAL = [{"name": name} for name in CASES[ARMS]["considered"]]
DRAWN = {"truth": {"name": CASES[ARMS]["diagnosis"]}, "candidates": DIFFERENTIAL}
CHOSEN = {"distractors": OPTIONS}
SICK = {"truth": {"name": "asthma"}, "candidates": [{"name": f"{n} fever"} for n in "QXY"]}
FEVERS = [{"considered": f"{n} fever", "option": f"{n} fever"} for n in "QXY"]


def planted() -> Iterator[tuple[Step[Any, Any], Any, Any, Any, str]]:
    """Step, inputs, a good answer, a faulty one, and words of the problem."""
    options = {"options": {"A": "gout", "B": "asthma"}}
    good: Any = {"reason": "it is longer", "option": "B"}
    yield GUESS_OPTION, options, good, {**good, "option": "C"}, "must be one of A, B"
    good = {"unsupported": WRONG}
    other = [{**WRONG[0], "quote": "and chills"}]
    yield LIST_UNSUPPORTED, STATED, good, {"unsupported": other}, "does not occur in the text"
    silent = [{**WRONG[0], "reason": " "}]
    yield LIST_UNSUPPORTED, STATED, good, {"unsupported": silent}, "reason: is empty"
    good = {"categories": [CHEST, KNEE]}
    long = {**KNEE, "name": "all of the bones and joints of the whole leg"}
    yield LIST_CATEGORIES, CAPTIONS, good, {"categories": [CHEST, long]}, "words fit"
    bare = {**KNEE, "description": ""}
    yield LIST_CATEGORIES, CAPTIONS, good, {"categories": [CHEST, bare]}, "description: is empty"
    good = {"borders_are_clear": True, "cases": TWO}
    turned = {**good, "cases": TWO[::-1]}
    yield SPLIT_REPORT, {"report": REPORT}, good, turned, "after the case before it"
    early = {**good, "cases": [TWO[0], {**TWO[1], "ends": "got well."}]}
    yield SPLIT_REPORT, {"report": REPORT}, good, early, "after the case's first words"
    again = {**DRAWN, "earlier": [[one["option"] for one in OPTIONS[::-1]]]}
    yield WRITE_DISTRACTORS, DRAWN, CHOSEN, (again, CHOSEN), "those of an earlier draw"
    yield WRITE_DISTRACTORS, DRAWN, CHOSEN, (SICK, {"distractors": FEVERS}), "all are a fever"
    right = {"fault": "none", "supported": True}
    good = dict.fromkeys(RECORD, right)
    torn = {**good, "complaint": {**right, "fault": "it has the complaint of another case"}}
    yield VERIFY_RECORD, CHECKED, good, torn, "complaint: 'it has the complaint of another case' is"
    mute = {**good, "complaint": {**right, "supported": False}}
    yield VERIFY_RECORD, CHECKED, good, mute, "complaint.fault: say what is wrong"
    good = {"question": QUESTION}
    short = {"question": "A woman of 34; what do the images show?"}
    yield WRITE_VISUAL_QUESTION, ASKED, good, short, "words; "
    told = {"question": QUESTION.replace(" What is it?", " Name it.")}
    yield WRITE_VISUAL_QUESTION, ASKED, good, told, "asks nothing"
    yield WRITE_REASONING, REASONED, REASONING, (NO_TESTS, REASONING), "tests: the record documents"
    twice = [*REASONING["differential"], REASONING["differential"][0]]
    listed = {**REASONING, "differential": twice}
    yield WRITE_REASONING, REASONED, REASONING, listed, "lists a diagnosis twice"


@pytest.mark.parametrize(("step", "inputs", "good", "faulty", "words"), list(planted()))
def test_a_planted_fault_is_named(
    step: Step[Any, Any], inputs: Any, good: Any, faulty: Any, words: str
) -> None:
    assert problems_of(step, inputs, good) == []
    own, answer = faulty if isinstance(faulty, tuple) else (inputs, faulty)
    assert words in "; ".join(problems_of(step, own, answer))


def test_a_background_that_names_a_considered_diagnosis_otherwise_is_written_again() -> None:
    def synonym(seen: Any, number: int) -> Any:
        return {"diagnoses": ["FMD of the arm"]} if "left wrist" in seen.user else None

    def codes(text: str) -> MappedCode | None:
        return code_of({"FMD of the arm": "fibromuscular dysplasia"}.get(text, text))

    item, _ = curate_one({"considered": synonym}, MedsynSettings(tries=1), code_of=codes)
    reason = "'FMD of the arm' has a code of 'fibromuscular dysplasia', which is to be found"
    assert item.ending.reasons == (f"background: {reason}",)


def test_an_option_that_as_worded_has_the_code_of_another_is_refused() -> None:
    worded = "fibromuscular artery dysplasia"

    def codes(text: str) -> MappedCode | None:
        return code_of({worded: "polyarteritis nodosa"}.get(text, text))

    def options(seen: Any, number: int) -> Any:
        return {"distractors": [{**OPTIONS[0], "option": worded}, *OPTIONS[1:]]}

    item, _ = curate_one({"options": options}, MedsynSettings(tries=1), code_of=codes)
    shared = "'polyarteritis nodosa' shares the code I1.3 with another option"
    assert shared in item.ending.reasons

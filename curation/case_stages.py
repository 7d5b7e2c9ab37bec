"""The stages of curating a case: each writes a text, and a verifying step checks it."""

import operator
import random
from dataclasses import dataclass
from typing import Annotated, Any

from typing_extensions import TypedDict  # pydantic reads no other before Python 3.12

from ..agents.extract_ddx import EXTRACT_DDX
from ..agents.judge_equivalence import JUDGE_EQUIVALENCE, Mapper
from ..agents.making.extract_record import EXTRACT_CASE_RECORD, CaseTextInput
from ..agents.making.list_unsupported import LIST_UNSUPPORTED
from ..agents.making.reasoning import Reasoning
from ..agents.making.record import Record
from ..agents.making.verify_record import VERIFY_RECORD
from ..agents.making.write_question import WRITE_VISUAL_QUESTION
from ..agents.making.write_reasoning import WRITE_REASONING
from ..agents.making.write_rejected import WRITE_REJECTED, Rejected
from ..agents.rules.wording import fold
from .asking import StageAsking
from .chain import objections_in
from .leaks import leaked_names
from .settings import Settings

_KNOWLEDGE = "general medical knowledge that explains findings and adds none"

_ASKING = "the question itself, and that there are images"


class CaseIn(TypedDict):
    """One case of a report: its name, the report's text, and the case's characters in it."""

    id: str
    report: str
    start: int
    end: int


class CaseState(CaseIn, total=False):
    """The state of the graph of a case, as plain JSON.

    objections: the objections of the last check; the writing step is asked again with them.
    tries: how often the text of the current stage was written.
    """

    record: dict[str, Any]
    considered: list[str]
    question: str
    reasoning: dict[str, Any]
    pairs: list[dict[str, Any]]
    objections: list[str]
    tries: int
    ending: dict[str, Any]
    trail: Annotated[list[dict[str, Any]], operator.add]


@dataclass(frozen=True)
class CaseWork:
    """The settings that all nodes of one graph share."""

    settings: Settings
    code_of: Mapper | None

    async def record(self, state: CaseState, ask: StageAsking) -> dict[str, Any]:
        """Extract the record, and check it against the case."""
        case = CaseTextInput(
            report=state["report"],
            start=state["start"],
            end=state["end"],
            form=self.settings.form,
            objections=objections_in(state),
        )
        record = await ask.value(EXTRACT_CASE_RECORD, case)
        check_inputs = {"case": case.case, "record": record, "form": self.settings.form}
        check = await ask.value(VERIFY_RECORD, check_inputs)
        objections = [f"{name}: {fault}" for name, fault in check.unsupported.items()]
        return {"record": record.model_dump(mode="json"), "objections": objections}

    async def considered(self, state: CaseState, ask: StageAsking) -> dict[str, Any]:
        """List the other diagnoses that the report considers."""
        record, form = _record(state), self.settings.form
        process = " ".join(record.passages(*form.of("tests")))
        if not process:
            return {"considered": []}
        truth = fold(record.text(form.diagnosis))
        listed = await ask.optional(EXTRACT_DDX, {"text": process})
        names = listed.diagnoses if listed else ()
        return {"considered": [name for name in names if fold(name) != truth]}

    async def question(self, state: CaseState, ask: StageAsking) -> dict[str, Any]:
        """Write the question in a random structure, which depends on the seed, and check it."""
        record, settings = _record(state), self.settings
        names = [structure.name for structure in settings.rules.structures]
        structure = random.Random(f"{settings.seed}/{state['id']}").choice(names)
        inputs = {
            "record": record,
            "structure": structure,
            "hidden": (*record.passages(settings.form.diagnosis), *state["considered"]),
            "rules": settings.rules,
            "objections": objections_in(state),
        }
        written = await ask.value(WRITE_VISUAL_QUESTION, inputs)
        source = {"source": record.sheet(), "text": written.question, "allowed": _ASKING}
        check = await ask.value(LIST_UNSUPPORTED, source)
        truths = record.passages(settings.form.diagnosis)
        leaks = await leaked_names(written.question, truths, state["considered"], self.code_of, ask)
        return {"question": written.question, "objections": [*check.objections, *leaks]}

    async def reasoning(self, state: CaseState, ask: StageAsking) -> dict[str, Any]:
        """Write the reasoning, and check its diagnosis and its statements."""
        record = _record(state)
        inputs = {
            "record": record,
            "question": state["question"],
            "considered": tuple(state["considered"]),
            "form": self.settings.form,
            "objections": objections_in(state),
        }
        written: Reasoning = await ask.value(WRITE_REASONING, inputs)
        truth = record.text(self.settings.form.diagnosis)
        pair = {"predicted": written.final_diagnosis, "truth": truth}
        same = await ask.value(JUDGE_EQUIVALENCE, pair)
        source = {"source": record.sheet(), "text": written.text(), "allowed": _KNOWLEDGE}
        check = await ask.value(LIST_UNSUPPORTED, source)
        objections = list(check.objections)
        if not same.equivalent:
            objections.insert(0, f"{written.final_diagnosis!r} is not the record's diagnosis")
        return {"reasoning": written.model_dump(mode="json"), "objections": objections}

    async def pairs(self, state: CaseState, ask: StageAsking) -> dict[str, Any]:
        """Write one rejected reasoning of each kind."""
        chosen, record = Reasoning.model_validate(state["reasoning"]), _record(state)
        choices = self._other_codes(chosen, record)
        pairs = []
        for kind in self.settings.flaws.kinds:
            if not kind.same_diagnosis and not choices:
                raise ask.reject("no other diagnosis of another code was considered")
            inputs = {
                "chosen": chosen,
                "source": record.sheet(),
                "kind": kind.name,
                "choices": choices,
                "flaws": self.settings.flaws,
            }
            rejected: Rejected = await ask.value(WRITE_REJECTED, inputs)
            pairs.append(
                {
                    "prompt": state["question"],
                    "chosen": chosen.text(),
                    "rejected": rejected.reasoning.text(),
                    "kind": rejected.kind,
                    "errors": [flaw.model_dump(mode="json") for flaw in rejected.flaws],
                }
            )
        return {"pairs": pairs}

    def _other_codes(self, chosen: Reasoning, record: Record) -> tuple[str, ...]:
        """Return the other diagnoses of the differential; with a mapper, their codes differ too."""
        truth = record.text(self.settings.form.diagnosis)
        names = [
            item.diagnosis for item in chosen.differential if fold(item.diagnosis) != fold(truth)
        ]
        if self.code_of is None:
            return tuple(names)
        code = self.code_of(truth)
        others = ((name, self.code_of(name)) for name in names)
        return tuple(
            name for name, other in others if other and (code is None or other.code != code.code)
        )


def _record(state: CaseState) -> Record:
    return Record.model_validate(state["record"])

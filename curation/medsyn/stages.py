"""The stages of a MEDSYN case: evidence, the differential, the paragraphs, and the options."""

import operator
import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from string import ascii_uppercase
from typing import Annotated, Any

from typing_extensions import TypedDict  # pydantic reads no other before Python 3.12

from ...agents.extract_ddx import EXTRACT_DDX
from ...agents.judge_equivalence import JUDGE_EQUIVALENCE, Mapper
from ...agents.making.evidence import CaseEvidence, record_form
from ...agents.making.extract_evidence import EXTRACT_EVIDENCE
from ...agents.making.list_unsupported import LIST_UNSUPPORTED
from ...agents.making.summarise_evidence import SUMMARISE_EVIDENCE
from ...agents.making.verify_record import VERIFY_RECORD
from ...agents.making.write_distractors import WRITE_DISTRACTORS, Candidate, Distractors
from ...agents.rules.wording import bare_name, fold
from ...errors import UsageError
from ...prompts.evidence import (
    EvidenceForm,
    OptionRules,
    load_evidence_form,
    load_option_rules,
)
from ..asking import StageAsking
from ..chain import objections_in
from ..leaks import leaked_names

BACKGROUND, IMPRESSIONS = "background", "impressions"


@dataclass(frozen=True)
class MedsynSettings:
    """The settings of a MEDSYN data set. Raises UsageError for fewer than one try.

    tries: how often a text is written at most, if the check objects to it, and how often options
    are drawn at most. seed: decides the order of the options. form, rules: the data of the steps.
    """

    tries: int = 3
    seed: int = 0
    form: EvidenceForm = field(default_factory=lambda: load_evidence_form("medsyn"))
    rules: OptionRules = field(default_factory=lambda: load_option_rules("medsyn"))

    def __post_init__(self) -> None:
        """Check the bounds."""
        if self.tries < 1:
            raise UsageError(f"tries is {self.tries}; it must be at least 1")


class MedsynIn(TypedDict):
    """One case: its name and the text of its report."""

    id: str
    report: str


class MedsynState(MedsynIn, total=False):
    """The state of the graph of a case, as plain JSON.

    paragraphs: the text of each section and modality. options, answer: by letter. earlier: the
    wrong options of earlier draws. objections, tries: of the current stage.
    """

    evidence: dict[str, Any]
    diagnosis: str
    considered: list[str]
    paragraphs: dict[str, str]
    options: dict[str, str]
    answer: str
    earlier: list[list[str]]
    objections: list[str]
    tries: int
    ending: dict[str, Any]
    trail: Annotated[list[dict[str, Any]], operator.add]


@dataclass(frozen=True)
class MedsynWork:
    """The settings that all nodes share.

    code_of: returns code and name of a diagnosis; None to compare names only. chapter_of: returns
    the chapter of a code; None to leave chapters out of account.
    """

    settings: MedsynSettings
    code_of: Mapper | None = None
    chapter_of: Callable[[str], str] | None = None

    async def evidence(self, state: MedsynState, ask: StageAsking) -> dict[str, Any]:
        """Sort the report into passages by section and modality, and check them against it."""
        report, form = state["report"], self.settings.form
        inputs = {"report": report, "form": form, "objections": objections_in(state)}
        evidence: CaseEvidence = await ask.value(EXTRACT_EVIDENCE, inputs)
        record = {"case": report, "record": evidence.as_record(form), "form": record_form(form)}
        check = await ask.value(VERIFY_RECORD, record)
        return {
            "evidence": evidence.model_dump(mode="json"),
            "diagnosis": bare_name(evidence.diagnosis[0].text),
            "objections": [f"{name}: {fault}" for name, fault in check.unsupported.items()],
        }

    async def considered(self, state: MedsynState, ask: StageAsking) -> dict[str, Any]:
        """List the other diagnoses that the physicians considered."""
        impressions = " ".join(_evidence(state).passages(IMPRESSIONS))
        listed = await ask.optional(EXTRACT_DDX, {"text": impressions}) if impressions else None
        names = listed.diagnoses if listed else ()
        truth = fold(state["diagnosis"])
        return {"considered": [name for name in names if fold(name) != truth]}

    async def summary(self, state: MedsynState, ask: StageAsking) -> dict[str, Any]:
        """Write a paragraph for each section and modality, and check it against its passages.

        Only paragraphs with objections are written again.
        """
        evidence = _evidence(state)
        paragraphs = dict(state.get("paragraphs", {}))
        earlier = objections_in(state)
        objections: list[str] = []
        for kind in evidence.kinds(IMPRESSIONS):
            faults = tuple(text for text in earlier if text.startswith(f"{kind}: "))
            if kind in paragraphs and not faults:
                continue
            passages = evidence.passages(kind)
            inputs = {
                "section": kind,
                "passages": passages,
                "hidden": (state["diagnosis"], *state["considered"]),
                "form": self.settings.form,
                "objections": faults,
            }
            written = await ask.value(SUMMARISE_EVIDENCE, inputs)
            paragraphs[kind] = written.paragraph.strip()
            source = {"source": "\n".join(passages), "text": paragraphs[kind]}
            check = await ask.value(LIST_UNSUPPORTED, source)
            faulty = list(check.objections)
            if kind == BACKGROUND:
                faulty += await leaked_names(
                    paragraphs[kind], [state["diagnosis"]], state["considered"], self.code_of, ask
                )
            objections += [f"{kind}: {text}" for text in faulty]
        return {"paragraphs": paragraphs, "objections": objections}

    async def options(self, state: MedsynState, ask: StageAsking) -> dict[str, Any]:
        """Write the wrong options, check that they are other diseases, and shuffle them."""
        truth = self._candidate(state["diagnosis"])
        candidates = self._others(truth, state["considered"])
        wanted = self.settings.rules.distractors
        if len(candidates) < wanted:
            raise ask.reject(
                f"the differential has {len(candidates)} diagnoses of another code; "
                f"{wanted} are wanted"
            )
        inputs = {
            "truth": truth,
            "candidates": candidates,
            "rules": self.settings.rules,
            "earlier": tuple(tuple(options) for options in state.get("earlier", ())),
            "objections": objections_in(state),
        }
        written: Distractors = await ask.value(WRITE_DISTRACTORS, inputs)
        objections = await self._equivalent(truth.name, written, ask)
        key = f"{self.settings.seed}/{state['id']}/{len(state.get('earlier', ()))}"
        options, answer = shuffle_options(truth.name, written.options, key)
        return {"options": options, "answer": answer, "objections": objections}

    async def _equivalent(self, truth: str, written: Distractors, ask: StageAsking) -> list[str]:
        """Return the objections to options that are the truth, or not the diagnosis listed."""
        objections = self._same_codes(truth, written.options)
        for item in written.distractors:
            pair = {"predicted": item.option, "truth": truth}
            if (await ask.value(JUDGE_EQUIVALENCE, pair)).equivalent:
                objections.append(f"{item.option!r} is the truth in other words")
            pair = {"predicted": item.option, "truth": item.considered}
            if not (await ask.value(JUDGE_EQUIVALENCE, pair)).equivalent:
                objections.append(f"{item.option!r} is not {item.considered!r}")
        return objections

    def _same_codes(self, truth: str, options: tuple[str, ...]) -> list[str]:
        """Return an objection for each option without a code of its own, as it is worded."""
        if self.code_of is None:
            return []
        codes = {code.code for code in [self.code_of(truth)] if code}
        objections = []
        for option in options:
            mapped = self.code_of(option)
            if mapped is None:
                objections.append(f"{option!r} has no code")
            elif mapped.code in codes:
                objections.append(f"{option!r} shares the code {mapped.code} with another option")
            else:
                codes.add(mapped.code)
        return objections

    def _candidate(self, name: str) -> Candidate:
        mapped = self.code_of(name) if self.code_of else None
        code = mapped.code if mapped else None
        chapter = self.chapter_of(code) if code and self.chapter_of else None
        return Candidate(name=name, code=code, chapter=chapter)

    def _others(self, truth: Candidate, names: list[str]) -> tuple[Candidate, ...]:
        """Return the diagnoses whose code differs from the truth's and from each other."""
        by_code: dict[str, Candidate] = {}
        for name in names:
            candidate = self._candidate(name)
            if self.code_of is None:
                by_code.setdefault(fold(name), candidate)
            elif candidate.code and candidate.code != truth.code:
                by_code.setdefault(candidate.code, candidate)
        return tuple(by_code.values())


def shuffle_options(truth: str, wrong: tuple[str, ...], key: str) -> tuple[dict[str, str], str]:
    """Return the options by letter in a random order that depends on the key, and the answer."""
    texts = (truth, *wrong)
    order = list(range(len(texts)))
    random.Random(key).shuffle(order)
    options = {ascii_uppercase[place]: texts[one] for place, one in enumerate(order)}
    return options, ascii_uppercase[order.index(0)]


def _evidence(state: Mapping[str, Any]) -> CaseEvidence:
    return CaseEvidence.model_validate(state["evidence"])

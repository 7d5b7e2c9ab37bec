"""Write a new step and its test, from which a user starts (`dxjudge steps --new NAME`)."""

import re
from pathlib import Path

from ...errors import OutputError, UsageError
from ...files.bytes import writing

_NAME = re.compile(r"[a-z][a-z0-9_]*")

_STEP = '''"""NAME: SUBJECT of a text, from 0 to 3.

    dxjudge judge NAME.py:CONSTANT texts.csv -o judged.csv --judge openai:gpt-4o

Change what the fields, the prompt and the levels say; raise `version` when you change a check.
"""

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from dxjudge import Prompt, Step, Verdict


class Input(BaseModel):
    """What is judged. Each field is a column of a table and a {{placeholder}} of the prompt."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    text: str = Field(min_length=1)


class Answer(BaseModel):
    """What the judge writes, in this order: the reason comes before the level."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    rationale: str = Field(description="One sentence: what in the text decides the level.")
    level: Literal[0, 1, 2, 3] = Field(description="The level that fits.")


PROMPT = Prompt(
    system="""
You are an experienced physician. You read a text and judge its SUBJECT on this scale:

0: none
1: low
2: moderate
3: high

- Judge only what the text says.
- Where two levels seem to fit, take the lower one.

First write the rationale, one sentence, and then the level.
""",
    user="""
The text:
{{text}}

Judge its SUBJECT.
""",
)


def _reason_in_words(inputs: Input, answer: Answer) -> list[str]:
    """Return the faults of an answer; the judge is shown them and answers again."""
    if any(char.isalpha() for char in answer.rationale):
        return []
    return ["rationale: write one sentence in words"]


CONSTANT: Step[Input, Answer] = Step(
    name="NAME",
    version=1,
    input=Input,
    output=Answer,
    prompt=PROMPT,
    checks=(_reason_in_words,),
    verdict=Verdict("level", words="rationale", scale="ordinal", levels=(0, 1, 2, 3)),
    judged="text",
    returns="SUBJECT of a text, and why",
    scale="0, 1, 2, 3",
)
'''

_TEST = '''"""NAME keeps the contract of a judge. A scripted model answers: no key, no network."""

from NAME import CONSTANT

from dxjudge import JudgeExample, Run, as_callable, assert_judge_contract
from dxjudge.adapters.scripted_judge import ScriptedJudge

EXAMPLE = JudgeExample(
    state={"text": "Chest pain and cold sweat for an hour."},
    answer={"rationale": "It may be a heart attack.", "level": 3},
    judged=("text",),
)


def test_it_keeps_the_contract_of_a_judge() -> None:
    assert_judge_contract(CONSTANT, [EXAMPLE])


def test_the_level_is_the_verdict() -> None:
    with ScriptedJudge(lambda request: EXAMPLE.good) as judge, Run(mode="off") as run:
        result = as_callable(CONSTANT, judge.name, run=run)(**EXAMPLE.state)
    assert (result.verdict, result.explanation) == (3, "It may be a heart attack.")
'''


def write_new_step(name: str, folder: Path) -> list[str]:
    """Write `NAME.py` and `test_NAME.py`; return lines with the commands that come next.

    Raises UsageError for a name that a step cannot have, OutputError where a file exists.
    """
    if not _NAME.fullmatch(name):
        raise UsageError(
            f"a step cannot be named {name!r}: write small letters, digits and _, as in "
            "judge_urgency"
        )
    constant = name.upper()
    subject = name.partition("_")[2].replace("_", " ") or name
    step, test = folder / f"{name}.py", folder / f"test_{name}.py"
    for path in (step, test):
        if path.exists():
            raise OutputError(f"{path} exists: remove it, or choose another name or --output")
    folder.mkdir(parents=True, exist_ok=True)
    for path, template in ((step, _STEP), (test, _TEST)):
        text = template.replace("NAME", name).replace("CONSTANT", constant)
        with writing(path) as file:
            file.write(text.replace("SUBJECT", subject).encode())
    return [
        f"wrote {step} and {test}",
        "next:",
        f"  python -m pytest {test}  # needs pytest: pip install pytest",
        f"  dxjudge steps {step}:{constant}",
        f"  dxjudge judge {step}:{constant} texts.csv -o judged.csv --judge openai:gpt-4o",
    ]

"""Test your own judge node against the contract of a judge node.

    def make(judge):  # a node that asks this judge: `judge.url` for any client, or `judge.name`
        return my_node(OpenAI(base_url=judge.url, api_key="any"))

    assert_judge_contract(make, [JudgeExample(
        state={"response": "I see gout."}, answer={"diagnosis": "gout"}, judged=("response",))])

You can pass your own step instead of a node: `assert_judge_contract(MY_STEP, [...])`.

A node takes a state and returns an update with one outcome as plain JSON (of a `Done`,
`Abstained` or `Failed`). The node asks a scripted model over a real socket. The promises:

    typed       a good answer gives Done with a value; the update is plain JSON; the node does
                not change the state
    inputs      an empty state gives no verdict, and no model is asked
    repeatable  the same state and answers give the same requests and the same outcome
    garbage     an answer that cannot be used gives Failed or Abstained, with a reason
    faults      a server that fails gives Failed, never an exception or a verdict
    injection   instructions in the judged text change neither the verdict nor the rest of the
                prompt
    apart       nodes with different judges that run at the same time never mix their judges
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from ..agents.engine.run import Run
from ..agents.step import Step
from ..agents.steps import find_step
from ..errors import UsageError
from ..graphs.loop import run_here
from ..graphs.step_graph import step_node
from .promises import PROMISES, Check, JudgeExample, Make, awaited, find_outcome
from .scripted_judge import Said


def assert_judge_contract(
    make: Make | Step[Any, Any] | str,
    examples: Sequence[JudgeExample],
    *,
    promises: Iterable[str] = (),
    garbage: Sequence[Said] = (),
    read: Callable[[Mapping[str, Any]], Any] | None = None,
) -> None:
    """Check that a node keeps the promises of the contract.

    Args:
        make: a function of a scripted judge that returns the node that asks it: a function or
            coroutine function of the state, or a compiled graph. It is called again for each
            promise. Give its clients few retries and no cache, because the tests include failing
            servers. `make` can also be a step or its name; then the states of the examples have the
            fields of the step's input.
        examples: states with the answer of a good model, at least one.
        promises: the promises to check; all by default.
        garbage: further answers that this step must not accept.
        read: returns the outcome from the update; by default, the value of its key "outcome", or of
            its only key.

    Raises:
        AssertionError: which names the promise, the example and the observed behaviour.
        UsageError: for a promise that does not exist, or that no example can check.
    """
    wanted = tuple(promises) or tuple(PROMISES)
    unknown = sorted(set(wanted) - set(PROMISES))
    if unknown:
        raise UsageError(f"no promise {unknown[0]!r}; the promises are {', '.join(PROMISES)}")
    if not examples:
        raise UsageError("examples is empty; give at least one JudgeExample")
    if "injection" in wanted and not any(example.judged for example in examples):
        raise UsageError(
            "injection cannot be checked, because no example has `judged`; name its judged fields"
        )
    with Run(mode="off", attempts=1) as run:
        make_node = _of_step(find_step(make), run) if isinstance(make, str | Step) else make
        for number, example in enumerate(examples, 1):
            for name in wanted:
                check = Check(
                    name, number, example, make_node, read or find_outcome, tuple(garbage)
                )
                run_here(awaited(PROMISES[name](check)))


def _of_step(step: Step[Any, Any], run: Run) -> Make:
    """Return a function that makes nodes of a step; they use no stand-ins, only the judge."""
    return lambda judge: step_node(step, judge.name, write="outcome", run=run, engine="llm")

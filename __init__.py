"""dxjudge: LLM judges and ontology mapping for the evaluation of diagnosis models.

The public names load on first use, so that `import dxjudge` stays fast.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from dxjudge.adapters.callable import as_callable
    from dxjudge.adapters.contract import assert_judge_contract
    from dxjudge.adapters.inspect_ai import as_inspect_scorer
    from dxjudge.adapters.judge_batch import JudgeBatch
    from dxjudge.adapters.map_batch import MapBatch
    from dxjudge.adapters.openevals import as_async_openevals, as_openevals
    from dxjudge.adapters.promises import JudgeExample
    from dxjudge.adapters.pydantic_evals import as_pydantic_evaluator
    from dxjudge.agents.engine.run import Run
    from dxjudge.agents.judge import JudgeSpec
    from dxjudge.agents.outcome import Abstained, Done, Failed
    from dxjudge.agents.step import Nothing, Step
    from dxjudge.agents.steps import find_step
    from dxjudge.agents.verdict import Parts, Verdict, Worded
    from dxjudge.errors import (
        AuthenticationFault,
        DxjudgeError,
        EnvironmentFault,
        IndexFault,
        InputError,
        MissingExtra,
        ModelFault,
        NoVerdict,
        OutputError,
        ReplayMiss,
        UnknownCode,
        UsageError,
    )
    from dxjudge.evaluation.answering.from_data import AnswerResult, aanswer, answer
    from dxjudge.evaluation.from_data import EvaluationResult, aevaluate, evaluate
    from dxjudge.graphs.best_of import best_of, self_consistency
    from dxjudge.graphs.case import case_graph, judge_case
    from dxjudge.graphs.jury.graph import jury_graph, jury_node
    from dxjudge.graphs.jury.run_jury import run_jury
    from dxjudge.graphs.mapper import Mapper
    from dxjudge.graphs.mapping import mapping_graph, mapping_node
    from dxjudge.graphs.robust import robust
    from dxjudge.graphs.robust_run import run_robust
    from dxjudge.graphs.step import run_step, run_step_sync
    from dxjudge.graphs.step_graph import step_graph, step_node
    from dxjudge.ontology.mapping import Candidate, Mapping
    from dxjudge.ontology.tree import Tree, load_tree
    from dxjudge.prompts.load import Prompt
    from dxjudge.scoring.votes import Vote

    __version__: str

# Public name -> the module that defines it.
_HOMES = {
    "AnswerResult": "dxjudge.evaluation.answering.from_data",
    "aanswer": "dxjudge.evaluation.answering.from_data",
    "answer": "dxjudge.evaluation.answering.from_data",
    "EvaluationResult": "dxjudge.evaluation.from_data",
    "aevaluate": "dxjudge.evaluation.from_data",
    "evaluate": "dxjudge.evaluation.from_data",
    "Abstained": "dxjudge.agents.outcome",
    "AuthenticationFault": "dxjudge.errors",
    "Candidate": "dxjudge.ontology.mapping",
    "Done": "dxjudge.agents.outcome",
    "DxjudgeError": "dxjudge.errors",
    "EnvironmentFault": "dxjudge.errors",
    "Failed": "dxjudge.agents.outcome",
    "IndexFault": "dxjudge.errors",
    "InputError": "dxjudge.errors",
    "JudgeBatch": "dxjudge.adapters.judge_batch",
    "JudgeExample": "dxjudge.adapters.promises",
    "JudgeSpec": "dxjudge.agents.judge",
    "MapBatch": "dxjudge.adapters.map_batch",
    "Mapper": "dxjudge.graphs.mapper",
    "Mapping": "dxjudge.ontology.mapping",
    "MissingExtra": "dxjudge.errors",
    "ModelFault": "dxjudge.errors",
    "NoVerdict": "dxjudge.errors",
    "Nothing": "dxjudge.agents.step",
    "OutputError": "dxjudge.errors",
    "Parts": "dxjudge.agents.verdict",
    "Prompt": "dxjudge.prompts.load",
    "ReplayMiss": "dxjudge.errors",
    "Run": "dxjudge.agents.engine.run",
    "Step": "dxjudge.agents.step",
    "Tree": "dxjudge.ontology.tree",
    "UnknownCode": "dxjudge.errors",
    "UsageError": "dxjudge.errors",
    "Verdict": "dxjudge.agents.verdict",
    "Vote": "dxjudge.scoring.votes",
    "Worded": "dxjudge.agents.verdict",
    "as_async_openevals": "dxjudge.adapters.openevals",
    "as_callable": "dxjudge.adapters.callable",
    "as_inspect_scorer": "dxjudge.adapters.inspect_ai",
    "as_openevals": "dxjudge.adapters.openevals",
    "as_pydantic_evaluator": "dxjudge.adapters.pydantic_evals",
    "assert_judge_contract": "dxjudge.adapters.contract",
    "best_of": "dxjudge.graphs.best_of",
    "case_graph": "dxjudge.graphs.case",
    "find_step": "dxjudge.agents.steps",
    "judge_case": "dxjudge.graphs.case",
    "jury_graph": "dxjudge.graphs.jury.graph",
    "jury_node": "dxjudge.graphs.jury.graph",
    "load_tree": "dxjudge.ontology.tree",
    "mapping_graph": "dxjudge.graphs.mapping",
    "mapping_node": "dxjudge.graphs.mapping",
    "robust": "dxjudge.graphs.robust",
    "run_jury": "dxjudge.graphs.jury.run_jury",
    "run_robust": "dxjudge.graphs.robust_run",
    "run_step": "dxjudge.graphs.step",
    "run_step_sync": "dxjudge.graphs.step",
    "self_consistency": "dxjudge.graphs.best_of",
    "step_graph": "dxjudge.graphs.step_graph",
    "step_node": "dxjudge.graphs.step_graph",
}

__all__ = [
    "Abstained",
    "AnswerResult",
    "AuthenticationFault",
    "Candidate",
    "Done",
    "DxjudgeError",
    "EnvironmentFault",
    "EvaluationResult",
    "Failed",
    "IndexFault",
    "InputError",
    "JudgeBatch",
    "JudgeExample",
    "JudgeSpec",
    "MapBatch",
    "Mapper",
    "Mapping",
    "MissingExtra",
    "ModelFault",
    "NoVerdict",
    "Nothing",
    "OutputError",
    "Parts",
    "Prompt",
    "ReplayMiss",
    "Run",
    "Step",
    "Tree",
    "UnknownCode",
    "UsageError",
    "Verdict",
    "Vote",
    "Worded",
    "__version__",
    "aanswer",
    "aevaluate",
    "answer",
    "as_async_openevals",
    "as_callable",
    "as_inspect_scorer",
    "as_openevals",
    "as_pydantic_evaluator",
    "assert_judge_contract",
    "best_of",
    "case_graph",
    "find_step",
    "evaluate",
    "judge_case",
    "jury_graph",
    "jury_node",
    "load_tree",
    "mapping_graph",
    "mapping_node",
    "robust",
    "run_jury",
    "run_robust",
    "run_step",
    "run_step_sync",
    "self_consistency",
    "step_graph",
    "step_node",
]


def __getattr__(name: str) -> Any:
    if name == "__version__":
        from importlib.metadata import version

        return version("dxjudge")
    if name in _HOMES:
        return getattr(import_module(_HOMES[name]), name)
    raise AttributeError(f"module 'dxjudge' has no attribute {name!r}")


def __dir__() -> list[str]:
    return list(__all__)

"""The signature of an evaluation: everything needed to reproduce its numbers."""

import hashlib
import json
from collections.abc import Mapping, Sequence
from importlib import metadata
from typing import Any

from ..agents.engine.judges import AnyJudge, as_judge
from ..agents.step import Step
from .coding import Codes
from .judged import Judged
from .settings import Settings
from .settings_paths import digests_of, without_folders
from .tasks import tasks_of


def signature_of(
    judged: Judged,
    settings: Settings,
    judges: Sequence[AnyJudge],
    files: Mapping[str, str],
    encoder: str | None,
) -> dict[str, Any]:
    """Build the signature: version, settings, judges, prompts, ontology, encoder, file hashes.

    `files` maps the name of a file to the sha256 of its bytes; `setting_files` does so for the
    files that the settings name. `id` is a digest of everything else. It does not contain the
    folders of files, so it is the same for the same contents from every working directory.
    """
    plain = settings.model_dump(mode="json")
    content: dict[str, Any] = {
        "dxjudge": metadata.version("dxjudge"),
        "settings": plain,
        "setting_files": digests_of(plain),
        "judges": [as_judge(judge).spec.model_dump(mode="json") for judge in judges],
        "prompts": {
            task.name: _prompt(task.step(settings)) for task in tasks_of(settings) if task.step
        },
        "left_out": {entry.task: entry.reason for entry in judged.left_out},
        "ontology": _ontology(judged.codes),
        "encoder": encoder,
        "resampling": {
            "unit": "case or pair",
            "resamples": settings.resamples,
            "seed": settings.seed,
            "level": settings.level,
            "interval": settings.interval,
        },
        "files": dict(files),
    }
    bare = {**content, "settings": without_folders(plain)}
    text = json.dumps(bare, sort_keys=True, default=str)
    return {"id": hashlib.sha256(text.encode()).hexdigest()[:12], **content}


def _prompt(step: Step[Any, Any]) -> dict[str, Any]:
    return {
        "prompt": step.prompt_name,
        "step_version": step.version,
        "hash": step.load_prompt().hash[:12],
        "stand_ins": list(step.stand_ins),
    }


def _ontology(codes: Codes | None) -> dict[str, Any] | None:
    if codes is None:
        return None
    rows = sorted((row.text, row.code or "") for row in codes.mappings.values())
    digest = hashlib.sha256(json.dumps(rows).encode()).hexdigest()[:12]
    reviewed = sum(row.decided_by == "reviewed" for row in codes.mappings.values())
    return {"mapper": codes.signature, "table": digest, "texts": len(rows), "reviewed": reviewed}

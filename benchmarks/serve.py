"""Serve a GGUF file with llama.cpp in this process, as the runs of benchmarks/steps.py need it.

    pip install 'dxjudge[local]'
    python benchmarks/serve.py SmolLM2-135M-Instruct.Q4_1.gguf --port 8081 --threads 1

The address is part of what a reply is kept under: replies recorded at one port replay only for a
judge of that port.
"""

import argparse
import threading
from pathlib import Path


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("model", type=Path)
    parser.add_argument("--port", type=int, default=8080)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--context", type=int, default=8192, help="tokens of prompt and answer")
    parser.add_argument("--parallel", type=int, default=1, help="answers written at once")
    given = parser.parse_args()
    import xllamacpp

    parameters = xllamacpp.CommonParams()
    parameters.model.path = str(given.model)
    parameters.n_ctx = given.context * given.parallel
    parameters.n_parallel = given.parallel
    parameters.port = given.port
    parameters.cpuparams.n_threads = given.threads
    parameters.cpuparams_batch.n_threads = given.threads
    server = xllamacpp.Server(parameters)
    print(f"{given.model.stem} at {server.listening_address}/v1", flush=True)
    threading.Event().wait()


if __name__ == "__main__":
    main()

"""Serve a GGUF file with llama.cpp in this process, for runs of benchmarks/steps.py.

    pip install 'dxjudge[local]'
    python benchmarks/serve.py SmolLM2-135M-Instruct.Q4_1.gguf --port 8081 --threads 1

The key of a kept reply contains the address: replies recorded at one port replay only for a judge
at the same port.
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
    chosen = parser.parse_args()
    import xllamacpp

    parameters = xllamacpp.CommonParams()
    parameters.model.path = str(chosen.model)
    parameters.n_ctx = chosen.context * chosen.parallel
    parameters.n_parallel = chosen.parallel
    parameters.port = chosen.port
    parameters.cpuparams.n_threads = chosen.threads
    parameters.cpuparams_batch.n_threads = chosen.threads
    server = xllamacpp.Server(parameters)
    print(f"{chosen.model.stem} at {server.listening_address}/v1", flush=True)
    threading.Event().wait()


if __name__ == "__main__":
    main()

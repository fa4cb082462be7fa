"""A process that measures one tool once, or makes its store: measure.py SETTINGS JOB

JOB is JSON: tool, task, data, and what to do ("measure", "make" or "make_typed"). Prints the result as one line of
JSON. Output of libraries goes to standard error. If the tool cannot run here, the exit code is MISSING, and the last
line on standard error gives the reason.
"""

from __future__ import annotations

import gc
import json
import os
import sys
from pathlib import Path
from typing import Any

if __name__ == "__main__":
    sys.path[0] = str(Path(__file__).resolve().parent.parent)

from harness.data import Data
from harness.peer import Peer
from harness.settings import Missing, Settings
from harness.task import Measured
from peers import PEERS
from tasks import TASKS

MISSING = 77


def done(peer: Peer, job: dict[str, Any]) -> Measured:
    peer.load()
    if job["do"] != "measure":
        getattr(peer, job["do"])()
        return Measured({})
    gc.collect()
    return peer.measure(TASKS[job["task"]])


def main(settings: str, words: str) -> int:
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    job = json.loads(words)
    try:
        peer = PEERS[job["tool"]](Data(**job["data"]), Settings.loads(settings))
        measured = done(peer, job)
    except (Missing, ModuleNotFoundError) as error:
        print(error, file=sys.stderr)
        return MISSING
    print(
        json.dumps({"figures": measured.figures, "answer": measured.answer, "note": measured.note}),
        file=answers,
        flush=True,
    )
    answers.close()
    os._exit(0)  # threads of some libraries outlive their interpreter, and crash it


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))

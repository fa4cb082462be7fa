"""How long a training program waits for its first batch."""

from __future__ import annotations

import subprocess
import sys
import time
from functools import partial
from statistics import median

import records
from settings import BATCH, Settings
from table import Asked, Job, Row
from turns import HERE

TURNS = 5

# The clock is the system's, so that one process can finish a measurement that another began.
PROGRAM = f"""
import sys, time
sys.path.insert(0, {str(HERE)!r})
begin = time.monotonic()
import torch, numpy
imported = time.monotonic() - begin
import ofindex, ofindex.torch, ours
loader = ofindex.torch.Loader(ofindex.open(sys.argv[1]), ours.features(), batch_size={BATCH})
batch = next(iter(loader))
print(time.monotonic() - float(sys.argv[2]) - imported)
assert len(batch["label"]) == {BATCH}
"""


def seconds_of(folder: str) -> float:
    words = [sys.executable, "-c", PROGRAM, folder, str(time.monotonic())]
    return float(subprocess.run(words, stdout=subprocess.PIPE, text=True, check=True).stdout)


def started(settings: Settings, name: str) -> Row:
    import ours

    data = records.small(settings)
    ours.built(data.folder)
    took = [seconds_of(str(data.folder)) for _ in range(-1, TURNS)][1:]
    shown = f"{median(took):.2f} s"
    return Row(name, shown, "", median(took), (min(took), max(took)), Asked(1, at_most=True))


def jobs(settings: Settings) -> list[Job]:
    name = "seconds from start to the first batch, without torch's import"
    return [Job(name, partial(started, settings, name))]

"""How long a training program waits for its first batch."""

from __future__ import annotations

import time
from pathlib import Path

from harness.data import Data, Grid
from harness.peer import Peer
from harness.task import Figure, Measured, Task


def age() -> float:
    """Seconds since this process began."""
    ticks = int(Path("/proc/self/stat").read_text().rpartition(")")[2].split()[19])
    return time.clock_gettime(time.CLOCK_BOOTTIME) - ticks / 100


class FirstBatch(Task):
    """From the start of a process to its first decoded batch of a shuffled epoch, imports included, warm."""

    name = "first-batch"
    title = "First batch after the start"
    figures = (Figure("seconds", "time", "s", goal="constant in the number of records"),)
    store = "decoded"
    warms_up = True
    typical = 0.5
    needs = ("decoded_epoch",)

    def data(self, grid: Grid) -> list[Data]:
        return [grid.smallest(), grid.smallest(0.01)]

    def measure(self, peer: Peer) -> Measured:
        batch = peer.first_batch()
        return Measured({"seconds": age()}, len(batch["label"]))

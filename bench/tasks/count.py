"""How many records there are."""

from __future__ import annotations

import time
from typing import ClassVar

from harness.data import Data, Grid
from harness.peer import Peer
from harness.task import Figure, Measured, Task


class Count(Task):
    """Open the data and tell the number of records, in a new process after the imports."""

    name = "count"
    title = "Open and count"
    figures = (Figure("ms", "time", "ms", goal="constant in the number of records"),)
    advantages: ClassVar[dict[str, str]] = {
        f"ms {tool}": f"reads {what}; ofindex also hashes 128 KiB of the index, to see that the map belongs to it"
        for tool, what in (
            ("lmdb", "a header"),
            ("numpy", "a header"),
            ("litdata", "the list of its files"),
            ("tfrecord2idx", "a text file, which is short if there are few records"),
        )
    }
    needs = ("count",)
    typical = 0.2

    def data(self, grid: Grid) -> list[Data]:
        return [*grid.ends(), grid.smallest(0.1), grid.smallest(0.01)]

    def measure(self, peer: Peer) -> Measured:
        begin = time.perf_counter()
        records = peer.count()
        seconds = time.perf_counter() - begin
        return Measured({"ms": 1e3 * seconds}, records)

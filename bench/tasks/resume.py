"""Going on in the middle of an epoch."""

from __future__ import annotations

import pickle
import time
from collections import Counter
from itertools import islice
from typing import ClassVar

from harness.data import Data, Grid
from harness.peer import Peer
from harness.settings import BATCH
from harness.task import Figure, Measured, Task


class Resume(Task):
    """Save the state in the middle of a shuffled epoch, make everything again, load the state, and read the rest."""

    name = "resume"
    title = "Resume in the middle of an epoch"
    figures = (
        Figure("ms", "time to the first batch", "ms"),
        Figure("repeated", "records read twice", "records"),
        Figure("missed", "records never read", "records"),
        Figure("state", "size of the state", "B"),
    )
    store = "decoded"
    most_turns = 2
    typical = 6
    advantages: ClassVar[dict[str, str]] = {
        f"state {tool}": "holds only a position; ofindex adds what it must agree with"
        for tool in ("array_record", "mosaic")
    }
    needs = ("stoppable",)

    def data(self, grid: Grid) -> list[Data]:
        return [grid.smallest(0.1)]

    def measure(self, peer: Peer) -> Measured:
        batches, save = peer.stoppable(None)
        seen: Counter[int] = Counter()
        for ids in islice(batches, peer.data.records // BATCH // 2):
            seen.update(ids)
        state = pickle.dumps(save())
        begin = time.perf_counter()
        rest = iter(peer.stoppable(pickle.loads(state))[0])
        seen.update(next(rest))
        seconds = time.perf_counter() - begin
        for ids in rest:
            seen.update(ids)
        figures = {
            "ms": 1e3 * seconds,
            "repeated": sum(times - 1 for times in seen.values()),
            "missed": peer.data.records - len(seen),
            "state": len(state),
        }
        return Measured(figures)

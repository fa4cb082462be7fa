"""How well a shuffled epoch is shuffled."""

from __future__ import annotations

from itertools import islice
from typing import ClassVar

from harness.columns import LABELS
from harness.data import Data, Grid
from harness.peer import Peer
from harness.settings import BATCH
from harness.task import Figure, Measured, Task

BATCHES = 100


class Quality(Task):
    """Shuffle records that are sorted by 1,000 labels: the number of different labels in a batch, divided by the number
    that a true shuffle has on average."""

    name = "quality"
    title = "Shuffle quality on sorted data"
    figures = (
        Figure("labels", "labels in a batch", "of a true shuffle", more_is_better=True),
        Figure("first", "labels in the first batch", "of a true shuffle", more_is_better=True),
    )
    store = "decoded"
    advantages: ClassVar[dict[str, str]] = {
        f"{figure} {tool}": "by chance: both are true shuffles"
        for figure in ("labels", "first")
        for tool in ("array_record", "lance", "vortex", "hf_datasets", "tfr_reader", "tfd_utils", "mosaic")
    }
    needs = ("decoded_epoch",)
    most_turns = 1

    def data(self, grid: Grid) -> list[Data]:
        return [grid.smallest(0.25, is_sorted=True)]

    def measure(self, peer: Peer) -> Measured:
        expected = LABELS * (1 - (1 - 1 / LABELS) ** BATCH)
        different = [
            len(set(map(int, batch["label"])))
            for batch in islice(peer.decoded_epoch(seed=1), BATCHES)
            if len(batch["label"]) == BATCH
        ]
        mean = sum(different) / len(different)
        return Measured({"labels": mean / expected, "first": different[0] / expected})

"""Decoding messages that are already in memory."""

from __future__ import annotations

from itertools import islice
from typing import Any

from harness.data import Data, Grid
from harness.peer import Peer
from harness.settings import BATCH
from harness.task import Figure, Measured, Task
from tasks.turn import rate

RECORDS = 40_960


class Decode(Task):
    """Decode Examples in memory, in batches of 256: six features each. Putting the bytes into the form that the tool
    takes is not timed."""

    name = "decode"
    title = "Decode in memory"
    is_for_all = False
    figures = (Figure("rate", "speed", "records/s", more_is_better=True, goal="4 times parse_example"),)
    needs = ("decoder",)
    store = ""

    def data(self, grid: Grid) -> list[Data]:
        return [grid.smallest()]

    def measure(self, peer: Peer) -> Measured:
        take, decode = peer.decoder()
        payloads = list(islice(peer.data.payloads(), RECORDS))
        batches = [take(payloads[at : at + BATCH]) for at in range(0, len(payloads), BATCH)]
        sizes = [len(payloads[at : at + BATCH]) for at in range(0, len(payloads), BATCH)]
        answer = sum(int(sum(decode(batch)["label"])) for batch in batches[:4])

        def work(piece: tuple[Any, int]) -> int:
            decode(piece[0])
            return piece[1]

        pieces = list(zip(batches, sizes, strict=True)) * 100
        return Measured({"rate": rate(pieces, work, peer.settings.seconds)}, answer)

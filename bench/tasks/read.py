"""Reading records by their numbers."""

from __future__ import annotations

from itertools import cycle
from typing import ClassVar

from harness.data import Data, Grid
from harness.peer import Peer
from harness.task import Figure, Measured, Task
from tasks.turn import checksum, checksum_at_once, ordinals, rate

AT_ONCE = 1024
PIECE = 100
DRAWN = 200_000  # ordinals; they are read again until the time is over


class Get(Task):
    """Read payloads at random, one by one, warm."""

    name = "get"
    title = "Random reads, one by one"
    figures = (Figure("rate", "speed", "records/s", more_is_better=True),)
    advantages: ClassVar[dict[str, str]] = dict.fromkeys(
        ("rate lmdb", "rate numpy"), "by chance: both take as long as a copy of the bytes"
    )
    needs = ("get",)

    def data(self, grid: Grid) -> list[Data]:
        return grid.whole()

    def measure(self, peer: Peer) -> Measured:
        read = peer.get()
        drawn = ordinals(peer.data.records, DRAWN)
        pieces = [drawn[at : at + PIECE] for at in range(0, DRAWN, PIECE)]

        def work(piece: list[int]) -> int:
            for ordinal in piece:
                read(ordinal)
            return len(piece)

        work(pieces[0])
        return Measured({"rate": rate(cycle(pieces), work, peer.settings.seconds)}, checksum(read, peer.data.records))


class GetMany(Task):
    """Read payloads at random, 1,024 in a call (32 if records have 110 KB), warm."""

    name = "get-many"
    title = "Random reads in batches"
    figures = (
        Figure("rate", "speed", "records/s", more_is_better=True, goal="at 350 B 8 times the best that reads files"),
    )
    needs = ("get_many",)

    def data(self, grid: Grid) -> list[Data]:
        return grid.whole()

    def measure(self, peer: Peer) -> Measured:
        read = peer.get_many()
        at_once = 32 if peer.data.size == "110KB" else AT_ONCE
        drawn = ordinals(peer.data.records, DRAWN)
        pieces = [drawn[at : at + at_once] for at in range(0, DRAWN, at_once)]
        read(pieces[0])
        reached = rate(cycle(pieces), lambda piece: len(read(piece)), peer.settings.seconds)
        return Measured({"rate": reached}, checksum_at_once(read, peer.data.records))

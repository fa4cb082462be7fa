"""An epoch over all records in shuffled order."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from typing import Any, ClassVar

from harness.data import Data, Grid
from harness.peer import Peer
from harness.task import Figure, Measured, Task

LONGEST = 6  # times the seconds of a turn; a longer epoch is cut short
VIEWS = "gives views of its mapped file; the bytes of an image are not read until somebody uses them"
SPEED = Figure("rate", "speed", "records/s", more_is_better=True)


def bytes_in(values: Any) -> int:
    """Total size of all values of a bytes feature."""
    return sum(map(len, values))


def timed(peer: Peer, epoch: Callable[[], Iterable[Any]], size_of: Any, sums: Any) -> Measured:
    """Makes an epoch and iterates over it, from opening the data and drawing the order. The answer, for a whole epoch,
    is the number of records and sums over all batches; adding them up is not what takes the time."""
    records, limit = 0, LONGEST * peer.settings.seconds
    found: list[Any] = []
    peer.load_loader()
    begin = time.perf_counter()
    for batch in epoch():
        records += size_of(batch)
        found.append(sums(batch))
        if time.perf_counter() - begin > limit:
            break
    seconds = time.perf_counter() - begin
    whole = [records, *map(int, map(sum, zip(*found, strict=True)))]
    ended = seconds <= limit and peer.ends_exactly
    return Measured({"rate": records / seconds}, whole if ended else None)


class RawEpoch(Task):
    """Read all payloads in shuffled order, in batches of 256, warm, including the time to open the
    data. How well each tool shuffles is another table."""

    name = "raw-epoch"
    title = "Shuffled epoch of payloads"
    figures = (SPEED,)
    advantages: ClassVar[dict[str, str]] = {
        f"rate {tool}": "copies each payload once; ofindex twice, so that other threads of Python can run meanwhile"
        for tool in ("numpy", "lmdb", "hf_datasets")
    }
    typical = 4
    needs = ("raw_epoch",)

    def data(self, grid: Grid) -> list[Data]:
        return grid.whole()

    def measure(self, peer: Peer) -> Measured:
        return timed(peer, lambda: peer.raw_epoch(seed=1), len, lambda batch: (bytes_in(batch),))


class DecodedEpoch(Task):
    """Read all records in shuffled order, in batches of 256, every value decoded, warm, including the time to
    open the data."""

    name = "decoded-epoch"
    title = "Shuffled epoch, decoded"
    figures = (Figure("rate", "speed", "records/s", more_is_better=True, goal="8 times the best"),)
    advantages: ClassVar[dict[str, str]] = {"rate hf_datasets": VIEWS}
    typical = 4
    needs = ("decoded_epoch",)
    store = "decoded"

    def data(self, grid: Grid) -> list[Data]:
        return grid.ends()

    def measure(self, peer: Peer) -> Measured:
        def sums(batch: Any) -> tuple[int]:
            return (int(batch["label"].sum()),)

        return timed(peer, lambda: peer.decoded_epoch(seed=1), lambda batch: len(batch["label"]), sums)


class ColdEpoch(DecodedEpoch):
    """The same after the files were evicted from the page cache."""

    name = "cold-epoch"
    title = "Shuffled epoch, decoded, cold"
    figures = (Figure("bytes", "speed", "MB/s", more_is_better=True, goal="at 110 KB 0.85 of fio"),)
    advantages: ClassVar[dict[str, str]] = {"bytes hf_datasets": VIEWS}
    is_cold = True

    def data(self, grid: Grid) -> list[Data]:
        return [data for data in grid.ends() if data.shard_count == grid.shard_counts[0]]

    def measure(self, peer: Peer) -> Measured:
        measured = super().measure(peer)
        each = peer.data.bytes / peer.data.records
        return Measured({"bytes": measured.figures["rate"] * each / 1e6}, measured.answer)

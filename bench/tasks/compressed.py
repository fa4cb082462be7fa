"""Shards that gzip compresses as a whole, at a ratio of about 2 to 1."""

from __future__ import annotations

import random
import time
from statistics import median
from typing import ClassVar

from harness.data import Data, Grid
from harness.peer import Peer
from harness.task import Figure, Measured, Task
from tasks.index import Index, made
from tasks.turn import checksum

READS = 100


def zipped(grid: Grid) -> list[Data]:
    return [grid.zipped(count) for count in (1, 8)]


class GzipIndex(Index):
    """Index gzip shards, so that records inside can be read."""

    name = "gzip-index"
    title = "Index gzip shards"
    is_for_all = False
    figures = (
        Figure("bytes", "speed", "inflated MB/s", more_is_better=True),
        Figure("size", "size on disk", "of the shards"),
        Figure("memory", "peak memory", "MiB"),
    )
    advantages: ClassVar[dict[str, str]] = {
        "bytes rapidgzip": "inflates one file in several places at once, and looks for no records; ofindex inflates "
        "a file in one thread",
        "bytes indexed_gzip": "only inflates; ofindex also finds the records",
        **{
            f"size {tool}": "knows no records; ofindex has their places too, and what is needed to enter a shard "
            "twice: in the index and in its map"
            for tool in ("rapidgzip", "indexed_gzip")
        },
        **{
            f"memory {tool}": "has no blocks of records in memory; ofindex has some for each thread"
            for tool in ("rapidgzip", "indexed_gzip")
        },
    }
    needs = ("make_zipped",)

    def data(self, grid: Grid) -> list[Data]:
        return zipped(grid)

    def measure(self, peer: Peer) -> Measured:
        figures = made(peer, peer.store, peer.make_zipped).figures
        data = peer.data
        inflated = data.inflated_bytes / 1e6
        size = figures["bytes"] * data.records / data.bytes
        return Measured({"bytes": figures["rate"] / data.records * inflated, "size": size, "memory": figures["memory"]})


class GzipGet(Task):
    """Read records at random from one gzip shard: the median time of a read of a part that is in no cache."""

    name = "gzip-get"
    title = "Random reads in a gzip shard"
    is_for_all = False
    figures = (Figure("ms", "time", "ms"),)
    needs = ("get_zipped",)
    store = "zipped"

    def data(self, grid: Grid) -> list[Data]:
        return [grid.zipped(1)]

    def measure(self, peer: Peer) -> Measured:
        read = peer.get_zipped()
        drawn = random.Random(1)
        seconds = []
        for _ in range(READS):
            ordinal = drawn.randrange(peer.data.records)
            begin = time.perf_counter()
            read(ordinal)
            seconds.append(time.perf_counter() - begin)
            if sum(seconds) > 2 * peer.settings.seconds:
                break
        return Measured({"ms": 1e3 * median(seconds)}, checksum(read, peer.data.records, 4))


class GzipEpoch(Task):
    """Read all records of gzip shards in shuffled order as far as the tool can, in batches of 256, every value decoded,
    including the time to open the data."""

    name = "gzip-epoch"
    title = "Shuffled epoch of gzip shards"
    is_for_all = False
    figures = (Figure("bytes", "speed", "inflated MB/s", more_is_better=True, goal="1.5 times zcat"),)
    needs = ("zipped_epoch",)
    store = "zipped"

    def data(self, grid: Grid) -> list[Data]:
        return [grid.zipped(8)]

    def measure(self, peer: Peer) -> Measured:
        records, labels = 0, 0
        peer.load_loader()
        begin = time.perf_counter()
        for batch in peer.zipped_epoch(seed=1):
            records += len(batch["label"])
            labels += int(batch["label"].sum())
        seconds = time.perf_counter() - begin
        return Measured({"bytes": peer.data.inflated_bytes / 1e6 / seconds}, [records, labels])

"""Making what a tool needs before it can read: an index, or a converted copy."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import ClassVar

from harness import memory, store
from harness.data import Data, Grid
from harness.page_cache import files_of
from harness.peer import Peer
from harness.task import Figure, Measured, Task

MIB = 1 << 20
FRUGAL = ("tfrecord2idx", "webdataset", "spdl_files", "numpy", "tfd_utils")
SMALL = "holds a record at a time; ofindex holds blocks for each thread, and its library"
MANY = 4  # times the records: for tools that read in place


def made(peer: Peer, path: Path, make: Callable[[], None], note: str = "") -> Measured:
    """Removes `path` and writes a new one. Files that the tool writes next to it are counted. Later tasks read the
    output of the last turn.
    """
    store.remove(path)
    begin = time.perf_counter()
    make()
    seconds = time.perf_counter() - begin
    size = sum(file.stat().st_size for file in files_of(store.parts_of(path)) if not file.is_symlink())
    store.complete(path)
    figures = {
        "rate": peer.data.records / seconds,
        "bytes": size / peer.data.records,
        "memory": memory.peak() / MIB,
    }
    return Measured(figures, note=note)


class Index(Task):
    """Index the shards where they are, or convert them: from TFRecord shards to a store with random access."""

    name = "index"
    title = "Index, or convert"
    figures = (
        Figure(
            "rate",
            "speed",
            "records/s",
            more_is_better=True,
            goal="at 350 B 40 times tfrecord2idx, 15 times tfr-reader",
        ),
        Figure("bytes", "size on disk", "B/record"),
        Figure("memory", "peak memory", "MiB"),
    )
    advantages: ClassVar[dict[str, str]] = {
        "rate numpy": "does not wait for the disk; a build ends when index and map are on it",
        **{
            f"bytes {tool}": "keeps neither checksums nor damage, and an index of ofindex has a fixed part of 900 KiB"
            for tool in ("tfrecord2idx", "dali", "numpy", "tfd_utils", "tfr_reader")
        },
        **dict.fromkeys((f"memory {tool}" for tool in FRUGAL), SMALL),
    }
    needs = ("make",)
    store = ""
    typical = 5

    def data(self, grid: Grid) -> list[Data]:
        return [*grid.whole(), grid.smallest(MANY)]

    def suits_data(self, tool: type[Peer], data: Data, grid: Grid) -> bool:
        return super().suits_data(tool, data, grid) and (tool.reads_in_place or data != grid.smallest(MANY))

    def measure(self, peer: Peer) -> Measured:
        return made(peer, peer.store, peer.make)


class ColdIndex(Index):
    """The same after the files were evicted from the page cache: tools that read in place."""

    name = "cold-index"
    title = "Index, cold"
    is_for_all = False
    figures = (Figure("rate", "speed", "records/s", more_is_better=True),)
    advantages: ClassVar[dict[str, str]] = dict.fromkeys(
        (f"rate {tool}" for tool in ("numpy", "tfr_reader", "tfrecord2idx")),
        "reads headers alone, and does not wait for the disk at the end; a build also reads 128 KiB of each shard to "
        "tell what it is",
    )
    is_cold = True

    def suits(self, tool: type[Peer]) -> bool:
        return tool.reads_in_place

    def data(self, grid: Grid) -> list[Data]:
        return [data for data in grid.whole() if data.size == "110KB"]

    def measure(self, peer: Peer) -> Measured:
        return Measured({"rate": super().measure(peer).figures["rate"]})


class IndexColumns(Task):
    """Index the shards with four columns that queries read (label, height, width, score), or convert to columns."""

    name = "index-columns"
    title = "Index with four columns, or convert to columns"
    figures = (
        Figure("rate", "speed", "records/s", more_is_better=True, goal="at 350 B 90 times tfr-reader"),
        Figure("bytes", "size on disk", "B/record"),
        Figure("memory", "peak memory", "MiB"),
    )
    advantages: ClassVar[dict[str, str]] = {
        f"{figure} {tool}": why
        for tool in ("polars", "polars_parquet", "duckdb", "duckdb_parquet")
        for figure, why in (
            ("bytes", "has the columns alone; ofindex also has the places of the records, and a fixed part of 900 KiB"),
            ("rate", "is given the values as arrays; ofindex reads and decodes the records"),
        )
    }
    needs = ("make_typed", "where")
    store = ""
    typical = 12

    def data(self, grid: Grid) -> list[Data]:
        return [grid.smallest()]

    def measure(self, peer: Peer) -> Measured:
        return made(peer, peer.typed_store, peer.make_typed, peer.typed_note)

"""Writing records to a TFRecord shard."""

from __future__ import annotations

import time
import zlib
from itertools import islice
from pathlib import Path
from typing import Any

from harness import columns
from harness.data import Data, Grid
from harness.peer import Peer, Writer
from harness.task import Figure, Measured, Task

MOST_BYTES = 500 << 20


def some(data: Data) -> int:
    """The number of records to write."""
    return min(data.records, MOST_BYTES * data.records // data.bytes)


def file_of(peer: Peer) -> Path:
    return peer.data.store(f"{peer.slug()}-written.tfrecord")


def seconds_for(writer: Writer, records: list[Any]) -> float:
    """The seconds until all records are passed to the system."""
    write, flush, close = writer
    begin = time.perf_counter()
    for record in records:
        write(record)
    flush()
    seconds = time.perf_counter() - begin
    close()
    return seconds


def checksum_of(path: Path) -> int:
    total = 0
    with path.open("rb") as file:
        while part := file.read(16 << 20):
            total = zlib.crc32(part, total)
    return total


class Write(Task):
    """Write payloads one by one, until all are passed to the system; the bytes of the files must be the same."""

    name = "write"
    title = "Write payloads"
    is_for_all = False
    figures = (Figure("rate", "speed", "records/s", more_is_better=True, goal="2 times TFRecordWriter"),)
    needs = ("writer",)
    store = ""

    def data(self, grid: Grid) -> list[Data]:
        return [data for data in grid.ends() if data.shard_count == grid.shard_counts[0]]

    def measure(self, peer: Peer) -> Measured:
        path = file_of(peer)
        path.unlink(missing_ok=True)
        payloads = list(islice(peer.data.payloads(), some(peer.data)))
        seconds = seconds_for(peer.writer(path), payloads)
        answer = checksum_of(path)
        path.unlink()
        return Measured({"rate": len(payloads) / seconds}, answer)


class WriteValues(Task):
    """Make Examples from Python values, and write them. Keys are sorted, so that the bytes can be compared."""

    name = "write-values"
    title = "Write values"
    is_for_all = False
    figures = (Figure("rate", "speed", "records/s", more_is_better=True),)
    needs = ("value_writer",)
    store = ""

    def data(self, grid: Grid) -> list[Data]:
        return [grid.smallest(0.1)]

    def measure(self, peer: Peer) -> Measured:
        path = file_of(peer)
        path.unlink(missing_ok=True)
        samples = [dict(sorted(sample.items())) for sample in columns.samples(peer.data)]
        seconds = seconds_for(peer.value_writer(path), samples)
        answer = checksum_of(path)
        path.unlink()
        return Measured({"rate": len(samples) / seconds}, answer)

"""The physical limit: what a program can reach that knows the data, checks nothing and has enough memory."""

from __future__ import annotations

import json
import os
import subprocess
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, ClassVar

from harness.peer import Peer
from harness.settings import THREADS, Missing
from harness.task import Measured, Task
from tasks.write import MOST_BYTES, file_of

PIECE = 112 * 1024
ONE_THREAD = "one thread"


class Limit(Peer):
    """Runs bench/limits, or fio, instead of the methods of other tools."""

    name = "physical limit"
    is_light = True
    reads_in_place = True

    @classmethod
    def can(cls, task: Task) -> bool:
        return task.name in cls.measuring

    def measure(self, task: Task) -> Measured:
        return self.measuring[task.name](self)

    def run(self, *words: object) -> tuple[float, list[int]]:
        """The rate of a command of bench/limits, and its answer."""
        told = subprocess.run([self.settings.limits, *map(str, words)], stdout=subprocess.PIPE, check=True)
        amount, seconds, answer = json.loads(told.stdout)
        return amount / seconds, answer

    def index(self) -> Measured:
        """Read every byte through a buffer and follow the lengths, or read only the headers; the faster one counts. A
        thread per processor, which divide the shards."""
        rate = max(self.run(how[0], self.data.folder, *how[1:])[0] for how in (["walk"], ["hop", THREADS]))
        return Measured({"rate": rate}, note=ONE_THREAD if self.data.shard_count == 1 else "")

    def cold_index(self) -> Measured:
        """Read only the headers, of 32 shards at once."""
        note = ONE_THREAD if self.data.shard_count == 1 else ""
        return Measured({"rate": self.run("hop", self.data.folder, 32)[0]}, note=note)

    def index_columns(self) -> Measured:
        """Extract the values from a map, with an array of the places, into arrays, one thread per processor."""
        return Measured({"rate": self.run("columns", self.data.folder)[0]})

    def write(self) -> Measured:
        """write(2) of the same bytes, 1 MiB at a time."""
        source, copy = self.data.shards[0].read_bytes()[:MOST_BYTES], file_of(self)
        begin = time.perf_counter()
        with copy.open("wb", buffering=0) as out:
            for at in range(0, len(source), 1 << 20):
                out.write(memoryview(source)[at : at + (1 << 20)])
        seconds = time.perf_counter() - begin
        copy.unlink()
        rate = self.data.records * len(source) / self.data.bytes / seconds
        return Measured({"rate": rate}, note=ONE_THREAD)

    def inflate(self) -> Measured:
        """`zcat`, a process for each shard, as many at a time as there are processors."""
        names = b"\0".join(map(os.fsencode, self.data.shards))
        begin = time.perf_counter()
        words = ["xargs", "-0", f"-P{THREADS}", "-n1", "zcat"]
        subprocess.run(words, input=names, stdout=subprocess.DEVNULL, check=True)
        return Measured({"bytes": self.data.inflated_bytes / 1e6 / (time.perf_counter() - begin)})

    def get(self) -> Measured:
        """memcpy from a map, with an array of the places, one thread."""
        return Measured({"rate": self.run("copy", self.data.folder, 1, 200_000)[0]}, note=ONE_THREAD)

    def get_many(self) -> Measured:
        """The same, with cache lines prefetched 14 records ahead."""
        return Measured({"rate": self.run("copy", self.data.folder, 32, 200_000)[0]}, note=ONE_THREAD)

    def raw_epoch(self) -> Measured:
        """memcpy of all records in random order, with an array of the places, one thread per processor."""
        rate, answer = self.run("epoch", self.data.folder, "raw")
        return Measured({"rate": rate}, [answer[0], answer[2]])

    def decoded_epoch(self) -> Measured:
        """The same, each record decoded into arrays by code for exactly these records."""
        rate, answer = self.run("epoch", self.data.folder, "decoded")
        return Measured({"rate": rate}, answer[:2])

    def cold_epoch(self) -> Measured:
        """fio, random reads of 112 KiB with O_DIRECT: io_uring and libaio with 16 requests in flight, psync with 4
        threads; the fastest counts. For small records, sequential reads of 4 MiB."""
        size = str(self.data.shards[0])
        ways = [("io_uring", 16, 1), ("libaio", 16, 1), ("psync", 1, 4)]
        piece, order = (PIECE, "randread") if self.data.size == "110KB" else (4 << 20, "read")
        return Measured({"bytes": max(fio(size, order, piece, *way) for way in ways) / 1e6})

    def where(self) -> Measured:
        """A loop over arrays in memory, one thread."""
        return self.scan("where")

    def equal(self) -> Measured:
        """The same."""
        return self.scan("equal")

    def groups(self) -> Measured:
        """The same."""
        measured = self.scan("groups")
        groups, records, millionths = measured.answer
        return Measured(measured.figures, [groups, records, millionths / 1e6], measured.note)

    def bins(self) -> Measured:
        """The same."""
        return self.scan("bins")

    def top(self) -> Measured:
        """The same, with the ten greatest so far in order."""
        measured = self.scan("top")
        return Measured(measured.figures, [score / 2**24 for score in measured.answer], measured.note)

    def total(self) -> Measured:
        """The same."""
        return self.scan("sum")

    def scan(self, question: str) -> Measured:
        order = "sorted" if self.data.is_sorted else "mixed"
        rate, answer = self.run("scan", self.data.records, question, order)
        return Measured({"ms": 1e3 / rate}, answer, ONE_THREAD)

    measuring: ClassVar[dict[str, Callable[[Any], Measured]]] = {
        "index": index,
        "cold-index": cold_index,
        "index-columns": index_columns,
        "write": write,
        "gzip-index": inflate,
        "gzip-epoch": inflate,
        "get": get,
        "get-many": get_many,
        "raw-epoch": raw_epoch,
        "decoded-epoch": decoded_epoch,
        "cold-epoch": cold_epoch,
        "where": where,
        "equal": equal,
        "groups": groups,
        "bins": bins,
        "top": top,
        "total": total,
    }


def fio(path: str, order: str, piece: int, engine: str, depth: int, processes: int) -> float:
    """Bytes per second of reads of a whole file, bypassing the page cache; 0 if the kernel lacks the engine."""

    share = Path(path).stat().st_size // processes // piece * piece
    words = {
        "name": "limit",
        "filename": path,
        "rw": order,
        "bs": piece,
        "direct": 1,
        "ioengine": engine,
        "iodepth": depth,
        "numjobs": processes,
        "size": share,
        "offset_increment": share,
        "output-format": "json",
    }
    command = [
        "fio",
        "--readonly",
        "--group_reporting",
        "--thread",
        *(f"--{key}={word}" for key, word in words.items()),
    ]
    try:
        told = subprocess.run(command, capture_output=True, text=True, check=True)
    except FileNotFoundError as error:
        raise Missing("fio is not installed") from error
    except subprocess.CalledProcessError:
        return 0
    return json.loads(told.stdout[told.stdout.index("{") :])["jobs"][0]["read"]["bw_bytes"]


TOOL = Limit

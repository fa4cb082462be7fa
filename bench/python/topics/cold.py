"""Cold reads from disk: a shuffled epoch of large records, and small records in blocks."""

from __future__ import annotations

import json
import os
import subprocess
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import cache
import records
from records import Records
from settings import BATCH, THREADS, Settings
from side import Missing, Take, Turn
from table import Job, Row, a_second, row_of
from turns import Side, by_turns

PIECE = 112 * 1024
SEQUENTIAL_PIECE = 4 << 20
RUN = 181  # small records in 64 KiB: the run of block="auto" on a disk that seeks fast
# fio settings: engine, requests in flight, processes.
WAYS = [(engine, depth, 1) for engine in ("io_uring", "libaio") for depth in (1, 4, 16, 64)] + [
    ("psync", 1, processes) for processes in (4, 16, 64)
]


def files_of(data: Records) -> list[Path]:
    """All files that ofindex reads."""
    index = data.folder.with_name(data.folder.name + ".ofidx")
    return [path for path in (*data.shards, index, index.with_name(index.name + "-map")) if path.exists()]


def loads(data: Records, features: Any, batch_size: int, sampler: Callable[[Any], Any]) -> Take:
    """A turn opens the dataset and reads an epoch through a Loader; afterwards no file stays mapped."""
    import ofindex.torch

    import ours

    ours.built(data.folder)
    os.sync()  # unwritten pages cannot be evicted from the page cache
    size = data.size
    epochs = 0

    def take(check: bool) -> Turn:
        nonlocal epochs
        count = 0
        begin = time.perf_counter()
        opened = ofindex.open(data.folder)
        order = sampler(opened)
        loader = ofindex.torch.Loader(
            opened, features, batch_size=batch_size, sampler=order, seed=epochs, threads=THREADS
        )
        for batch in loader:
            count += len(batch["image"])
        seconds = time.perf_counter() - begin
        epochs += 1
        if count < data.count:
            raise ValueError(f"{count} records of {data.count}")
        return size, seconds, None

    return take


def ours_large(settings: Settings) -> Take:
    import ours

    return loads(records.large(settings), ours.image(), 32, lambda data: None)


def ours_blocks(settings: Settings, block: int | str) -> Take:
    import ours

    return loads(records.small(settings), ours.features(), BATCH, lambda data: data.sampler(block=block))


def fio(path: str, engine: str, depth: int, processes: int) -> float:
    """Bytes per second of random reads of the whole file, bypassing the page cache. Each process reads its own part."""
    share = Path(path).stat().st_size // processes // PIECE * PIECE
    words = {
        "name": "random",
        "filename": path,
        "rw": "randread",
        "bs": PIECE,
        "direct": 1,
        "ioengine": engine,
        "iodepth": depth,
        "numjobs": processes,
        "size": share,
        "offset_increment": share,
        "output-format": "json",
    }
    options = [f"--{key}={word}" for key, word in words.items()]
    try:
        command = ["fio", "--readonly", "--group_reporting", "--thread", *options]
        told = subprocess.run(command, capture_output=True, text=True, check=True)
    except FileNotFoundError as error:
        raise Missing("fio is not installed") from error
    return json.loads(told.stdout[told.stdout.index("{") :])["jobs"][0]["read"]["bw_bytes"]


def fio_rate(path: str, way: tuple[str, int, int]) -> float:
    """The rate of fio(), or 0 if the kernel lacks the engine."""
    try:
        return fio(path, *way)
    except subprocess.CalledProcessError:
        return 0


def random_reads(settings: Settings) -> Take:
    """fio with the three settings that are fastest in a first test; in each turn, the fastest of the three counts."""
    path = str(records.large(settings).shards[0])
    ways = sorted(WAYS, key=lambda way: -fio_rate(path, way))[:3]

    def take(check: bool) -> Turn:
        return max(fio(path, *way) for way in ways), 1, None

    return take


def sequential_reads(settings: Settings) -> Take:
    data = records.small(settings)
    piece = bytearray(SEQUENTIAL_PIECE)

    def take(check: bool) -> Turn:
        size = 0
        begin = time.perf_counter()
        for shard in data.shards:
            with shard.open("rb", buffering=0) as file:
                while count := file.readinto(piece):
                    size += count
        return size, time.perf_counter() - begin, None

    return take


def large(settings: Settings, name: str) -> Row:
    data = records.large(settings)
    sides = [Side.python("Loader", ours_large, settings), Side.python("fio", random_reads, settings)]
    ratio = by_turns(sides[0], sides[1:], lambda: cache.drop(files_of(data)))
    return row_of(name, ratio, 0.85, a_second("B"))


def blocks(settings: Settings, name: str, block: int | str) -> Row:
    data = records.small(settings)
    sides = [Side.python("Loader", ours_blocks, settings, block), Side.python("read", sequential_reads, settings)]
    ratio = by_turns(sides[0], sides[1:], lambda: cache.drop(files_of(data)))
    return row_of(name, ratio, 0.7, a_second("B"))


def cold(settings: Settings) -> list[Job]:
    name = "cold shuffled epoch, 110 KB / fio"
    return [Job(name, partial(large, settings, name))]


def in_blocks(settings: Settings) -> list[Job]:
    """Measures block="auto", which is a global shuffle if the data fit in memory, and the blocks that it chooses
    otherwise."""
    named: dict[str, int | str] = {
        'cold 350 B, block="auto" / sequential read': "auto",
        f"cold 350 B, block={RUN} / sequential read": RUN,
    }
    return [Job(name, partial(blocks, settings, name, block)) for name, block in named.items()]

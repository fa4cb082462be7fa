"""Memory of eight processes for one map of many records."""

from __future__ import annotations

import multiprocessing
from functools import partial
from multiprocessing.connection import Connection
from pathlib import Path

import numpy as np

import records
from settings import Settings
from table import Asked, Job, Row

PROCESSES = 8
READS = 100_000


def read_and_wait(folder: str, seed: int, pipe: Connection) -> None:
    """Read random records, report that this is done, and keep the dataset open until told to end."""
    import ofindex

    data = ofindex.open(folder)
    ids = np.random.default_rng(seed).integers(len(data), size=READS).tolist()
    for i in ids:
        data[i]
    pipe.send(len(data))
    pipe.recv()


def proportional_bytes(process: int, name: str) -> int:
    """The Pss of a process's mappings of the files whose path ends with `name`: a page that n processes map counts
    1/n."""
    total, wanted = 0, False
    for line in Path(f"/proc/{process}/smaps").read_text().splitlines():
        words = line.split()
        if not words[0].endswith(":"):
            wanted = words[-1].endswith(name)
        elif wanted and words[0] == "Pss:":
            total += 1024 * int(words[1])
    return total


def shared(settings: Settings, name: str) -> Row:
    import ours

    folder = records.tiny(settings).folder
    ours.built(folder)
    map_path = folder.with_name(folder.name + ".ofidx-map")
    spawn = multiprocessing.get_context("spawn")
    pipes = [spawn.Pipe() for _ in range(PROCESSES)]
    workers = [
        spawn.Process(target=read_and_wait, args=(str(folder), seed, far), daemon=True)
        for seed, (_, far) in enumerate(pipes)
    ]
    for worker, (_, far) in zip(workers, pipes):
        worker.start()
        far.close()
    for near, _ in pipes:
        near.recv()
    total = sum(proportional_bytes(worker.pid, map_path.name) for worker in workers)
    for near, _ in pipes:
        near.send(None)
    for worker in workers:
        worker.join()
    size = map_path.stat().st_size
    if total == 0:
        raise ValueError(f"no process maps {map_path.name}")
    shown = [f"{number / 2**20:.1f} MiB" for number in (total, size)]
    return Row(name, *shown, got=total / size, asked=Asked(1.25, at_most=True))


def jobs(settings: Settings) -> list[Job]:
    name = f"memory of 8 processes for the map of {records.tiny_count(settings):,} records / its size"
    return [Job(name, partial(shared, settings, name))]

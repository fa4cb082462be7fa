"""The memory of the workers of a training program."""

from __future__ import annotations

import multiprocessing
from multiprocessing.connection import Connection
from typing import Any, ClassVar

from harness import memory
from harness.data import Data, Grid
from harness.peer import Peer
from harness.settings import BATCH, Settings
from harness.task import Figure, Measured, Task
from tasks.turn import ordinals

WORKERS = 8
BATCHES = 40


def work(tool: type[Peer], data: Data, settings: str, pipe: Connection) -> None:
    """Reads random records, waits until all workers have, and reports how much more memory it needs since its
    imports."""
    peer = tool(data, Settings.loads(settings))
    peer.load()
    before = memory.owned()
    read = peer.get_many()
    drawn = ordinals(data.records, BATCHES * BATCH)
    for at in range(0, len(drawn), BATCH):
        read(drawn[at : at + BATCH])
    pipe.send("ready")
    pipe.recv()
    pipe.send(memory.owned() - before)
    pipe.recv()


class Workers(Task):
    """Eight processes read 10,000 random records each. The memory that they need in total since their imports, without
    pages of files, which the kernel can evict."""

    name = "workers"
    title = "Memory of 8 workers"
    figures = (Figure("memory", "memory", "MiB"),)
    advantages: ClassVar[dict[str, str]] = dict.fromkeys(
        ("memory lmdb", "memory numpy"),
        "trusts its file; a process of ofindex copies what it uses of the map, up to 4 MiB, so that a map that is "
        "rewritten in place cannot mislead it",
    )
    needs = ("get_many",)
    most_turns = 1
    typical = 15

    def data(self, grid: Grid) -> list[Data]:
        return [grid.smallest()]

    def measure(self, peer: Peer) -> Measured:
        spawn = multiprocessing.get_context("spawn")
        pipes = [spawn.Pipe() for _ in range(WORKERS)]
        words: tuple[Any, ...] = (type(peer), peer.data, peer.settings.dumps())
        workers = [spawn.Process(target=work, args=(*words, far), daemon=True) for _, far in pipes]
        for worker, (_, far) in zip(workers, pipes, strict=True):
            worker.start()
            far.close()
        nears = [near for near, _ in pipes]
        for near in nears:
            near.recv()
        for near in nears:
            near.send("measure")
        grown = sum(near.recv() for near in nears)
        for near in nears:
            near.send("end")
        for worker in workers:
            worker.join()
        return Measured({"memory": max(0, grown) / 2**20})

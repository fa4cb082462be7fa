"""ofindex.torch under torch.distributed: equal numbers of steps, whole epochs, and resuming with another number of
ranks."""

from __future__ import annotations

import json
import multiprocessing
import time
import unittest
from collections import Counter
from datetime import timedelta
from pathlib import Path
from typing import Any

import ofindex
from oracle import messages
from python.work import WorkTest

try:
    import torch
    import torch.distributed
except ImportError as missing:
    raise unittest.SkipTest("torch is not installed") from missing
if not (torch.distributed.is_available() and torch.distributed.is_gloo_available()):
    raise unittest.SkipTest("torch has no gloo")

from ofindex.torch import Loader

NUMBER = {"number": ofindex.fixed("int64")}
BATCH = 8
PATIENCE = 60  # seconds after which a collective operation fails


def train(task: dict[str, Any]) -> dict[str, Any]:
    """Reads one rank's part of an epoch, or the first steps of it, with an all-reduce in each step. Rank and world size
    are those of torch.distributed."""
    loader = Loader(ofindex.open(task["data"]), NUMBER, BATCH, seed=11, tail=task["tail"], threads=1)
    if task["state"]:
        loader.load_state_dict(task["state"])
    read: list[list[int]] = []
    position = torch.zeros(1, dtype=torch.int64)
    for batch in loader:
        read.append(batch["number"].tolist())
        if task["tail"] != "exact":
            # Ranks with different numbers of steps would hang here.
            position[0] = len(read)
            torch.distributed.all_reduce(position)
            assert position.item() == len(read) * torch.distributed.get_world_size()
        if len(read) == task["steps"]:
            break
    return {"read": read, "length": len(read), "state": loader.state_dict()}


def rank_of(tasks: list[dict[str, Any]], rank: int, world_size: int, folder: str) -> None:
    """The main function of the process of one rank: performs the tasks in order, and writes their results to a file."""
    torch.set_num_threads(1)
    torch.distributed.init_process_group(
        "gloo",
        init_method=f"file://{folder}/meeting",
        rank=rank,
        world_size=world_size,
        timeout=timedelta(seconds=PATIENCE),
    )
    results = []
    for task in tasks:
        results.append(train(task))
        torch.distributed.barrier()
    Path(folder, f"rank-{rank}").write_text(json.dumps(results))
    torch.distributed.destroy_process_group()


class DistributedTest(WorkTest):
    meetings = 0

    def dataset(self, count: int) -> str:
        payloads = [messages.encode("example", {"number": ("int64", [number])}) for number in range(count)]
        path = self.write(f"data-{count}/", payloads)
        ofindex.build(path)
        return str(path)

    def run_ranks(self, world_size: int, tasks: list[dict[str, Any]]) -> list[list[dict[str, Any]]]:
        """Runs the tasks in `world_size` processes. Returns, for each task, the result of each rank."""
        self.meetings += 1
        folder = self.dir / f"meeting-{self.meetings}"
        folder.mkdir()
        context = multiprocessing.get_context("spawn")
        ranks = [
            context.Process(target=rank_of, args=(tasks, rank, world_size, str(folder))) for rank in range(world_size)
        ]
        for process in ranks:
            process.start()
        end = time.monotonic() + 2 * PATIENCE
        for process in ranks:
            process.join(max(0, end - time.monotonic()))
        hanging = [rank for rank, process in enumerate(ranks) if process.is_alive()]
        for process in ranks:
            process.kill()
        self.assertEqual(hanging, [], "ranks hang")
        self.assertEqual([process.exitcode for process in ranks], [0] * world_size)
        results = [json.loads((folder / f"rank-{rank}").read_text()) for rank in range(world_size)]
        return list(zip(*results, strict=True))  # type: ignore[arg-type]

    def numbers(self, ranks: list[dict[str, Any]]) -> list[int]:
        return [number for rank in ranks for batch in rank["read"] for number in batch]

    def check_whole(self, ranks: list[dict[str, Any]], count: int, tail: str, before: list[int], message: str) -> None:
        """Checks that the records `before` and those that the ranks read together are an epoch, as `tail` promises."""
        times = Counter(before + self.numbers(ranks))
        world_size = len(ranks)
        lengths = [sum(map(len, rank["read"])) for rank in ranks]
        self.assertLessEqual(set(times), set(range(count)), message)
        if tail == "exact":
            self.assertEqual(times, Counter(range(count)), message)
            self.assertLessEqual(max(lengths) - min(lengths), 1, message)
            return
        self.assertEqual(len({rank["length"] for rank in ranks}), 1, message)
        self.assertEqual(len(set(lengths)), 1, message)
        if tail == "pad":
            self.assertEqual(set(times), set(range(count)), message)
            self.assertLess(sum(times.values()) - count, world_size, message)
        else:
            self.assertEqual(max(times.values()), 1, message)
            self.assertLess(count - sum(times.values()), world_size, message)

    def test_the_ranks_cover_an_epoch_as_its_tail_promises_even_after_a_resume(self) -> None:
        # A step of two ranks is 16 records. The last steps have 16 records, 1, 15, and again 1.
        counts = (160, 161, 159, 177)
        tails = ("exact", "pad", "drop")
        cases = [(count, tail) for count in counts for tail in tails]
        data = {count: self.dataset(count) for count in counts}
        plain = [{"data": data[count], "tail": tail, "steps": None, "state": None} for count, tail in cases]
        stopped = [{**task, "steps": 4} for task in plain]
        results = self.run_ranks(2, [*plain, *stopped])
        for (count, tail), ranks in zip(cases, results, strict=False):
            self.check_whole(ranks, count, tail, [], f"{count} records, {tail}")
        halves = results[len(cases) :]
        for (count, tail), ranks in zip(cases, halves, strict=True):
            states = [rank["state"] for rank in ranks]
            self.assertEqual(states[0], states[1], (count, tail))
            self.assertEqual(states[0]["position"], 2 * 4 * BATCH, (count, tail))
        resumed = [{**task, "state": ranks[0]["state"]} for task, ranks in zip(plain, halves, strict=True)]
        for world_size in (1, 3):
            for (count, tail), before, ranks in zip(cases, halves, self.run_ranks(world_size, resumed), strict=True):
                message = f"{count} records, {tail}, 2 ranks and then {world_size}"
                self.check_whole(ranks, count, tail, self.numbers(before), message)


if __name__ == "__main__":
    unittest.main()

"""Measures every tool at every task. The tools take turns, and each measurement has a process of its own."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from harness import page_cache
from harness.data import Data, Grid
from harness.environments import Environments
from harness.measure import MISSING
from harness.peer import Peer
from harness.process import finished
from harness.results import Result, Results, differing
from harness.settings import Missing, Settings
from harness.task import Task
from tasks import TASKS

HERE = Path(__file__).resolve().parent
LONGEST = {"measure": 600, "make": 3600}  # seconds that a process may take
LONG, FEW = 60, 2  # a tool whose turn took that many seconds has only that many turns
QUIET = {"TF_CPP_MIN_LOG_LEVEL": "3", "CUDA_VISIBLE_DEVICES": "", "HF_DATASETS_OFFLINE": "1", "HF_HUB_OFFLINE": "1"}


class Failed(Exception):
    """A process of a tool ended without a result."""


@dataclass
class Runner:
    """A run: its tools and data, and where its results go."""

    settings: Settings
    grid: Grid
    tools: dict[str, type[Peer]]
    turns: int
    environments: Environments
    results: Results

    def run(self, tasks: Sequence[Task]) -> None:
        """Measures all tasks on one data set after another. What the tools have made of a data set is removed after
        its last task, since together it would be many times as large as the data."""
        on: dict[Data, list[Task]] = {}
        for task in tasks:
            for data in task.data(self.grid):
                on.setdefault(data, []).append(task)
        for data, several in on.items():
            for task in several:
                print(f"{data.title}: {task.name}", flush=True)
                data.make(self.settings)
                self.compare(task, data)
            self.remove_stores(data)

    def remove_stores(self, data: Data) -> None:
        for path in Path(data.root).glob(data.name + ".*"):
            if path.name == f"{data.name}.places":
                continue
            if path.is_dir() and not path.is_symlink():
                shutil.rmtree(path)
            else:
                path.unlink()

    def compare(self, task: Task, data: Data) -> None:
        """Measures all tools that can do the task, turn by turn, in an order that is reversed each time. Turn 0 warms
        up."""
        done = self.results.keys()
        missing = self.results.missing(task.name, data.name)
        tools = [name for name, tool in self.tools.items() if tool.can(task) and name not in missing]
        for turn in range(0 if task.warms_up else 1, self.turns + 1):
            if turn > FEW:
                tools = [name for name in tools if self.longest(task, data, name) < LONG]
            for name in tools if turn % 2 == 0 else reversed(tools):
                if (task.name, data.name, name, turn) in done:
                    continue
                result = self.result(task, data, name, turn)
                self.results.add(result)
                if result.why:
                    print(f"  {name}: {result.why}", flush=True)
                    tools = [other for other in tools if other != name]
            self.check(task, data, turn)

    def longest(self, task: Task, data: Data, name: str) -> float:
        """The seconds of the longest turn of a tool."""
        walls = [one.wall for one in self.results.results if one.key[:3] == (task.name, data.name, name)]
        return max(walls, default=0)

    def check(self, task: Task, data: Data, turn: int) -> None:
        same = [one for one in self.results.results if one.key[:2] == (task.name, data.name) and one.turn == turn]
        if answers := differing(same):
            why = f"the answers differ: {json.dumps(answers)}"
            print(f"  {why}", flush=True)
            self.results.add(Result(task.name, data.name, "", turn, why=why, failed=True))

    def result(self, task: Task, data: Data, name: str, turn: int) -> Result:
        key = (task.name, data.name, name, turn)
        begin = time.monotonic()
        try:
            told = self.measured(task, data, name)
        except Missing as error:
            return Result(*key, why=str(error))
        except (Failed, OSError) as error:
            return Result(*key, why=str(error), failed=True)
        wall = time.monotonic() - begin
        return Result(*key, told["figures"], told["answer"], wall, note=told["note"])

    def measured(self, task: Task, data: Data, name: str) -> dict[str, Any]:
        peer = self.tools[name](data, self.settings)
        self.make_store(task, data, peer)
        files = peer.files(task)
        if task.is_cold:
            page_cache.drop(files)
        elif task.store:
            page_cache.warm(files)
        job = {"tool": name, "task": task.name, "data": data.as_dict(), "do": "measure"}
        return self.process(job, name)

    def make_store(self, task: Task, data: Data, peer: Peer) -> None:
        """Makes what the tool reads, unless it exists or the task itself makes it. It is complete once its mark
        exists."""
        path, method = peer.stores().get(peer.store_for(task), (None, ""))
        if path is None or getattr(type(peer), method) is getattr(Peer, method):
            return
        mark = path.with_name(path.name + ".made")
        if mark.exists():
            return
        for old in [path, *path.parent.glob(path.name + "[-.]*")]:
            shutil.rmtree(old, ignore_errors=True) if old.is_dir() else old.unlink(missing_ok=True)
        self.process({"tool": peer.slug(), "task": "", "data": data.as_dict(), "do": method}, peer.slug())
        mark.touch()
        os.sync()

    def process(self, job: dict[str, Any], name: str) -> dict[str, Any]:
        """Does a job in a new process.

        Raises:
            Missing: the tool does not run here. Failed: it ended without a result.
        """
        python = self.environments.python(self.tools[name], list(self.tools.values()))
        makes = job["do"] != "measure" or not TASKS[job["task"]].store
        longest = LONGEST["make" if makes else "measure"]
        words = [python, str(HERE / "measure.py"), self.settings.dumps(), json.dumps(job)]
        try:
            done = finished(words, {**os.environ, **QUIET}, longest)
        except subprocess.TimeoutExpired as error:
            raise Failed(f"took longer than {longest} s") from error
        said = [line for line in done.errors.splitlines() if line.strip()] or [f"exit code {done.code}"]
        if done.code == MISSING:
            raise Missing(said[-1])
        if done.code or not done.output:
            print(*said[-12:], sep="\n    ", flush=True)
            raise Failed(said[-1])
        return json.loads(done.output)

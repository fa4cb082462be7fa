"""Measures every tool at every task. The tools take turns, and each measurement has a process of its own."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import subprocess
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from harness import page_cache
from harness.data import Data
from harness.environments import Environments
from harness.measure import MISSING
from harness.peer import Peer
from harness.process import finished
from harness.results import Result, Results, differing
from harness.schedule import SLOW_PART, Schedule
from harness.settings import Missing, Settings
from harness.store import complete, is_complete, remove, remove_path
from harness.summary import LIMIT, OURS
from harness.task import Task
from tasks import TASKS

HERE = Path(__file__).resolve().parent
LONGEST = {"measure": 600, "make": 1200}  # seconds that a process may take
LONG, FEW = 15, 2  # a tool whose turn took that many seconds has only that many turns
QUIET = {"TF_CPP_MIN_LOG_LEVEL": "3", "CUDA_VISIBLE_DEVICES": "", "HF_DATASETS_OFFLINE": "1", "HF_HUB_OFFLINE": "1"}


class Failed(Exception):
    """A process of a tool ended without a result."""


@dataclass
class Runner:
    """A run: its tools and data, and where its results go."""

    settings: Settings
    schedule: Schedule
    environments: Environments
    results: Results

    @property
    def tools(self) -> dict[str, type[Peer]]:
        return self.schedule.tools

    def install(self) -> None:
        """Makes all environments, before anything is measured. A tool that cannot be installed is missing later."""
        for tool in self.tools.values():
            with contextlib.suppress(Missing):
                self.environments.python(tool, list(self.tools.values()))

    def run(self, tasks: Sequence[Task]) -> None:
        """Measures all tasks on one data set after another. What the tools have made of a data set is removed after
        its last task, since together it would be many times as large as the data."""
        self.install()
        for data, several in self.schedule.by_data(tasks).items():
            for task in several:
                print(f"{data.title}: {task.name}", flush=True)
                self.compare(task, data)
            for own in {self.schedule.data_of(name, data) for name in self.tools}:
                self.remove_stores(own)
            shutil.rmtree(Path(self.settings.folder) / "tmp", ignore_errors=True)

    def remove_stores(self, data: Data) -> None:
        for path in Path(data.root).glob(data.name + ".*"):
            if path.name != f"{data.name}.places":
                remove_path(path)

    def compare(self, task: Task, data: Data) -> None:
        """Measures all tools that can do the task, turn by turn, in an order that is reversed each time. All stores are
        made before the first turn."""
        done = self.results.keys()
        missing = self.results.missing(task.name, data.name)
        turns = self.schedule.turns_of(task)
        tools = [name for name in self.schedule.tools_of(task, data) if name not in missing]
        wanted = [name for name in tools if any((task.name, data.name, name, turn) not in done for turn in turns)]
        for name in wanted:
            if failure := self.attempt(task, data, name, turns[0], self.prepare):
                self.add(failure)
                tools.remove(name)
        for turn in turns:
            if turn > FEW:
                tools = [name for name in tools if self.longest(task, data, name) < LONG]
            for name in tools if turn % 2 == 0 else tools[::-1]:
                if (task.name, data.name, name, turn) in done:
                    continue
                result = self.attempt(task, data, name, turn, self.measured)
                self.add(result)
                if result.why:
                    tools = [other for other in tools if other != name]
            self.check(task, data, turn)

    def add(self, result: Result) -> None:
        self.results.add(result)
        if result.why:
            print(f"  {result.tool}: {result.why}", flush=True)

    def longest(self, task: Task, data: Data, name: str) -> float:
        """The seconds of the longest turn of a tool."""
        walls = [one.wall for one in self.results.results if one.key[:3] == (task.name, data.name, name)]
        return max(walls, default=0)

    def check(self, task: Task, data: Data, turn: int) -> None:
        same = [one for one in self.results.results if one.key[:2] == (task.name, data.name) and one.turn == turn]
        if answers := differing(same):
            self.add(
                Result(task.name, data.name, "", turn, why=f"the answers differ: {json.dumps(answers)}", failed=True)
            )

    def attempt(self, task: Task, data: Data, name: str, turn: int, do: Callable[..., Any]) -> Any:
        """What `do` returns, or a result that says why it failed. ofindex and the limit must not be missing."""
        key = (task.name, data.name, name, turn)
        try:
            return do(task, data, name, turn)
        except Missing as error:
            return Result(*key, why=str(error), failed=name in (OURS, LIMIT))
        except (Failed, OSError, subprocess.CalledProcessError) as error:
            return Result(*key, why=str(error), failed=True)

    def prepare(self, task: Task, data: Data, name: str, _: int) -> None:
        """Makes what the tool reads, unless it exists or the task itself makes it."""
        own = self.schedule.data_of(name, data)
        own.make(self.settings)
        peer = self.tools[name](own, self.settings)
        path, method = peer.stores().get(peer.store_for(task), (None, ""))
        if path is None or getattr(type(peer), method) is getattr(Peer, method) or is_complete(path):
            return
        remove(path)
        self.process({"tool": name, "task": "", "data": own.as_dict(), "do": method}, name)
        complete(path)

    def measured(self, task: Task, data: Data, name: str, turn: int) -> Result:
        own = self.schedule.data_of(name, data)
        files = self.tools[name](own, self.settings).files(task)
        os.sync()  # or the kernel writes what others have made during this turn
        if task.is_cold:
            page_cache.drop(files)
        else:
            page_cache.warm(files)
        begin = time.monotonic()
        told = self.process({"tool": name, "task": task.name, "data": own.as_dict(), "do": "measure"}, name)
        wall = time.monotonic() - begin
        is_whole = own == data
        notes = [] if is_whole else [f"1/{SLOW_PART} of the records"]
        note = "; ".join(filter(None, [*notes, told["note"]]))
        answer = told["answer"] if is_whole else None
        return Result(task.name, data.name, name, turn, told["figures"], answer, wall, note=note)

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
            done = finished(words, {**os.environ, **QUIET, **self.folders()}, longest)
        except subprocess.TimeoutExpired as error:
            raise Failed(f"took longer than {longest} s") from error
        said = [line for line in done.errors.splitlines() if line.strip()] or [f"exit code {done.code}"]
        if done.code == MISSING:
            raise Missing(said[-1])
        if done.code or not done.output:
            print(*said[-12:], sep="\n    ", flush=True)
            raise Failed(said[-1])
        return json.loads(done.output)

    def folders(self) -> dict[str, str]:
        """The tools write caches and temporary files into the data folder alone."""
        inside = {"TMPDIR": "tmp", "HOME": "home", "XDG_CACHE_HOME": "home/.cache"}
        paths = {name: Path(self.settings.folder) / folder for name, folder in inside.items()}
        for path in paths.values():
            path.mkdir(parents=True, exist_ok=True)
        return {name: str(path) for name, path in paths.items()}

"""Kills at random moments of builds, reads and writes on an engine: what comes out is whole or absent."""

from __future__ import annotations

import gzip
import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import ofindex
from oracle import messages, records
from python.cluster_builds import processes_below
from python.engine_driver import ROWS
from python.work import WorkTest, example

KILLS = int(os.environ.get("OFINDEX_ENGINE_KILLS", "3"))
READ = 20_000


class Driver:
    """A process of engine_driver.py."""

    def __init__(self, engine: str, folder: Path) -> None:
        program = Path(__file__).with_name("engine_driver.py")
        command = [sys.executable, str(program), engine, str(folder)]
        pipe = subprocess.PIPE
        self.process = subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=subprocess.DEVNULL, text=True)
        assert self.process.stdout is not None
        self.output = self.process.stdout
        while (line := self.output.readline()) not in ("ready\n", ""):
            pass
        if not line:
            raise AssertionError("the engine does not start")

    def say(self, line: str) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()

    def answer(self) -> str:
        """The result of the last line; "" if the driver is dead."""
        while line := self.output.readline():
            if line.startswith(("done", "failed")):
                return line.strip()
        return ""

    def end(self) -> None:
        """Ends the driver and all that it has started."""
        below = processes_below(self.process.pid)
        self.process.kill()
        self.process.wait()
        for process in below:
            try:
                os.kill(process, signal.SIGKILL)
            except ProcessLookupError:
                continue
        self.output.close()


class EngineKills(WorkTest):
    """The test, for one engine, in a subclass that has `engine`, `works` and `victims`."""

    engine: str
    works: tuple[str, ...]
    victims: tuple[Callable[[bytes], bool], ...]
    """Predicates on command lines of processes that run tasks."""

    def setUp(self) -> None:
        super().setUp()
        framed = gzip.compress(b"".join(map(records.frame_tfrecord, map(example, range(10_000)))) * 8, 1)
        for number in range(6):
            path = self.dir / "data" / f"part-{number}"
            path.parent.mkdir(exist_ok=True)
            path.write_bytes(framed)
        ofindex.build(self.dir / "data", self.dir / "once.ofidx")
        self.write("read/", [example(number) for number in range(READ)])
        ofindex.build(self.dir / "read", self.dir / "read.ofidx")
        self.driver = Driver(self.engine, self.dir)
        self.addCleanup(lambda: self.driver.end())
        self.written = ""
        self.left: list[str] = []

    def test_what_comes_out_after_a_kill_is_whole_or_absent(self) -> None:
        generator = random.Random(os.environ.get("OFINDEX_SEED", "20"))
        seconds = {work: self.timed(work) for work in self.works}
        hit = 0
        for turn in range(KILLS):
            work = self.works[turn % len(self.works)]
            victim = generator.choice([None, *self.victims])
            moment = generator.random() * seconds[work]
            with self.subTest(turn=turn, work=work, moment=moment, driver=victim is None):
                hit += self.check(work, victim, moment, str(turn % 999))
        self.assertGreater(hit, 0, "no process was there to kill")
        for work in self.works:  # what the kills have left hinders nothing
            self.timed(work)
        self.assert_whole()
        self.assertEqual(list(self.dir.glob("out.*.parts")), [])

    def timed(self, work: str) -> float:
        self.remove_index()
        begin = time.monotonic()
        self.driver.say(f"{work} 999" if work == "write" else work)
        answer = self.driver.answer()
        self.assert_answer(work, answer, "999")
        return time.monotonic() - begin

    def check(self, work: str, victim: Callable[[bytes], bool] | None, moment: float, number: str) -> bool:
        """Starts the work, kills, and looks at what there is. Returns whether a process was killed."""
        self.remove_index()
        self.driver.say(f"{work} {number}" if work == "write" else work)
        time.sleep(moment)
        found = [self.driver.process.pid] if victim is None else processes_below(self.driver.process.pid, victim)
        if found:
            os.kill(found[-1], signal.SIGKILL)
        if victim is not None:
            self.assert_answer(work, self.driver.answer(), number)
            self.assert_whole()
            self.assertEqual(self.drafts(), self.left)
            return bool(found)
        self.driver.end()
        self.assert_whole(either=number if work == "write" else None)
        self.left = self.drafts()
        self.driver = Driver(self.engine, self.dir)
        return True

    def drafts(self) -> list[str]:
        """The hidden folders of writes."""
        return sorted(path.name for path in self.dir.iterdir() if path.name.startswith("."))

    def remove_index(self) -> None:
        for path in self.dir.glob("out.ofidx*"):
            if path.is_file():  # parts of a killed job stay, for the next one
                path.unlink()

    def assert_answer(self, work: str, answer: str, number: str) -> None:
        expected = {"build": 480_000, "read": READ * (READ - 1) // 2, "write": number}
        self.assertEqual(answer, f"done {expected[work]}")
        if work == "write":
            self.written = number
        if work == "build":
            self.assertTrue((self.dir / "out.ofidx").exists())

    def assert_whole(self, either: str | None = None) -> None:
        """The index is that of one machine or absent, and the set one that was written whole: the last one or, if its
        driver was killed, maybe the one of number `either`."""
        if (self.dir / "out.ofidx").exists():
            for suffix in ("", "-map"):
                index, once = (self.dir / f"{name}.ofidx{suffix}" for name in ("out", "once"))
                self.assertEqual(index.read_bytes(), once.read_bytes())
        if "write" not in self.works:
            return
        found = [record for path in sorted((self.dir / "set").iterdir()) for record in self.numbers(path)]
        number = str(found[0] % 1000)
        self.assertIn(number, {self.written, either})
        self.assertEqual(found, [row * 1000 + int(number) for row in range(ROWS)])
        self.written = number

    @staticmethod
    def numbers(path: Path) -> list[int]:
        payloads = records.WALK[records.TFRECORD](path.read_bytes()).payloads
        examples = map(messages.MESSAGES["example"].FromString, payloads)
        return [example.features.feature["n"].int64_list.value[0] for example in examples]

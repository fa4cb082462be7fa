"""Kills at random moments of builds, reads and writes on an engine: what comes out is whole or absent."""

from __future__ import annotations

import contextlib
import gzip
import itertools
import os
import random
import select
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import ofindex
from oracle import messages, records
from python.cluster_builds import processes_below
from python.engine_driver import ROWS
from python.work import WorkTest, example

KILLS = int(os.environ.get("OFINDEX_ENGINE_KILLS", "0"))
"""0: as few as have each kind of work and of victim once."""

BUILT, READ = 180_000, 20_000
"""Records of the set that builds read, and of that which reads read."""

Victim = Callable[[bytes], bool]


class Driver:
    """A process of engine_driver.py, and those that it starts."""

    def __init__(self, engine: str, folder: Path) -> None:
        # Sockets of Ray need short paths.
        self.temporary = tempfile.mkdtemp(prefix="of-", dir="/tmp")
        self.log = (Path(self.temporary) / "log").open("w+")
        program = Path(__file__).with_name("engine_driver.py")
        command = [sys.executable, str(program), engine, str(folder), self.temporary]
        pipe = subprocess.PIPE
        self.process = subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=self.log, text=True)
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.input, self.output = self.process.stdin, self.process.stdout
        if self.answer("ready") != "ready":
            self.log.seek(0)
            said = self.log.read()
            self.end()
            raise AssertionError(f"the engine does not start: {said}")

    def say(self, line: str) -> None:
        self.input.write(line + "\n")
        self.input.flush()

    def has_answered(self) -> bool:
        return bool(select.select([self.output], [], [], 0)[0])

    def answer(self, *beginnings: str) -> str:
        """The next line that begins so; "" if the driver has ended."""
        while line := self.output.readline():
            if line.startswith(beginnings):
                return line.strip()
        return ""

    def kill(self) -> None:
        """Kills the driver alone, waits some seconds for what it has started to end by itself, and kills the rest."""
        below = processes_below(self.process.pid)
        self.process.kill()
        self.process.wait()
        wait_for(below, 5)
        for process in below:
            with contextlib.suppress(ProcessLookupError):
                os.kill(process, signal.SIGKILL)
        wait_for(below, 30)
        self.input.close()
        self.output.close()
        self.log.close()
        shutil.rmtree(self.temporary, ignore_errors=True)

    def end(self) -> None:
        """Lets the driver end by itself, so that it removes what it has made."""
        with contextlib.suppress(BrokenPipeError):
            self.input.close()
        with contextlib.suppress(subprocess.TimeoutExpired):
            self.process.wait(30)
        self.kill()


def wait_for(processes: list[int], seconds: float) -> None:
    """Waits until they have ended, for at most so many seconds."""
    end = time.monotonic() + seconds
    while time.monotonic() < end and any(map(is_running, processes)):
        time.sleep(0.05)


def is_running(process: int) -> bool:
    try:
        return b") Z" not in Path(f"/proc/{process}/stat").read_bytes()
    except OSError:
        return False


class EngineKills(WorkTest):
    """The test, for one engine, in a subclass that has `engine`, `works` and `victims`."""

    engine: str
    works: tuple[str, ...]
    victims: tuple[Victim, ...]
    """Predicates on command lines of processes that run tasks."""

    def setUp(self) -> None:
        super().setUp()
        framed = gzip.compress(b"".join(map(records.frame_tfrecord, map(example, range(BUILT // 18)))) * 3, 1)
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
        pairs = self.pairs()
        for work in self.works:
            self.timed(work)  # the first time, an engine starts its workers
        seconds = {work: self.timed(work) for work in self.works}
        hits = 0
        turns = KILLS or max(len(self.works), len(self.victims) + 1)
        for turn in range(3 * max(turns, len(pairs))):
            if turn >= turns and hits > turns // 3:  # on a busy machine, more kills come too late
                break
            work, victim = pairs[turn % len(pairs)]
            moment = generator.random() * seconds[work]
            with self.subTest(turn=turn, work=work, moment=moment, driver=victim is None):
                hits += self.check(work, victim, moment, str(turn % 999))
        self.assertGreater(hits, turns // 3, "most kills came too late")
        for work in self.works:  # what the kills have left hinders nothing
            self.timed(work)
        self.assert_whole()
        self.assertEqual(list(self.dir.glob("out.*.parts")), [])

    def pairs(self) -> list[tuple[str, Victim | None]]:
        """Each kind of work with each victim; the first ones have each work, and each victim, once."""
        victims: list[Victim | None] = [*self.victims, None]
        every = itertools.product(range(len(self.works)), range(len(victims)))
        places = sorted(every, key=lambda place: (place[1] - place[0]) % len(victims))
        return [(self.works[work], victims[victim]) for work, victim in places]

    def timed(self, work: str) -> float:
        self.remove_index()
        begin = time.monotonic()
        self.driver.say(f"{work} 999" if work == "write" else work)
        self.assert_answer(work, self.driver.answer("done", "failed"), "999")
        return time.monotonic() - begin

    def check(self, work: str, victim: Victim | None, moment: float, number: str) -> bool:
        """Starts the work, kills, and looks at what there is. Returns whether the work was not done yet."""
        self.remove_index()
        self.driver.say(f"{work} {number}" if work == "write" else work)
        time.sleep(moment)
        early = not self.driver.has_answered()
        if victim is None:
            self.driver.kill()
            self.assert_whole(either=number if work == "write" else None)
            self.left = self.drafts()
            self.driver = Driver(self.engine, self.dir)
            return early
        found = processes_below(self.driver.process.pid, victim)
        if found:
            with contextlib.suppress(ProcessLookupError):
                os.kill(found[-1], signal.SIGKILL)
        self.assert_answer(work, self.driver.answer("done", "failed"), number)
        self.assert_whole()
        self.assertEqual(self.drafts(), self.left)
        return early and bool(found)

    def drafts(self) -> list[str]:
        """The hidden folders of writes."""
        return sorted(path.name for path in self.dir.iterdir() if path.name.startswith("."))

    def remove_index(self) -> None:
        for path in self.dir.glob("out.ofidx*"):
            if path.is_file():  # parts of a killed job stay, for the next one
                path.unlink()

    def assert_answer(self, work: str, answer: str, number: str) -> None:
        expected = {"build": BUILT, "read": READ * (READ - 1) // 2, "write": number}
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

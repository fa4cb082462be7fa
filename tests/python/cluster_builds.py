"""What every engine's `build` must do, the commands that the document shows for it, and the data that it reads."""

from __future__ import annotations

import contextlib
import doctest
import gzip
import os
import re
import shutil
import signal
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import ofindex
from docs.blocks import ROOT, blocks
from docs.sample_data import make_data
from ofindex._engines.jobs import BuildJob
from oracle import records
from python.work import WorkTest, example


def processes_below(root: int, is_wanted: Callable[[bytes], bool] = lambda _: True) -> list[int]:
    """The processes that `root` has started, and those that these have, whose command lines are wanted."""
    parents: dict[int, int] = {}
    commands: dict[int, bytes] = {}
    for process in Path("/proc").glob("[0-9]*"):
        try:
            commands[int(process.name)] = (process / "cmdline").read_bytes()
            parents[int(process.name)] = int((process / "stat").read_bytes().rpartition(b")")[2].split()[1])
        except OSError:
            continue  # it has ended

    def is_below(process: int) -> bool:
        for _ in parents:  # numbers of processes that end meanwhile may be given again
            process = parents.get(process, 0)
            if process in (0, root):
                break
        return process == root

    return [process for process in parents if is_wanted(commands[process]) and is_below(process)]


def is_spark_executor(command: bytes) -> bool:
    return b"CoarseGrainedExecutorBackend" in command


def is_spark_worker(command: bytes) -> bool:
    """Whether it is a Python process of an executor; Spark runs others, which plan, beside the driver."""
    return b"pyspark.daemon" in command and b"pyspark.sql.worker" not in command


def kill_when_seen(is_victim: Callable[[bytes], bool], after: float, seconds: float = 60) -> list[int]:
    """Kills the first process of ours whose command line `is_victim` knows, `after` seconds later; [] if there is
    none."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        for process in processes_below(os.getpid(), is_victim):
            time.sleep(after)
            with contextlib.suppress(ProcessLookupError):
                os.kill(process, signal.SIGKILL)
                return [process]
        time.sleep(0.01)
    return []


class ClusterBuilds(WorkTest):
    """Tests for one engine, in a subclass that has `build` and `victims`."""

    victims: tuple[Callable[[bytes], bool], ...]
    """Predicates on command lines of processes that run tasks, of which one is killed."""

    def build(self, *args: Any, **options: Any) -> ofindex.Dataset:
        raise NotImplementedError

    def setUp(self) -> None:
        super().setUp()
        for number in range(4):
            self.write(f"data/part-{number}", [example(200 * number + i) for i in range(200)])
        (self.dir / "data" / "part-4").write_bytes(gzip.compress((self.dir / "data" / "part-3").read_bytes()))
        (self.dir / "data" / "words.txt").write_text("no shard")

    def assert_built(self, **options: Any) -> None:
        """The index that the cluster has built is that of one machine, and nothing else is left."""
        once = self.dir / "once.ofidx"
        ofindex.build(self.dir / "data", once, force=True, **options)
        self.assertEqual((self.dir / "out.ofidx").read_bytes(), once.read_bytes())
        self.assertEqual((self.dir / "out.ofidx-map").read_bytes(), (self.dir / "once.ofidx-map").read_bytes())
        self.assertEqual(sorted(path.name for path in self.dir.iterdir() if "out" in path.name),
                         ["out.ofidx", "out.ofidx-map"])  # fmt: skip

    def test_the_index_is_that_of_one_machine(self) -> None:
        for parts, options in ((None, {}), (3, {"columns": ["label", "boxes"]}), (7, {"columns": "none"})):
            with self.subTest(parts=parts):
                dataset = self.build(self.dir / "data", self.dir / "out.ofidx", parts, force=True, **options)
                self.assertEqual(len(dataset), 1000)
                self.assert_built(**options)

    def test_an_index_that_is_there_is_not_replaced_unless_forced(self) -> None:
        output = self.dir / "out.ofidx"
        output.write_text("a text")
        with self.assertRaisesRegex(ValueError, "force=True"):
            self.build(self.dir / "data", output, 2)
        with self.assertRaises(Exception):  # noqa: B017  # it is not an index, which nothing replaces
            self.build(self.dir / "data", output, 2, force=True)
        self.assertEqual(output.read_text(), "a text")

    def test_the_lines_of_a_list_are_relative_to_the_driver(self) -> None:
        self.addCleanup(os.chdir, os.getcwd())
        os.chdir(self.dir)
        Path("list").write_text("data/part-1\ndata/part-3\n")
        self.build(["@list", "data/part-0"], "out.ofidx", 2, wait=False, progress=True)
        ofindex.build(["@list", "data/part-0"], "once.ofidx")
        self.assertEqual(Path("out.ofidx").read_bytes(), Path("once.ofidx").read_bytes())

    def test_parts_of_a_job_that_failed_are_used_or_replaced(self) -> None:
        parts = self.dir / "out.ofidx.parts"
        parts.mkdir()
        ofindex.build_part(self.dir / "data", 1, 2, parts / "1.ofidx", columns="none")  # of another job
        ofindex.build_part(self.dir / "data", 2, 2, parts / "2.ofidx")
        self.build(self.dir / "data", self.dir / "out.ofidx", 2)
        self.assert_built()

    def test_errors_of_workers_are_raised_and_leave_nothing(self) -> None:
        with self.assertRaisesRegex(Exception, "none"):
            self.build(self.dir / "none", self.dir / "out.ofidx", 2)
        self.assertEqual(sorted(path.name for path in self.dir.iterdir()), ["data"])

    def test_a_second_job_for_one_index_is_refused(self) -> None:
        job = BuildJob.begin(self.dir / "data", self.dir / "out.ofidx", 2, {})
        with job.alone(), self.assertRaisesRegex(ofindex.LockError, "another job builds it"):
            self.build(self.dir / "data", self.dir / "out.ofidx", 2)
        self.build(self.dir / "data", self.dir / "out.ofidx", 2)
        self.assert_built()

    def test_a_killed_worker_changes_nothing(self) -> None:
        payloads = [example(number) for number in range(20_000)]
        framed = gzip.compress(b"".join(map(records.frame_tfrecord, payloads)) * 8, 1)
        for number in range(5, 9):
            (self.dir / "data" / f"part-{number}").write_bytes(framed)
        for victim in self.victims:
            killed: list[int] = []
            killer = threading.Thread(target=lambda: killed.extend(kill_when_seen(victim, 0.05)))  # noqa: B023
            killer.start()
            self.build(self.dir / "data", self.dir / "out.ofidx", 6, force=True)
            killer.join()
            self.assertEqual(len(killed), 1)
            self.assert_built()

    def assert_shown(self, heading: str, names: dict[str, Any]) -> None:
        """The Python blocks of a section of docs/scale.md print what they show."""
        text = (ROOT / "docs" / "scale.md").read_text(encoding="utf-8")
        section = re.split(r"^## ", text, flags=re.MULTILINE)
        chosen = next(part for part in section if part.startswith(heading + "\n"))
        shown = "\n\n".join("\n".join(block.lines) for block in blocks(chosen) if block.language == "pycon")
        make_data(self.dir)
        self.addCleanup(os.chdir, os.getcwd())
        os.chdir(self.dir)
        printed: list[str] = []
        test = doctest.DocTestParser().get_doctest(shown, names, "scale.md", "scale.md", 0)
        outcome = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS).run(test, out=printed.append)
        self.assertEqual((outcome.failed, outcome.attempted > 3), (0, True), "".join(printed))


class ReadData(WorkTest):
    """An index whose shards can be removed, where they need not be read."""

    def setUp(self) -> None:
        super().setUp()
        for number in range(3):
            self.write(f"data/part-{number}", [example(300 * number + i) for i in range(300)])
        self.ds = ofindex.build(self.dir / "data", columns=["auto", "boxes"])

    def lose_shards(self) -> None:
        shutil.rmtree(self.dir / "data")

"""`ofindex.build_part` and `ofindex.merge`: what they take, return, warn of and raise. What a merge does is tested on
the command."""

from __future__ import annotations

import fcntl
import os
import random
import unittest
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from unittest import mock

import ofindex
from ofindex._engines.jobs import BuildJob
from oracle import records
from python.work import WorkTest, example


class PartsTest(WorkTest):
    def setUp(self) -> None:
        super().setUp()
        for number in range(5):
            self.write(f"data/part-{number}", [example(100 * number + i) for i in range(40 * number + 1)])
        self.data = self.dir / "data"
        self.records = sum(40 * number + 1 for number in range(5))

    def test_parts_that_other_processes_build_become_the_bytes_of_one_build(self) -> None:
        with ProcessPoolExecutor(2) as pool:
            paths = list(pool.map(ofindex.build_part, [self.data] * 7, range(1, 8), [7] * 7))
        self.assertEqual(Path(paths[1]), self.dir / "data.part-2-of-7.ofidx")
        random.Random(1).shuffle(paths)
        merged = ofindex.merge(paths, self.dir / "merged.ofidx")
        assert merged is not None
        self.assertEqual(len(merged), self.records)
        ofindex.build(self.data, self.dir / "once.ofidx")
        self.assertEqual((self.dir / "merged.ofidx").read_bytes(), (self.dir / "once.ofidx").read_bytes())

    def test_the_parts_of_a_job_read_no_more_than_one_build(self) -> None:
        """Counted by the kernel, for the tasks that the engines run."""

        def bytes_read() -> int:
            return int(Path("/proc/self/io").read_text().split()[1])

        def bytes_of(work: Callable[[], object]) -> int:
            before = bytes_read()
            work()
            return bytes_read() - before

        framed = b"".join(records.frame_tfrecord(example(number)) for number in range(10_000)) * 4
        for number in range(5, 8):
            (self.data / f"part-{number}").write_bytes(framed)
        once = bytes_of(lambda: ofindex.build(self.data, self.dir / "once.ofidx", threads=1))
        for count in (1, 2, 7):
            job = BuildJob.begin(self.data, self.dir / "many.ofidx", count, {"force": True})
            parts: list[str] = []
            with job.alone():
                several = bytes_of(lambda: parts.extend(map(job.build_part, range(1, job.parts + 1))))  # noqa: B023
                self.assertLess(abs(several / once - 1), 0.05)
                job.merge(parts)
                job.finish()

    def test_a_job_locks_the_folder_that_is_there_and_not_one_that_another_job_has_just_removed(self) -> None:
        job = BuildJob.begin(self.data, self.dir / "many.ofidx", 2, {})
        folder = f"{job.index}.parts"
        lock = fcntl.flock
        locked: list[int] = []

        def lock_late(held: int, how: int) -> None:
            lock(held, how)
            locked.append(held)
            if len(locked) == 1:
                os.rmdir(folder)  # as at the end of another job, after which a third one begins
                os.mkdir(folder)

        with mock.patch("fcntl.flock", lock_late), job.alone():
            self.assertEqual(len(locked), 2)
            other = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
            self.addCleanup(os.close, other)
            with self.assertRaises(BlockingIOError):
                lock(other, fcntl.LOCK_EX | fcntl.LOCK_NB)

    def test_a_part_that_is_up_to_date_is_left_alone(self) -> None:
        part = ofindex.build_part(self.data, 1, 2, self.dir / "one.ofidx", columns=["label"], verify=False)
        before = os.stat(part)
        self.assertEqual(ofindex.build_part(self.data, 1, 2, part, columns=["label"], verify=False), part)
        self.assertEqual(os.stat(part), before)
        with self.assertRaisesRegex(ofindex.StaleError, "force=True"):
            ofindex.build_part(self.data, 1, 3, part, columns=["label"], verify=False)

    def test_some_parts_make_a_larger_part(self) -> None:
        parts = [ofindex.build_part(self.data, part, 3) for part in (1, 2, 3)]
        self.assertIsNone(ofindex.merge(parts[1:], self.dir / "last.ofidx"))
        with self.assertRaises(ofindex.Error):
            ofindex.open(self.dir / "last.ofidx")
        merged = ofindex.merge([self.dir / "last.ofidx", parts[0]], self.dir / "merged.ofidx")
        assert merged is not None
        sums = "SELECT count(*), sum(label) FROM records"
        self.assertEqual(merged.sql(sums).fetchall(), ofindex.build(self.data).sql(sums).fetchall())

    def test_whole_indexes_are_merged_too(self) -> None:
        for number in (3, 4):
            ofindex.build(self.data / f"part-{number}")
        inputs = [self.data / f"part-{number}.ofidx" for number in (4, 3)]
        merged = ofindex.merge(inputs, self.data / "both.ofidx")
        assert merged is not None
        self.assertEqual(merged[0], example(300))
        with self.assertRaisesRegex(ValueError, "force=True"):
            ofindex.merge(inputs, self.data / "both.ofidx")
        ofindex.merge(inputs, self.data / "both.ofidx", force=True)

    def test_what_does_not_fit_together_is_an_error(self) -> None:
        one = ofindex.build_part(self.data, 1, 2)
        two = ofindex.build_part(self.data, 2, 2)
        other = ofindex.build_part(self.data, 2, 2, self.dir / "other.ofidx", columns="none")
        for inputs in ([one], [two]):
            self.assertIsNone(ofindex.merge(inputs, self.dir / "some.ofidx", force=True))
        for inputs in ([one, one], [one, other], [one, two, two]):
            with self.subTest(inputs), self.assertRaises(ValueError):
                ofindex.merge(inputs, self.dir / "merged.ofidx")
        with self.assertRaises(FileNotFoundError):
            ofindex.merge([one, self.dir / "none.ofidx"], self.dir / "merged.ofidx")
        for part, parts in ((0, 2), (3, 2), (1, 0), (-1, 2), (1, 10**7)):
            with self.subTest(f"{part}/{parts}"), self.assertRaises(ValueError):
                ofindex.build_part(self.data, part, parts)
        with self.assertRaises(TypeError):
            ofindex.build_part(self.data, 1, 2, colums="none")  # type: ignore[call-arg]

    def test_damage_is_a_warning_of_the_caller(self) -> None:
        with open(self.data / "part-4", "ab") as shard:
            shard.write(b"torn")
        with self.assertWarnsRegex(RuntimeWarning, "torn_tail") as warned:
            part = ofindex.build_part(self.data, 1, 1)
        self.assertEqual(warned.filename, __file__)
        with self.assertWarnsRegex(RuntimeWarning, "torn_tail") as warned:
            ofindex.merge([part], self.dir / "merged.ofidx")
        self.assertEqual(warned.filename, __file__)
        with self.assertWarnsRegex(RuntimeWarning, "torn_tail") as warned:
            ofindex.build(self.data)
        self.assertEqual(warned.filename, __file__)


if __name__ == "__main__":
    unittest.main()

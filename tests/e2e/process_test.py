"""The command and other processes: closed pipes, interrupts, and two builds of one index at once."""

from __future__ import annotations

import signal
import subprocess
import time

from e2e.command import CommandTest
from e2e.holes import MIB, skip_without_holes, write_with_holes
from e2e.samples import write_parts
from oracle import records

RECORDS = 64  # of 64 MiB each


class PipeTest(CommandTest):
    def setUp(self) -> None:
        super().setUp()
        (self.dir / "data").write_bytes(records.frame_tfrecord(b"x" * 1000) * 4000)
        self.expect(0, "build", "data", "--payload", "opaque")

    def test_a_reader_that_leaves_early_ends_the_command_silently_with_0(self) -> None:
        for args in (("cat", "data", "--to", "raw"), ("get", "data", "0:4000", "--raw"), ("get", "data", "0:4000")):
            with self.subTest(args):
                process = self.start(*args)
                assert process.stdout is not None and process.stderr is not None
                process.stdout.read(10)
                process.stdout.close()
                self.assertEqual(process.stderr.read(), b"")
                self.assertEqual(process.wait(timeout=30), 0)

    def test_an_interrupt_ends_a_command_that_waits_for_its_reader_with_130(self) -> None:
        for args in (("cat", "data", "--to", "raw"), ("get", "data", "0:4000", "--raw"), ("get", "data", "0:4000")):
            with self.subTest(args):
                process = self.start(*args)
                assert process.stdout is not None
                process.stdout.read(10)  # it now fills the pipe, and blocks
                self.assert_interrupted(process)

    def test_an_interrupt_ends_a_command_that_waits_for_a_list_with_130(self) -> None:
        for args in (("build", "@-", "-o", "list.ofidx"), ("cat", "data", "--to", "raw", "--ids", "-")):
            for head in (b"", b"data\n" if args[0] == "build" else b"0\n1\n"):
                with self.subTest((args, head)):
                    process = self.start(*args, stdin=subprocess.PIPE)
                    assert process.stdin is not None
                    process.stdin.write(head)
                    process.stdin.flush()
                    self.assert_interrupted(process)
                    self.assertEqual(self.names(), ["data", "data.ofidx", "data.ofidx-map"])

    def test_sigint_and_sigterm_end_verbs_that_write_many_rows_with_130(self) -> None:
        (self.dir / "many").write_bytes(records.frame_tfrecord(b"x") * 40_000)
        self.expect(0, "build", "many", "--payload", "opaque")
        for args in (
            ("sample", "many"),
            ("sample", "many", "--json"),
            ("sample", "many", "--block", "8"),
            ("sample", "many", "--batch-total", "3"),
            ("sample", "many", "--pack", "3", "--window", "99"),
            ("where", "many", "_id >= 0"),
            ("where", "many", "_id >= 0", "--json"),
            ("sql", "many", "SELECT _id FROM records", "--csv"),
            ("get", "many", "0:40000", "--jsonl"),
        ):
            for stop in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
                with self.subTest((args, stop)):
                    process = self.start(*args)
                    assert process.stdout is not None
                    process.stdout.read(1)
                    self.assert_interrupted(process, stop)

    def assert_interrupted(self, process: subprocess.Popen[bytes], stop: signal.Signals = signal.SIGINT) -> None:
        time.sleep(0.2)
        process.send_signal(stop)
        self.assertEqual(process.wait(timeout=5), 130)


class SlowBuildTest(CommandTest):
    """Tests that run while a `build --verify` reads holes of 4 GiB, which takes a second or more."""

    def setUp(self) -> None:
        super().setUp()
        skip_without_holes(self, self.dir)
        write_with_holes(self.dir / "slow", records.TFRECORD, [64 * MIB] * RECORDS)

    def start_slow_build(self) -> subprocess.Popen[bytes]:
        """Starts the build, and returns when its temporary file exists next to the data."""
        before = self.names()
        process = self.start("build", "slow", "--verify", "--json", "-j", "1")
        while self.names() == before and process.poll() is None:
            time.sleep(0.005)
        time.sleep(0.1)
        self.assertIsNone(process.poll(), "the slow build ended before the test could begin")
        return process

    def test_an_interrupted_build_exits_with_130_at_once_and_leaves_no_files(self) -> None:
        process = self.start_slow_build()
        begin = time.monotonic()
        process.send_signal(signal.SIGINT)
        finished = self.finish(process)
        self.assertEqual(finished.code, 130, finished)
        self.assertEqual(finished.stdout, b"")
        self.assertLess(time.monotonic() - begin, 1.0)
        self.assertEqual(self.names(), ["slow"])

    def test_a_second_build_exits_with_6_or_waits_and_uses_the_result(self) -> None:
        first = self.start_slow_build()
        self.expect_error(6, "build", "slow")
        waiting = self.run_command("build", "slow", "--wait", "--json")
        built = self.finish(first, timeout=5)
        self.assertEqual(built.code, 3, built)  # the payloads are holes, and so are their checksums
        self.assertEqual(len(built.json["bad"]), RECORDS)
        self.assertEqual(waiting.json["records"], RECORDS, waiting)
        self.assertEqual(self.names(), ["slow", "slow.ofidx", "slow.ofidx-map"])

    def test_leftovers_of_a_killed_build_are_removed_by_the_next(self) -> None:
        process = self.start_slow_build()
        process.kill()
        process.wait()
        self.assertNotIn("slow.ofidx", self.names())
        self.expect(0, "build", "slow")
        self.assertEqual(self.names(), ["slow", "slow.ofidx", "slow.ofidx-map"])


class NeighboursTest(CommandTest):
    def test_files_with_similar_names_that_belong_to_others_are_kept(self) -> None:
        write_parts(self.dir / "data", (2,))
        mine = ["data.ofidx.backup", "data.ofidx2", "data.tmp", "mydata.ofidx-map"]
        for name in mine:
            (self.dir / name).write_text("keep me")
        self.expect(0, "build", "data")
        self.assertEqual(self.names(), sorted(["data", "data.ofidx", "data.ofidx-map", *mine]))

    def test_several_builds_started_at_once_all_end_with_the_index_in_place(self) -> None:
        write_parts(self.dir / "data", (200, 200))
        processes = [self.start("build", "data", "--wait") for _ in range(8)]
        codes = [self.finish(process).code for process in processes]
        self.assertEqual(codes, [0] * 8)
        self.assertEqual(self.names(), ["data", "data.ofidx", "data.ofidx-map"])

"""pack and convert interrupted in every way: full disks, kills, signals, sources that change meanwhile.

OFINDEX_KILLS is the number of kills (default: 20). The moments are the same in every run, as fractions of the verb's
time.
"""

from __future__ import annotations

import json
import os
import random
import resource
import shutil
import signal
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from e2e import written
from e2e.command import CommandTest, Finished
from oracle import messages, records

KILLS = int(os.environ.get("OFINDEX_KILLS", "20"))
ROWS = 60_000


class WritingTest(CommandTest):
    """A source of rows and a source of records, each large enough that its writer can be stopped halfway."""

    def setUp(self) -> None:
        super().setUp()
        (self.dir / "data").mkdir()
        text = "x" * 200
        with open(self.dir / "rows.jsonl", "w", encoding="utf-8") as rows:
            rows.writelines(f'{{"id":{number},"text":"{text}"}}\n' for number in range(ROWS))
        framed = [
            records.frame_tfrecord(
                messages.encode("example", {"id": ("int64", [number]), "text": ("bytes", [b"y" * 200])})
            )
            for number in range(500)
        ]
        for part in range(2):
            (self.dir / "data" / f"part-{part}").write_bytes(b"".join(framed) * (ROWS // 1000))
        self.sources = self.contents()

    def verbs(self) -> dict[str, tuple[str, ...]]:
        return {
            "pack": ("pack", "rows.jsonl", "--to", "ofrecord"),
            "pack, shuffled": ("pack", "rows.jsonl", "--to", "tfrecord", "--seed", "1"),
            "pack, compressed": ("pack", "rows.jsonl", "--to", "tfrecord", "--compress", "gzip"),
            "convert": ("convert", "data", "--to", "ofrecord"),
            "convert, shuffled": ("convert", "data", "--to", "ofrecord", "--shuffle", "1"),
        }

    def contents(self) -> dict[str, int]:
        return {str(path.relative_to(self.dir)): path.stat().st_size for path in self.dir.rglob("*") if path.is_file()}

    def seconds_of(self, *args: str) -> float:
        begin = time.monotonic()
        self.expect(0, *args)
        return time.monotonic() - begin


class FullDiskTest(WritingTest):
    def test_a_full_disk_exits_with_5_and_leaves_no_files(self) -> None:
        self.expect(0, "build", "data")
        self.sources, names = self.contents(), self.names()
        for name, args in self.verbs().items():
            for limit in (1, 4096, 300_000, 1_000_000):
                if limit > 200_000 and "compressed" in name:
                    continue  # the whole set fits in it
                for out in ("out", "one/deep"):
                    with self.subTest(name, limit=limit, out=out):

                        def shrink(limit: int = limit) -> None:
                            resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))

                        failed = self.expect_error(5, *args, "-o", out, "--shards", "3", preexec_fn=shrink)
                        self.assertIn("File too large", failed.stderr)
                        self.assertEqual(self.contents(), self.sources)
                        self.assertEqual(self.names(), names)

    def test_a_full_disk_leaves_no_files_if_the_data_have_no_index(self) -> None:
        few = {"preexec_fn": lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))}
        self.expect_error(5, "convert", "data", "--to", "ofrecord", "-o", "out", **few)
        self.assertEqual(self.names(), ["data", "rows.jsonl"])

    def test_a_full_disk_leaves_no_folder_of_packed_files(self) -> None:
        for name in ("a/1", "b/2"):
            (self.dir / "images" / name).parent.mkdir(parents=True)
            (self.dir / "images" / name).write_bytes(b"z" * 1000)
        few = {"preexec_fn": lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (100, 100))}
        self.expect_error(5, "pack", "images", "--to", "tfrecord", "-o", "out", **few)
        self.assertFalse((self.dir / "out").exists())


class KilledTest(WritingTest):
    def kill_at_random(self, name: str, args: tuple[str, ...], check: Callable[[Path, str], Any]) -> None:
        seconds = self.seconds_of(*args, "-o", "out", "--shards", "4", "--force")
        old = {path.name: path.read_bytes() for path in (self.dir / "out").iterdir()}
        moments = random.Random(name)
        for kill in range(max(2, KILLS // 4)):
            after = moments.uniform(0, 1.05) * seconds
            with self.subTest(name, kill=kill, milliseconds=round(after * 1000, 1)):
                process = self.start(*args, "-o", "out", "--shards", "4", "--force")
                time.sleep(after)
                process.kill()
                process.communicate()
                found = {path.name: path.read_bytes() for path in (self.dir / "out").iterdir()}
                self.assert_same(found, old, "the set, which has the same records before and after")
        self.expect(0, *args, "-o", "out", "--shards", "4", "--force")
        found = {path.name: path.read_bytes() for path in (self.dir / "out").iterdir()}
        self.assert_same(found, old, "the set")
        self.assertFalse((self.dir / "out.ofindex-draft").exists())
        check(self.dir / "out", "ofrecord" if "ofrecord" in args else "tfrecord")

    def test_a_killed_writer_leaves_a_whole_set(self) -> None:
        def check(folder: Path, framing: str) -> None:
            if framing == "ofrecord":
                self.assertEqual(len(written.payloads_in(folder, framing)), ROWS)

        for name, args in self.verbs().items():
            self.kill_at_random(name, args, check)
            shutil.rmtree(self.dir / "out")


class InterruptedTest(WritingTest):
    def interrupt(self, seconds: float, *args: str) -> Finished:
        """Starts the command, interrupts it after `seconds`, and waits for its end. Tries again with another delay if
        the command had already ended, or had not yet installed its signal handler."""
        for _ in range(20):
            process = self.start(*args, "-o", "new")
            time.sleep(seconds)
            process.send_signal(signal.SIGINT)
            done = self.finish(process, timeout=60)
            if done.code not in (0, -signal.SIGINT):
                break
            shutil.rmtree(self.dir / "new", ignore_errors=True)
            seconds *= 0.7 if done.code == 0 else 1.2
        return done

    def test_an_interrupt_exits_with_130_and_leaves_no_files(self) -> None:
        for name, args in self.verbs().items():
            seconds = self.seconds_of(*args, "-o", "new")
            shutil.rmtree(self.dir / "new")
            for share in (0.2, 0.5):
                with self.subTest(name, share=share):
                    done = self.interrupt(share * seconds, *args)
                    self.assertEqual(done.code, 130, done)
                    self.assertEqual(self.contents(), self.sources)
                    self.assertFalse((self.dir / "new").exists())


class ChangingTest(CommandTest):
    """A source that the test changes between the two passes over it, as soon as the temporary file exists."""

    def pack_while(self, change: Callable[[Path], None], *args: str) -> None:
        rows = self.dir / "rows.jsonl"
        rows.write_text("".join(json.dumps({"id": number, "text": "x" * 100}) + "\n" for number in range(200_000)))
        process = self.start("pack", "rows.jsonl", "--to", "tfrecord", "-o", "out", *args)
        while not (self.dir / "out.ofindex-draft").exists() and process.poll() is None:
            time.sleep(0.001)
        change(rows)
        done = self.finish(process)
        if done.code == 0:
            self.skipTest("the command ended before the source was changed")
        self.assertEqual(done.code, 5, done)
        self.assertIn("rows.jsonl: changed while it was read", done.stderr)
        self.assertEqual(self.names(), ["rows.jsonl"])

    @staticmethod
    def append(rows: Path) -> None:
        with open(rows, "a", encoding="utf-8") as more:
            more.writelines('{"id":1,"text":"late"}\n' for _ in range(100_000))

    def test_a_source_that_grows_is_an_error(self) -> None:
        for args in ((), ("--seed", "1")):
            with self.subTest(args):
                self.pack_while(self.append, *args)

    def test_a_source_that_shrinks_is_an_error(self) -> None:
        for args in ((), ("--seed", "1")):
            with self.subTest(args):
                self.pack_while(lambda rows: os.truncate(rows, 1000), *args)

    def test_a_source_that_is_rewritten_is_an_error(self) -> None:
        for args in ((), ("--seed", "1")):
            with self.subTest(args):
                self.pack_while(lambda rows: rows.write_text('{"other":"x"}\n' * 300_000), *args)

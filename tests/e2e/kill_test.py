"""kill -9 at random moments of a build: the old index or the new one is in place, and the next build repairs
everything, and takes up what the killed one had finished.

OFINDEX_KILLS is the number of kills (default: 20). The moments are the same in every run, as fractions of the build's
time.
"""

from __future__ import annotations

import os
import random
import time
from dataclasses import dataclass

from e2e.command import CommandTest
from e2e.samples import write_parts
from e2e.small_disk import SmallDiskTest
from oracle import records

KILLS = int(os.environ.get("OFINDEX_KILLS", "20"))
LEFT = ["data", "data.ofidx", "data.ofidx-map"]


SHARDS = 1000


@dataclass(frozen=True)
class Index:
    """The bytes of an index and of its map, and the number of records."""

    index: bytes
    map: bytes
    records: int


class KillTest(CommandTest):
    """An index of two shards, one of which has grown since, rebuilt with --force."""

    def setUp(self) -> None:
        super().setUp()
        # Lengths differ, so that offsets take space in the index; all records share 1,000 payloads.
        self.chunk = b"".join(records.frame_tfrecord(bytes([n % 256]) * (n * 7919 % 400)) for n in range(1000))
        (self.dir / "data").mkdir()
        for part in ("part-0", "part-1"):
            self.append(part, 150)
        self.old = self.build()
        self.append("part-1", 100)
        begin = time.monotonic()
        self.new = self.build()
        self.seconds = time.monotonic() - begin
        self.assertEqual((self.old.records, self.new.records), (300_000, 400_000))

    def append(self, part: str, chunks: int) -> None:
        with open(self.dir / "data" / part, "ab") as shard:
            for _ in range(chunks):
                shard.write(self.chunk)

    def build(self) -> Index:
        built = self.expect(0, "build", "data", "--payload", "opaque", "--verify", "--force", "--json").json
        return Index(self.read("data.ofidx"), self.read("data.ofidx-map"), built["records"])

    def read(self, name: str) -> bytes:
        return (self.dir / name).read_bytes()

    def restore(self, index: Index) -> None:
        (self.dir / "data.ofidx").write_bytes(index.index)
        (self.dir / "data.ofidx-map").write_bytes(index.map)

    def kill_after(self, seconds: float) -> None:
        process = self.start("build", "data", "--payload", "opaque", "--verify", "--force")
        time.sleep(seconds)
        process.kill()
        process.communicate()

    def test_a_killed_build_leaves_the_old_index_or_the_new_one(self) -> None:
        moments = random.Random(20210305)
        found = {"old": 0, "new": 0}
        for kill in range(KILLS):
            after = moments.uniform(0, 1.1) * self.seconds
            with self.subTest(kill=kill, milliseconds=round(after * 1000, 1)):
                self.restore(self.old)
                self.kill_after(after)
                which = {self.old.index: "old", self.new.index: "new"}.get(self.read("data.ofidx"), "neither")
                self.assertIn(which, found)
                found[which] += 1
                self.assert_opens(getattr(self, which))
                self.assert_same(self.build(), self.new, "the index of the next build")
                self.assertEqual((self.names(), self.names(self.dir / "data")), (LEFT, ["part-0", "part-1"]))
        self.assertGreater(found["old"], 0, "no kill came before the new index: the build is too fast for this test")

    def assert_opens(self, index: Index) -> None:
        """The index in place is whole: it has its totals, and a record of the unchanged shard can be read."""
        info = self.expect(0, "info", "data.ofidx", "--json").json
        self.assertEqual(info["records"], index.records)
        shown = self.expect(0, "get", "data.ofidx", "149999", "--raw")
        self.assertEqual(shown.stdout, bytes([999 % 256]) * (999 * 7919 % 400))


class ResumeTest(SmallDiskTest):
    """A build over many small shards, which saves each of them, killed many times in a row."""

    def setUp(self) -> None:
        super().setUp()
        write_parts(self.dir / "data", [20 + shard % 7 for shard in range(SHARDS)])
        begin = time.monotonic()
        self.expect(0, "build", "data")
        self.seconds = time.monotonic() - begin
        self.clean = self.take()
        self.environment = {**self.environment, "OFINDEX_SAVE_AFTER_MS": "0"}

    def take(self) -> dict[str, bytes]:
        """Removes index and map, and returns their bytes."""
        names = ("data.ofidx", "data.ofidx-map")
        built = {name: (self.dir / name).read_bytes() for name in names}
        for name in names:
            (self.dir / name).unlink()
        return built

    def test_the_last_build_takes_up_what_killed_builds_have_finished(self) -> None:
        moments = random.Random(20261125)
        found = {"finished": 0, "taken up": 0}
        for kill in range(KILLS):
            with self.subTest(kill=kill):
                process = self.start("build", "data", "--force", "-j", "1")
                time.sleep(moments.random() * self.seconds)
                process.kill()
                process.communicate()
                if process.returncode == 0:
                    found["finished"] += 1
                    self.assert_same(self.take(), self.clean, "the index of a build that was not killed")
                elif (self.dir / ".data.ofidx.saved.ofindex-draft").exists() and kill % 2:
                    built = self.expect(0, "build", "data", "--force", "--json").json
                    found["taken up"] += built["resumed_records"] > 0
                    self.assertEqual(self.names(), LEFT)
                    self.assert_same(self.take(), self.clean, "the index of the build after a killed one")
        self.expect(0, "build", "data", "--force")
        self.assertEqual(self.names(), LEFT)
        self.assert_same(self.take(), self.clean, "the index of the last build")
        self.assertGreater(found["taken up"], 0, found)

    def test_what_is_saved_never_fills_the_disk(self) -> None:
        # The disk has room for the index, and not for as much again.
        build = "$OFINDEX build data -o disk/data.ofidx --columns none"
        self.expect(0, "build", "data", "--columns", "none")
        needed = sum(map(len, self.take().values()))
        done = self.run_on_disk(str(needed + 32768), f"{build} && ls -A disk")
        self.assertEqual((done.returncode, done.stdout.split()[-2:]), (0, [b"data.ofidx", b"data.ofidx-map"]), done)

    def test_an_interrupted_build_is_taken_up_too(self) -> None:
        for _ in range(20):
            process = self.start("build", "data", "--force", "-j", "1")
            while process.poll() is None and not (self.dir / ".data.ofidx.saved.ofindex-draft").exists():
                time.sleep(0.001)
            process.terminate()
            _, messages = process.communicate()
            built = self.expect(0, "build", "data", "--force", "--json").json
            self.assertEqual(self.names(), LEFT)
            self.assert_same(self.take(), self.clean, "the index")
            if process.returncode == 130 and built["resumed_records"]:
                kept = rf"interrupted; {built['resumed_records']:,} records in \d+ shards? are saved in .*ofindex-draft"
                self.assertRegex(messages.decode(), kept)
                return
        self.fail("no build was interrupted in time")

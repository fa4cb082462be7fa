"""kill -9 at random moments of a build: the old index or the new one is in place, and the next build repairs
everything.

OFINDEX_KILLS is the number of kills (default: 20). The moments are the same in every run, as fractions of the build's
time.
"""

from __future__ import annotations

import os
import random
import time
from dataclasses import dataclass

from e2e.command import CommandTest
from oracle import records

KILLS = int(os.environ.get("OFINDEX_KILLS", "20"))
LEFT = ["data", "data.ofidx", "data.ofidx-map"]


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

"""`update` is killed, or finds the disk full: the old index or the new one is in place, and the next update
completes.

OFINDEX_KILLS is the number of kills (default: 20). The moments are the same in every run, as fractions of the time that
an update takes.
"""

from __future__ import annotations

import os
import random
import time
from typing import Any

from e2e.command import CommandTest
from e2e.samples import write_parts
from e2e.small_disk import SmallDiskTest
from oracle import records

KILLS = int(os.environ.get("OFINDEX_KILLS", "20"))
SUMS = "select count(*) as records, sum(label) as labels, max(_id) as last from records"


class KillTest(CommandTest):
    """An index of 40 shards; since then, some have grown, and others were removed, renamed or added."""

    def setUp(self) -> None:
        super().setUp()
        write_parts(self.dir / "data", [1000 + part for part in range(40)])
        write_parts(self.dir / "more", [3000] * 10)
        self.expect(0, "build", "data")
        self.old = self.bytes_of("data.ofidx")
        self.answers = {"old": self.ask()}

    def ask(self) -> Any:
        """What the index in place says, and a record of a shard that never changes."""
        rows = self.expect(0, "sql", "data", SUMS, "--json").json["rows"]
        return rows, self.expect(0, "get", "data", "1500", "--raw").stdout

    def change(self) -> None:
        data = self.dir / "data"
        for part in range(20, 30):
            with open(data / f"part-{part}", "ab") as shard:
                shard.write((self.dir / "more" / f"part-{part - 20}").read_bytes())
        (data / "part-5").unlink()
        (data / "part-6").rename(data / "part-60")
        write_parts(data / "new", [5000] * 5)

    def kill_all(self, *args: str) -> None:
        """Kills the update at many moments."""
        begin = time.monotonic()
        self.assertFalse(self.expect(0, "update", "data", *args, "--json").json["up_to_date"])
        seconds = time.monotonic() - begin
        new = self.bytes_of("data.ofidx")
        self.answers["new"] = self.ask()
        names = self.names()
        moments = random.Random(20261125)
        found = {"old": 0, "new": 0}
        for kill in range(KILLS):
            after = moments.uniform(0, 1.1) * seconds
            with self.subTest(kill=kill, milliseconds=round(after * 1000, 1)):
                self.put_back("data.ofidx", self.old)
                process = self.start("update", "data", *args)
                time.sleep(after)
                process.kill()
                process.communicate()
                index = (self.dir / "data.ofidx").read_bytes()
                which = {self.old[0]: "old", new[0]: "new"}.get(index, "neither")
                self.assertIn(which, found)
                found[which] += 1
                self.assertEqual(self.ask(), self.answers[which])
                if args:  # the shards of the old index are as they were
                    self.expect(0, "verify", "data")
                updated = self.expect(0, "update", "data", *args, "--json").json
                self.assertEqual((updated["up_to_date"], updated["generation"]), (which == "new", 2))
                self.assert_same(self.bytes_of("data.ofidx"), new, "the index of the next update")
                self.assertEqual(self.names(), names)
        self.assertGreater(found["old"], 0, "no kill came before the new index: the update is too fast for this test")

    def test_a_killed_update_of_changed_shards_leaves_the_old_index_or_the_new_one(self) -> None:
        self.change()
        self.kill_all()

    def test_a_killed_update_with_more_data_leaves_the_old_index_or_the_new_one(self) -> None:
        self.kill_all("more")


class FullDiskTest(SmallDiskTest):
    """An index on a disk that has no room for the next one."""

    def assert_stays(self, *replace: str) -> None:
        """`replace`, lines of sh, cannot replace disk/data.ofidx, which then is the whole old one."""
        write_parts(self.dir / "data", (30, 40))
        # Records of many lengths take space in an index.
        large = b"".join(records.frame_tfrecord(bytes(n * 7919 % 997)) for n in range(1000)) * 800
        (self.dir / "large.tfrecord").write_bytes(large)
        done = self.run_on_disk(
            "3000k",
            "$OFINDEX build data -o disk/data.ofidx -q || exit 90",
            "cp disk/data.ofidx disk/data.ofidx-map .",
            *replace,
            "echo code $?",
            "cmp disk/data.ofidx data.ofidx && cmp disk/data.ofidx-map data.ofidx-map || exit 91",
            "$OFINDEX verify disk/data.ofidx -q || exit 92",
            "ls -A disk",
        )
        self.assertEqual(done.returncode, 0, done)
        self.assertEqual(done.stdout.split(), [b"code", b"5", b"data.ofidx", b"data.ofidx-map"], done)
        self.assertIn(b"disk is full", done.stderr)

    def test_an_update_leaves_the_old_index(self) -> None:
        self.assert_stays("$OFINDEX update disk/data.ofidx large.tfrecord -q")

    def test_a_merge_leaves_the_old_index(self) -> None:
        self.assert_stays(
            "$OFINDEX build data/part-0 -q && $OFINDEX build large.tfrecord -q || exit 93",
            "$OFINDEX merge data/part-0.ofidx large.tfrecord.ofidx -o disk/data.ofidx --force -q",
        )

"""`build --part K/N` and `merge`: the bytes of one build, exit codes, and failures at any system call."""

from __future__ import annotations

import fcntl
import random
import re
import time

from e2e.command import CommandTest
from e2e.samples import write_parts
from e2e.tracing import TracedTest
from e2e.unreadable_test import PermissionTest
from oracle import messages, records

PARTS = 4


class PartsCase(CommandTest):
    """A folder `data` of shards of many sizes."""

    def setUp(self) -> None:
        super().setUp()
        write_parts(self.dir / "data", (30, 0, 200, 7, 60))

    def build_parts(self, of: int = PARTS) -> list[str]:
        for part in range(1, of + 1):
            self.expect(0, "build", "data", "--part", f"{part}/{of}")
        return [f"data.part-{part}-of-{of}.ofidx" for part in range(1, of + 1)]


class MergeTest(PartsCase):
    def test_parts_in_any_order_make_the_bytes_of_one_build(self) -> None:
        self.expect(0, "build", "data")
        parts = self.build_parts()
        random.Random(1).shuffle(parts)
        merged = self.expect(0, "merge", *parts, "-o", "merged.ofidx", "--json").json
        self.assertEqual((merged["schema"], merged["records"], merged["part"]), ("ofindex.merge/1", 297, None))
        self.assertEqual(self.bytes_of("merged.ofidx"), self.bytes_of("data.ofidx"))
        self.assertEqual(self.expect(0, "get", "merged.ofidx", "0", "296", "--json").json["records"][1]["_id"], 296)

    def test_what_an_interrupted_build_of_the_index_has_saved_is_removed(self) -> None:
        saved = self.dir / ".merged.ofidx.saved.ofindex-draft"
        saved.write_bytes(b"ofindex saved 1\n")
        self.expect(0, "merge", *self.build_parts(), "-o", "merged.ofidx")
        self.assertFalse(saved.exists())

    def test_parts_of_a_shard_are_merged(self) -> None:
        # Shards from 256 MiB on are divided.
        with open(self.dir / "large.tfrecord", "wb") as shard:
            records_bytes = b"".join((self.dir / "data" / f"part-{n}").read_bytes() for n in (0, 2, 3, 4))
            for _ in range(257 * 2**20 // len(records_bytes) + 1):
                shard.write(records_bytes)
        self.expect(0, "build", "large.tfrecord", "--columns", "none")
        for part in (2, 1, 3):
            built = self.expect(0, "build", "large.tfrecord", "--columns", "none", "--part", f"{part}/3", "--json").json
            self.assertEqual(built["part"], {"first": part, "last": part, "of": 3})
            self.assertGreater(built["records"], 0)
        self.expect(0, "merge", *(f"large.tfrecord.part-{part}-of-3.ofidx" for part in (3, 1, 2)), "-o", "merged.ofidx")
        self.assertEqual(self.bytes_of("merged.ofidx"), self.bytes_of("large.tfrecord.ofidx"))

    def test_a_part_is_left_alone_and_waits_like_an_index(self) -> None:
        self.build_parts(2)
        again = self.expect(0, "build", "data", "--part", "1/2", "--json").json
        self.assertTrue(again["up_to_date"])
        self.expect(0, "build", "data", "--part", "1/2", "--wait")
        write_parts(self.dir / "data", (31,))
        self.expect_error(4, "build", "data", "--part", "1/2")
        self.expect(0, "build", "data", "--part", "1/2", "--force")

    def test_whole_indexes_are_numbered_again_and_the_command_says_so(self) -> None:
        for part in (2, 0, 3):
            self.expect(0, "build", f"data/part-{part}")
        merged = self.expect(0, "merge", "data/part-3", "data/part-0", "data/part-2", "-o", "some.ofidx", "--json")
        self.assertEqual((merged.json["records"], merged.json["renumbered"]), (237, True))
        self.assertIn("numbered again", merged.stderr)
        shards = [shard["path"] for shard in self.expect(0, "info", "some.ofidx", "--json").json["shards"]]
        self.assertEqual(shards, ["data/part-0", "data/part-2", "data/part-3"])
        self.expect(0, "verify", "some.ofidx")
        self.assertTrue(self.expect(0, "build", "data/part-0", "data/part-2", "data/part-3", "-o", "some.ofidx", "--json")
                        .json["up_to_date"])  # fmt: skip

    def test_exit_codes(self) -> None:
        parts = self.build_parts()
        self.expect_error(2, "build", "data", "--part", "5/4")
        self.expect_error(2, "merge", parts[0], parts[2], "-o", "merged.ofidx")
        self.expect_error(2, "merge", *parts, parts[1], "-o", "merged.ofidx")
        self.expect_error(2, "merge", *parts, "-o", parts[0], "--force")
        self.expect_error(4, "info", parts[0])
        self.expect_error(4, "merge", "nothing.ofidx", "-o", "merged.ofidx")
        self.expect(0, "merge", *parts, "-o", "merged.ofidx")
        self.expect_error(2, "merge", *parts, "-o", "merged.ofidx")
        self.expect(0, "merge", *parts, "-o", "merged.ofidx", "--force")
        with open(self.dir / "merged.ofidx.ofindex-draft", "wb") as draft:
            fcntl.flock(draft, fcntl.LOCK_EX)
            self.expect_error(6, "merge", *parts, "-o", "merged.ofidx", "--force")
        (self.dir / parts[1]).write_bytes((self.dir / parts[1]).read_bytes()[:-70000])
        self.expect_error(4, "merge", *parts, "-o", "merged.ofidx", "--force")

    def test_damage_is_reported_as_by_a_build(self) -> None:
        shard = self.dir / "data" / "part-2"
        shard.write_bytes(shard.read_bytes()[:-3])
        built = self.expect(3, "build", "data", "--json").json
        for part in range(1, PARTS + 1):
            self.run_command("build", "data", "--part", f"{part}/{PARTS}")
        parts = [f"data.part-{part}-of-{PARTS}.ofidx" for part in range(1, PARTS + 1)]
        merged = self.expect(3, "merge", *parts, "-o", "merged.ofidx", "--json").json
        self.assertEqual(merged["damage"], built["damage"])


    def test_a_merge_that_waited_does_not_replace_the_index_that_it_waited_for(self) -> None:
        parts = self.build_parts()
        self.expect(0, "merge", *parts, "-o", "other.ofidx")
        for force in ((), ("--force",)):
            with open(self.dir / "merged.ofidx.ofindex-draft", "wb") as draft:
                fcntl.flock(draft, fcntl.LOCK_EX)
                waiting = self.start("merge", *parts, "-o", "merged.ofidx", "--wait", *force)
                time.sleep(0.5)
                self.assertIsNone(waiting.poll())
                (self.dir / "other.ofidx").replace(self.dir / "merged.ofidx")
                (self.dir / "merged.ofidx.ofindex-draft").unlink()
            done = self.finish(waiting)
            self.assertEqual(done.code, 0 if force else 2, done)
            (self.dir / "merged.ofidx").replace(self.dir / "other.ofidx")
            self.assertIn("already exists" if not force else "", done.stderr)

    def test_some_of_the_parts_are_no_index_and_the_command_names_the_others(self) -> None:
        parts = self.build_parts()
        merged = self.expect(0, "merge", parts[1], parts[2], "-o", "some.ofidx", "--json")
        self.assertEqual(merged.json["part"], {"first": 2, "last": 3, "of": 4})
        self.assertIn("not an index yet: parts 1 and 4 of 4 must be merged with it", merged.stderr)
        self.expect(0, "build", "data")
        old = self.bytes_of("data.ofidx")
        self.expect_error(2, "merge", parts[0], parts[1], "-o", "data.ofidx", "--force", "-q")
        self.assertEqual(self.bytes_of("data.ofidx"), old)

    def test_columns_in_no_record_are_an_error_of_the_merge_alone(self) -> None:
        for part in (1, 2):
            built = self.expect(0, "build", "data", "--columns", "label,lable", "--part", f"{part}/2")
            self.assertNotIn("lable", built.stderr)
        parts = ("data.part-1-of-2.ofidx", "data.part-2-of-2.ofidx")
        self.assertIn("'lable'", self.expect_error(2, "merge", *parts, "-o", "merged.ofidx").stderr)
        self.assertIn("'lable'", self.expect(0, "merge", *parts, "-o", "merged.ofidx", "--columns-optional").stderr)


class UnreadableTest(PermissionTest):
    def test_parts_without_an_unreadable_file_are_up_to_date_until_it_can_be_read(self) -> None:
        write_parts(self.dir / "data", (30, 20, 60))
        self.forbid(self.dir / "data" / "part-1")
        builds = [("build", "data", "--part", f"{part}/3") for part in (1, 2, 3)]
        codes = [self.run_command(*build, **self.bound).code for build in builds]
        self.assertEqual(sorted(codes), [0, 0, 5])
        unreadable = codes.index(5)
        again = self.expect(5, *builds[unreadable], "--json", **self.bound)
        self.assertTrue(again.json["up_to_date"])
        self.assertIn(f"run `ofindex build --part {unreadable + 1}/3 --force`", again.stderr)
        parts = [f"data.part-{part}-of-3.ofidx" for part in (1, 2, 3)]
        merged = self.expect(5, "merge", *parts, "-o", "merged.ofidx", **self.bound)
        self.assertIn("--part K/N", merged.stderr)
        (self.dir / "data" / "part-1").chmod(0o644)
        self.assertEqual([self.run_command(*build, **self.bound).code for build in builds],
                         [4 if part == unreadable else 0 for part in range(3)])  # fmt: skip
        self.expect(0, *builds[unreadable], "--force", **self.bound)
        self.expect(0, "merge", *parts, "-o", "merged.ofidx", "--force", **self.bound)
        self.expect(0, "build", "data", **self.bound)
        self.assertEqual((self.dir / "merged.ofidx").read_bytes(), (self.dir / "data.ofidx").read_bytes())


class FalseRecordsTest(CommandTest):
    def test_damage_at_a_false_record_is_provisional_and_the_merge_builds_that_part_again(self) -> None:
        inner = records.frame_tfrecord(b"inner") * (2**26 // 21)
        with open(self.dir / "large.tfrecord", "wb") as shard:
            for _ in range(5):
                shard.write(records.tfrecord_header(len(inner)) + inner + bytes(4))  # the payload is not checked
        build = ("build", "large.tfrecord", "--columns", "none", "--payload", "opaque")
        self.expect(0, *build)
        notes = "".join(self.expect(0, *build, "--part", f"{part}/4").stderr for part in (1, 2, 3, 4))
        self.assertIn("provisional: large.tfrecord", notes)
        parts = [f"large.tfrecord.part-{part}-of-4.ofidx" for part in (4, 3, 2, 1)]
        self.expect(0, "merge", *parts, "-o", "merged.ofidx")
        self.assertEqual((self.dir / "merged.ofidx").read_bytes(), (self.dir / "large.tfrecord.ofidx").read_bytes())


class DroppedFeaturesTest(TracedTest):
    def test_temporary_files_lie_next_to_the_index(self) -> None:
        examples = [
            messages.encode("example", {f"feature {n:05}": ("int64", [n]) for n in range(first, first + 1000)})
            for first in range(0, 9000, 1000)
        ]
        records.WRITE[records.TFRECORD](self.dir / "data.tfrecord", examples)
        built = self.trace("build", "data.tfrecord", "--json")
        self.assertTrue(built.json["features_dropped"])
        calls = (self.dir.parent / "calls").read_text(errors="replace")
        self.assertTrue("data.tfrecord.ofidx.ofindex-draft-vacuum-1" in calls, re.findall("openat.*RDWR.*|unlink.*", calls))
        self.assertNotIn("etilqs", calls)
        self.assertEqual(self.names(), ["data.tfrecord", "data.tfrecord.ofidx", "data.tfrecord.ofidx-map"])


class RebuiltPartTest(CommandTest):
    def test_a_part_that_is_built_again_leaves_no_file(self) -> None:
        # A range begins inside the payload of a record, at bytes that look like another record.
        segment = 32 * 2**20
        with open(self.dir / "large.tfrecord", "wb") as file:
            for _ in range(9):
                payload = bytes(segment // 2) + records.frame_tfrecord(b"inner") + bytes(segment // 2 - 64)
                file.write(records.tfrecord_header(len(payload)))
                file.write(payload)
                file.write(bytes(4))
        names = self.names()
        for part in range(1, PARTS + 1):
            self.run_command("build", "large.tfrecord", "--columns", "none", "--part", f"{part}/{PARTS}")
        parts = sorted(set(self.names()) - set(names))
        self.assertEqual(len(parts), PARTS)
        before = self.names()
        self.expect(0, "merge", *parts, "-o", "merged.ofidx")
        self.assertEqual(self.expect(0, "info", "merged.ofidx", "--json").json["records"], 9)
        self.assertEqual(self.names(), sorted([*before, "merged.ofidx", "merged.ofidx-map"]))

"""When an index still matches its files: a copy of the dataset does, changed or replaced files do not."""

from __future__ import annotations

import os
import shutil
import time
from pathlib import Path

from e2e.command import CommandTest, Finished
from e2e.samples import write_parts
from oracle import messages, records


class IdentityTest(CommandTest):
    def setUp(self) -> None:
        super().setUp()
        self.payloads = write_parts(self.dir / "set" / "data", (40, 30))
        self.expect(0, "build", "set/data")

    def read_all(self, index: str, *options: str) -> Finished:
        return self.run_command("cat", index, "--to", "raw", *options)

    def assert_whole(self, index: str, *options: str) -> None:
        finished = self.read_all(index, *options)
        self.assertEqual(finished.code, 0, finished)
        self.assert_same(finished.stdout, b"".join(self.payloads), finished)

    def assert_stale(self, shard: str) -> None:
        finished = self.read_all("set/data")
        self.assertEqual(finished.code, 4, finished)
        self.assertIn(shard, finished.stderr)
        self.assertEqual([line.partition(":")[0] for line in finished.stderr.splitlines()[:2]], ["ofindex", "hint"])

    def test_a_plain_copy_with_its_index_opens(self) -> None:
        shutil.copytree(self.dir / "set", self.dir / "copy", copy_function=shutil.copy)
        for part in (self.dir / "copy" / "data").iterdir():
            os.utime(part, ns=(0, 10**18))
        shutil.rmtree(self.dir / "set")
        self.assert_whole("copy/data")
        self.expect(0, "verify", "copy/data")

    def test_a_touched_shard_opens_and_needs_no_rebuild(self) -> None:
        os.utime(self.dir / "set" / "data" / "part-0")
        self.assert_whole("set/data")
        self.expect(0, "verify", "set/data", "--quick")
        self.expect(0, "build", "set/data")

    def test_the_option_root_finds_a_copy_elsewhere(self) -> None:
        shutil.copytree(self.dir / "set" / "data", self.dir / "far" / "away")
        shutil.rmtree(self.dir / "set" / "data")
        self.assertEqual(self.read_all("set/data.ofidx").code, 4)
        self.assert_whole("set/data.ofidx", "--root", "far/away")
        self.assert_whole("set/data.ofidx", "--root", str(self.dir / "far" / "away"))
        self.expect(0, "verify", "set/data.ofidx", "--root", "far/away")

    def test_errors_name_the_file_below_root_that_was_read(self) -> None:
        good = messages.encode("example", {"n": ("int64", [1])})
        framed = bytearray(records.frame_tfrecord(good) + records.frame_tfrecord(b"\x0a\x7f"))
        framed[framed.index(good) + len(good) - 1] ^= 1
        (self.dir / "set" / "hurt").mkdir()
        (self.dir / "set" / "hurt" / "part-0").write_bytes(framed)
        self.expect(0, "build", "set/hurt", "-q", "--payload", "example", "--columns", "none")
        shutil.move(self.dir / "set" / "hurt", self.dir / "far")
        index = ("set/hurt.ofidx", "--root", "far")
        for args, record in (
            (("cat", *index, "--to", "tfrecord"), 0),
            (("convert", *index, "--to", "ofrecord", "-o", "out"), 0),
            (("get", *index, "1"), 1),
            (("get", *index, "1", "--wire"), 1),
            (("cat", *index, "--range", "1:"), 1),
        ):
            with self.subTest(args):
                failed = self.run_command(*args)
                self.assertRegex(failed.stderr, rf"ofindex: far/part-0@\d+: record {record}: ")
                self.assertNotIn("hurt/part-0", failed.stderr)

    def test_a_shard_with_an_extra_byte_is_stale(self) -> None:
        with open(self.dir / "set" / "data" / "part-1", "ab") as shard:
            shard.write(b"\0")
        self.assert_stale("part-1")

    def test_a_shard_with_a_missing_byte_is_stale(self) -> None:
        shard = self.dir / "set" / "data" / "part-0"
        os.truncate(shard, shard.stat().st_size - 1)
        self.assert_stale("part-0")

    def test_another_file_of_the_same_size_is_stale(self) -> None:
        shard = self.dir / "set" / "data" / "part-1"
        content = bytearray(shard.read_bytes())
        content[len(content) // 2] ^= 1
        shard.write_bytes(content)
        os.utime(shard, ns=(0, 10**18))
        self.assert_stale("part-1")

    def replace_with_equal_facts(self, shard: Path) -> None:
        """Renames a file with other records, but with the shard's size and mtime, over the shard."""
        facts = shard.stat()
        content = shard.read_bytes()
        other = shard.with_name("other")
        other.write_bytes(content.replace(content[-8:-4], b"\x5a" * 4))
        os.utime(other, ns=(facts.st_atime_ns, facts.st_mtime_ns))
        os.rename(other, shard)
        self.assertEqual((shard.stat().st_size, shard.stat().st_mtime_ns), (facts.st_size, facts.st_mtime_ns))
        self.assertNotEqual(shard.read_bytes(), content)
        time.sleep(0.05)  # a file that changed a moment ago is never trusted

    def test_another_file_of_the_same_size_and_mtime_is_stale_for_every_verb(self) -> None:
        self.replace_with_equal_facts(self.dir / "set" / "data" / "part-1")
        self.assert_stale("part-1")
        self.assertEqual(self.expect_error(4, "get", "set/data", "-1").code, 4)
        self.assertEqual(self.run_command("get", "set/data", "0", "--raw").stdout, self.payloads[0])
        for options in ((), ("--quick",)):
            self.assertIn("part-1", self.expect(1, "verify", "set/data", *options).text)
        self.assertIn("part-1", self.expect_error(4, "build", "set/data").stderr)
        self.assertIn(self.run_command("build", "set/data", "--force").code, (0, 3))  # the other records may be bad
        self.assertEqual(self.expect(0, "get", "set/data", "0", "--raw").stdout, self.payloads[0])

    def test_links_and_permissions_do_not_make_a_file_different(self) -> None:
        data = self.dir / "set" / "data"
        os.link(data / "part-0", self.dir / "link")
        os.chmod(data / "part-1", 0o400)
        time.sleep(0.05)
        self.assert_whole("set/data")
        self.expect(0, "verify", "set/data")
        self.expect(0, "build", "set/data")

    def test_a_copy_with_all_its_times_opens(self) -> None:
        shutil.copytree(self.dir / "set", self.dir / "copy", symlinks=True)
        shutil.rmtree(self.dir / "set")
        self.assert_whole("copy/data")
        self.expect(0, "verify", "copy/data", "--quick")
        self.expect(0, "build", "copy/data")

    def test_swapped_shards_are_stale(self) -> None:
        data = self.dir / "set" / "data"
        os.rename(data / "part-0", data / "swap")
        os.rename(data / "part-1", data / "part-0")
        os.rename(data / "swap", data / "part-1")
        self.assert_stale("part-0")

    def test_a_folder_in_place_of_a_shard_is_stale(self) -> None:
        (self.dir / "set" / "data" / "part-1").unlink()
        (self.dir / "set" / "data" / "part-1").mkdir()
        self.assert_stale("part-1")

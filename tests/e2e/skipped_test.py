"""Files among shards that are empty or not shards: how they are reported, and when they are examined again."""

from __future__ import annotations

import gzip
import os
import shutil
from collections.abc import Callable
from pathlib import Path

from e2e.set_folder import RECORDS, SetFolderTest
from oracle import records


class SkippedTest(SetFolderTest):
    """`ofindex info` lists the files that are not in an index; `ofindex verify` reports those that should be in it."""

    def test_info_lists_the_skipped_files(self) -> None:
        self.write("data/part-0")
        (self.dir / "data" / "labels.txt").write_text("a\nb\n")
        built = self.build(0, "data")
        info = self.expect(0, "info", "data", "--json").json
        self.assertEqual(info["skipped"], [{"path": "data/labels.txt", "reason": "not a record file"}])
        self.assertEqual(built["skipped"], info["skipped"])
        self.assertIn("skipped data/labels.txt: not a record file", self.expect(0, "info", "data").text)
        self.assertEqual(self.expect(0, "build", "data", "--json").json["skipped"], info["skipped"])

    def test_verify_names_record_files_that_are_not_in_the_index(self) -> None:
        self.write("data/part-0")
        (self.dir / "data" / "labels.txt").write_text("a\nb\n")
        (self.dir / "data" / "extra").write_text("not yet a record file\n")
        self.build(0, "data")
        for options in ((), ("--quick",)):
            self.expect(0, "verify", "data", *options)
        self.write("data/part-1")
        self.write("data/extra", damaged=True)
        for options in ((), ("--quick",)):
            stale = self.expect(1, "verify", "data", "--json", *options).json["stale"]
            self.assertEqual(sorted(entry["shard"] for entry in stale), ["data/extra", "data/part-1"])
        self.assertIn("data/part-1: a record file that is not in the index", self.expect(1, "verify", "data").text)
        self.expect_error(4, "build", "data")

    def test_a_skipped_file_that_became_a_shard_of_the_same_size_and_mtime_is_reported(self) -> None:
        """An index that was copied or touched, or lost its map, gives the same result."""
        self.write("data/part-0")
        extra = self.dir / "data" / "extra"
        index = self.dir / "data.ofidx"
        shard = self.write("extra")

        def put_back(copy: Callable[[Path, Path], object]) -> None:
            copy(index, self.dir / "copy")
            (self.dir / "copy").rename(index)

        afterwards: dict[str, Callable[[], object]] = {
            "nothing": lambda: None,
            "copied": lambda: put_back(shutil.copyfile),
            "copied with its times": lambda: put_back(shutil.copy2),
            "touched": lambda: os.utime(index),
            "of the future": lambda: os.utime(index, (2**32, 2**32)),
            "without a map": lambda: (self.dir / "data.ofidx-map").unlink(),
        }
        for how in ("in place", "by another file"):
            for what, happens in afterwards.items():
                with self.subTest(how=how, index=what):
                    extra.write_bytes(b"x" * len(shard))
                    self.assertEqual(self.build(0, "data", "--force")["shards"], 1)
                    self.expect(0, "verify", "data")
                    times = extra.stat()
                    written = extra if how == "in place" else self.dir / "new"
                    written.write_bytes(shard)
                    os.utime(written, ns=(times.st_atime_ns, times.st_mtime_ns))
                    written.rename(extra)
                    happens()
                    self.expect(1, "verify", "data")
                    self.assertIn("data/extra", self.expect_error(4, "build", "data").stderr)

    def test_skipped_files_of_a_copy_are_examined_again_and_skipped_again(self) -> None:
        shard = self.write("data/part-0")
        for name, data in {
            "labels.txt": b"a\nb\n",
            "README": b"about\n",
            "empty": b"",
            "image_00": bytes(range(1, 256)) * 9,
            "notes-00000-of-00001.txt": b"no records\n",
            "notes.gz": gzip.compress(b"no records\n"),
            "pointer": b"version https://git-lfs.github.com/spec/v1\n",
            "prefixed": records.frame_ofrecord(b"x" * 9),
            "cut": shard[:11],
        }.items():
            (self.dir / "data" / name).write_bytes(data)
        (self.dir / "data" / "link").symlink_to("nowhere")
        built = self.build(0, "data")
        self.assertEqual((built["shards"], len(built["skipped"])), (1, 10))
        original = (self.dir / "data.ofidx").read_bytes()
        shutil.copytree(self.dir / "data", self.dir / "copy" / "data", symlinks=True)
        (self.dir / "moved").mkdir()
        for name in ("data.ofidx", "data.ofidx-map"):
            shutil.copy2(self.dir / name, self.dir / "copy")
        for name in self.names():
            if name.startswith("data"):
                (self.dir / name).rename(self.dir / "moved" / name)
        for place in ("copy", "moved"):
            with self.subTest(place):
                self.expect(0, "verify", f"{place}/data")
                again = self.expect(0, "build", f"{place}/data", "--json").json
                self.assertTrue(again["up_to_date"])
                reasons = [entry["reason"] for entry in built["skipped"]]
                self.assertEqual([entry["reason"] for entry in again["skipped"]], reasons)
                self.assert_same((self.dir / place / "data.ofidx").read_bytes(), original, place)

    def test_verify_finds_new_shards_of_a_folder_a_glob_and_a_list(self) -> None:
        self.write("data/part-0")
        (self.dir / "list").write_text("data\n")
        for argument in ("data", "data/*", "@list"):
            with self.subTest(argument):
                (self.dir / "data" / "part-1").unlink(missing_ok=True)
                self.build(0, argument, "-o", "all.ofidx")
                self.expect(0, "verify", "all.ofidx")
                self.write("data/part-1")
                self.expect(1, "verify", "all.ofidx")

    def test_verify_of_a_copy_looks_for_new_shards_in_the_copy(self) -> None:
        self.write("data/part-0")
        self.build(0, "data")
        shutil.copytree(self.dir / "data", self.dir / "copy")
        self.write("data/part-1")
        self.expect(0, "verify", "data", "--root", "copy")
        self.write("copy/part-2")
        self.expect(1, "verify", "data", "--root", "copy")

    def test_verify_of_an_index_of_one_file_checks_only_that_file(self) -> None:
        self.write("data/part-0")
        self.build(0, "data/part-0", "-o", "one.ofidx")
        self.write("data/part-1")
        self.expect(0, "verify", "one.ofidx")
        (self.dir / "data" / "part-0").rename(self.dir / "data" / "moved")
        self.expect(1, "verify", "one.ofidx")


class EmptyFileTest(SetFolderTest):
    """An empty file has no format. It is a shard if its set has a sound shard, or its own name is that of a shard."""

    def test_empty_files_without_names_of_shards_are_not_a_dataset(self) -> None:
        (self.dir / "etc").mkdir()
        for name in (".pwd.lock", "subuid-", "motd", "hosts.allow"):
            (self.dir / "etc" / name).touch()
        (self.dir / "etc" / "passwd").write_text("root:x:0:0:root:/root:/bin/sh\n")
        self.assertIn("no record file", self.expect_error(3, "build", "etc").stderr)
        (self.dir / "alone").touch()
        self.expect_error(3, "build", "alone")

    def test_empty_files_with_names_of_shards_cannot_be_indexed_alone(self) -> None:
        for names in (
            ("a.tfrecord",),
            ("part-0", "part-1"),
            ("x-00000-of-00002", "x-00001-of-00002"),
            ("v.tfrecord.0",),
        ):
            with self.subTest(names):
                shutil.rmtree(self.dir / "data", ignore_errors=True)
                (self.dir / "data").mkdir()
                for name in names:
                    (self.dir / "data" / name).touch()
                for args in (("build", "data"), ("convert", "data", "--to", "ofrecord", "-o", "out")):
                    failed = self.expect_error(3, *args)
                    self.assertRegex(failed.stderr, "an empty file: nothing to index")
                    self.assertIn("--format", failed.stderr)
                self.assertEqual(self.names(), ["data"])
                # If the format is given, the files are an empty dataset.
                self.assertEqual(self.build(0, "data", "--format", "tfrecord")["shards"], len(names))
                (self.dir / "data.ofidx").unlink()
                (self.dir / "data.ofidx-map").unlink()

    def test_an_empty_shard_among_sound_ones_is_reported(self) -> None:
        for number in range(3):
            self.write(f"data/part-{number}")
        (self.dir / "data" / "part-1").write_bytes(b"")
        named = "empty   data/part-1: a shard of 0 bytes"
        for expected in ("3 shards", "up to date"):
            done = self.expect(0, "build", "data")
            self.assertIn(named, done.stderr)
            self.assertIn(expected, done.text)
        self.assertNotIn(named, self.expect(0, "build", "data", "--force", "--quiet").stderr)
        (self.dir / "data.ofidx").unlink()
        self.assertIn(named, self.expect(0, "convert", "data", "--to", "ofrecord", "-o", "out").stderr)

    def test_etc_is_not_a_dataset(self) -> None:
        found = self.run_command("build", "/etc", "-o", "etc.ofidx")
        self.assertNotEqual(found.code, 0, found)
        self.assertEqual(self.names(), [])

    def test_an_empty_file_next_to_sound_shards_of_its_set_is_a_shard(self) -> None:
        self.write("data/part-0")
        self.write("data/a.rec")
        for name in ("part-1", "b.rec", "placeholder", "notes.txt"):
            (self.dir / "data" / name).touch()
        built = self.build(0, "data")
        self.assertEqual((built["shards"], built["records"]), (4, 2 * RECORDS))
        self.assertEqual([entry["path"] for entry in built["skipped"]], ["data/notes.txt", "data/placeholder"])

"""Sets of shards written next to data: a folder never gets a second set, a set never gets a foreign shard or an index.

The rule (docs/cli.md, "Outputs") is tested for single paths by outputs_test.
"""

from __future__ import annotations

import gzip
import os
import shutil
import stat
import unittest

from e2e.output_folder import NOBODY, ROWS, OutputFolderTest
from e2e.samples import payloads, write_parts
from oracle import records


class OutputSetsTest(OutputFolderTest):
    def test_no_second_set_is_written_into_the_input(self) -> None:
        (self.dir / "link").symlink_to("data")
        for out in ("data", "data/", "data/more", "link", "link/more", "data/x.tfrecord", "of/../data"):
            for data in ("data", "data.ofidx", "link"):
                for force in ((), ("--force",)):
                    for args in (
                        ("convert", data, "--to", "tfrecord", "-o", out),
                        ("cat", data, "--to", "tfrecord", "-o", out if out.endswith("rd") else f"{out}/x"),
                    ):
                        if args[0] == "cat" and data == "link":
                            continue  # the link has no index next to it
                        with self.subTest(args=args, force=force):
                            before = self.contents()
                            self.assertEqual(self.run_command(*args, *force).code, 2)
                            self.assertEqual(self.contents(), before)

    def test_a_renamed_folder_gets_no_second_set(self) -> None:
        for verb, source in (("pack", ROWS), ("convert", "of")):
            with self.subTest(verb):
                args = (verb, source, "--to", "tfrecord", "--shards", "2", "-o")
                self.expect(0, *args, "old")
                (self.dir / "old").rename(self.dir / "new")
                refused = self.assert_refused(2, *args, "new")
                self.assertRegex(refused.stderr, r"old-0000\d-of-00002.tfrecord: a shard of another set")
                shutil.rmtree(self.dir / "new")

    def test_a_set_is_not_written_where_a_build_would_include_other_files(self) -> None:
        tfrecord, ofrecord = records.frame_tfrecord(b"x"), (self.dir / "of" / "part-0").read_bytes()
        for name, data in {
            "other.tfrecord": tfrecord,
            "other.tfrecord.gz": gzip.compress(tfrecord),
            "other.tfrecords": tfrecord,
            "other.ofrecord": ofrecord,
            "set-00000-of-00002.tfrecord.0": tfrecord,
            "other-0-of-1": tfrecord,
            "part-r-00003": ofrecord,
            "part-00000-5f2c.tfrecord": tfrecord,
            "x_00": tfrecord,
            "records": ofrecord,
            "empty.tfrecord": b"",
            "below/it/part-0": ofrecord,
        }.items():
            for verb, source in (("pack", ROWS), ("convert", "data")):
                for to in ("tfrecord", "ofrecord"):
                    with self.subTest(name, verb=verb, to=to):
                        self.assert_no_second_set(name, data, verb, source, "--to", to)

    def assert_no_second_set(self, name: str, data: bytes, *args: str) -> None:
        other = self.dir / "set" / name
        other.parent.mkdir(parents=True, exist_ok=True)
        other.write_bytes(data)
        refused = self.assert_refused(2, *args, "--shards", "2", "-o", "set")
        self.assertIn(f"set/{name}: a shard of another set", refused.stderr)
        other.unlink()
        self.expect(0, *args, "--shards", "2", "-o", "set")
        other.write_bytes(data)
        self.assert_refused(2, *args, "--shards", "3", "-o", "set")
        shutil.rmtree(self.dir / "set")
        (self.dir / "set").mkdir()

    def test_a_set_is_written_next_to_files_that_no_build_would_include(self) -> None:
        for name, data in {
            "notes.txt": b"no records\n",
            "notes-00000-of-00001.txt": b"no records\n",
            "image_00.png": bytes(range(1, 256)),
            "empty": b"",
            "_other.tfrecord": records.frame_tfrecord(b"x"),
            ".other.tfrecord": records.frame_tfrecord(b"x"),
            "below/notes.txt": b"no records\n",
        }.items():
            path = self.dir / "set" / name
            path.parent.mkdir(exist_ok=True)
            path.write_bytes(data)
        os.mkfifo(self.dir / "set" / "pipe.tfrecord")
        for shards in ("2", "3"):
            args = ("pack", ROWS, "--to", "tfrecord", "--shards", shards, "-o", "set")
            self.expect(0, *args, *(("--force",) if shards == "3" else ()))
            self.assertEqual(self.expect(0, "build", "set", "--force", "--json").json["shards"], int(shards))

    def test_a_set_written_through_a_link_is_named_after_its_folder(self) -> None:
        (self.dir / "flowers").mkdir()
        (self.dir / "latest").symlink_to("flowers")
        for out in ("flowers", "latest", "latest/"):
            self.expect(0, "pack", ROWS, "--to", "tfrecord", "-o", out, "--force")
            self.assertEqual(self.names(self.dir / "flowers"), ["flowers-00000-of-00001.tfrecord"])

    def test_a_file_does_not_become_another_shard_of_the_set_next_to_it(self) -> None:
        self.expect(0, "pack", ROWS, "--to", "tfrecord", "--shards", "2", "-o", "s")
        for args in (
            ("pack", ROWS, "--to", "ofrecord", "-o", "of/part-7"),
            ("convert", "data", "--to", "ofrecord", "-o", "of/part-7"),
            ("cat", "data", "--to", "ofrecord", "-o", "of/part-7"),
            ("pack", ROWS, "--to", "tfrecord", "-o", "s/s-00007-of-00002.tfrecord"),
            ("cat", "data", "--to", "tfrecord", "-o", "s/s-00002-of-00002.tfrecord"),
        ):
            with self.subTest(args):
                self.assertIn("of the set that", self.assert_refused(2, *args).stderr)

    def test_a_file_does_not_become_another_shard_under_any_naming_scheme(self) -> None:
        (self.dir / "one").mkdir()
        for there, out in {
            "x_00.tfrecord": "x_01.tfrecord",
            "x_00.tfrecord.gz": "x_01.tfrecord",
            "train-01.tfrecord": "train-12.tfrecord",
            "val.shard00.tfrecord": "val.shard01.tfrecord",
            "part-00000-5f2c.tfrecord": "part-00001-9b1d.tfrecord",
        }.items():
            self.expect(0, "cat", "data", "--to", "tfrecord", "-o", f"one/{there}")
            for args in (("pack", ROWS), ("convert", "data"), ("cat", "data")):
                with self.subTest(there, verb=args[0]):
                    refused = self.assert_refused(2, *args, "--to", "tfrecord", "-o", f"one/{out}")
                    self.assertIn(f"of the set that one/{there} belongs to", refused.stderr)
            self.expect(0, "cat", "data", "--to", "tfrecord", "-o", f"one/{there}", "--force")
            (self.dir / "one" / there).unlink()
        # Only `cat` accepts names without a format.
        self.expect(0, "cat", "data", "--to", "tfrecord", "-o", "one/x_00")
        self.assert_refused(2, "cat", "data", "--to", "tfrecord", "-o", "one/x_01")

    def test_files_that_share_only_an_extension_may_be_written_next_to_each_other(self) -> None:
        self.expect(0, "pack", ROWS, "--to", "tfrecord", "--shards", "2", "-o", "s")
        self.expect(0, "cat", "data", "--to", "jsonl", "-o", "dump1")
        for out in ("train.tfrecord", "val.tfrecord", "s/y.tfrecord", "train-1.tfrecord", "val_1.tfrecord"):
            with self.subTest(out):
                self.expect(0, "pack", ROWS, "--to", "tfrecord", "-o", out)
        self.expect(0, "cat", "data", "--to", "tfrecord", "-o", "dump2")  # `dump1` is not a shard

    def test_one_shard_of_an_existing_set_can_be_replaced_with_force(self) -> None:
        write_parts(self.dir / "parts", (2, 2), records.OFRECORD)
        for args in (
            ("pack", ROWS, "--to", "ofrecord"),
            ("convert", "of", "--to", "ofrecord"),
            ("cat", "of", "--to", "ofrecord"),
        ):
            with self.subTest(args):
                refused = self.expect_error(2, *args, "-o", "parts/part-1")
                self.assertIn("--force", refused.stderr)
                self.expect(0, *args, "-o", "parts/part-1", "--force")
        self.assertEqual(self.names(self.dir / "parts"), ["part-0", "part-1"])

    @unittest.skipUnless(os.geteuid() == 0, "only root can give a folder to any group")
    def test_a_new_set_takes_the_group_of_a_setgid_folder(self) -> None:
        shared = self.dir / "shared"
        shared.mkdir()
        os.chown(shared, -1, NOBODY)
        os.chmod(shared, 0o2775)
        self.expect(0, "pack", ROWS, "--to", "tfrecord", "--shards", "2", "-o", "shared/s")
        made = [shared / "s", *(shared / "s").iterdir()]
        self.assertEqual({path.name: path.stat().st_gid for path in made}, {path.name: NOBODY for path in made})
        self.assertTrue((shared / "s").stat().st_mode & stat.S_ISGID)

    def test_no_second_set_is_written_among_shards_given_as_arguments(self) -> None:
        write_parts(self.dir / "deep" / "in" / "it", (3,))
        self.expect(0, "build", "data/part-*", "-o", "named.ofidx")
        self.expect(0, "build", "deep/in/it/part-0", "-o", "one.ofidx")
        for source in (("data/part-0", "data/part-1"), ("data/part-*",), ("named.ofidx",)):
            for out, why in (
                ("data", "a folder that contains the input"),
                (".", "a folder that contains the input"),
                ("data/more.tfrecord", "lies in the input"),
                ("of/../data/more.tfrecord", "lies in the input"),
            ):
                with self.subTest(source=source, out=out):
                    refused = self.assert_refused(2, "convert", *source, "--to", "tfrecord", "-o", out)
                    self.assertIn(why, refused.stderr)
        self.assert_refused(2, "cat", "named.ofidx", "--to", "tfrecord", "-o", "data/more.tfrecord")
        for out in ("deep", "deep/in", "deep/in/it"):  # folders that contain a shard
            for data in ("deep/in/it/part-0", "one.ofidx"):
                with self.subTest(data=data, out=out):
                    refused = self.assert_refused(2, "convert", data, "--to", "tfrecord", "-o", out)
                    self.assertIn("a folder that contains the input", refused.stderr)
        # Two files next to each other are not a set, nor is a single file in a folder.
        for out in ("deep/in/it/more.ofrecord", "elsewhere", "deep/in/else"):
            self.expect(0, "convert", "deep/in/it/part-0", "--to", "ofrecord", "-o", out)

    def test_a_set_may_be_written_below_the_folder_of_shards_given_as_arguments(self) -> None:
        for name in ("a", "b"):
            records.write_tfrecord(self.dir / f"{name}.tfrecord", payloads(3))
        (self.dir / "val").mkdir()
        self.expect(0, "build", "*.tfrecord", "-o", "all.ofidx")
        named = (("a.tfrecord", "b.tfrecord"), ("*.tfrecord",), (f"{self.dir}/*.tfrecord",), ("all.ofidx",))
        for n, source in enumerate(named):
            one = f"val/{'abcd'[n]}.tfrecord"
            for out in (f"out{n}", f"out{n}/", f"made{n}/x", f"val/{n}", one, f"new{n}/x.tfrecord"):
                with self.subTest(source=source, out=out):
                    self.expect(0, "convert", *source, "--to", "tfrecord", "-o", out, "--force")
        self.expect(0, "cat", "all.ofidx", "--to", "tfrecord", "-o", "val/sub.tfrecord")

    def test_an_index_with_the_name_of_a_shard_is_not_written_among_the_shards(self) -> None:
        write_parts(self.dir / "data" / "more", (2,))
        records.write_tfrecord(self.dir / "x_00", payloads(3))
        for data, out in (
            (("data",), "data/part-9"),
            (("data",), "data/a.tfrecord"),
            (("data",), "data/more/all-00000-of-00001"),
            (("data/part-0",), "data/part-2"),
            (("x_00",), "x_01"),
        ):
            with self.subTest(data=data, out=out):
                self.assertIn("name of a shard", self.assert_refused(2, "build", *data, "-o", out).stderr)
        for out in ("data/part-9.ofidx", "data/index", "part-9"):
            self.expect(0, "build", "data", "-o", out)

    def test_an_index_written_among_the_shards_is_not_indexed(self) -> None:
        write_parts(self.dir / "data", (2, 3))
        (self.dir / "data" / "meta.sqlite").write_bytes(b"SQLite format 3\0" + bytes(80))
        for data in (("data",), ("data/*",)):
            for out in (f"data/index{len(data[0])}.sqlite", f"data/names{len(data[0])}"):
                with self.subTest(data=data, out=out):
                    self.expect(0, "build", *data, "-o", out)
                    self.assertIn("up to date", self.expect(0, "build", *data, "-o", out).text)
                    self.expect(0, "build", *data, "-o", out, "--force")
                    self.expect(0, "verify", out)
                    self.assertEqual(self.expect(0, "cat", out, "--to", "jsonl").text.count("\n"), 5)
                    self.assert_refused(2, "build", *data, out, "-o", out)

    def test_foreign_files_with_names_of_shards_are_not_replaced_with_the_set(self) -> None:
        for name, args in {
            "part-00000": ("--to", "ofrecord"),
            "set-00003-of-00009.tfrecord": ("--to", "tfrecord"),
        }.items():
            with self.subTest(name):
                (self.dir / "set" / name).write_text("a part of a text that Spark wrote\n")
                before = self.contents()
                failed = self.expect_error(2, "pack", ROWS, *args, "-o", "set", "--force")
                self.assertIn(name, failed.stderr)
                self.assertEqual(self.contents(), before)
                (self.dir / "set" / name).unlink()

"""Every verb that writes, against everything that can be where it writes: what it did not make, and what it reads, stays.

The rule (docs/cli.md, "Outputs"): a path that exists is replaced only with --force, only if it is recognisably an output
of that verb, and never if it is an input.
"""

from __future__ import annotations

import gzip
import os
import shutil
import stat
import unittest
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from e2e.command import CommandTest, Finished
from e2e.samples import payloads, write_parts
from oracle import records

NOBODY = 65534
SHARD, INDEX, MAP, ROWS = "data/part-0", "data.ofidx", "data.ofidx-map", "rows.jsonl"
READ = (SHARD, INDEX, MAP)


@dataclass(frozen=True)
class Verb:
    """A command line that writes one file, `path`, whose bytes are of `kind`; `inputs` are files that it reads."""

    args: tuple[str, ...]
    path: str
    kind: str
    inputs: tuple[str, ...]


VERBS = {
    "build": Verb(("build", "data", "-o", "out.ofidx"), "out.ofidx", "index", (SHARD,)),
    "cat --to jsonl": Verb(("cat", "data", "-o", "out"), "out", "jsonl", READ),
    "cat --to raw": Verb(("cat", "data", "--to", "raw", "-o", "out"), "out", "raw", READ),
    "cat --to tfrecord": Verb(("cat", "data", "--to", "tfrecord", "-o", "out"), "out", "tfrecord", READ),
    "cat --to ofrecord": Verb(("cat", "of", "--to", "ofrecord", "-o", "out"), "out", "ofrecord", ("of/part-0",)),
    "cat --ids": Verb(("cat", "data", "--ids", "ids", "--to", "raw", "-o", "out"), "out", "raw", ("ids",)),
    "export": Verb(("export", "data", "--to", "tfrecord2idx", "-o", "."), "part-0.idx", "text index", READ),
    "pack, a file": Verb(("pack", ROWS, "--to", "tfrecord", "-o", "o.tfrecord"), "o.tfrecord", "tfrecord", (ROWS,)),
    "pack, a set": Verb(("pack", ROWS, "--to", "ofrecord", "-o", "set"), "set/part-0", "ofrecord", (ROWS,)),
    "convert, a file": Verb(
        ("convert", "data", "--to", "ofrecord", "-o", "o.ofrecord"), "o.ofrecord", "ofrecord", READ
    ),
    "convert, a set": Verb(
        ("convert", "data", "--to", "tfrecord", "--shards", "1", "-o", "set"),
        "set/set-00000-of-00001.tfrecord", "tfrecord", READ,
    ),
}  # fmt: skip


@dataclass(frozen=True)
class There:
    """What is at the path: how to put it there, and whether the verb may replace it by force."""

    put: Callable[[Path], Any]
    replaceable: bool


class OutputsTest(CommandTest):
    def setUp(self) -> None:
        super().setUp()
        write_parts(self.dir / "data", (5, 3))
        write_parts(self.dir / "of", (4,), records.OFRECORD)
        (self.dir / ROWS).write_text('{"a":1}\n{"a":2}\n')
        (self.dir / "ids").write_text("0\n2\n")
        for data in ("data", "of"):
            self.expect(0, "build", data)
        (self.dir / "set").mkdir()
        self.outputs = {name: self.made(verb) for name, verb in VERBS.items()}

    def made(self, verb: Verb) -> bytes:
        """What the verb writes where nothing is; nothing is there afterwards."""
        self.expect(0, *verb.args)
        made = (self.dir / verb.path).read_bytes()
        self.clear(verb)
        return made

    def clear(self, verb: Verb) -> None:
        for path in (self.dir / verb.path, self.dir / "part-1.idx", self.dir / "out.ofidx-map", self.dir / "elsewhere"):
            if path.is_dir() and not path.is_symlink():
                path.rmdir()
            else:
                path.unlink(missing_ok=True)

    def contents(self) -> dict[str, tuple[Any, ...]]:
        """All that lies in the folder: kind, mode, inode, and bytes or where a link leads."""
        found: dict[str, tuple[Any, ...]] = {}
        for path in sorted(self.dir.rglob("*")):
            info = path.lstat()
            inside: Any = path.read_bytes() if stat.S_ISREG(info.st_mode) else None
            if path.is_symlink():
                inside = os.readlink(path)
            if path.name != "set":  # which is exchanged as a whole
                found[str(path.relative_to(self.dir))] = (info.st_mode, info.st_ino, inside)
        return found

    def kinds_of(self, name: str, verb: Verb) -> dict[str, There]:
        """All that can be at the verb's path."""
        elsewhere = self.dir / "elsewhere"
        own = self.outputs[name]

        def bytes_of(data: bytes) -> Callable[[Path], Any]:
            return lambda path: path.write_bytes(data)

        def link_to(target: Path) -> Callable[[Path], Any]:
            return lambda path: path.symlink_to(target)

        def second_name_of(target: Path) -> Callable[[Path], Any]:
            return lambda path: os.link(target, path)

        def own_elsewhere(link: Callable[[Path], Callable[[Path], Any]]) -> Callable[[Path], Any]:
            def put(path: Path) -> None:
                elsewhere.write_bytes(own)
                link(elsewhere)(path)

            return put

        recognised = verb.kind != "raw"
        kinds = {
            "an empty file": There(bytes_of(b""), True),
            "its own output": There(bytes_of(own), recognised),
            "a link to its own output": There(own_elsewhere(link_to), recognised),
            "a second name of its own output": There(own_elsewhere(second_name_of), recognised),
            "a stranger's text": There(bytes_of(b"Dear diary,\n"), False),
            "two columns of numbers": There(bytes_of(b"0 100\n1 100\n"), False),
            "two columns of ascending numbers": There(bytes_of(b"1 20\n50 30\n90 40\n"), False),
            "another program's JSON lines": There(bytes_of(b'{"_id":"5f3a","_shard":"x"}\n'), False),
            "another program's numbered JSON lines": There(bytes_of(b'{"_id":5,"name":"x"}\n'), False),
            "a stranger's zeros": There(bytes_of(bytes(4096)), verb.kind == "index"),  # whose name is that of an index
            "a stranger's bytes": There(bytes_of(bytes(range(1, 256)) * 40), False),
            "another SQLite file": There(bytes_of(b"SQLite format 3\0" + bytes(84)), False),
            "a folder": There(lambda path: path.mkdir(), False),
            "a FIFO": There(os.mkfifo, False),
            "a link to a device": There(link_to(self.device()), False),
            "a link that leads nowhere": There(link_to(self.dir / "nowhere"), False),
            "a link to itself": There(link_to(self.dir / verb.path), False),
        }
        for other, made in self.outputs.items():
            if VERBS[other].kind != verb.kind:
                kinds[f"the output of {other}"] = There(bytes_of(made), False)
        for data in verb.inputs:
            kinds[f"a link to its input {data}"] = There(link_to(self.dir / data), False)
            kinds[f"a second name of its input {data}"] = There(second_name_of(self.dir / data), False)
        return kinds

    def device(self) -> Path:
        """A device that may be lost: not the system's own, where the test may replace that."""
        path = self.dir / "device"
        if os.geteuid() == 0 and not path.exists():
            os.mknod(path, stat.S_IFCHR | 0o666, os.makedev(1, 3))
        return path if path.exists() else Path("/dev/null")

    def run_over(self, verb: Verb, there: There, *force: str) -> Finished:
        """Runs the verb over what is there, and fails if anything else changes than what may change."""
        path = self.dir / verb.path
        there.put(path)
        before = self.contents()
        done = self.run_command(*verb.args, *force, timeout=20)
        after = self.contents()
        if done.code == 0 and force:
            replaced = {verb.path, "out.ofidx-map", "part-1.idx"}
            if path.is_symlink():
                replaced = replaced - {verb.path} | {"elsewhere"}
            for contents in (before, after):
                for name in replaced:
                    contents.pop(name, None)
        self.assertEqual(after, before, done)
        return done

    def test_what_exists_is_replaced_only_by_force_only_by_its_like_and_never_if_it_is_read(self) -> None:
        tried = 0
        for name, verb in VERBS.items():
            for what, there in self.kinds_of(name, verb).items():
                for force in ((), ("--force",)):
                    with self.subTest(verb=name, what=what, force=bool(force)):
                        done = self.run_over(verb, there, *force)
                        # An index that is up to date is left alone: there is nothing to replace.
                        up_to_date = verb.kind == "index" and "its own output" in what
                        allowed = there.replaceable and (bool(force) or up_to_date)
                        self.assertEqual(done.code == 0, allowed, done)
                        if allowed:
                            self.assert_same((self.dir / verb.path).read_bytes(), self.outputs[name], "the output")
                        else:
                            self.assertIn(done.code, (2, 4) if verb.kind == "index" else (2,), done)
                            self.assertEqual(len(done.stderr.splitlines()), 2, done)
                        self.assertEqual("--force" in done.stderr, there.replaceable and not allowed, done)
                        tried += 1
                    self.clear(verb)
        self.assertGreater(tried, 300)

    def test_the_input_itself_is_never_written_over(self) -> None:
        for args in (
            ("build", "data", "-o", "data/part-1"),
            ("build", "data/part-0", "data/part-1", "-o", "data/part-0"),
            ("build", "@list", "-o", "list"),
            ("cat", "data", "--to", "tfrecord", "-o", "data/part-0"),
            ("cat", "data", "--to", "jsonl", "-o", "data/part-0"),
            ("cat", "data", "-o", "data.ofidx"),
            ("cat", "data.ofidx", "-o", "data.ofidx-map"),
            ("cat", "data", "--ids", "ids", "-o", "ids"),
            ("export", "data", "--to", "tfrecord2idx", "-o", "text"),
            ("pack", ROWS, "--to", "ofrecord", "-o", "part-0"),
            ("convert", "data", "--to", "tfrecord", "-o", "data/part-0"),
            ("convert", "data/part-0", "--to", "tfrecord", "-o", "data/part-0"),
        ):
            with self.subTest(args):
                (self.dir / "list").write_text("data/part-0\n")
                (self.dir / "text").mkdir(exist_ok=True)
                (self.dir / "part-0").unlink(missing_ok=True)
                (self.dir / "part-0").symlink_to(ROWS)
                (self.dir / "text" / "part-0.idx").unlink(missing_ok=True)
                os.link(self.dir / SHARD, self.dir / "text" / "part-0.idx")
                before = self.contents()
                for force in ((), ("--force",)):
                    failed = self.expect_error(2, *args, *force)
                    self.assertRegex(failed.stderr, "input|not an output of this verb")
                    self.assertEqual(self.contents(), before)

    def test_a_copy_that_is_read_is_an_input_too(self) -> None:
        shutil.copytree(self.dir / "data", self.dir / "copy" / "data")
        shutil.rmtree(self.dir / "data")
        for verb in ("cat", "convert"):
            for out in ("copy/data/part-1", "copy/more.tfrecord"):
                with self.subTest(verb=verb, out=out):
                    before = self.contents()
                    args = (verb, INDEX, "--root", "copy", "--to", "tfrecord", "-o", out, "--force")
                    self.assertEqual(self.run_command(*args).code, 2)
                    self.assertEqual(self.contents(), before)

    def test_an_unquoted_glob_does_not_put_an_index_over_the_first_shard(self) -> None:
        shards = [f"s-{n}.tfrecord" for n in range(3)]
        for n, shard in enumerate(shards):
            records.write_tfrecord(self.dir / shard, payloads(3, first=n))
        before = self.contents()
        for force in ((), ("--force",)):
            failed = self.expect_error(4, "build", "-o", *shards, *force)  # as the shell makes it of -o *.tfrecord
            self.assertIn("quotes", failed.stderr)
            self.assertNotIn("--force", failed.stderr)
            self.assertEqual(self.contents(), before)

    def test_what_is_in_the_place_of_the_map_stays_if_it_is_no_map(self) -> None:
        for what, there in {
            "a stranger's text": There(lambda path: path.write_text("Dear diary,\n"), False),
            "a link to a shard": There(lambda path: path.symlink_to(self.dir / SHARD), False),
            "a second name of a shard": There(lambda path: os.link(self.dir / SHARD, path), False),
            "a folder": There(lambda path: path.mkdir(), False),
        }.items():
            with self.subTest(what):
                path = self.dir / MAP
                path.unlink()
                there.put(path)
                before = self.contents()
                self.assertIn(self.run_command("build", "data", "--force").code, (2, 4))
                self.assertEqual(self.contents(), before)
                self.expect(0, "cat", "data", "--range", "0:2")  # by a map in the cache
                self.assertEqual(self.contents(), before)
                path.rmdir() if path.is_dir() else path.unlink()
                self.expect(0, "build", "data", "--force")

    def test_a_stale_or_damaged_index_is_replaced_by_force(self) -> None:
        index = (self.dir / INDEX).read_bytes()
        for what, data in {
            "cut": index[:65536],
            "of another version": index[:60] + bytes([0, 0, 0, 99]) + index[64:],
            "damaged": index[:66000] + bytes(64) + index[66064:],
        }.items():
            with self.subTest(what):
                (self.dir / INDEX).write_bytes(data)
                self.expect(0, "build", "data", "--force")
                self.assertEqual((self.dir / INDEX).read_bytes(), index)

    def test_no_second_set_is_put_into_the_input(self) -> None:
        (self.dir / "link").symlink_to("data")
        for out in ("data", "data/", "data/more", "link", "link/more", "data/x.tfrecord", "of/../data"):
            for data in ("data", "data.ofidx", "link"):
                for force in ((), ("--force",)):
                    for args in (
                        ("convert", data, "--to", "tfrecord", "-o", out),
                        ("cat", data, "--to", "tfrecord", "-o", out if out.endswith("rd") else f"{out}/x"),
                    ):
                        if args[0] == "cat" and data == "link":
                            continue  # which has no index of its name
                        with self.subTest(args=args, force=force):
                            before = self.contents()
                            self.assertEqual(self.run_command(*args, *force).code, 2)
                            self.assertEqual(self.contents(), before)

    def assert_refused(self, code: int, *args: str) -> Finished:
        """The command fails, with and without --force, and all stays as it was."""
        before = self.contents()
        failed = self.expect_error(code, *args)
        self.expect_error(code, *args, "--force")
        self.assertEqual(self.contents(), before)
        return failed

    def test_a_folder_that_was_renamed_gets_no_second_set(self) -> None:
        for verb, source in (("pack", ROWS), ("convert", "of")):
            with self.subTest(verb):
                args = (verb, source, "--to", "tfrecord", "--shards", "2", "-o")
                self.expect(0, *args, "old")
                (self.dir / "old").rename(self.dir / "new")
                refused = self.assert_refused(2, *args, "new")
                self.assertRegex(refused.stderr, r"old-0000\d-of-00002.tfrecord: a shard of another set")
                shutil.rmtree(self.dir / "new")

    def test_a_set_is_not_written_where_a_build_would_take_other_files_with_it(self) -> None:
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

    def test_a_set_is_written_beside_files_that_no_build_takes_with_it(self) -> None:
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

    def test_a_set_written_through_a_link_is_called_as_its_folder_is(self) -> None:
        (self.dir / "flowers").mkdir()
        (self.dir / "latest").symlink_to("flowers")
        for out in ("flowers", "latest", "latest/"):
            self.expect(0, "pack", ROWS, "--to", "tfrecord", "-o", out, "--force")
            self.assertEqual(self.names(self.dir / "flowers"), ["flowers-00000-of-00001.tfrecord"])

    def test_a_file_is_no_further_shard_of_the_set_beside_it(self) -> None:
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

    def test_a_file_is_no_further_shard_of_any_family_of_names(self) -> None:
        (self.dir / "one").mkdir()
        for there, out in {
            "x_00.tfrecord": "x_01.tfrecord",
            "x_00.tfrecord.gz": "x_01.tfrecord",
            "train-1.tfrecord": "train-12.tfrecord",
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
        # Only `cat` takes names that say nothing of a format.
        self.expect(0, "cat", "data", "--to", "tfrecord", "-o", "one/x_00")
        self.assert_refused(2, "cat", "data", "--to", "tfrecord", "-o", "one/x_01")

    def test_files_of_one_extension_alone_lie_beside_each_other(self) -> None:
        self.expect(0, "pack", ROWS, "--to", "tfrecord", "--shards", "2", "-o", "s")
        self.expect(0, "cat", "data", "--to", "jsonl", "-o", "dump1")
        for out in ("train.tfrecord", "val.tfrecord", "s/y.tfrecord", "train-1.tfrecord", "val_1.tfrecord"):
            with self.subTest(out):
                self.expect(0, "pack", ROWS, "--to", "tfrecord", "-o", out)
        self.expect(0, "cat", "data", "--to", "tfrecord", "-o", "dump2")  # `dump1` is no shard

    def test_a_shard_that_is_there_is_replaced_by_force_beside_others_of_its_set(self) -> None:
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
    def test_a_new_set_has_the_group_of_a_folder_that_gives_it(self) -> None:
        shared = self.dir / "shared"
        shared.mkdir()
        os.chown(shared, -1, NOBODY)
        os.chmod(shared, 0o2775)
        self.expect(0, "pack", ROWS, "--to", "tfrecord", "--shards", "2", "-o", "shared/s")
        made = [shared / "s", *(shared / "s").iterdir()]
        self.assertEqual({path.name: path.stat().st_gid for path in made}, {path.name: NOBODY for path in made})
        self.assertTrue((shared / "s").stat().st_mode & stat.S_ISGID)

    def test_no_second_set_is_put_among_shards_that_were_named(self) -> None:
        write_parts(self.dir / "deep" / "in" / "it", (3,))
        self.expect(0, "build", "data/part-*", "-o", "named.ofidx")
        self.expect(0, "build", "deep/in/it/part-0", "-o", "one.ofidx")
        for source in (("data/part-0", "data/part-1"), ("data/part-*",), ("named.ofidx",)):
            for out, why in (
                ("data", "a folder with the input in it"),
                (".", "a folder with the input in it"),
                ("data/more.tfrecord", "lies in the input"),
                ("of/../data/more.tfrecord", "lies in the input"),
            ):
                with self.subTest(source=source, out=out):
                    refused = self.assert_refused(2, "convert", *source, "--to", "tfrecord", "-o", out)
                    self.assertIn(why, refused.stderr)
        self.assert_refused(2, "cat", "named.ofidx", "--to", "tfrecord", "-o", "data/more.tfrecord")
        for out in ("deep", "deep/in", "deep/in/it"):  # folders around a shard
            for data in ("deep/in/it/part-0", "one.ofidx"):
                with self.subTest(data=data, out=out):
                    refused = self.assert_refused(2, "convert", data, "--to", "tfrecord", "-o", out)
                    self.assertIn("a folder with the input in it", refused.stderr)
        # One file beside another is nobody's set, and neither is a folder of its own.
        for out in ("deep/in/it/more.ofrecord", "elsewhere", "deep/in/else"):
            self.expect(0, "convert", "deep/in/it/part-0", "--to", "ofrecord", "-o", out)

    def test_a_folder_below_shards_that_were_named_is_free(self) -> None:
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

    def test_an_index_with_the_name_of_a_shard_is_not_put_among_the_shards(self) -> None:
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

    def test_an_index_of_any_other_name_among_the_shards_is_none_of_the_data(self) -> None:
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

    def test_an_index_that_a_power_cut_left_empty_or_zeroed_is_replaced_by_force(self) -> None:
        index = (self.dir / INDEX).read_bytes()
        for data in (b"", bytes(100), bytes(len(index))):
            with self.subTest(len(data)):
                (self.dir / INDEX).write_bytes(data)
                self.assertIn("--force", self.expect_error(4, "build", "data").stderr)
                self.expect(0, "build", "data", "--force")
                self.assertEqual((self.dir / INDEX).read_bytes(), index)
        # Where the name does not say what it was, it may be anything.
        (self.dir / "empty").write_bytes(b"")
        self.assertNotIn("--force", self.assert_refused(4, "build", "data", "-o", "empty").stderr)

    def test_cat_keeps_a_file_that_is_there_if_a_shard_is_lost(self) -> None:
        for to in ("jsonl", "tfrecord"):
            with self.subTest(to):
                shard = (self.dir / "data" / "part-1").read_bytes()
                args = ("cat", "data", "--to", to, "-o", "kept", "--force")
                self.expect(0, *args)
                whole = (self.dir / "kept").read_bytes()
                (self.dir / "data" / "part-1").unlink()
                lost = self.expect(4, *args)
                self.assertIn("kept is as it was", lost.stderr)
                self.assertEqual((self.dir / "kept").read_bytes(), whole)
                (self.dir / "kept").unlink()
                self.expect(4, *args)  # what there is, where nothing was
                self.assertLess(len((self.dir / "kept").read_bytes()), len(whole))
                (self.dir / "kept").unlink()
                (self.dir / "data" / "part-1").write_bytes(shard)
        self.assertNotIn("kept", self.names())

    def test_two_text_indexes_never_go_into_one_file(self) -> None:
        self.expect(0, "export", "data", "--to", "tfrecord2idx", "-o", "text")
        (self.dir / "text" / "part-1.idx").unlink()
        for link in (Path("part-0.idx"), self.dir / "text" / "part-0.idx"):
            (self.dir / "text" / "part-1.idx").symlink_to(link)
            before = self.contents()
            failed = self.expect_error(2, "export", "data", "--to", "tfrecord2idx", "-o", "text", "--force")
            self.assertIn("two shards would be exported", failed.stderr)
            self.assertEqual(self.contents(), before)
            (self.dir / "text" / "part-1.idx").unlink()

    def test_a_stale_shard_is_not_exported(self) -> None:
        with open(self.dir / "data" / "part-1", "ab") as shard:
            shard.write(b"x")
        before = self.contents()
        self.assertIn("part-1", self.expect_error(4, "export", "data", "--to", "tfrecord2idx", "-o", ".").stderr)
        (self.dir / "data" / "part-1").unlink()
        self.expect_error(4, "export", "data", "--to", "tfrecord2idx", "-o", ".")
        before.pop("data/part-1")
        self.assertEqual(self.contents(), before)

    def test_a_stranger_s_shard_names_are_not_replaced_with_the_set(self) -> None:
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

    @unittest.skipUnless(os.geteuid() == 0, "only root can be another user")
    def test_a_folder_that_cannot_be_written_to_is_an_error_and_stays(self) -> None:
        shutil.chown(self.dir, NOBODY, NOBODY)
        os.chmod(self.dir.parent, 0o755)
        as_nobody = {"preexec_fn": lambda: os.setuid(NOBODY), "cwd": self.dir}
        (self.dir / "locked").mkdir()
        for name, verb in VERBS.items():
            with self.subTest(name):
                args = [*verb.args]
                if name == "export":
                    args[-1] = "locked"
                else:
                    args[args.index("-o") + 1] = f"locked/{args[args.index('-o') + 1]}"
                before = self.contents()
                for force in ((), ("--force",)):
                    self.expect_error(5, *args, *force, **as_nobody)
                    self.assertEqual(self.contents(), before)

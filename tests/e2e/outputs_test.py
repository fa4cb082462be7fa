"""Every verb that writes, over everything that may exist at its output path: it replaces only its own earlier output.

The rule (docs/cli.md, "Outputs"): an existing path is replaced only with --force, only if it is recognisably an output
of that verb, and never if it is an input.
"""

from __future__ import annotations

import os
import shutil
import stat
import unittest
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from e2e.command import Finished
from e2e.output_folder import NOBODY, ROWS, OutputFolderTest
from e2e.samples import payloads
from oracle import records

SHARD, INDEX, MAP = "data/part-0", "data.ofidx", "data.ofidx-map"
READ = (SHARD, INDEX, MAP)


@dataclass(frozen=True)
class Verb:
    """A command line that writes one file, `path`, of the given kind; `inputs` are the files that it reads."""

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
    "split": Verb(("split", "data", "a=0.5", "-o", "lists"), "lists/a.ids", "ordinals", READ),
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
    """Something at the output path: how to create it, and whether the verb may replace it with --force."""

    put: Callable[[Path], Any]
    replaceable: bool


class OutputsTest(OutputFolderTest):
    def setUp(self) -> None:
        super().setUp()
        (self.dir / "ids").write_text("0\n2\n")
        self.outputs = {name: self.made(verb) for name, verb in VERBS.items()}

    def made(self, verb: Verb) -> bytes:
        """The bytes that the verb writes to a new path, which is removed afterwards."""
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

    def kinds_of(self, name: str, verb: Verb) -> dict[str, There]:
        """Everything that can be at the verb's path."""
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
            "a hard link to its own output": There(own_elsewhere(second_name_of), recognised),
            "a stranger's text": There(bytes_of(b"Dear diary,\n"), False),
            "numbers that do not ascend": There(bytes_of(b"7\n3\n"), False),
            "two columns of numbers": There(bytes_of(b"0 100\n1 100\n"), False),
            "two columns of ascending numbers": There(bytes_of(b"1 20\n50 30\n90 40\n"), False),
            "another program's JSON lines": There(bytes_of(b'{"_id":"5f3a","_shard":"x"}\n'), False),
            "another program's numbered JSON lines": There(bytes_of(b'{"_id":5,"name":"x"}\n'), False),
            "a stranger's zeros": There(bytes_of(bytes(4096)), verb.kind == "index"),  # the name is that of an index
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
            kinds[f"a hard link to its input {data}"] = There(second_name_of(self.dir / data), False)
        return kinds

    def device(self) -> Path:
        """A null device: /dev/null or, if the test runs as root and could overwrite that, a new one."""
        path = self.dir / "device"
        if os.geteuid() == 0 and not path.exists():
            os.mknod(path, stat.S_IFCHR | 0o666, os.makedev(1, 3))
        return path if path.exists() else Path("/dev/null")

    def run_over(self, verb: Verb, there: There, *force: str) -> Finished:
        """Runs the verb over an existing path, and fails if it changes anything but its outputs."""
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

    def test_only_force_replaces_a_file_and_only_an_output_of_the_same_kind_that_is_not_an_input(self) -> None:
        tried = 0
        for name, verb in VERBS.items():
            for what, there in self.kinds_of(name, verb).items():
                for force in ((), ("--force",)):
                    with self.subTest(verb=name, what=what, force=bool(force)):
                        done = self.run_over(verb, there, *force)
                        # An up-to-date index is left alone: nothing is replaced.
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

    def test_the_input_itself_is_never_overwritten(self) -> None:
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

    def test_a_list_from_standard_input_is_not_overwritten_either(self) -> None:
        self.expect(0, "cat", "data", "--to", "csv", "-o", "list.csv")
        before = self.contents()
        for force in ((), ("--force",)):
            with (self.dir / "list.csv").open("rb") as given:
                args = ("cat", "data", "--ids", "-", "--to", "csv", "-o", "list.csv", *force)
                failed = self.finish(self.start(*args, stdin=given))
            self.assertEqual(failed.code, 2, failed)
        self.assertEqual(self.contents(), before)

    def test_a_copy_read_through_the_option_root_counts_as_an_input(self) -> None:
        shutil.copytree(self.dir / "data", self.dir / "copy" / "data")
        shutil.rmtree(self.dir / "data")
        for verb in ("cat", "convert"):
            for out in ("copy/data/part-1", "copy/more.tfrecord"):
                with self.subTest(verb=verb, out=out):
                    before = self.contents()
                    args = (verb, INDEX, "--root", "copy", "--to", "tfrecord", "-o", out, "--force")
                    self.assertEqual(self.run_command(*args).code, 2)
                    self.assertEqual(self.contents(), before)

    def test_an_unquoted_glob_does_not_overwrite_the_first_shard_with_an_index(self) -> None:
        shards = [f"s-{n}.tfrecord" for n in range(3)]
        for n, shard in enumerate(shards):
            records.write_tfrecord(self.dir / shard, payloads(3, first=n))
        before = self.contents()
        for force in ((), ("--force",)):
            failed = self.expect_error(4, "build", "-o", *shards, *force)  # as the shell expands -o *.tfrecord
            self.assertIn("quotes", failed.stderr)
            self.assertNotIn("--force", failed.stderr)
            self.assertEqual(self.contents(), before)

    def test_a_file_with_the_name_of_the_map_is_kept_unless_it_is_a_map(self) -> None:
        for what, there in {
            "a stranger's text": There(lambda path: path.write_text("Dear diary,\n"), False),
            "a link to a shard": There(lambda path: path.symlink_to(self.dir / SHARD), False),
            "a hard link to a shard": There(lambda path: os.link(self.dir / SHARD, path), False),
            "a folder": There(lambda path: path.mkdir(), False),
        }.items():
            with self.subTest(what):
                path = self.dir / MAP
                path.unlink()
                there.put(path)
                before = self.contents()
                self.assertIn(self.run_command("build", "data", "--force").code, (2, 4))
                self.assertEqual(self.contents(), before)
                self.expect(0, "cat", "data", "--range", "0:2")  # through a map in the cache
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

    def test_an_index_left_empty_or_zeroed_by_a_power_cut_is_replaced_by_force(self) -> None:
        index = (self.dir / INDEX).read_bytes()
        for data in (b"", bytes(100), bytes(len(index))):
            with self.subTest(len(data)):
                (self.dir / INDEX).write_bytes(data)
                self.assertIn("--force", self.expect_error(4, "build", "data").stderr)
                self.expect(0, "build", "data", "--force")
                self.assertEqual((self.dir / INDEX).read_bytes(), index)
        # An empty file without the name of an index may be anything.
        (self.dir / "empty").write_bytes(b"")
        self.assertNotIn("--force", self.assert_refused(4, "build", "data", "-o", "empty").stderr)

    def test_cat_keeps_an_existing_file_if_a_shard_is_lost(self) -> None:
        for to in ("jsonl", "tfrecord"):
            with self.subTest(to):
                shard = (self.dir / "data" / "part-1").read_bytes()
                args = ("cat", "data", "--to", to, "-o", "kept", "--force")
                self.expect(0, *args)
                whole = (self.dir / "kept").read_bytes()
                (self.dir / "data" / "part-1").unlink()
                lost = self.expect(4, *args)
                self.assertIn("kept is unchanged: not all records could be read", lost.stderr)
                self.assertEqual((self.dir / "kept").read_bytes(), whole)
                (self.dir / "kept").unlink()
                self.expect(4, *args)  # an existing output, where none was before
                self.assertLess(len((self.dir / "kept").read_bytes()), len(whole))
                (self.dir / "kept").unlink()
                (self.dir / "data" / "part-1").write_bytes(shard)
        self.assertNotIn("kept", self.names())

    def test_two_text_indexes_are_never_written_into_one_file(self) -> None:
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

    @unittest.skipUnless(os.geteuid() == 0, "only root can be another user")
    def test_a_folder_that_cannot_be_written_is_an_error_and_is_kept(self) -> None:
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

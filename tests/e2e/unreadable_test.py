"""Unreadable files and missing shards: everything else is indexed and read, and the exit code reports the rest."""

from __future__ import annotations

import os
import shutil
import subprocess
import unittest
from pathlib import Path
from typing import Any

from e2e.bounded import is_address_sanitized
from e2e.command import COMMAND, CommandTest, Finished
from e2e.samples import payloads, write_parts
from oracle import records

NOBODY = 65534


class PermissionTest(CommandTest):
    """Runs the command as an ordinary user: the user who runs the tests or, if that is root, nobody."""

    def setUp(self) -> None:
        super().setUp()
        self.bound: dict[str, Any] = {}
        if os.geteuid() == 0:
            self.dir.parent.chmod(0o755)
            self.dir.chmod(0o777)
            binary = self.dir.parent / "ofindex"
            shutil.copy(COMMAND, binary)
            binary.chmod(0o755)
            self.bound = {"user": NOBODY, "group": NOBODY, "extra_groups": [], "executable": binary}

    def forbid(self, path: Path) -> None:
        path.chmod(0)
        self.addCleanup(path.chmod, 0o755)


class BuildTest(PermissionTest):
    def setUp(self) -> None:
        super().setUp()
        self.payloads = write_parts(self.dir / "data", (5, 6, 7))

    def build(self, code: int, *args: str) -> Any:
        return self.expect(code, "build", "data", "--json", *args, **self.bound)

    def test_an_unreadable_file_is_named_and_the_rest_is_indexed(self) -> None:
        self.forbid(self.dir / "data" / "part-1")
        built = self.build(5)
        self.assertEqual((built.json["records"], built.json["shards"]), (12, 2))
        reason = "cannot open: Permission denied"
        self.assertEqual(built.json["skipped"], [{"path": "data/part-1", "reason": reason}])
        self.assertTrue(built.stderr.startswith(f"ofindex: data/part-1: {reason}\nhint: "), built)
        self.assertEqual(self.expect(0, "info", "data", "--json").json["skipped"], built.json["skipped"])
        self.assertEqual(self.expect(0, "cat", "data", "--to", "raw").stdout,
                         b"".join(self.payloads[:5] + self.payloads[11:]))

    def test_an_index_without_an_unreadable_file_is_up_to_date_until_the_file_can_be_read(self) -> None:
        self.forbid(self.dir / "data" / "part-1")
        self.build(5)
        self.assertTrue(self.build(5).json["up_to_date"])
        self.expect(1, "verify", "data", **self.bound)
        (self.dir / "data" / "part-1").chmod(0o644)
        self.expect(1, "verify", "data", **self.bound)
        self.expect_error(4, "build", "data", **self.bound)
        self.assertEqual(self.build(0, "--force").json["records"], 18)
        self.expect(0, "verify", "data", **self.bound)

    def test_an_unlistable_folder_is_named_and_the_rest_is_indexed(self) -> None:
        write_parts(self.dir / "data" / "more", (3,))
        write_parts(self.dir / "data" / "closed", (3,))
        self.forbid(self.dir / "data" / "closed")
        built = self.build(5)
        self.assertEqual(built.json["records"], 21)
        self.assertEqual([entry["path"] for entry in built.json["skipped"]], ["data/closed"])
        self.assertIn("data/closed: cannot list: Permission denied", built.stderr)

    def test_if_nothing_is_readable_the_exit_code_is_5_and_there_is_no_index(self) -> None:
        for name in ("part-0", "part-1", "part-2"):
            self.forbid(self.dir / "data" / name)
        self.assertIn("part-0", self.expect_error(5, "build", "data", **self.bound).stderr)
        self.assertEqual(self.names(), ["data"])

    def test_an_unreadable_folder_given_as_an_argument_exits_with_5(self) -> None:
        self.forbid(self.dir / "data")
        self.expect_error(5, "build", "data", **self.bound)
        self.assertEqual(self.names(), ["data"])

    def test_damage_and_an_unreadable_file_are_both_reported(self) -> None:
        self.forbid(self.dir / "data" / "part-1")
        os.truncate(self.dir / "data" / "part-2", 200)
        built = self.build(5)
        self.assertEqual(len(built.json["damage"]), 1)
        for name in ("part-1", "part-2"):
            self.assertIn(f"data/{name}", built.stderr)

    def test_convert_writes_nothing_if_a_file_cannot_be_read(self) -> None:
        self.forbid(self.dir / "data" / "part-1")
        refused = self.expect(5, "convert", "data", "--to", "ofrecord", "-o", "out", **self.bound)
        self.assertIn("part-1", refused.stderr)
        self.assertEqual(self.names(), ["data"])


class VerifyTest(PermissionTest):
    def test_verify_continues_after_an_unreadable_shard(self) -> None:
        write_parts(self.dir / "data", (5, 6, 7, 8))
        self.expect(0, "build", "data", "--verify")
        for name in ("part-0", "part-2"):
            self.forbid(self.dir / "data" / name)
        found = self.expect(5, "verify", "data", "--json", **self.bound)
        self.assertEqual([entry["shard"] for entry in found.json["stale"]], ["data/part-0", "data/part-2"])
        self.assertEqual(found.json["records_checked"], 14)
        self.assertFalse(found.json["all_payloads_checked"])
        lines = found.stderr.splitlines()
        self.assertEqual([line.partition(": ")[0] for line in lines], ["ofindex", "hint", "ofindex"])
        # Faults in the other shards are reported too.
        os.truncate(self.dir / "data" / "part-3", 100)
        for options in ((), ("--quick",)):
            found = self.expect(5, "verify", "data", "--json", *options, **self.bound)
            self.assertEqual(len(found.json["stale"]), 3)


@unittest.skipUnless(shutil.which("strace"), "strace is not installed")
class FailingDiskTest(CommandTest):
    """System calls that fail for one file, as on a failing disk."""

    def setUp(self) -> None:
        super().setUp()
        self.environment = {**self.environment, "ASAN_OPTIONS": "detect_leaks=0", "LSAN_OPTIONS": "detect_leaks=0"}
        self.payloads = write_parts(self.dir / "data", (5, 6, 7))
        if self.failing("readlink", "data", "info", "nothing").code == 1:
            self.skipTest("strace may not trace here")

    def failing(self, call: str, path: str, *args: str) -> Finished:
        """Runs the command; each `call` that names `path` fails with EIO."""
        trace = ["strace", "-f", "-qq", "-o", os.devnull, "-P", str(self.dir / path), "-P", path]
        done = subprocess.run([*trace, "-e", f"inject={call}:error=EIO", COMMAND, *args], cwd=self.dir,
                              env=self.environment, capture_output=True, timeout=60, check=False)
        return Finished(args, done.returncode, done.stdout, done.stderr.decode())

    def test_a_file_that_cannot_be_examined_is_named_and_the_rest_is_indexed(self) -> None:
        for call in ("?stat,?newfstatat,?statx", "?open,?openat", "pread64"):
            with self.subTest(call):
                built = self.failing(call, "data/part-1", "build", "data", "--json", "--force")
                self.assertEqual(built.code, 5, built)
                self.assertEqual((built.json["records"], built.json["shards"]), (12, 2))
                self.assertRegex(built.stderr, "data/part-1.*: cannot")
                self.assertIn("Input/output error", built.stderr)

    def test_an_unlistable_folder_is_named_and_the_rest_is_indexed(self) -> None:
        write_parts(self.dir / "data" / "more", (3,))
        for call in ("getdents64", "?open,?openat", "?stat,?newfstatat,?statx"):
            with self.subTest(call):
                built = self.failing(call, "data/more", "build", "data", "--json", "--force")
                self.assertEqual((built.code, built.json["records"]), (5, 18), built)
                self.assertIn("data/more", built.stderr)

    def test_verify_continues_after_a_shard_whose_bytes_cannot_be_read(self) -> None:
        self.expect(0, "build", "data", "--verify")
        found = self.failing("pread64", "data/part-1", "verify", "data", "--json")
        self.assertEqual((found.code, found.json["records_checked"]), (5, 12), found)
        self.assertEqual([entry["shard"] for entry in found.json["stale"]], ["data/part-1"])


class BrokenLinkTest(CommandTest):
    def test_a_broken_link_in_a_set_is_an_unreadable_shard(self) -> None:
        write_parts(self.dir / "data", (5,))
        for name, target in (("part-1", "nowhere"), ("part-2", "part-2")):
            with self.subTest(name):
                os.symlink(target, self.dir / "data" / name)
                built = self.expect(5, "build", "data", "--json", "--force")
                self.assertEqual([entry["path"] for entry in built.json["skipped"]], [f"data/{name}"])
                self.assertEqual(built.json["records"], 5)
                self.expect(5, "build", "data")
                self.expect(1, "verify", "data")
                (self.dir / "data" / name).unlink()

    def test_a_broken_link_that_belongs_to_no_set_is_skipped(self) -> None:
        write_parts(self.dir / "data", (5,))
        os.symlink("nowhere", self.dir / "data" / "link")
        self.assertEqual(len(self.expect(0, "build", "data", "--json").json["skipped"]), 1)
        self.expect(0, "verify", "data")


class LostShardTest(PermissionTest):
    """`cat` and `get` of a dataset with missing, replaced or unreadable shards."""

    def setUp(self) -> None:
        super().setUp()
        self.payloads = write_parts(self.dir / "data", (5, 6, 7, 8))
        self.expect(0, "build", "data")
        self.of = [0] * 5 + [1] * 6 + [2] * 7 + [3] * 8

    def lose(self, how: str, number: int) -> int:
        """Returns the exit code to expect."""
        path = self.dir / "data" / f"part-{number}"
        if how == "missing":
            path.unlink()
        elif how == "replaced":
            path.write_bytes(records.frame_tfrecord(b"another"))
        elif how == "folder":
            path.unlink()
            path.mkdir()
        else:
            self.forbid(path)
            return 5
        return 4

    def restore(self) -> None:
        shutil.rmtree(self.dir / "data", ignore_errors=True)
        write_parts(self.dir / "data", (5, 6, 7, 8))

    def test_every_record_of_the_other_shards_is_read(self) -> None:
        for how in ("missing", "replaced", "folder", "unreadable"):
            for lost in ((0,), (1,), (3,), (1, 2), (0, 1, 2, 3)):
                with self.subTest((how, lost)):
                    self.restore()
                    code = max(self.lose(how, number) for number in lost)
                    kept = [n for n in range(len(self.of)) if self.of[n] not in lost]
                    expected = b"".join(self.payloads[n] for n in kept)
                    cat = self.expect(code, "cat", "data", "--to", "raw", **self.bound)
                    self.assertEqual(cat.stdout, expected)
                    got = self.expect(code, "get", "data", ":", "--raw", **self.bound)
                    self.assertEqual(got.stdout, expected)
                    for done in (cat, got):
                        for number in lost:
                            first = self.of.index(number)
                            last = first + self.of.count(number) - 1
                            self.assertRegex(done.stderr, rf"part-{number}: .*; records {first} to {last} are in it\n")
                        self.assertEqual(done.stderr.count("\n"), 1 + len(lost))

    def test_the_other_records_are_read_in_every_format_and_order(self) -> None:
        self.lose("missing", 2)
        kept = [n for n in range(len(self.of)) if self.of[n] != 2]
        whole = self.expect(4, "get", "data", "0:26", "--json").json
        self.assertEqual([record["_id"] for record in whole["records"]], kept)
        lines = self.expect(4, "cat", "data").jsonl
        self.assertEqual([record["_id"] for record in lines], kept)
        order = [25, 12, 0, 11, 7, 17, 3]
        ids = "".join(f"{n}\n" for n in order).encode()
        stream = self.expect(4, "cat", "data", "--ids", "-", "--to", "raw", stdin=ids).stdout
        self.assertEqual(stream, b"".join(self.payloads[n] for n in order if self.of[n] != 2))
        self.expect(4, "cat", "data", "--to", "tfrecord", "-o", "rest.tfrecord")
        rest = records.walk_tfrecord((self.dir / "rest.tfrecord").read_bytes()).payloads
        self.assertEqual(rest, [self.payloads[n] for n in kept])

    def test_reading_only_sound_shards_exits_with_0(self) -> None:
        self.lose("missing", 2)
        self.expect(0, "cat", "data", "--range", "0:11", "--to", "raw")
        self.expect(0, "get", "data", "3", "20")

    def test_a_bad_record_and_a_lost_shard_are_both_reported(self) -> None:
        shard = self.dir / "data" / "part-0"
        data = bytearray(shard.read_bytes())
        data[20] ^= 1
        shard.write_bytes(data)
        self.expect(3, "build", "data", "--verify", "--force")
        self.lose("missing", 3)
        for args in (("cat", "data"), ("get", "data", ":", "--jsonl")):
            done = self.expect(4, *args)
            self.assertEqual(len(done.jsonl), 17)
            self.assertIn("payload_crc", done.stderr)
            self.assertIn("part-3", done.stderr)

    def test_convert_of_an_index_with_a_lost_shard_writes_nothing(self) -> None:
        self.lose("missing", 3)
        self.expect_error(4, "convert", "data.ofidx", "--to", "ofrecord", "-o", "out")
        self.assertNotIn("out", self.names())


class OutputTest(PermissionTest):
    def test_an_unlistable_folder_is_an_error_before_anything_is_written(self) -> None:
        """In a folder that cannot be listed, a verb cannot see an existing set, and cannot sync its output."""
        write_parts(self.dir / "data", (5, 6))
        (self.dir / "rows.jsonl").write_text('{"a":1}\n')
        self.expect(0, "build", "data")
        closed = self.dir / "closed"
        write_parts(closed, (3,))
        before = {path.name: path.read_bytes() for path in closed.iterdir()}
        for args in (
            ("pack", "rows.jsonl", "--to", "tfrecord", "-o", "closed/part-3"),
            ("pack", "rows.jsonl", "--to", "tfrecord", "-o", "closed/part-0", "--force"),
            ("pack", "rows.jsonl", "--to", "tfrecord", "-o", "closed/x.tfrecord"),
            ("pack", "rows.jsonl", "--to", "tfrecord", "-o", "closed/new/x.tfrecord"),
            ("pack", "rows.jsonl", "--to", "tfrecord", "-o", "closed"),
            ("pack", "rows.jsonl", "--to", "tfrecord", "-o", "closed/set"),
            ("pack", "rows.jsonl", "--to", "tfrecord", "-o", "closed/new/set"),
            ("convert", "data", "--to", "tfrecord", "-o", "closed/part-3"),
            ("cat", "data", "--to", "tfrecord", "-o", "closed/part-3"),
            ("cat", "data", "--to", "jsonl", "-o", "closed/lines"),
            ("export", "data", "--to", "tfrecord2idx", "-o", "closed"),
            ("build", "data", "-o", "closed/data.ofidx"),
        ):
            with self.subTest(args):
                closed.chmod(0o333)
                refused = self.run_command(*args, **self.bound)
                closed.chmod(0o755)
                self.assertEqual({path.name: path.read_bytes() for path in closed.iterdir()}, before)
                self.assertEqual(refused.code, 5, refused)
                self.assertRegex(refused.stderr, "closed: cannot (list|open)")


class ListingTest(CommandTest):
    """A folder whose listing fails halfway is an error, not a crash."""

    def test_a_listing_that_fails_in_the_middle_exits_with_5(self) -> None:
        strace = None if is_address_sanitized() else shutil.which("strace")
        if strace is None:
            self.skipTest("strace is not installed, or the command has LeakSanitizer, which does not work under strace")
        write_parts(self.dir / "data", (5, 6))
        (self.dir / "set").mkdir()
        (self.dir / "set" / "set-00000-of-00001.tfrecord").write_bytes(records.frame_tfrecord(payloads(1)[0]))
        for args, code in ((("build", "data"), 5), (("pack", "data", "--to", "tfrecord", "-o", "new"), 5),
                           (("pack", "data", "--to", "tfrecord", "-o", "set", "--shards", "1", "--force"), 5)):
            for when in (1, 2, 3, 4):
                with self.subTest((args, when)):
                    inject = f"inject=getdents64:error=EIO:when={when}+"
                    done = self.run_command("-f", "-qq", "-o", "trace", "-e", "trace=getdents64", "-e", inject, COMMAND,
                                            *args, executable=strace)
                    if "ptrace" in done.stderr:
                        self.skipTest("strace may not trace here")
                    injected = "INJECTED" in (self.dir / "trace").read_text()
                    self.assertIn(done.code, (code,) if injected else (0,), done)
                    if injected:
                        self.assertIn("Input/output error", done.stderr)
                    shutil.rmtree(self.dir / "new", ignore_errors=True)
                    (self.dir / "data.ofidx").unlink(missing_ok=True)

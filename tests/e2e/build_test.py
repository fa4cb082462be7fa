"""`ofindex build`: the files it leaves, when it does nothing, and that only the data determine the index's bytes."""

from __future__ import annotations

import gzip
import shutil
import sqlite3
from pathlib import Path
from typing import Any

from e2e.command import CommandTest
from e2e.samples import payload, payloads, write_parts
from oracle import records


class BuildTest(CommandTest):
    """The files that a build leaves, and when it does nothing."""

    def setUp(self) -> None:
        super().setUp()
        self.payloads = write_parts(self.dir / "data", (3, 2))

    def test_a_build_leaves_only_the_index_and_its_map(self) -> None:
        self.expect(0, "build", "data", "--verify")
        self.assertEqual(self.names(), ["data", "data.ofidx", "data.ofidx-map"])
        self.assertEqual(self.names(self.dir / "data"), ["part-0", "part-1"])

    def test_the_index_of_a_file_lies_next_to_it(self) -> None:
        self.expect(0, "build", "data/part-0")
        self.assertEqual(self.names(self.dir / "data"), ["part-0", "part-0.ofidx", "part-0.ofidx-map", "part-1"])
        self.assertEqual(self.expect(0, "cat", "data/part-0", "--to", "raw").stdout, b"".join(self.payloads[:3]))

    def test_an_index_that_is_up_to_date_is_left_alone(self) -> None:
        self.expect(0, "build", "data")
        before = (self.dir / "data.ofidx").stat()
        self.assertEqual(self.expect(0, "build", "data", "--json").json["records"], 5)
        after = (self.dir / "data.ofidx").stat()
        self.assertEqual((after.st_ino, after.st_mtime_ns), (before.st_ino, before.st_mtime_ns))

    def test_changed_data_need_force(self) -> None:
        self.expect(0, "build", "data")
        before = (self.dir / "data.ofidx").read_bytes()
        records.write_tfrecord(self.dir / "data" / "part-2", payloads(2, first=5))
        refused = self.expect_error(4, "build", "data")
        self.assertIn("--force", refused.stderr)
        self.assertEqual((self.dir / "data.ofidx").read_bytes(), before)
        self.assertEqual(self.expect(0, "build", "data", "--force", "--json").json["records"], 7)
        self.assertEqual(self.expect(0, "get", "data", "-1", "--raw").stdout, payload(6))

    def test_an_index_of_other_data_is_not_replaced_by_accident(self) -> None:
        self.expect(0, "build", "data")
        write_parts(self.dir / "other", (9,))
        refused = self.expect_error(4, "build", "other", "-o", "data.ofidx")
        self.assertIn("data.ofidx: an index of other data: data/part-0", refused.stderr)
        self.assertIn("-o INDEX", refused.stderr)

    def test_a_missing_or_foreign_map_is_rebuilt_silently(self) -> None:
        self.expect(0, "build", "data")
        write_parts(self.dir / "other", (9,))
        self.expect(0, "build", "other")
        original = (self.dir / "data.ofidx-map").read_bytes()
        (self.dir / "data.ofidx-map").unlink()
        for _ in ("lost", "foreign"):
            shown = self.expect(0, "get", "data", "4", "--raw")
            self.assertEqual((shown.stdout, shown.stderr), (self.payloads[4], ""))
            self.assertEqual((self.dir / "data.ofidx-map").read_bytes(), original)
            shutil.copyfile(self.dir / "other.ofidx-map", self.dir / "data.ofidx-map")

    def test_the_index_is_an_ordinary_sqlite_file(self) -> None:
        self.expect(0, "build", "data")
        database = sqlite3.connect(f"file:{self.dir}/data.ofidx?mode=ro&immutable=1", uri=True)
        self.addCleanup(database.close)
        self.assertEqual(database.execute("PRAGMA integrity_check").fetchone(), ("ok",))
        self.assertEqual(database.execute("SELECT count(*) FROM shard").fetchone(), (2,))
        self.assertEqual(database.execute("PRAGMA journal_mode").fetchone(), ("delete",))


class SameBytesTest(CommandTest):
    """The bytes of an index do not depend on how or where it was built, except for the inodes of the files."""

    def setUp(self) -> None:
        super().setUp()
        for parent, framing in (("data", records.TFRECORD), ("rest", records.OFRECORD)):
            write_parts(self.dir / parent, (900, 1, 0, 400, 70), framing)
        with open(self.dir / "data" / "part-1", "ab") as shard:
            shard.write(b"torn")
        (self.dir / "data" / "labels.txt").write_text("a\nb\n")

    def bytes_of(self, *args: str, **options: Any) -> tuple[bytes, bytes]:
        finished = self.run_command("build", *args, "--force", **options)
        self.assertIn(finished.code, (0, 3), finished)
        name = "rest.ofidx" if "rest" in args[0] else "data.ofidx"
        return (self.dir / name).read_bytes(), (self.dir / f"{name}-map").read_bytes()

    def test_any_number_of_threads_gives_the_same_bytes(self) -> None:
        for data in ("data", "rest"):
            for mode in ((), ("--verify",)):
                expected = self.bytes_of(data, "-j", "1", *mode)
                for threads in ("2", "8"):
                    self.assert_same(self.bytes_of(data, "-j", threads, *mode), expected, (data, mode, threads))

    def test_the_working_directory_and_the_form_of_the_path_do_not_change_the_bytes(self) -> None:
        expected = self.bytes_of("data")
        (self.dir / "deep" / "er").mkdir(parents=True)
        self.assert_same(self.bytes_of(str(self.dir / "data")), expected, "absolute path")
        self.assert_same(self.bytes_of("../../data", cwd=self.dir / "deep" / "er"), expected, "folder below")
        self.assert_same(self.bytes_of("./data/"), expected, "dot and slash")

    def test_the_index_of_a_copy_differs_only_in_inodes_change_times_and_their_checksums(self) -> None:
        self.bytes_of("data")
        shutil.copytree(self.dir / "data", self.dir / "copy" / "data")
        self.expect(3, "build", "copy/data")
        original, copied = (self.rows_of(self.dir / name / "data.ofidx") for name in (".", "copy"))
        self.assertEqual(original.keys(), copied.keys())
        for table in original:
            self.assertEqual(original[table], copied[table], table)

    def rows_of(self, index: Path) -> dict[str, list[object]]:
        """All rows of all tables, except what depends on the inodes of the files."""
        database = sqlite3.connect(f"file:{index}?mode=ro&immutable=1", uri=True)
        self.addCleanup(database.close)
        database.row_factory = sqlite3.Row
        tables = [name for (name,) in database.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
        rows: dict[str, list[object]] = {}
        for table in tables:
            rows[table] = [dict(row) for row in database.execute(f"SELECT * FROM {table}")]
        for file in (*rows["shard"], *rows["skipped"]):
            del file["inode"], file["ctime_ns"]
        rows["checksum"] = [row for row in rows["checksum"] if row["part"] not in ("shard", "skipped")]
        rows["dataset"] = [row for row in rows["dataset"] if row["key"] != "checksum"]
        return rows


class MapTest(CommandTest):
    """Damage in the map of an up-to-date index is found, reported and repaired."""

    def setUp(self) -> None:
        super().setUp()
        self.payloads = b"".join(write_parts(self.dir / "data", (5, 600, 7)))
        (self.dir / "data" / "part-1").write_bytes(gzip.compress((self.dir / "data" / "part-1").read_bytes()))
        self.expect(0, "build", "data")
        self.map = self.dir / "data.ofidx-map"
        self.whole = self.map.read_bytes()

    def test_a_damaged_byte_anywhere_in_the_map_is_named_by_verify_and_repaired_by_build(self) -> None:
        named = 0
        for at in range(0, len(self.whole), max(1, len(self.whole) // 60)):
            with self.subTest(at):
                self.map.write_bytes(self.whole[:at] + bytes([self.whole[at] ^ 0x10]) + self.whole[at + 1 :])
                verified = self.run_command("verify", "data", "--json")
                if at < 256:  # a damaged header: the next reader rebuilds the map
                    self.assertEqual(verified.code, 0, verified)
                    self.expect(0, "get", "data", "0")
                elif verified.code != 0:
                    self.assertEqual(verified.code, 1)
                    self.assertRegex(verified.json["map"], r"data.ofidx-map@\d+: ")
                    self.assertIn("`ofindex build DATA`", verified.stderr)
                    built = self.expect(0, "build", "data")
                    self.assertIn("the map was rebuilt", built.stderr)
                    self.assertIn("up to date", built.text)
                    named += 1
                self.assertEqual(self.expect(0, "cat", "data", "--to", "raw").stdout, self.payloads)
                self.expect(0, "verify", "data", "--quick")
        self.assertGreater(named, 40)

    def test_an_error_about_a_damaged_map_names_the_command_that_rebuilds_it(self) -> None:
        self.map.write_bytes(self.whole[:256] + bytes(len(self.whole) - 256))
        self.assertIn("`ofindex build DATA`", self.expect_error(4, "get", "data", "0").stderr)
        self.assertIn("ofidx-map@", self.expect(1, "verify", "data").text)
        self.expect(0, "build", "data", "--quiet")
        self.expect(0, "verify", "data")
        self.assertEqual(self.expect(0, "cat", "data", "--to", "raw").stdout, self.payloads)

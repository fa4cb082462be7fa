"""The contract for scripts: JSON keys, exit codes, and what goes to which stream."""

from __future__ import annotations

import os
import re
import sqlite3
import unittest

from e2e.command import CommandTest
from e2e.samples import write_parts
from oracle import messages, records

VERBS = ("build", "update", "merge", "key", "info", "schema", "stats", "where", "sample", "sql", "get", "cat", "verify",
         "split", "pack", "convert", "export", "attach", "detach", "audit", "report", "serve")  # fmt: skip


class JsonTest(CommandTest):
    """Every promised key exists, in a document that names its schema."""

    def setUp(self) -> None:
        super().setUp()
        self.payloads = write_parts(self.dir / "data", (3, 2))
        self.built = self.expect(0, "build", "data", "--json").json

    def test_build_counts_what_it_read_and_wrote(self) -> None:
        size = sum(path.stat().st_size for path in (self.dir / "data").iterdir())
        expected = {
            "schema": "ofindex.build/1",
            "records": 5,
            "payload_bytes": sum(map(len, self.payloads)),
            "data_bytes": size,
            "index_bytes": (self.dir / "data.ofidx").stat().st_size,
            "shards": 2,
            "bad": [],
            "damage": [],
            "skipped": [],
            "missing": [],
        }
        self.assertEqual({key: self.built.get(key) for key in expected}, expected)
        self.assertTrue(self.built["index"].endswith("data.ofidx"))
        for rate in ("seconds", "records_per_second", "bytes_per_second"):
            self.assertGreaterEqual(self.built[rate], 0, rate)

    def test_info_prints_the_totals_and_the_shards(self) -> None:
        info = self.expect(0, "info", "data.ofidx", "--json").json
        self.assertEqual(info["schema"], "ofindex.info/1")
        for key in ("index", "id", "format_version", "generation", "index_bytes", "checked", "features"):
            self.assertIn(key, info)
        for key in ("records", "payload_bytes", "data_bytes", "bad", "damage"):
            self.assertEqual(info[key], self.built[key], key)
        first = {"path": "data/part-0", "format": "tfrecord", "compression": "none", "payload": "example", "records": 3}
        self.assertEqual({key: info["shards"][0][key] for key in first}, first)
        self.assertEqual(sum(shard["bytes"] for shard in info["shards"]), info["data_bytes"])

    def test_verify_prints_what_it_checked(self) -> None:
        verified = self.expect(0, "verify", "data", "--json").json
        expected = {"schema": "ofindex.verify/1", "records_checked": 5, "bad": [], "stale": [], "damage": []}
        self.assertEqual({key: verified.get(key) for key in expected}, expected)
        self.assertGreaterEqual(verified["bytes_checked"], sum(map(len, self.payloads)))

    def test_get_prints_location_and_features(self) -> None:
        document = self.expect(0, "get", "data", "4", "--json").json
        self.assertEqual(document["schema"], "ofindex.get/1")
        expected = {
            "_id": 4,
            "_shard": "data/part-1",
            "_offset": len(records.frame_tfrecord(self.payloads[3])),
            "_length": len(self.payloads[4]),
            "features": messages.features_json(self.payloads[4], "example"),
        }
        self.assertEqual(document["records"], [expected])
        self.assertEqual(self.expect(0, "get", "data", "4", "--jsonl").jsonl, [expected])


class ContractTest(CommandTest):
    """Each verb has the common options, and each JSON document has the promised keys."""

    DOCUMENTS = {
        ("build", "data", "--force"): "index records payload_bytes data_bytes index_bytes shards seconds "
        "records_per_second bytes_per_second bad damage skipped missing",
        ("info", "data"): "index id format_version generation records payload_bytes data_bytes index_bytes checked "
        "shards features bad damage",
        ("verify", "data"): "records_checked bytes_checked bad stale damage",
        ("verify", "data", "--quick"): "records_checked bytes_checked bad stale damage",
        ("get", "data", "0"): "records",
        ("where", "data", "_id < 2"): "count ids",
        ("where", "data", "_id < 2", "--count"): "count ids",
        ("sql", "data", "SELECT 1"): "columns rows truncated",
        ("schema", "data"): "features",
        ("stats", "data"): "columns",
        ("serve", "data", "--until-eof"): "url host port indexes",
    }
    TABLES = {
        "shards": "path format compression payload records bytes",
        "features": "name kinds present values_min values_max column type origin",
        "bad": "record shard offset reason",
        "damage": "shard begin end reason",
    }

    def setUp(self) -> None:
        super().setUp()
        write_parts(self.dir / "data", (3, 2))
        with (self.dir / "data" / "part-1").open("ab") as file:
            file.write(b"torn")
        self.expect(3, "build", "data")

    def test_every_verb_has_the_common_options(self) -> None:
        for verb in VERBS:
            with self.subTest(verb):
                shown = self.expect(0, verb, "--help").text
                for option in ("-q", "-v", "--progress", "--color", "--help", "--version", "--json", "--jsonl"):
                    if verb != "cat" or "--json" not in option:  # its output is records: --to
                        self.assertRegex(shown, rf"(?m)(^|[ ,]){option}\b")
                self.assertEqual(self.expect(0, verb, "--version").text, self.expect(0, "--version").text)

    def test_every_json_document_has_the_promised_keys(self) -> None:
        for args, keys in self.DOCUMENTS.items():
            with self.subTest(args):
                document = self.run_command(*args, "--json").json
                self.assertEqual(document["schema"], f"ofindex.{args[0]}/1")
                self.assertLessEqual(set(keys.split()), set(document))
        counted = self.expect(0, "where", "data", "_id < 2", "--count", "--json").json
        self.assertEqual((counted["count"], counted["ids"]), (2, [0, 1]))

    def test_the_tables_of_sql_and_the_lists_of_info_have_the_same_keys(self) -> None:
        info = self.expect(0, "info", "data", "--json").json
        for table, keys in self.TABLES.items():
            with self.subTest(table):
                document = self.expect(0, "sql", "data", f"SELECT * FROM {table}", "--json").json
                self.assertLessEqual(set(keys.split()), set(document["columns"]))
                self.assertEqual(len(document["rows"]), len(info[table]))
                for row, shown in zip(document["rows"], info[table]):
                    for key in keys.split():
                        listed = ",".join(shown[key]) if key == "kinds" else shown[key]
                        self.assertEqual(row[key], listed, key)


class ExitCodeTest(CommandTest):
    """Each exit code has one meaning. The tests of 6 and 130 are in process_test.py."""

    def setUp(self) -> None:
        super().setUp()
        self.payloads = write_parts(self.dir / "data", (3, 2))

    def test_usage_errors_exit_with_2(self) -> None:
        self.expect(0, "build", "data")
        for args in (
            ("frobnicate",),
            ("build",),
            ("build", "data", "--frobnicate"),
            ("build", "data", "--format", "csv"),
            ("build", "data", "-j", "none"),
            ("get", "data"),
            ("cat", "data", "--to", "xml"),
            ("export", "data", "--to", "tfrecord2idx"),
            ("get", "data", "0", "--feature"),
        ):
            with self.subTest(args):
                self.expect_error(2, *args)

    def test_an_empty_name_exits_with_2_and_does_not_mean_the_default(self) -> None:
        self.expect(0, "build", "data")
        (self.dir / "rows.csv").write_text("a\n1\n")
        before = self.names()
        for args in (
            ("build", "data", "--columns", ""),
            ("build", "data", "-o", ""),
            ("build", "data", "--output="),
            ("cat", "data", "-o", ""),
            ("export", "data", "--to", "tfrecord2idx", "-o", ""),
            ("pack", "rows.csv", "--to", "tfrecord", "-o", ""),
            ("convert", "data", "--to", "tfrecord", "-o", ""),
        ):
            with self.subTest(args):
                self.expect_error(2, *args)
                self.assertEqual(self.names(), before)

    def test_a_missing_source_exits_with_2_for_every_verb_that_reads_sources(self) -> None:
        out = ("--to", "tfrecord", "-o", "out")
        for args in (("build", "nosuch"), ("pack", "nosuch", *out), ("pack", "nosuch.csv", *out),
                     ("pack", "nosuch.jsonl", *out), ("convert", "nosuch", *out)):
            with self.subTest(args):
                self.assertIn(f"{args[1]}: no such file or folder", self.expect_error(2, *args).stderr)
                self.assertEqual(self.names(), ["data"])

    def test_naming_the_map_gives_a_hint_to_name_the_index(self) -> None:
        self.expect(0, "build", "data")
        for args in (("info",), ("get",), ("cat",), ("verify",), ("schema",), ("sql",)):
            with self.subTest(args):
                rest = {"get": ("0",), "sql": ("SELECT 1",)}.get(args[0], ())
                refused = self.expect_error(2, *args, "data.ofidx-map", *rest)
                self.assertIn("hint: name data.ofidx\n", refused.stderr)

    def test_each_error_after_the_first_is_one_line_without_a_hint(self) -> None:
        for part in ("part-0", "part-1"):
            with open(self.dir / "data" / part, "ab") as shard:
                shard.write(b"torn")
        for args in (("build", "data"), ("convert", "data", "--to", "ofrecord", "-o", "out", "--force")):
            for quiet in ((), ("--quiet",)):
                with self.subTest(args=args, quiet=quiet):
                    done = self.expect(3, *args, *quiet)
                    lines = done.stderr.splitlines()
                    self.assertEqual([line.partition(": ")[0] for line in lines], ["ofindex", "hint", "ofindex"], done)
        for part in ("part-0", "part-1"):
            (self.dir / "data" / part).unlink()
        done = self.expect(4, "cat", "data", "--to", "raw")
        self.assertEqual([line.partition(": ")[0] for line in done.stderr.splitlines()], ["ofindex", "hint", "ofindex"])

    def test_several_arguments_need_an_output(self) -> None:
        (self.dir / "list").write_text("data/part-0\ndata/part-1\n")
        for data in (("data/part-0", "data/part-1"), ("data/part-*",), ("@list",)):
            with self.subTest(data):
                self.expect_error(2, "build", *data)
                self.expect(0, "build", *data, "-o", "all.ofidx", "--force")
                self.assertEqual(self.expect(0, "cat", "all.ofidx", "--to", "raw").stdout, b"".join(self.payloads))

    def test_a_folder_without_record_files_exits_with_3(self) -> None:
        (self.dir / "none").mkdir()
        self.expect_error(3, "build", "none")
        (self.dir / "none" / "notes.txt").write_text("No records here.\n" * 9)
        self.expect_error(3, "build", "none")
        self.expect_error(3, "build", "none/notes.txt")
        self.assertEqual(self.names(), ["data", "none"])

    def test_damage_exits_with_3_and_every_intact_record_is_indexed(self) -> None:
        with open(self.dir / "data" / "part-1", "ab") as shard:
            shard.write(b"torn")
        built = self.expect(3, "build", "data", "--json").json
        self.assertEqual((built["records"], len(built["damage"])), (5, 1))
        self.assertEqual(self.expect(0, "cat", "data", "--to", "raw").stdout, b"".join(self.payloads))
        self.expect(0, "info", "data")
        self.expect(1, "verify", "data")

    def test_a_missing_index_exits_with_4(self) -> None:
        for args in (("info", "data"), ("get", "data", "0"), ("cat", "data", "--to", "raw"), ("verify", "data.ofidx")):
            with self.subTest(args):
                missing = self.expect_error(4, *args)
                self.assertIn("ofindex build", missing.stderr)

    def test_a_corrupt_or_foreign_index_exits_with_4(self) -> None:
        self.expect(0, "build", "data")
        index = (self.dir / "data.ofidx").read_bytes()
        corrupt = {
            "empty": b"",
            "text": b"This is no index.\n" * 999,
            "cut": index[: len(index) // 2],
            "other magic": b"X" + index[1:],
        }
        for name, content in corrupt.items():
            with self.subTest(name):
                (self.dir / "data.ofidx").write_bytes(content)
                (self.dir / "data.ofidx-map").unlink(missing_ok=True)
                self.expect_error(4, "info", "data.ofidx")
                self.expect_error(4, "get", "data.ofidx", "0")
        (self.dir / "data.ofidx").unlink()
        sqlite3.connect(self.dir / "data.ofidx").execute("CREATE TABLE dataset (key, value)").connection.close()
        self.expect_error(4, "info", "data.ofidx")

    def test_reading_a_changed_shard_exits_with_4_and_verifying_it_with_1(self) -> None:
        self.expect(0, "build", "data")
        with open(self.dir / "data" / "part-1", "ab") as shard:
            shard.write(b"!")
        stale = self.expect_error(4, "get", "data", "4", "--raw")
        self.assertIn("part-1", stale.stderr)
        self.assertEqual(self.expect(0, "get", "data", "0", "--raw").stdout, self.payloads[0])
        for mode in ((), ("--quick",)):
            verified = self.expect(1, "verify", "data", "--json", *mode).json
            self.assertEqual(len(verified["stale"]), 1, mode)
            self.assertIn("data/part-1", str(verified["stale"][0]))

    def test_a_missing_shard_is_an_error_with_its_name(self) -> None:
        self.expect(0, "build", "data")
        (self.dir / "data" / "part-1").unlink()
        gone = self.expect_error(4, "get", "data", "4", "--raw")
        self.assertIn("part-1", gone.stderr)
        self.expect(1, "verify", "data")

    def test_an_output_that_cannot_be_written_exits_with_5(self) -> None:
        self.expect_error(5, "build", "data", "-o", "nowhere/all.ofidx")
        self.expect_error(5, "build", "data", "-o", "data/part-0/all.ofidx")
        self.expect(0, "build", "data")
        with open("/dev/full", "wb") as full:
            self.expect(5, "cat", "data", "--to", "raw", stdout=full)
        self.expect_error(5, "cat", "data", "--to", "raw", "-o", "nowhere/raw")

    def test_an_unreadable_list_exits_with_5_and_is_not_an_empty_list(self) -> None:
        for listed, reason in (("@data", "Is a directory"), ("@nowhere", "No such file or directory")):
            for data in ((listed,), ("data/part-0", listed)):
                with self.subTest(data):
                    refused = self.expect_error(5, "build", *data, "-o", "all.ofidx")
                    self.assertIn(f"{listed[1:]}: cannot", refused.stderr)
                    self.assertIn(reason, refused.stderr)
                    self.assertEqual(self.names(), ["data"])

    @unittest.skipIf(os.geteuid() == 0, "root may read and write everything")
    def test_files_without_permission_exit_with_5(self) -> None:
        (self.dir / "data" / "part-1").chmod(0)
        self.expect_error(5, "build", "data/part-1")
        self.dir.chmod(0o555)
        self.addCleanup(self.dir.chmod, 0o755)
        self.expect_error(5, "build", "data/part-0", "-o", "other.ofidx")


class OutputTest(CommandTest):
    """Data goes to stdout, everything else to stderr; help is data."""

    def setUp(self) -> None:
        super().setUp()
        self.payloads = write_parts(self.dir / "data", (3, 2))

    def test_help_goes_to_stdout_and_names_only_existing_verbs(self) -> None:
        shown = self.expect(0, "--help")
        self.assertEqual(shown.stderr, "")
        named = re.findall(r"(?m)^  (\w+) {2,}", shown.text.split("Verbs:\n")[1].split("\n\n")[0])
        self.assertCountEqual(named, [*VERBS, "help"])
        for verb in VERBS:
            self.expect_error(2, verb)

    def test_every_verb_has_help(self) -> None:
        for verb in VERBS:
            for option in ("--help", "-h"):
                shown = self.expect(0, verb, option)
                self.assertEqual(shown.stderr, "", verb)
                self.assertIn(verb, shown.text)
        for verb in ("build", "info", "get", "verify"):
            self.assertIn("--json", self.expect(0, verb, "--help").text)
        self.assertIn("--columns", self.expect(0, "build", "--help").text)

    def test_the_version_is_one_line(self) -> None:
        self.assertRegex(self.expect(0, "--version").text, re.compile(r"\Aofindex \d+\.\d+\.\d+\S*\n\Z"))

    def test_quiet_success_prints_nothing(self) -> None:
        quiet = self.expect(0, "build", "data", "-q")
        self.assertEqual((quiet.stdout, quiet.stderr), (b"", ""))
        self.assertEqual(self.expect(0, "cat", "data", "--to", "raw", "-q").stdout, b"".join(self.payloads))

    def test_machine_readable_progress_stays_off_stdout(self) -> None:
        built = self.expect(0, "build", "data", "--json", "--progress", "json")
        self.assertEqual(built.json["records"], 5)

    def test_no_colour_codes_reach_a_pipe(self) -> None:
        for args in (("build", "data"), ("info", "data"), ("get", "data", "0"), ("verify", "data")):
            finished = self.expect(0, *args)
            self.assertNotIn("\x1b", finished.text + finished.stderr, args)

"""Features and columns: the command reports the same as a full pass over the decoded records."""

from __future__ import annotations

import json
import shutil
import sqlite3
import subprocess
from pathlib import Path
from typing import Any

from e2e.command import CommandTest
from oracle import columns, messages, records
from oracle.fixtures import FIXTURES, fixtures, needs_fixtures

SCHEMA_KEYS = ("name", "kinds", "present", "values_min", "values_max")

HOSTILE_NAMES = (
    "id",
    "rowid",
    "_id",
    "_ID",
    'x"; DROP TABLE shard; --',
    "it's",
    "[brackets]",
    "`ticks`",
    "\U0001f600",
    "Label",
    "label",
    "a b\tc\nd",
    "select",
    "%s%n",
    "../../etc/passwd",
    "\u202eright-to-left",
    "\x1b[31mred",
    "x" * 1000,
    "",
)


def quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


@needs_fixtures
class FixturesTest(CommandTest):
    def test_schema_and_columns_of_every_file_match_a_full_pass(self) -> None:
        seen = 0
        for fixture in fixtures():
            if fixture.compressed or fixture.payload == "opaque":
                continue
            with self.subTest(fixture.path.name):
                copy = self.dir / fixture.path.name
                shutil.copyfile(fixture.path, copy)
                self.expect(0, "build", copy, "--force")
                features = columns.features_of(fixture.walk().payloads, fixture.payload)
                self.check_schema(copy, features)
                self.check_columns(copy, features, fixture.records)
                seen += 1
        self.assertGreater(seen, 10)

    def check_schema(self, data: Path, features: dict[str, columns.Feature]) -> None:
        shown = self.expect(0, "schema", data, "--json").json["features"]
        self.assertEqual([{key: row[key] for key in SCHEMA_KEYS} for row in shown], columns.schema_of(features))
        self.assertEqual(self.expect(0, "info", data, "--json").json["features"], shown)

    def check_columns(self, data: Path, features: dict[str, columns.Feature], count: int) -> None:
        expected = columns.columns_of(features, count)
        shown = self.expect(0, "schema", data, "--json").json["features"]
        self.assertEqual({name for row in shown for name in row["columns"]}, set(expected))
        for name, values in expected.items():
            query = f"SELECT {quoted(name)} AS value FROM records ORDER BY _id"
            rows = self.expect(0, "sql", data, query, "--jsonl").text.splitlines()
            self.assert_same([json.loads(row)["value"] for row in rows], values, name)

    def test_the_first_record_of_every_file_has_the_features_in_the_manifest(self) -> None:
        manifest = (FIXTURES / "real" / "MANIFEST.tsv").read_text(encoding="utf-8").splitlines()
        header = manifest[0].split("\t")
        for line in manifest[1:]:
            row = dict(zip(header, line.split("\t")))
            features = [f.rpartition(":")[0] for f in row["first_record_features"].split(",") if ":" in f]
            if row["compression"] != "none" or row["payload_message"] != "tensorflow.Example" or not features:
                continue
            with self.subTest(row["file"]):
                copy = self.dir / Path(row["file"]).name
                shutil.copyfile(FIXTURES / "real" / row["file"], copy)
                self.expect(0, "build", copy, "--force")
                names = {feature["name"] for feature in self.expect(0, "schema", copy, "--json").json["features"]}
                self.assertLessEqual(set(features), names)


class ColumnsTest(CommandTest):
    def build(self, payloads: list[bytes], *options: str, code: int = 0) -> dict[str, Any]:
        records.write_tfrecord(self.dir / "data", payloads)
        document = self.expect(code, "build", "data", "--force", "--json", *options).json
        assert isinstance(document, dict)
        return document

    def columns(self) -> dict[str, list[str]]:
        features = self.expect(0, "schema", "data", "--json").json["features"]
        return {feature["name"]: feature["columns"] for feature in features}

    def ask(self, query: str) -> list[Any]:
        return [list(row.values()) for row in self.expect(0, "sql", "data", query, "--json").json["rows"]]

    def test_features_with_hostile_names_have_columns(self) -> None:
        features = {name: ("int64", [number]) for number, name in enumerate(HOSTILE_NAMES)}
        self.build([messages.encode("example", features)] * 3 + [messages.encode("example", {})], "--payload", "example")
        rows = self.expect(0, "schema", "data", "--json").json["features"]
        self.assertEqual({row["name"] for row in rows}, set(HOSTILE_NAMES))
        column_of = {row["name"]: row["column"] for row in rows}
        self.assertEqual(len({column.lower() for column in column_of.values()}), len(HOSTILE_NAMES))
        self.assertEqual(column_of["_id"], "_id_3")
        self.assertEqual((column_of["Label"], column_of["label"]), ("Label", "label_2"))
        for number, name in enumerate(HOSTILE_NAMES):
            with self.subTest(name[:40]):
                column = quoted(column_of[name])
                self.assertEqual(self.ask(f"SELECT {column} FROM records"), [[number]] * 3 + [[None]])
                self.assertEqual(self.expect(0, "where", "data", f"{column} = {number}", "--json").json["ids"], [0, 1, 2])
                self.assertEqual(self.expect(0, "where", "data", f"{column} IS NULL", "--json").json["ids"], [3])
                given = "\\" * name.startswith("[") + column_of[name]  # the parser of the command line splits [lists]
                stats = self.expect(0, "stats", "data", given, "--json").json
                self.assertEqual(stats["columns"][0]["count"], 3)
        for verb in ("schema", "stats", "info"):
            self.assertNotIn("\x1b", self.expect(0, verb, "data").text, f"{verb} prints an escape character of a name")
        with sqlite3.connect(self.dir / "data.ofidx") as index:
            self.assertEqual(index.execute("SELECT count(*) FROM shard").fetchone(), (1,))

    def test_names_that_are_not_text_are_kept_unchanged_and_escaped_in_sql(self) -> None:
        name = b"\xff\xfegarbage" + bytes(range(256)) * 3
        entry = bytes([0x0A, 0xFF & (len(name) | 0x80), len(name) >> 7]) + name + b"\x12\x05\x1a\x03\x0a\x01\x07"
        features = b"\x0a" + self.varint(len(entry)) + entry
        self.build([b"\x0a" + self.varint(len(features)) + features], "--payload", "example")
        (row,) = self.expect(0, "schema", "data", "--json").json["features"]
        self.assertEqual(set(row["name"]), {"base64"})
        self.assertTrue(row["column"].startswith("\\xff\\xfegarbage\\x00\x01"))
        self.assertEqual(self.ask(f"SELECT {quoted(row['column'])} FROM records"), [[7]])

    @staticmethod
    def varint(value: int) -> bytes:
        out = b""
        while value >= 0x80:
            out += bytes([value & 0x7F | 0x80])
            value >>= 7
        return out + bytes([value])

    def test_a_name_that_first_occurs_late_is_null_in_earlier_records(self) -> None:
        late = [messages.encode("example", {"a": ("int64", [1])})] * 70_000
        self.build([*late, messages.encode("example", {"a": ("int64", [2]), "b": ("bytes", [b"x"])})])
        self.assertEqual(self.ask("SELECT _id, a, b FROM records WHERE b IS NOT NULL"), [[70_000, 2, "x"]])
        self.assertEqual(self.ask("SELECT count(*), count(b) FROM records"), [[70_001, 1]])

    def test_lists_are_only_counted_unless_they_are_named(self) -> None:
        lists: list[list[int]] = [[1, 2, 3], [], [17], [4, 17]]
        payloads = [messages.encode("example", {"l": ("int64", values), "s": ("int64", [9])}) for values in lists]
        self.build([*payloads, messages.encode("example", {})])
        self.assertEqual(self.columns(), {"l": ["l", "l#count"], "s": ["s"]})
        self.assertEqual(self.ask('SELECT l, "l#count" FROM records'), [[None, 3], [None, 0], [17, 1], [None, 2], [None, None]])
        self.build([*payloads, messages.encode("example", {})], "--columns", "l")
        self.assertEqual(self.columns(), {"l": ["l", "l#count"], "s": []})
        self.assertEqual(self.ask("SELECT l FROM records"), [["[1,2,3]"], ["[]"], ["[17]"], ["[4,17]"], [None]])
        self.assertEqual(self.expect(0, "where", "data", "has(l, 17)", "--json").json["ids"], [2, 3])
        each = "SELECT r._id, e.value FROM records r, json_each(r.l) e WHERE e.value > 3"
        self.assertEqual(self.ask(each), [[2, 17], [3, 4], [3, 17]])

    def test_long_values_give_only_their_size_unless_they_are_named(self) -> None:
        values = [b"x" * 64, b"y" * 65]
        payloads = [messages.encode("example", {"v": ("bytes", [value])}) for value in values]
        self.build(payloads)
        self.assertEqual(self.ask('SELECT "v#bytes" FROM records'), [[64], [65]])
        self.build(payloads, "--columns", "v")
        self.assertEqual(self.ask("SELECT v FROM records"), [["x" * 64], ["y" * 65]])

    def test_without_columns_no_features_are_known_and_no_record_is_bad(self) -> None:
        broken = [messages.encode("example", {"a": ("int64", [1])}), b"\x0a\x7f"]
        self.build(broken, "--payload", "example", "--columns", "none")
        self.assertEqual(self.columns(), {})
        document = self.build(broken, "--payload", "example", code=3)
        self.assertEqual([(bad["record"], bad["reason"]) for bad in document["bad"]], [(1, "malformed")])
        self.assertEqual(self.ask("SELECT _id, a FROM records"), [[0, 1], [1, None]])
        self.assertEqual(self.ask("SELECT record, reason FROM bad"), [[1, "malformed"]])

    def test_an_index_is_rebuilt_if_other_columns_are_requested(self) -> None:
        self.build([messages.encode("example", {"a": ("int64", [1]), "b": ("int64", [2])})])
        self.assertTrue(self.expect(0, "build", "data", "--json").json["up_to_date"])
        self.assertFalse(self.expect(0, "build", "data", "--columns", "b", "--json").json["up_to_date"])
        self.assertEqual(self.columns(), {"a": [], "b": ["b"]})
        self.assertTrue(self.expect(0, "build", "data", "--columns", "b", "--json").json["up_to_date"])
        self.assertTrue(self.expect(0, "build", "data", "--json").json["up_to_date"])

    def test_only_the_first_of_too_many_features_get_columns_and_the_build_reports_the_others(self) -> None:
        features = {f"f{number:04}": ("int64", [number]) for number in range(1000)}
        document = self.build([messages.encode("example", features)])
        self.assertEqual((document["features"], document["features_without_column"]), (1000, 100))
        self.assertIn("100 features without a column", self.expect(0, "build", "data", "--force").stderr)
        self.assertEqual(self.ask("SELECT f0000, f0899 FROM records"), [[0, 899]])
        self.assertIn("f0900", self.expect_error(2, "sql", "data", "SELECT f0900 FROM records").stderr)

    def test_any_number_of_threads_gives_the_same_index(self) -> None:
        payloads = [
            messages.encode("example", {f"f{number % 7}": ("float", [number / 3]), "id": ("int64", [number])})
            for number in range(5000)
        ]
        for part in range(6):
            (self.dir / "parts").mkdir(exist_ok=True)
            records.write_tfrecord(self.dir / "parts" / f"part-{part}", payloads[part * 700 :])
        built = set()
        for threads in ("1", "2", "8"):
            self.expect(0, "build", "parts", "--force", "-j", threads)
            built.add((self.dir / "parts.ofidx").read_bytes())
        self.assertEqual(len(built), 1)
        self.expect(0, "verify", "parts")

    def test_columns_of_a_user_defined_message_are_extracted_by_its_descriptor(self) -> None:
        if shutil.which("protoc") is None:
            self.skipTest("no protoc")
        (self.dir / "m.proto").write_text(
            'syntax = "proto3"; package pkg;\n'
            "message Inner { double c = 3; repeated int32 many = 4; }\n"
            "message Name { int64 a = 1; Inner b = 2; string s = 5; bool yes = 6; }\n",
            encoding="utf-8",
        )
        subprocess.run(["protoc", "--descriptor_set_out=m.pb", "m.proto"], cwd=self.dir, check=True)
        # a: 5, b: {c: 2.5, many: [1, 2]}, s: "x", yes: true
        inner = b"\x19" + b"\x00\x00\x00\x00\x00\x00\x04\x40" + b"\x22\x02\x01\x02"
        whole = b"\x08\x05" + b"\x12" + bytes([len(inner)]) + inner + b"\x2a\x01x" + b"\x30\x01"
        message = ("--descriptor", "m.pb", "--message", "pkg.Name")
        self.build([whole, b""], *message, "--columns", "a,b.c,b.many,s,yes")
        self.assertEqual(self.ask('SELECT a, "b.c", "b.many", s, yes FROM records'), [[5, 2.5, "[1,2]", "x", 1], [None] * 5])
        refused = self.expect_error(2, "build", "data", "--force", *message, "--columns", "a,nothing")
        self.assertIn("nothing", refused.stderr)
        self.expect_error(2, "build", "data", "--force", "--message", "pkg.Name", "--columns", "a")

    def test_a_build_with_a_column_that_no_record_has_leaves_the_index_unchanged(self) -> None:
        payload = messages.encode("example", {"image/label": ("int64", [1]), "text": ("bytes", [b"x"])})
        before = self.build([payload])
        names = ["data.ofidx", "data.ofidx-map"]
        bytes_before = [(self.dir / name).read_bytes() for name in names]
        near = "'image/lable' (did you mean 'image/label'?)"
        for wrong, told in (
            ("image/lable", near),
            ("image/lable,text", near),
            ("auto,image/lable", near),
            ("image/lable,text,zzzzzz", f"{near} or 'zzzzzz'"),
            ("\\auto", "'auto'"),
            ("\u202ex", "'\\xe2\\x80\\xaex'"),
        ):
            for options in ((), ("--force",)):
                with self.subTest(wrong, options=options):
                    refused = self.expect_error(2, "build", "data", "--columns", wrong, *options)
                    self.assertIn(f"columns: no record has {told}", refused.stderr)
                    self.assertEqual(sorted(path.name for path in self.dir.iterdir()), ["data", *names])
                    self.assertEqual([(self.dir / name).read_bytes() for name in names], bytes_before)
        self.assertEqual(before["columns_in_no_record"], [])

    def test_a_first_build_with_a_column_that_no_record_has_leaves_no_files(self) -> None:
        records.write_tfrecord(self.dir / "data", [messages.encode("example", {"a": ("int64", [1])})])
        self.expect_error(2, "build", "data", "--columns", "b")
        self.assertEqual([path.name for path in self.dir.iterdir()], ["data"])

    def test_a_missing_optional_column_is_reported_with_the_nearest_names(self) -> None:
        payload = messages.encode("example", {"image/label": ("int64", [1]), "text": ("bytes", [b"x"])})
        wrong = ("--columns", "image/lable,text", "--columns-optional")
        self.assertEqual(self.build([payload], *wrong)["columns_in_no_record"], ["image/lable"])
        told = "columns: no record has 'image/lable' (did you mean 'image/label'?)"
        self.assertIn(told, self.expect(0, "build", "data", *wrong).stderr)  # up to date
        self.expect_error(2, "build", "data", "--columns", "image/lable,text")  # up to date, but not optional
        self.assertEqual(self.build([payload], "--columns", "image/label,text", "--force")["columns_in_no_record"], [])

    def test_names_after_auto_are_added_to_the_automatic_columns(self) -> None:
        features = {"label": ("int64", [1]), "boxes": ("int64", [1, 2]), "long": ("bytes", [b"x" * 100])}
        self.build([messages.encode("example", features)])
        auto = self.columns()
        self.assertEqual(auto, {"boxes": ["boxes#count"], "label": ["label"], "long": ["long#bytes"]})
        self.build([messages.encode("example", features)], "--columns", "auto,boxes,long")
        self.assertEqual(self.columns(), {"boxes": ["boxes", "boxes#count"], "label": ["label"], "long": ["long"]})
        self.assertEqual(self.ask("SELECT boxes, label, length(long) FROM records"), [["[1,2]", 1, 100]])
        self.build([messages.encode("example", features)], "--columns", "boxes")
        self.assertEqual(self.columns(), {"boxes": ["boxes", "boxes#count"], "label": [], "long": []})

    def test_if_there_are_too_many_names_the_first_are_complete_even_if_they_came_last(self) -> None:
        (self.dir / "parts").mkdir()
        for part, letter in enumerate("bac"):
            features = {f"{letter}{number:04d}": ("int64", [number]) for number in range(4000)}
            features["a0007"] = ("int64", [part])
            records.write_tfrecord(self.dir / "parts" / f"part-{part}", [messages.encode("example", features)])
        document = self.expect(0, "build", "parts", "--json").json
        self.assertEqual((document["features"], document["features_dropped"]), (4096, True))
        shown = self.expect(0, "schema", "parts", "--json").json["features"]
        names = [f"a{number:04d}" for number in range(4000)] + [f"b{number:04d}" for number in range(96)]
        self.assertEqual(sorted(row["name"] for row in shown), names)
        self.assertEqual({row["name"]: row["present"] for row in shown}["a0007"], 3)
        rows = self.expect(0, "sql", "parts", "SELECT a0007, a0899 FROM records", "--jsonl").text.splitlines()
        self.assertEqual([list(json.loads(row).values()) for row in rows], [[0, None], [1, 899], [2, None]])
        self.expect(0, "verify", "parts")

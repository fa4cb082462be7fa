"""pack: what becomes of each type, in which order and under which names records are written, and what is refused."""

from __future__ import annotations

import csv
import datetime
import io
import json
import os
import re
import struct
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from e2e import written
from e2e.command import CommandTest, Finished
from oracle import records

TFRECORD, OFRECORD = records.TFRECORD, records.OFRECORD
KINDS = {TFRECORD: "example", OFRECORD: "ofrecord"}
SUFFIX = {TFRECORD: ".tfrecord", OFRECORD: ".ofrecord"}


def single(value: float) -> float:
    """`value` as a float of 32 bits."""
    return struct.unpack("<f", struct.pack("<f", value))[0]


def days(text: str) -> int:
    return (datetime.date.fromisoformat(text) - datetime.date(1970, 1, 1)).days


def microseconds(text: str) -> int:
    return (datetime.datetime.fromisoformat(text) - datetime.datetime(1970, 1, 1, tzinfo=datetime.timezone.utc)) // (
        datetime.timedelta(microseconds=1)
    )


@dataclass(frozen=True)
class Row:
    """A type of the mapping: a value as JSON has it, the same as CSV has it, and what it is in each format."""

    type: str
    json: Any
    csv: str | None
    example: tuple[str, list[Any]]
    ofrecord: tuple[str, list[Any]]

    def expected(self, framing: str) -> tuple[str, list[Any]]:
        return self.example if framing == TFRECORD else self.ofrecord


def same(type_name: str, value: Any, text: str | None, kind: str, *values: Any) -> Row:
    """A row of which both formats have the same."""
    return Row(type_name, value, text, (kind, list(values)), (kind, list(values)))


TYPES = [
    same("boolean", True, "true", "int64", 1),
    same("boolean", False, "False", "int64", 0),
    same("byte", -128, "-128", "int64", -128),
    same("byte", 255, "255", "int64", 255),
    same("char", "\u00e9", "\u00e9", "int64", 0xE9),
    same("char", "\U0001f600", "\U0001f600", "int64", 0x1F600),
    same("char", "0", "0", "int64", 48),
    same("short", -32768, "-32768", "int64", -32768),
    Row("int", -(2**31), str(-(2**31)), ("int64", [-(2**31)]), ("int32", [-(2**31)])),
    same("long", 2**63 - 1, str(2**63 - 1), "int64", 2**63 - 1),
    same("bigint", -(2**63), str(-(2**63)), "int64", -(2**63)),
    same("float", 0.1, "0.1", "float", single(0.1)),
    same("float", 7, "7", "float", 7.0),
    Row("double", 0.1, "0.1", ("float", [single(0.1)]), ("double", [0.1])),
    Row("decimal", "12.25", "12.25", ("float", [12.25]), ("double", [12.25])),
    same("string", "gr\u00fcn", "gr\u00fcn", "bytes", "gr\u00fcn".encode()),
    same("string", "", None, "bytes", b""),
    same("string", 12, "12", "bytes", b"12"),
    same("bytes", {"base64": "AP8="}, None, "bytes", b"\x00\xff"),
    same("bytes", "plain", "plain", "bytes", b"plain"),
    same("enum", "RED", "RED", "bytes", b"RED"),
    same("date", "2026-11-22", "2026-11-22", "int64", days("2026-11-22")),
    same("date", "1969-12-31", "1969-12-31", "int64", -1),
    same("date", 20779, None, "int64", 20779),
    same("time", "10:30:05.25", "10:30:05.25", "int64", ((10 * 60 + 30) * 60 + 5) * 1_000_000 + 250_000),
    same("time", "10:30", "10:30", "int64", (10 * 60 + 30) * 60 * 1_000_000),
    same(
        "timestamp", "2026-11-22T10:30:05Z", "2026-11-22 10:30:05", "int64", microseconds("2026-11-22T10:30:05+00:00")
    ),
    same(
        "timestamp",
        "1969-12-31T23:59:59.5+02:00",
        "1969-12-31 23:59:59.5+0200",
        "int64",
        microseconds("1969-12-31T23:59:59.500000+02:00"),
    ),
    same("choice", 5, None, "int64", 5),
    same("choice", "five", "five", "bytes", b"five"),
    same("choice", "", None, "bytes", b""),
    Row("choice", 0.5, None, ("float", [0.5]), ("double", [0.5])),
    same("choice", True, None, "int64", 1),
    same("array<boolean>", [True, False], None, "int64", 1, 0),
    # An array of bytes is a string of bytes: one value.
    same("array<byte>", [0, 65, 255, -1], None, "bytes", b"\x00A\xff\xff"),
    same("array<byte>", {"base64": "AP8="}, None, "bytes", b"\x00\xff"),
    same("array<array<byte>>", [[1, 2], [3]], None, "bytes", b"\x01\x02", b"\x03"),
    same("array<char>", ["a", "b"], None, "int64", 97, 98),
    same("array<short>", [1, -1], None, "int64", 1, -1),
    Row("array<int>", [1, -1], None, ("int64", [1, -1]), ("int32", [1, -1])),
    same("array<long>", [1, 2**62], None, "int64", 1, 2**62),
    same("array<bigint>", [], None, "int64"),
    same("array<float>", [1, 2.5], None, "float", 1.0, 2.5),
    Row("array<double>", [0.1, -2], None, ("float", [single(0.1), -2.0]), ("double", [0.1, -2.0])),
    Row("array<decimal>", ["0.5", 1], None, ("float", [0.5, 1.0]), ("double", [0.5, 1.0])),
    same("array<string>", ["a", "", "b"], None, "bytes", b"a", b"", b"b"),
    same("array<bytes>", [{"base64": "AA=="}, "b"], None, "bytes", b"\x00", b"b"),
    same("array<enum>", ["A", "B"], None, "bytes", b"A", b"B"),
    same("array<date>", ["1970-01-02", 3], None, "int64", 1, 3),
    same("array<time>", ["00:00:01", 3], None, "int64", 1_000_000, 3),
    same("array<timestamp>", ["1970-01-01T00:00:01Z", 3], None, "int64", 1_000_000, 3),
    same("array<choice>", ["x", "y"], None, "bytes", b"x", b"y"),
    # Where the message has no lists of lists, all values are one list.
    same("array<array<long>>", [[1], [], [2, 3]], None, "int64", 1, 2, 3),
]


class PackTest(CommandTest):
    def write(self, name: str, content: str | bytes) -> Path:
        path = self.dir / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content.encode("utf-8", "surrogatepass") if isinstance(content, str) else content)
        return path

    def write_rows(self, name: str, rows: list[Any]) -> Path:
        return self.write(name, "".join(json.dumps(row) + "\n" for row in rows))

    def write_csv(self, name: str, rows: list[list[str]], **dialect: Any) -> Path:
        text = io.StringIO(newline="")
        csv.writer(text, **dialect).writerows(rows)
        return self.write(name, text.getvalue())

    def write_schema(self, schema: Any) -> str:
        self.write("schema.json", json.dumps(schema))
        return "schema.json"

    def pack(self, source: str | Path, *args: str, to: str = TFRECORD, payload: str = "") -> list[written.Features]:
        """Packs into one file, and returns the features of its records."""
        out = "packed" + SUFFIX[to]
        self.expect(0, "pack", source, "--to", to, "-o", out, "--force", *args)
        found = written.payloads(self.dir / out, to)
        return [written.features(one, payload or KINDS[to]) for one in found]

    def assert_refused(self, code: int, *args: str | Path) -> Finished:
        """The command fails, and the folder is as it was."""
        before = self.names()
        failed = self.expect_error(code, "pack", *args)
        self.assertEqual(self.names(), before, failed)
        return failed


class TypesTest(PackTest):
    def test_every_type_has_its_kind_by_schema_from_json_lines(self) -> None:
        for row in TYPES:
            self.write_rows("rows.jsonl", [{"f": row.json}])
            schema = self.write_schema({"f": row.type})
            for to in (TFRECORD, OFRECORD):
                with self.subTest(type=row.type, value=row.json, to=to):
                    self.assertEqual(self.pack("rows.jsonl", "--schema", schema, to=to), [{"f": row.expected(to)}])

    def test_every_type_that_csv_can_write_has_the_same_kind_from_csv(self) -> None:
        for row in TYPES:
            if row.csv is None:
                continue
            self.write_csv("rows.csv", [["f"], [row.csv]])
            schema = self.write_schema({"f": row.type})
            for to in (TFRECORD, OFRECORD):
                with self.subTest(type=row.type, value=row.csv, to=to):
                    self.assertEqual(self.pack("rows.csv", "--schema", schema, to=to), [{"f": row.expected(to)}])

    def test_records_are_dotted_names_and_lists_of_records_one_list_a_member(self) -> None:
        schema = self.write_schema({"box": {"x": "float", "at": {"day": "date"}}, "points": {"x": "long", "y": "long"}})
        rows = [
            {"box": {"x": 1.5, "at": {"day": "1970-01-03"}}, "points": [{"x": 1, "y": 2}, {"x": 3, "y": 4}]},
            {"box": {"x": None}, "points": []},
            {"box": None, "points": None},
        ]
        self.write_rows("rows.jsonl", rows)
        whole = {
            "box.x": ("float", [1.5]),
            "box.at.day": ("int64", [2]),
            "points.x": ("int64", [1, 3]),
            "points.y": ("int64", [2, 4]),
        }
        self.assertEqual(self.pack("rows.jsonl", "--schema", schema), [whole, {}, {}])

    def test_maps_are_features_by_key(self) -> None:
        schema = self.write_schema({"m": "map<long>", "tags": "map<array<string>>"})
        rows = [{"m": {"a": 1, "b": 2}}, {"m": {"c": 3}, "tags": {"x": ["u", "v"]}}, {"m": {}}, {"m": None}]
        self.write_rows("rows.jsonl", rows)
        expected = [
            {"m.a": ("int64", [1]), "m.b": ("int64", [2])},
            {"m.c": ("int64", [3]), "tags.x": ("bytes", [b"u", b"v"])},
            {},
            {},
        ]
        self.assertEqual(self.pack("rows.jsonl", "--schema", schema), expected)

    def test_a_choice_is_what_each_value_is_whatever_the_row_before_had(self) -> None:
        schema = self.write_schema({"c": "choice"})
        values = [1, "", "text", "", [1, 2], [], ["a"], [], None, 0.5, ""]
        self.write_rows("rows.jsonl", [{"c": value} for value in values])
        found = self.pack("rows.jsonl", "--schema", schema)
        empty_text, no_kind = {"c": ("bytes", [b""])}, {"c": ("none", [])}
        expected = [
            {"c": ("int64", [1])}, empty_text, {"c": ("bytes", [b"text"])}, empty_text, {"c": ("int64", [1, 2])},
            no_kind, {"c": ("bytes", [b"a"])}, no_kind, {}, {"c": ("float", [0.5])}, empty_text,
        ]  # fmt: skip
        self.assertEqual(found, expected)

    def test_times_are_counted_in_the_unit_that_is_asked_for(self) -> None:
        schema = self.write_schema({"t": "timestamp"})
        self.write_rows("rows.jsonl", [{"t": "1970-01-01T00:01:00Z"}])
        for unit, count in {"s": 60, "ms": 60_000, "us": 60_000_000, "ns": 60_000_000_000}.items():
            found = self.pack("rows.jsonl", "--schema", schema, "--time-unit", unit)
            self.assertEqual(found, [{"t": ("int64", [count])}], unit)

    def test_lists_of_lists_are_feature_lists_of_a_sequence_example(self) -> None:
        rows = [
            {"id": 7, "steps": [[1, 2], [], [3]], "words": [["a"], ["b", "c"]]},
            {"id": 8, "steps": [], "words": None},
        ]
        self.write_rows("rows.jsonl", rows)
        schema = self.write_schema({"id": "long", "steps": "array<array<long>>", "words": "array<array<string>>"})
        for args in ((), ("--schema", schema)):
            self.expect(0, "pack", "rows.jsonl", "--to", "tfrecord", "-o", "s.tfrecord", "--force", *args,
                        "--payload", "sequence_example")  # fmt: skip
            first, second = written.payloads(self.dir / "s.tfrecord")
            self.assertEqual(written.features(first, "sequence_example"), {"id": ("int64", [7])})
            steps = [("int64", [1, 2]), ("int64", []), ("int64", [3])]
            words = [("bytes", [b"a"]), ("bytes", [b"b", b"c"])]
            self.assertEqual(written.feature_lists(first), {"steps": steps, "words": words})
            self.assertEqual(written.features(second, "sequence_example"), {"id": ("int64", [8])})
            self.assertEqual(written.feature_lists(second), {"steps": []})


class RangesTest(PackTest):
    """Values that are none of their type."""

    def test_a_value_that_does_not_fit_is_refused_where_it_is(self) -> None:
        table = [
            ("boolean", 2), ("boolean", "yes"), ("byte", 256), ("byte", -129), ("short", 32768), ("char", "ab"),
            ("char", 0x110000), ("int", 2**31), ("int", 1.5), ("int", "1.0"), ("long", "9" * 19),
            ("long", "007"), ("long", {"base64": "AA=="}), ("float", 1e39), ("float", "x"), ("double", "nan"),
            ("date", "2026-02-29"), ("date", "22.11.2026"), ("date", "20261122"), ("time", "24:00"),
            ("timestamp", "2026-11-22"),
            ("timestamp", "2026-11-22T10:30:05.1234567Z"), ("array<long>", [1, None]), ("array<long>", [1, "x"]),
            ("array<byte>", [256]), ("choice", [1, "a"]),
        ]  # fmt: skip
        for type_name, value in table:
            with self.subTest(type=type_name, value=value):
                self.write("rows.jsonl", "\n{}\n" + json.dumps({"f": value}) + "\n")
                self.write_schema({"f": type_name})
                args = ("rows.jsonl", "--schema", "schema.json", "--to", "tfrecord", "-o", "out")
                failed = self.assert_refused(3, *args)
                self.assertRegex(failed.stderr, r"^ofindex: rows\.jsonl@4: line 3: feature 'f': .+\nhint: .+\n$")
                self.assertNotIn("ofindex --help", failed.stderr)


class InferenceTest(PackTest):
    def test_json_types_are_what_all_rows_together_have(self) -> None:
        table = [
            ([True, False], "int64", [1, 0]),
            ([1, -2], "int64", [1, -2]),
            ([True, 5], "int64", [1, 5]),
            ([1, 0.5], "float", [1.0, 0.5]),
            ([True, 0.5], "float", [1.0, 0.5]),
            (["a", "1"], "bytes", [b"a", b"1"]),
            (["a", {"base64": "/w=="}], "bytes", [b"a", b"\xff"]),
        ]
        for values, kind, expected in table:
            with self.subTest(values=values):
                self.write_rows("rows.jsonl", [{"f": value} for value in values])
                self.assertEqual(self.pack("rows.jsonl"), [{"f": (kind, [value])} for value in expected])
                self.write_rows("rows.jsonl", [{"f": values}])
                self.assertEqual(self.pack("rows.jsonl"), [{"f": (kind, expected)}])

    def test_inferred_numbers_keep_64_bits_in_an_ofrecord(self) -> None:
        self.write_rows("rows.jsonl", [{"n": 2**62, "x": 0.1}])
        self.assertEqual(self.pack("rows.jsonl", to=OFRECORD), [{"n": ("int64", [2**62]), "x": ("double", [0.1])}])

    def test_csv_types_are_what_all_fields_of_a_column_are(self) -> None:
        table = [
            (["1", "-2"], "int64", [1, -2]),
            (["1", "2.5", "1e3"], "float", [1.0, 2.5, 1000.0]),
            (["true", "FALSE"], "int64", [1, 0]),
            (["true", "1"], "bytes", [b"true", b"1"]),
            (["007", "8"], "bytes", [b"007", b"8"]),
            (["1", "x"], "bytes", [b"1", b"x"]),
            (["nan", "1"], "bytes", [b"nan", b"1"]),
            ([" 1", "2"], "bytes", [b" 1", b"2"]),
            (["1,5", "2"], "bytes", [b"1,5", b"2"]),
            # More than 64 bits: as a float it would be another number.
            (["18446744073709551616", "2"], "bytes", [b"18446744073709551616", b"2"]),
        ]
        for fields, kind, expected in table:
            with self.subTest(fields=fields):
                self.write_csv("rows.csv", [["f"], *([field] for field in fields)])
                self.assertEqual(self.pack("rows.csv"), [{"f": (kind, [value])} for value in expected])

    def test_nulls_and_members_that_are_missing_are_absent_features(self) -> None:
        self.write_rows("rows.jsonl", [{"a": 1, "b": None, "n": None}, {"b": "x"}, {}])
        expected = [{"a": ("int64", [1])}, {"b": ("bytes", [b"x"])}, {}]
        self.assertEqual(self.pack("rows.jsonl"), expected)
        self.write("rows.csv", 'n,t,e\n1,x,\n,"",\n"",,\n')
        expected = [{"n": ("int64", [1]), "t": ("bytes", [b"x"])}, {"t": ("bytes", [b""])}, {}]
        self.assertEqual(self.pack("rows.csv"), expected)

    def test_a_column_of_nothing_but_empty_quotes_is_text(self) -> None:
        self.write("rows.csv", 'n,t,e\n1,"",\n2,,\n')
        expected = [{"n": ("int64", [1]), "t": ("bytes", [b""])}, {"n": ("int64", [2])}]
        self.assertEqual(self.pack("rows.csv"), expected)

    def test_an_empty_list_is_a_feature_without_values(self) -> None:
        self.write_rows("rows.jsonl", [{"a": [1]}, {"a": []}])
        self.assertEqual(self.pack("rows.jsonl"), [{"a": ("int64", [1])}, {"a": ("int64", [])}])

    def test_names_are_any_text(self) -> None:
        names = [
            "",
            "a b",
            "tab\there",
            "line\nend",
            "nul\0in",
            'quo"te',
            "\u00fc",
            "\U0001f600",
            "x" * 5000,
            "\x1b[31m",
        ]
        row = {name: number for number, name in enumerate(names)}
        self.write_rows("rows.jsonl", [row])
        expected = {name: ("int64", [number]) for name, number in row.items()}
        for to in (TFRECORD, OFRECORD):
            self.assertEqual(self.pack("rows.jsonl", to=to), [expected])
        printed = self.expect(0, "pack", "rows.jsonl", "--to", "tfrecord", "-o", "n.tfrecord")
        self.assertEqual(printed.text.count("\n"), 2, "control characters are not printed")
        self.assertNotIn("\x1b", printed.text)
        listed = self.expect(0, "pack", "rows.jsonl", "--to", "tfrecord", "-o", "n.tfrecord", "--force", "--json").json
        self.assertEqual([one["name"] for one in listed["features"]][:4], names[:4])


class CsvTest(PackTest):
    def test_fields_are_as_pythons_csv_reads_them(self) -> None:
        rows = [
            ["id", "text", "other"],
            ["1", "two\nlines", "a"],
            ["2", 'she said "so"', "b,c"],
            ["3", "crlf\r\nin quotes", "\n\n"],
            ["4", "  blanks  ", "\ttab"],
            ["5", "\u00fc\u4e2d", '"'],
        ]
        text = {
            "lf": {"lineterminator": "\n"},
            "crlf": {"lineterminator": "\r\n"},
            "all quoted": {"quoting": csv.QUOTE_ALL},
        }
        for name, dialect in text.items():
            for mark in (b"", b"\xef\xbb\xbf"):
                with self.subTest(name, mark=mark):
                    path = self.write_csv("rows.csv", rows, **dialect)
                    read = list(csv.DictReader(io.StringIO(path.read_bytes().decode(), newline="")))
                    self.write("rows.csv", mark + path.read_bytes())
                    expected = [
                        {key: ("bytes", [value.encode()]) for key, value in row.items() if key != "id"}
                        | {"id": ("int64", [int(row["id"])])}
                        for row in read
                    ]
                    self.assertEqual(self.pack("rows.csv"), expected)
                    shuffled = self.pack("rows.csv", "--seed", "1")
                    self.assertEqual(sorted(shuffled, key=lambda row: row["id"]), expected)

    def test_tabs_separate_tsv_whose_empty_fields_are_fields(self) -> None:
        self.write("rows.tsv", "a\tb\tc\n1\tx,y\t\n\t\t\n2\t\tz\n")
        expected = [{"a": ("int64", [1]), "b": ("bytes", [b"x,y"])}, {}, {"a": ("int64", [2]), "c": ("bytes", [b"z"])}]
        self.assertEqual(self.pack("rows.tsv"), expected)
        (self.dir / "rows.tsv").rename(self.dir / "rows.txt")
        self.assertEqual(self.pack("rows.txt", "--from", "tsv"), expected)

    def test_blank_lines_are_no_rows_and_the_last_may_lack_its_end(self) -> None:
        self.write("rows.csv", "\n\na\n\n1\n\r\n2")
        self.assertEqual(self.pack("rows.csv"), [{"a": ("int64", [1])}, {"a": ("int64", [2])}])
        self.write("rows.jsonl", '\n \t\r\n{"a":1}\n\n{"a":2}')
        self.assertEqual(self.pack("rows.jsonl"), [{"a": ("int64", [1])}, {"a": ("int64", [2])}])
        self.write("rows.jsonl", b'\xef\xbb\xbf{"a":1}\r\n{"a":2}\r\n')
        self.assertEqual(self.pack("rows.jsonl"), [{"a": ("int64", [1])}, {"a": ("int64", [2])}])

    def test_several_files_are_one_source_each_with_its_own_header(self) -> None:
        self.write("a.csv", "x,y\n1,2\n")
        self.write("b.csv", "y,x\n3,4\n")
        self.expect(0, "pack", "a.csv", "b.csv", "--to", "tfrecord", "-o", "p.tfrecord")
        found = [written.features(one, "example") for one in written.payloads(self.dir / "p.tfrecord")]
        self.assertEqual(
            found, [{"x": ("int64", [1]), "y": ("int64", [2])}, {"x": ("int64", [4]), "y": ("int64", [3])}]
        )


class OutputTest(PackTest):
    def rows(self, count: int) -> list[dict[str, int]]:
        return [{"id": number} for number in range(count)]

    def ids(self, folder: str, framing: str = TFRECORD) -> list[list[int]]:
        """The ids of each shard's records."""
        found = []
        for shard in written.shards(self.dir / folder):
            one = [
                written.features(payload, KINDS[framing])["id"][1][0] for payload in written.payloads(shard, framing)
            ]
            found.append(one)
        return found

    def test_shards_share_the_records_in_order(self) -> None:
        self.write_rows("rows.jsonl", self.rows(10))
        self.expect(0, "pack", "rows.jsonl", "--to", "tfrecord", "-o", "set", "--shards", "4")
        self.assertEqual(self.names(self.dir / "set"), [f"set-0000{n}-of-00004.tfrecord" for n in range(4)])
        self.assertEqual(self.ids("set"), [[0, 1], [2, 3, 4], [5, 6], [7, 8, 9]])
        self.expect(0, "pack", "rows.jsonl", "--to", "ofrecord", "-o", "parts", "--shards", "12")
        self.assertEqual(self.names(self.dir / "parts"), sorted(f"part-{n}" for n in range(12)))
        parts = self.ids("parts", OFRECORD)
        self.assertEqual([number for part in parts for number in part], list(range(10)))
        self.assertEqual(sorted(map(len, parts)), [0] * 2 + [1] * 10)

    def test_a_seed_is_one_order_over_all_shards(self) -> None:
        self.write_rows("rows.jsonl", self.rows(1000))
        self.write_csv("rows.csv", [["id"], *([str(number)] for number in range(1000))])
        orders = {}
        for source in ("rows.jsonl", "rows.csv"):
            for seed in ("1", "2"):
                for out in ("a", "b"):
                    self.expect(
                        0, "pack", source, "--to", "tfrecord", "-o", out, "--shards", "4", "--seed", seed, "--force"
                    )
                shards = self.ids("a")
                self.assertEqual(shards, self.ids("b"), "the same seed, the same order")
                self.assertEqual([len(shard) for shard in shards], [250] * 4)
                order = [number for shard in shards for number in shard]
                self.assertEqual(sorted(order), list(range(1000)))
                for shard in shards:
                    quarters = [sum(number // 250 == quarter for number in shard) for quarter in range(4)]
                    self.assertGreater(min(quarters), 30, "records cross shards")
                orders[source, seed] = order
        self.assertEqual(orders["rows.jsonl", "1"], orders["rows.csv", "1"])
        self.assertNotEqual(orders["rows.csv", "1"], orders["rows.csv", "2"])

    def test_gzip_is_a_whole_file_of_whole_records(self) -> None:
        self.write_rows("rows.jsonl", self.rows(5000))
        self.expect(0, "pack", "rows.jsonl", "--to", "tfrecord", "-o", "z", "--shards", "2", "--compress", "gzip")
        self.assertEqual(self.names(self.dir / "z"), ["z-00000-of-00002.tfrecord.gz", "z-00001-of-00002.tfrecord.gz"])
        self.assertEqual([number for shard in self.ids("z") for number in shard], list(range(5000)))
        self.expect(0, "pack", "rows.jsonl", "--to", "tfrecord", "-o", "one.tfrecord.gz", "--compress", "gzip")
        self.assertEqual(len(written.payloads(self.dir / "one.tfrecord.gz")), 5000)
        self.assert_refused(2, "rows.jsonl", "--to", "ofrecord", "-o", "of", "--compress", "gzip")
        self.assert_refused(2, "rows.jsonl", "--to", "tfrecord", "-o", "two.tfrecord.gz")

    def test_what_is_there_is_replaced_with_force_alone(self) -> None:
        self.write_rows("rows.jsonl", self.rows(6))
        self.expect(0, "pack", "rows.jsonl", "--to", "tfrecord", "-o", "set", "--shards", "3")
        (self.dir / "set" / "notes.txt").write_text("mine")
        before = {path.name: path.read_bytes() for path in (self.dir / "set").iterdir()}
        failed = self.assert_refused(2, "rows.jsonl", "--to", "tfrecord", "-o", "set", "--shards", "2")
        self.assertIn("--force", failed.stderr)
        self.assertEqual({path.name: path.read_bytes() for path in (self.dir / "set").iterdir()}, before)
        self.expect(0, "pack", "rows.jsonl", "--to", "tfrecord", "-o", "set", "--shards", "2", "--force")
        names = ["notes.txt", "set-00000-of-00002.tfrecord", "set-00001-of-00002.tfrecord"]
        self.assertEqual(self.names(self.dir / "set"), names)
        self.write_rows("bad.jsonl", [{"id": 1}, {"id": "x"}])
        after = {path.name: path.read_bytes() for path in (self.dir / "set").iterdir()}
        self.assert_refused(3, "bad.jsonl", "--to", "tfrecord", "-o", "set", "--force")
        self.assertEqual({path.name: path.read_bytes() for path in (self.dir / "set").iterdir()}, after)

    def test_no_records_are_empty_shards(self) -> None:
        for name, content in {"rows.jsonl": "", "rows.csv": "a,b\n", "blank.jsonl": "\n\n"}.items():
            with self.subTest(name):
                self.write(name, content)
                self.expect(0, "pack", name, "--to", "tfrecord", "-o", "none", "--shards", "3", "--force")
                self.assertEqual([path.stat().st_size for path in written.shards(self.dir / "none")], [0, 0, 0])

    def test_folders_that_a_failed_pack_made_are_gone(self) -> None:
        self.write_rows("rows.jsonl", [{"a": 1}, {"a": "x"}])
        schema = self.write_schema({"a": "long"})
        self.assert_refused(3, "rows.jsonl", "--schema", schema, "--to", "tfrecord", "-o", "new/deep/set")
        self.assert_refused(3, "rows.jsonl", "--schema", schema, "--to", "tfrecord", "-o", "new/deep/one.tfrecord")

    def test_what_it_did_is_one_json_object(self) -> None:
        self.write_rows("rows.jsonl", [{"a": 1, "b": "x", "c": [0.5]}])
        done = self.expect(0, "pack", "rows.jsonl", "--to", "tfrecord", "-o", "set", "--json").json
        size = (self.dir / "set" / "set-00000-of-00001.tfrecord").stat().st_size
        self.assertGreaterEqual(done.pop("seconds"), 0)
        features = [{"name": "a", "kind": "int64"}, {"name": "b", "kind": "bytes"}, {"name": "c", "kind": "float"}]
        shards = ["set/set-00000-of-00001.tfrecord"]
        expected = {"schema": "ofindex.pack/1", "files": shards, "records": 1, "bytes": size, "features": features}
        self.assertEqual(done, expected)


class FilesTest(PackTest):
    def setUp(self) -> None:
        super().setUp()
        for name in ("rose/1.png", "rose/10.png", "rose/2.png", "lily/a.png", "top.png", ".hidden/x", "rose/.y"):
            self.write(f"images/{name}", b"\x89" + name.encode())

    def test_a_file_is_a_record_and_its_folder_a_label(self) -> None:
        for to in (TFRECORD, OFRECORD):
            self.expect(0, "pack", "images", "--to", to, "-o", to)
            found = [written.features(one, KINDS[to]) for one in written.payloads_in(self.dir / to, to)]
            names = ["lily/a.png", "rose/1.png", "rose/2.png", "rose/10.png", "top.png"]
            self.assertEqual([one["filename"] for one in found], [("bytes", [name.encode()]) for name in names])
            contents = [("bytes", [b"\x89" + name.encode()]) for name in names]
            self.assertEqual([one["content"] for one in found], contents)
            labels = dict(
                line.split("\t")[::-1] for line in (self.dir / to / "_labels.tsv").read_text().splitlines()
            )
            self.assertEqual(labels, {"lily": "0", "rose": "1"})
            expected = [("int64", [int(labels[name.split("/")[0]])]) if "/" in name else None for name in names]
            self.assertEqual([one.get("label") for one in found], expected)

    def test_the_field_has_the_name_that_is_asked_for_and_no_other_feature_has(self) -> None:
        self.expect(0, "pack", "images/top.png", "--to", "tfrecord", "-o", "one.tfrecord", "--field", "image/encoded")
        (payload,) = written.payloads(self.dir / "one.tfrecord")
        expected = {"image/encoded": ("bytes", [b"\x89top.png"]), "filename": ("bytes", [b"top.png"])}
        self.assertEqual(written.features(payload, "example"), expected)
        self.assertEqual(self.names(), ["images", "one.tfrecord"], "no labels, no map of them")
        for name in ("filename", "label"):
            self.assert_refused(2, "images", "--to", "tfrecord", "-o", "x", "--field", name)

    def test_labels_of_another_set_are_not_written_over(self) -> None:
        self.write("out/_labels.tsv", "mine\n")
        self.assert_refused(2, "images", "--to", "tfrecord", "-o", "out")
        self.assertEqual((self.dir / "out" / "_labels.tsv").read_text(), "mine\n")

    def test_files_of_one_folder_share_their_labels_if_they_are_the_same(self) -> None:
        for name in ("train", "val"):
            self.expect(0, "pack", "images", "--to", "tfrecord", "-o", f"{name}.tfrecord")
        labels = (self.dir / "_labels.tsv").read_text()
        self.write("more/tulip/1.png", b"x")
        self.assert_refused(2, "more", "--to", "tfrecord", "-o", "test.tfrecord", "--force")
        self.assertEqual((self.dir / "_labels.tsv").read_text(), labels)

    def test_links_are_followed_and_what_is_left_out_is_told(self) -> None:
        self.write("elsewhere/fern/1.png", b"green")
        (self.dir / "images" / "fern").symlink_to("../elsewhere/fern")
        (self.dir / "images" / "round").symlink_to(".")
        (self.dir / "images" / "gone.png").symlink_to("nowhere")
        done = self.expect(0, "pack", "images", "--to", "tfrecord", "-o", "all.tfrecord")
        found = [written.features(one, "example")["filename"] for one in written.payloads(self.dir / "all.tfrecord")]
        self.assertIn(("bytes", [b"fern/1.png"]), found)
        self.assertEqual(len(found), 6)
        self.assertIn("skipped images/gone.png: a link that leads nowhere", done.stderr)
        self.assertIn("skipped images/round: a folder that was searched already", done.stderr)

    def test_labels_of_a_set_that_is_replaced_go_with_it(self) -> None:
        self.expect(0, "pack", "images", "--to", "tfrecord", "-o", "out")
        self.write_rows("rows.jsonl", [{"a": 1}])
        self.expect(0, "pack", "rows.jsonl", "--to", "tfrecord", "-o", "out", "--force")
        self.assertEqual(self.names(self.dir / "out"), ["out-00000-of-00001.tfrecord"])

    def test_an_empty_folder_is_an_error(self) -> None:
        (self.dir / "empty").mkdir()
        self.assert_refused(3, "empty", "--to", "tfrecord", "-o", "out")


class ErrorsTest(PackTest):
    def test_an_error_has_file_byte_line_cause_and_hint_and_leaves_nothing(self) -> None:
        good = '{"a":1}\n'
        table: list[tuple[str, str | bytes, int, int, str]] = [
            ("r.jsonl", good + "{\n", 8, 2, "JSON"),
            ("r.jsonl", good + "\n\n[1]\n", 10, 4, "object"),
            ("r.jsonl", good + '{"a":"x"}\n', 8, 2, "both text and numbers"),
            ("r.jsonl", good + '{"a":[null]}\n', 8, 2, "null inside a list"),
            ("r.jsonl", good + '{"a":18446744073709551615}\n', 8, 2, "does not fit an int64"),
            ("r.jsonl", good + '{"a":1e400}\n', 8, 2, "JSON"),
            ("r.jsonl", good + '{"a":' + "9" * 400 + "}\n", 8, 2, "JSON"),
            ("r.jsonl", good + '{"b":"\\ud800"}\n', 8, 2, "JSON"),
            ("r.jsonl", (good + '{"b":"').encode() + b'\xff"}\n', 8, 2, "JSON"),
            ("r.jsonl", good + '{"b":{"base64":"*"}}\n', 8, 2, "base64"),
            ("r.jsonl", good + '{"b":1,"b":2}\n', 8, 2, "twice"),
            ("r.jsonl", good + '{"b":{"c":1},"b.c":[2]}\n', 8, 2, "twice"),
            ("r.jsonl", good + "[" * 100_000 + "]" * 100_000 + "\n", 8, 2, "JSON"),
            ("r.jsonl", good + '{"a":' * 100_000 + "1" + "}" * 100_000 + "\n", 8, 2, "JSON"),
            ("r.csv", "", 0, 0, "empty"),
            ("r.csv", "a,a\n", 0, 1, "two columns"),
            ("r.csv", "\na,a\n", 1, 2, "two columns"),
            ("r.csv", '"a\n1\n', 0, 1, "never closed"),
            ("r.csv", "a,b\n1,2\n3\n", 8, 3, "expected 2 fields"),
            ("r.csv", "a,b\n1,2,3\n", 4, 2, "expected 2 fields"),
            ("r.csv", 'a\n"x\ny"\n"open\n', 8, 4, "never closed"),
            ("r.csv", 'a,b\n1,x"y"\n', 4, 2, "quotes"),
            ("r.csv", "a\n1\r2\n", 2, 2, "carriage return"),
            ("r.csv", b"\x1f\x8b\x08\x00", 0, 0, "compressed"),
        ]
        for name, content, byte, line, cause in table:
            for args in ((), ("--seed", "1")):
                with self.subTest(content=content[:60], args=args):
                    self.write(name, content)
                    failed = self.assert_refused(3, name, "--to", "tfrecord", "-o", "out/deep", *args)
                    place = f"{re.escape(name)}@{byte}: " + (f"line {line}: " if line else "")
                    self.assertRegex(failed.stderr, "^ofindex: " + place)
                    self.assertIn(cause, failed.stderr.splitlines()[0])
                    self.assertNotIn("ofindex --help", failed.stderr)

    def test_an_error_of_a_schema_names_its_file(self) -> None:
        self.write_rows("r.jsonl", [{"a": 1}])
        table = ["[]", "{",
                 '{"a":"number"}', '{"a":3}', '{"a":"array<>"}', '{"a":{"b":"map<map<int>>"}}', '{"b":"int"}',
                 '{"a":' * 100_000 + "1" + "}" * 100_000]  # fmt: skip
        for schema in table:
            with self.subTest(schema=schema[:60]):
                self.write("s.json", schema)
                failed = self.assert_refused(3, "r.jsonl", "--schema", "s.json", "--to", "tfrecord", "-o", "out")
                self.assertRegex(failed.stderr, r"^ofindex: (s\.json|r\.jsonl@0: line 1): ")
        self.assert_refused(5, "r.jsonl", "--schema", "none.json", "--to", "tfrecord", "-o", "out")

    def test_a_row_without_values_is_no_ofrecord(self) -> None:
        self.write("r.jsonl", '{"a":1}\n{}\n')
        failed = self.assert_refused(3, "r.jsonl", "--to", "ofrecord", "-o", "out")
        self.assertIn("r.jsonl@8: line 2: ", failed.stderr)

    def test_lists_and_lists_of_lists_do_not_mix_in_a_sequence_example(self) -> None:
        for row in ('{"a":[[1],2]}', '{"a":[1,2]}', '{"a":3}', '{"a":[[1],null]}'):
            with self.subTest(row):
                self.write("r.jsonl", '{"a":[[1]]}\n' + row + "\n")
                args = ("r.jsonl", "--payload", "sequence_example", "--to", "tfrecord", "-o", "out")
                self.assertIn("r.jsonl@12: line 2: ", self.assert_refused(3, *args).stderr)

    def test_arguments_that_make_no_sense_are_refused(self) -> None:
        self.write_rows("r.jsonl", [{"a": 1}])
        self.write("r.csv", "a\n1\n")
        self.write("x.parquet", "PAR1")
        for args in (
            ("r.jsonl", "r.csv", "--to", "tfrecord", "-o", "out"),
            ("x.parquet", "--to", "tfrecord", "-o", "out"),
            ("r.jsonl", "--to", "ofrecord", "-o", "out.tfrecord"),
            ("r.jsonl", "--to", "tfrecord", "-o", "out.ofrecord"),
            ("r.jsonl", "--to", "tfrecord", "-o", "out", "--payload", "ofrecord"),
            ("r.jsonl", "--to", "ofrecord", "-o", "out", "--payload", "example"),
            ("r.jsonl", "--to", "tfrecord", "-o", "out", "--shards", "0"),
            ("r.jsonl", "--to", "tfrecord", "-o", "out", "--shards", "100000"),
            ("r.jsonl", "--to", "tfrecord", "-o", "out", "--seed", "x"),
            ("r.jsonl", "--to", "tfrecord", "-o", ""),
            ("r.jsonl", "--to", "tfrecord", "-o", "/dev/null"),
            ("r.jsonl", "--to", "tfrecord", "-o", "r.csv"),
        ):
            with self.subTest(args):
                self.assert_refused(2, *args)


class HostileTest(PackTest):
    """Sources that are hard to read, and outputs that are hard to write: an answer, soon, and nothing left."""

    def test_what_cannot_be_read_is_said(self) -> None:
        os.mkfifo(self.dir / "pipe")
        os.mkfifo(self.dir / "pipe.jsonl")
        (self.dir / "loop").symlink_to("loop")
        for name in ("pipe", "pipe.jsonl", "loop", "none", "none.csv"):
            with self.subTest(name):
                self.assert_refused(5, name, "--to", "tfrecord", "-o", "out")
        self.write("secret.jsonl", '{"a":1}\n').chmod(0)
        if os.geteuid() != 0:
            self.assert_refused(5, "secret.jsonl", "--to", "tfrecord", "-o", "out")

    def test_a_folder_of_loops_and_pipes_is_its_files(self) -> None:
        self.write("data/a/x", "1")
        (self.dir / "data" / "a" / "up").symlink_to("..")
        (self.dir / "data" / "self").symlink_to("self")
        os.mkfifo(self.dir / "data" / "pipe")
        self.expect(0, "pack", "data", "--to", "tfrecord", "-o", "out")
        self.assertEqual(len(written.payloads_in(self.dir / "out")), 1)

    def test_the_output_in_the_source_is_no_source_the_next_time(self) -> None:
        self.write("data/x", "1")
        self.expect(0, "pack", "data", "--to", "tfrecord", "-o", "data")
        before = sorted((path.name, path.read_bytes()) for path in (self.dir / "data").iterdir())
        self.assert_refused(2, "data", "--to", "tfrecord", "-o", "data", "--force")
        self.assertEqual(sorted((path.name, path.read_bytes()) for path in (self.dir / "data").iterdir()), before)

    def test_a_draft_that_a_killed_writer_left_in_the_source_is_no_record(self) -> None:
        self.write("data/x", "1")
        self.write("data/data-00000-of-00001.tfrecord.draft", b"half a shard")
        self.expect(0, "pack", "data", "--to", "tfrecord", "-o", "data")
        self.assertEqual(len(written.payloads_in(self.dir / "data")), 1)
        self.assertEqual(self.names(self.dir / "data"), ["data-00000-of-00001.tfrecord", "x"])

    def test_a_source_is_never_written_over(self) -> None:
        content = b'{"a":1}\n'
        self.write("part-0", content)
        (self.dir / "link.ofrecord").symlink_to("part-0")
        for out in ("part-0", "./part-0", "link.ofrecord"):
            self.assert_refused(2, "part-0", "--from", "jsonl", "--to", "ofrecord", "-o", out, "--force")
        self.assertEqual((self.dir / "part-0").read_bytes(), content)

    def test_a_row_of_ten_thousand_names_and_a_table_of_as_many_columns_take_seconds(self) -> None:
        self.write_rows("r.jsonl", [{f"k{number}": number for number in range(10_000)}] * 3)
        schema = self.write_schema({"m": "map<long>"})
        self.write_rows("m.jsonl", [{"m": {f"k{row}-{number}": number for number in range(2000)}} for row in range(5)])
        for args in (("r.jsonl",), ("m.jsonl", "--schema", schema)):
            self.expect(0, "pack", *args, "--to", "tfrecord", "-o", "out", "--force", timeout=20)
        count = 100_000
        self.write("r.csv", ",".join(f"c{n}" for n in range(count)) + "\n" + ",".join(map(str, range(count))) + "\n")
        self.expect(0, "pack", "r.csv", "--to", "tfrecord", "-o", "wide.tfrecord", timeout=20)
        (payload,) = written.payloads(self.dir / "wide.tfrecord")
        self.assertEqual(len(written.features(payload, "example")), count)

    def test_a_line_of_a_hundred_megabytes_is_a_row(self) -> None:
        self.write("r.jsonl", '{"a":"' + "x" * 100_000_000 + '"}\n{"a":"y"}\n')
        self.expect(0, "pack", "r.jsonl", "--to", "tfrecord", "-o", "long.tfrecord")
        self.assertGreater((self.dir / "long.tfrecord").stat().st_size, 100_000_000)

    def test_numbers_at_the_edges_are_as_python_reads_them(self) -> None:
        self.write("r.jsonl", '{"a":-0.0,"b":1e-400,"c":-0,"d":9223372036854775807,"e":2e38,"f":1E2}\n')
        (found,) = self.pack("r.jsonl", to=OFRECORD)
        self.assertEqual(str(found["a"][1][0]), "-0.0")
        self.assertEqual(found["b"], ("double", [0.0]))
        self.assertEqual(found["c"], ("int64", [0]))
        self.assertEqual(found["d"], ("int64", [2**63 - 1]))
        self.assertEqual((found["e"], found["f"]), (("double", [2e38]), ("double", [100.0])))

    def test_nul_bytes_are_bytes(self) -> None:
        self.write("r.jsonl", '{"a\\u0000b":"c\\u0000d"}\n')
        self.assertEqual(self.pack("r.jsonl"), [{"a\0b": ("bytes", [b"c\0d"])}])
        self.write("r.csv", b"a\0b,c\nx\0y,1\n")
        self.assertEqual(self.pack("r.csv"), [{"a\0b": ("bytes", [b"x\0y"]), "c": ("int64", [1])}])

    def test_a_column_whose_name_is_no_text_is_refused_in_an_example(self) -> None:
        self.write("r.csv", b"\xff\n1\n")
        self.assertIn("r.csv@2: line 2: ", self.assert_refused(3, "r.csv", "--to", "tfrecord", "-o", "out").stderr)
        self.expect(0, "pack", "r.csv", "--to", "ofrecord", "-o", "out")

    def test_more_shards_than_files_may_be_open_are_refused(self) -> None:
        import resource

        self.write("r.jsonl", '{"a":1}\n')
        few = {"preexec_fn": lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (512, 512))}
        failed = self.expect_error(7, "pack", "r.jsonl", "--to", "tfrecord", "-o", "out", "--shards", "99999", **few)
        self.assertIn("ulimit", failed.stderr)
        self.assertEqual(self.names(), ["r.jsonl"])

"""pack: the kind of each type, given or inferred."""

from __future__ import annotations

import datetime
import json
import struct
from dataclasses import dataclass
from typing import Any

from e2e import written
from e2e.packing import OFRECORD, TFRECORD, PackTest


def single(value: float) -> float:
    """`value` rounded to a 32-bit float."""
    return struct.unpack("<f", struct.pack("<f", value))[0]


def days(text: str) -> int:
    return (datetime.date.fromisoformat(text) - datetime.date(1970, 1, 1)).days


def microseconds(text: str) -> int:
    return (datetime.datetime.fromisoformat(text) - datetime.datetime(1970, 1, 1, tzinfo=datetime.timezone.utc)) // (
        datetime.timedelta(microseconds=1)
    )


@dataclass(frozen=True)
class Row:
    """A type of the schema, with a value in JSON, the same value in CSV, and the resulting feature in each format."""

    type: str
    json: Any
    csv: str | None
    example: tuple[str, list[Any]]
    ofrecord: tuple[str, list[Any]]

    def expected(self, framing: str) -> tuple[str, list[Any]]:
        return self.example if framing == TFRECORD else self.ofrecord


def same(type_name: str, value: Any, text: str | None, kind: str, *values: Any) -> Row:
    """A row with the same values in both formats."""
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
    # If the message has no lists of lists, all values form one list.
    same("array<array<long>>", [[1], [], [2, 3]], None, "int64", 1, 2, 3),
]


class TypesTest(PackTest):
    def test_every_schema_type_gives_its_kind_from_json_lines(self) -> None:
        for row in TYPES:
            self.write_rows("rows.jsonl", [{"f": row.json}])
            schema = self.write_schema({"f": row.type})
            for to in (TFRECORD, OFRECORD):
                with self.subTest(type=row.type, value=row.json, to=to):
                    self.assertEqual(self.pack("rows.jsonl", "--schema", schema, to=to), [{"f": row.expected(to)}])

    def test_every_type_that_csv_can_express_gives_the_same_kind_from_csv(self) -> None:
        for row in TYPES:
            if row.csv is None:
                continue
            self.write_csv("rows.csv", [["f"], [row.csv]])
            schema = self.write_schema({"f": row.type})
            for to in (TFRECORD, OFRECORD):
                with self.subTest(type=row.type, value=row.csv, to=to):
                    self.assertEqual(self.pack("rows.csv", "--schema", schema, to=to), [{"f": row.expected(to)}])

    def test_members_of_records_get_dotted_names_and_each_member_of_a_list_of_records_one_list(self) -> None:
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

    def test_each_key_of_a_map_becomes_a_feature(self) -> None:
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

    def test_the_schema_type_choice_takes_the_type_of_each_value_independently_of_earlier_rows(self) -> None:
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

    def test_times_are_counted_in_the_requested_unit(self) -> None:
        schema = self.write_schema({"t": "timestamp"})
        self.write_rows("rows.jsonl", [{"t": "1970-01-01T00:01:00Z"}])
        for unit, count in {"s": 60, "ms": 60_000, "us": 60_000_000, "ns": 60_000_000_000}.items():
            found = self.pack("rows.jsonl", "--schema", schema, "--time-unit", unit)
            self.assertEqual(found, [{"t": ("int64", [count])}], unit)

    def test_lists_of_lists_become_feature_lists_of_a_sequence_example(self) -> None:
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
    """Values that do not have their type."""

    def test_a_value_that_does_not_fit_is_refused_with_its_location(self) -> None:
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
                self.assertNotRegex(failed.stderr, "see `ofindex .*--help`")


class InferenceTest(PackTest):
    def test_json_types_cover_all_rows(self) -> None:
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

    def test_csv_types_cover_all_fields_of_a_column(self) -> None:
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
            # More than 64 bits: a float would be a different number.
            (["18446744073709551616", "2"], "bytes", [b"18446744073709551616", b"2"]),
        ]
        for fields, kind, expected in table:
            with self.subTest(fields=fields):
                self.write_csv("rows.csv", [["f"], *([field] for field in fields)])
                self.assertEqual(self.pack("rows.csv"), [{"f": (kind, [value])} for value in expected])

    def test_nulls_and_missing_members_are_absent_features(self) -> None:
        self.write_rows("rows.jsonl", [{"a": 1, "b": None, "n": None}, {"b": "x"}, {}])
        expected = [{"a": ("int64", [1])}, {"b": ("bytes", [b"x"])}, {}]
        self.assertEqual(self.pack("rows.jsonl"), expected)
        self.write("rows.csv", 'n,t,e\n1,x,\n,"",\n"",,\n')
        expected = [{"n": ("int64", [1]), "t": ("bytes", [b"x"])}, {"t": ("bytes", [b""])}, {}]
        self.assertEqual(self.pack("rows.csv"), expected)

    def test_a_column_of_only_empty_quotes_is_text(self) -> None:
        self.write("rows.csv", 'n,t,e\n1,"",\n2,,\n')
        expected = [{"n": ("int64", [1]), "t": ("bytes", [b""])}, {"n": ("int64", [2])}]
        self.assertEqual(self.pack("rows.csv"), expected)

    def test_an_empty_list_is_a_feature_without_values(self) -> None:
        self.write_rows("rows.jsonl", [{"a": [1]}, {"a": []}])
        self.assertEqual(self.pack("rows.jsonl"), [{"a": ("int64", [1])}, {"a": ("int64", [])}])

    def test_names_may_be_any_text_without_control_characters(self) -> None:
        names = ["a b", " ", 'quo"te', "\u00a0", "\u00fc", "\u202e", "\U0001f600", "x" * 5000]
        row = {name: number for number, name in enumerate(names)}
        self.write_rows("rows.jsonl", [row])
        expected = {name: ("int64", [number]) for name, number in row.items()}
        for to in (TFRECORD, OFRECORD):
            self.assertEqual(self.pack("rows.jsonl", to=to), [expected])
        printed = self.expect(0, "pack", "rows.jsonl", "--to", "tfrecord", "-o", "n.tfrecord")
        self.assertEqual(printed.text.count("\n"), 2)
        self.assertNotIn("\u202e", printed.text)
        self.expect(0, "build", "n.tfrecord", "-q")
        features = self.expect(0, "schema", "n.tfrecord", "--json").json["features"]
        self.assertEqual({feature["name"] for feature in features}, set(names))
        listed = self.expect(0, "pack", "rows.jsonl", "--to", "tfrecord", "-o", "n.tfrecord", "--force", "--json").json
        self.assertEqual([one["name"] for one in listed["features"]][:4], names[:4])

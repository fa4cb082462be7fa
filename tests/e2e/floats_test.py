"""Floats print alike everywhere, with the fewest digits that identify them, and are the same when they are read back."""

from __future__ import annotations

import csv
import io
import json
import math
import random
import struct

from e2e.command import CommandTest
from oracle import messages, records

SPECIAL = (0.2, 0.1, 1 / 3, 1e-45, 1.1754944e-38, 3.4028235e38, 16777216.0, 0.0, -0.0, 1e10, 1e-5, 123456.79, -2.5)


def as_float(value: float) -> float:
    return struct.unpack("<f", struct.pack("<f", value))[0]


def some_floats(count: int) -> list[float]:
    random_ = random.Random(11)
    values = [as_float(value) for value in SPECIAL]
    while len(values) < count:
        (value,) = struct.unpack("<f", random_.randbytes(4))
        if math.isfinite(value):
            values.append(value)
    return values


class FloatsTest(CommandTest):
    def setUp(self) -> None:
        super().setUp()
        self.values = some_floats(400)
        payloads = [
            messages.encode("example", {"f": ("float", [value]), "d": ("float", [value, value])}) for value in self.values
        ]
        records.write_tfrecord(self.dir / "data.tfrecord", payloads)
        self.expect(0, "build", "data.tfrecord", "-q")

    def test_every_output_of_a_column_reads_back_as_the_same_float(self) -> None:
        query = ("sql", "data.tfrecord", "SELECT f FROM records ORDER BY _id")
        outputs = {
            "cat": [record["features"]["f"]["values"][0] for record in self.expect(0, "cat", "data.tfrecord").jsonl],
            "json": [row["f"] for row in self.expect(0, *query, "--json").json["rows"]],
            "jsonl": [row["f"] for row in self.expect(0, *query, "--jsonl").jsonl],
            "csv": [float(row[0]) for row in list(csv.reader(io.StringIO(self.expect(0, *query, "--csv").text)))[1:]],
            "table": [float(line) for line in self.expect(0, *query).text.splitlines()[1:]],
        }
        expected = [messages.as_written(value) for value in self.values]
        for name, shown in outputs.items():
            self.assertEqual([repr(value) for value in shown], [repr(value) for value in expected], name)
            self.assertEqual([as_float(value) for value in shown], self.values, name)

    def test_a_float_has_no_more_digits_than_it_needs(self) -> None:
        for args in (("get", "data.tfrecord", "0", "--json"), ("cat", "data.tfrecord", "--range", "0:1"), ("get", "data.tfrecord", "0")):
            text = self.expect(0, *args).text
            self.assertIn("0.2", text, args)
            self.assertNotIn("0.2000000", text, args)
        for form in ("--csv", "--json", "--jsonl"):
            for statement in (
                "SELECT f FROM records LIMIT 1",
                "SELECT f FROM records WHERE _id = 0 GROUP BY f",
                "SELECT DISTINCT f FROM records WHERE _id = 0",
                "SELECT x.f FROM (SELECT f, _id FROM records) x WHERE x._id = 0",
                "SELECT f FROM records WHERE _id = 0 UNION ALL SELECT f FROM records WHERE _id = 0",
            ):
                self.assertNotIn("0.2000000", self.expect(0, "sql", "data.tfrecord", statement, form).text, statement)
        (row,) = self.expect(0, "sql", "data.tfrecord", "SELECT f, f + 0 AS sum FROM records LIMIT 1", "--jsonl").jsonl
        self.assertEqual(row, {"f": 0.2, "sum": as_float(0.2)})

    def test_stats_show_extremes_and_frequent_values_as_floats(self) -> None:
        records.write_tfrecord(
            self.dir / "two.tfrecord",
            [messages.encode("example", {"f": ("float", [value]), "k": ("float", [0.7])}) for value in (0.2, 0.9, 0.2)],
        )
        self.expect(0, "build", "two.tfrecord", "-q")
        (column,) = self.expect(0, "stats", "two.tfrecord", "f", "--json").json["columns"]
        self.assertEqual((column["min"], column["max"]), (0.2, 0.9))
        self.assertEqual(column["top"], [{"value": 0.2, "count": 2}, {"value": 0.9, "count": 1}])
        self.assertEqual(column["median"], as_float(0.2))
        text = self.expect(0, "stats", "two.tfrecord", "f").text
        self.assertIn("min 0.2  max 0.9", text)
        (group,) = self.expect(0, "stats", "two.tfrecord", "f", "--by", "k", "--json").json["groups"]
        self.assertEqual((group["value"], group["columns"][0]["min"], group["columns"][0]["max"]), (0.7, 0.2, 0.9))
        self.assertTrue(json.dumps(group).count("0.2") == 1)

    def test_values_in_sql_stay_the_doubles_of_the_floats(self) -> None:
        self.expect(1, "where", "data.tfrecord", "f = 0.2")
        self.assertEqual(self.expect(0, "where", "data.tfrecord", f"f = {as_float(0.2)!r}").text, "0\n")

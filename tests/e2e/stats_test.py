"""`ofindex stats`: the numbers equal Python's statistics of the values that protobuf decodes, in every output form."""

from __future__ import annotations

import csv
import io
import json
import math
import shutil
import statistics
import struct
from collections import Counter
from pathlib import Path
from typing import Any

from e2e.command import CommandTest
from oracle import messages, records
from oracle.fixtures import fixtures, needs_fixtures

NUMBERS = ("float", "double", "int32", "int64")
TOP = 5


def singles(payloads: list[bytes], kind: str) -> dict[str, list[tuple[str, Any]]]:
    """Maps each feature name to the (kind, value) of each record that has exactly one value, as JSON shows it."""
    found: dict[str, list[tuple[str, Any]]] = {}
    for payload in payloads:
        for name, feature in messages.features_json(payload, kind).items():
            values = found.setdefault(name, [])
            if len(feature["values"]) == 1:
                values.append((feature["kind"], feature["values"][0]))
    return found


def key(value: Any) -> str:
    """A key that distinguishes values, except 1 and 1.0."""
    return repr(float(value)) if isinstance(value, float) else json.dumps(value)


def as_float(value: float) -> float:
    return struct.unpack("<f", struct.pack("<f", value))[0]


class StatsTest(CommandTest):
    def write_flowers(self) -> None:
        payloads = [
            messages.encode(
                "example",
                {
                    "name": ("bytes", [(b"setosa", b"versicolor", b"\x1b[31m\xff")[number % 3]]),
                    "petal": ("float", [number / 4] if number != 7 else [math.nan]),
                    "species": ("int64", [number % 3]),
                    "boxes": ("int64", list(range(number % 4))),
                },
            )
            for number in range(20)
        ]
        records.write_tfrecord(self.dir / "flowers", payloads)

    def stats(self, *args: str) -> dict[str, Any]:
        """Columns by name."""
        document = self.expect(0, "stats", *args, "--json").json
        self.assertEqual(document["schema"], "ofindex.stats/1")
        return {column["column"]: column for column in document["columns"]}

    def check(self, column: dict[str, Any], values: list[Any], exact: list[Any], numbers: bool) -> None:
        """`exact` are the values as the engine has them: JSON shows a float with fewer digits."""
        top = Counter(map(key, values))
        self.assertEqual(column["count"], len(values))
        self.assertEqual(column["distinct"], len(top))
        self.assertTrue(column["distinct_is_exact"])
        shown = [(key(entry["value"]), entry["count"]) for entry in column["top"]]
        self.assertEqual([count for _, count in shown], sorted(top.values(), reverse=True)[:TOP])
        self.assertEqual([top[value] for value, _ in shown], [count for _, count in shown])
        if not numbers or not values:
            return
        self.assertEqual((column["min"], column["max"]), (min(values), max(values)))
        values = exact
        self.assertAlmostEqual(column["mean"], statistics.fmean(values), delta=1e-9 * abs(max(values, key=abs)))
        self.assertEqual(sum(bin["count"] for bin in column["histogram"]), len(values))
        for bin in column["histogram"][:-1]:
            self.assertEqual(bin["count"], sum(bin["begin"] <= value < bin["end"] for value in values))
        if len(values) >= 2:
            expected = [statistics.stdev(values), *statistics.quantiles(values, method="inclusive")]
            for found, wanted in zip((column[name] for name in ("std", "q1", "median", "q3")), expected):
                self.assertTrue(math.isclose(found, wanted, rel_tol=1e-9, abs_tol=1e-12), (found, wanted))

    @needs_fixtures
    def test_statistics_of_the_fixtures_equal_those_computed_in_python(self) -> None:
        checked = 0
        for fixture in fixtures():
            if fixture.compressed or fixture.payload not in ("example", "ofrecord") or fixture.records > 20_000:
                continue
            with self.subTest(fixture.path.name):
                copy = Path(shutil.copy(fixture.path, self.dir))
                if self.run_command("build", copy.name, "--force", "-q").code != 0:
                    continue
                columns = self.stats(copy.name, "--top", str(TOP))
                for name, found in singles(fixture.walk().payloads, fixture.payload).items():
                    if name not in columns or any(value in ("NaN", "Infinity", "-Infinity") for _, value in found):
                        continue
                    numbers = all(kind in NUMBERS for kind, _ in found)
                    exact = [as_float(value) if kind == "float" else value for kind, value in found]
                    self.check(columns[name], [value for _, value in found], exact, numbers)
                    checked += 1
        self.assertGreater(checked, 20)

    def test_nan_is_null_and_a_list_has_the_statistics_of_its_elements(self) -> None:
        self.write_flowers()
        self.expect(0, "build", "flowers", "--columns", "boxes,petal")
        columns = self.stats("flowers")
        petal, boxes = columns["petal"], columns["boxes"]
        self.assertEqual((petal["rows"], petal["count"], petal["nulls"], petal["nans"]), (20, 19, 1, 1))
        self.assertEqual((boxes["count"], boxes["min"], boxes["max"], boxes["distinct"]), (30, 0, 2, 3))
        self.assertEqual(boxes["list_lengths"], {"min": 0, "max": 3, "mean": 1.5})

    def test_json_lines_and_csv_match_the_document(self) -> None:
        self.write_flowers()
        self.expect(0, "build", "flowers")
        columns = self.stats("flowers")
        lines = self.expect(0, "stats", "flowers", "--jsonl").jsonl
        self.assertEqual({line["column"]: line for line in lines}, columns)
        rows = list(csv.DictReader(io.StringIO(self.expect(0, "stats", "flowers", "--csv").text, newline="")))
        self.assertEqual([row["column"] for row in rows], list(columns))
        for row in rows:
            self.assertEqual(int(row["count"]), columns[row["column"]]["count"])
            self.assertEqual(float(row["mean"] or "nan") == columns[row["column"]]["mean"], bool(row["mean"]))

    def test_groups_match_the_records_and_omitted_groups_are_totalled(self) -> None:
        self.write_flowers()
        self.expect(0, "build", "flowers")
        document = self.expect(0, "stats", "flowers", "petal", "--by", "species", "--json").json
        petals = [number / 4 for number in range(20) if number != 7]
        expected = []
        for species, rows in ((0, 7), (1, 7), (2, 6)):
            values = [petal for petal in petals if petal * 4 % 3 == species]
            column = {"column": "petal", "count": len(values), "min": min(values), "max": max(values)}
            expected.append({"value": species, "rows": rows, "columns": [{**column, "mean": statistics.fmean(values)}]})
        self.assertEqual(document["groups"], expected)
        self.assertIsNone(document["others"])
        few = self.expect(0, "stats", "flowers", "petal", "--by", "species", "--top", "1", "--json").json
        self.assertEqual(few["groups"], expected[:1])
        self.assertEqual((few["others"]["groups"], few["others"]["rows"]), (2, 13))
        self.assertIn("2 other groups", self.expect(0, "stats", "flowers", "--by", "species", "--top", "1").text)

    def test_the_table_is_narrow_printable_ascii(self) -> None:
        self.write_flowers()
        self.expect(0, "build", "flowers")
        for args in ((), ("--by", "name"), ("--by", "petal", "--top", "3")):
            text = self.expect(0, "stats", "flowers", *args).text
            self.assertTrue(text.isascii(), text)
            self.assertNotIn("\x1b", text)
            self.assertLessEqual(max(map(len, text.splitlines())), 80, text)

    def test_invalid_arguments_exit_with_2(self) -> None:
        self.write_flowers()
        self.expect(0, "build", "flowers", "--columns", "boxes,name,petal")
        for args in (("--bins", "0"), ("--top", "-1"), ("--by", "boxes"), ("name", "--by", "petal"), ("--csv", "--json")):
            with self.subTest(args):
                self.expect_error(2, "stats", "flowers", *args)
        self.assertIn("did you mean 'petal'?", self.expect_error(2, "stats", "flowers", "pedal").stderr)

"""stats(), schema, info and the notebook table of a view describe its own records, or raise an error."""

from __future__ import annotations

import math
import re
import unittest
from typing import Any

import ofindex
from oracle import messages
from python.work import WorkTest, in_new_process


def payload(number: int) -> bytes:
    """A message with features for every form of column: single and mixed kinds, NaN, text, bytes, lists, no value."""
    features: dict[str, Any] = {"id": ("int64", [number]), "score": ("float", [number / 8])}
    if number % 5 == 0:
        features["score"] = ("float", [math.nan])
    if number % 3:
        features["name"] = ("bytes", [b"name %d" % (number % 7)])
    features["blob"] = ("bytes", [b"\xff" + bytes([number % 256])])
    features["boxes"] = ("float", [0.5 * box for box in range(number % 4)])
    features["words"] = ("bytes", [b"w%d" % word for word in range(number % 3)])
    features["mixed"] = ("int64", [number]) if number % 2 else ("float", [number + 0.5])
    features["any"] = ("int64", [number]) if number % 5 else ("bytes", [b"text"])
    return messages.encode("example", features)


NAMES = ["id", "score", "name", "blob", "boxes", "words", "mixed", "any"]


# Prints the statistics of a view that has one record, a list of 100 numbers, half a million times. Computing them may
# take a few bytes of memory per repetition, but none per value.
REPEATS = """
import resource, sys
import numpy as np
import ofindex

def peak():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss << 10

ds = ofindex.open(sys.argv[1])
view = ds[np.zeros(500_000, np.int64)]
ds[[0, 0]].stats("a")
before = peak()
stats = view.stats("a")
grown = peak() - before
assert grown < 32 << 20, f"{grown:,} bytes more"
print(stats["rows"], stats["count"], stats["mean"], stats["top"][0]["count"])
"""


class StatsTest(WorkTest):
    def setUp(self) -> None:
        super().setUp()
        self.payloads = [payload(number) for number in range(200)]
        self.ds = ofindex.build(self.write("data/", self.payloads), columns=NAMES)

    def check(self, view: ofindex.Dataset, name: str) -> None:
        """Compares the view with a dataset that has exactly its records."""
        alone = ofindex.build(self.write(f"{name}.tfrecord", list(view)), columns=NAMES, columns_optional=True)
        for column in [*NAMES, "_length"]:
            if column in NAMES and not alone.schema.get(column, {}).get("column"):
                continue  # no record of the view has a value
            found, expected = view.stats(column), alone.stats(column)
            found.pop("type"), expected.pop("type")  # the type covers the whole column
            if expected["list_lengths"] is None and found["list_lengths"] is not None:
                # Without lists, values are stored as single values, whose NULLs have reasons.
                for fact in ("list_lengths", "absent", "empty", "several"):
                    found.pop(fact), expected.pop(fact)
            self.assertEqual(repr(found), repr(expected), (name, column))

    def test_stats_of_a_view_equal_those_of_a_dataset_of_its_records(self) -> None:
        for name, view in {
            "slice": self.ds[10:50],
            "last": self.ds[-3:],
            "reversed": self.ds[::-1],
            "step": self.ds[3::7],
            "picked": self.ds[[5, 3, 40, 3, 3]],
            "where": self.ds.where("id % 4 = 1"),
            "where of where": self.ds.where("id > 50").where("name IS NULL"),
            "split": self.ds.split({"a": 0.3})["a"],
        }.items():
            self.check(view, name)

    def test_stats_of_no_records_are_empty(self) -> None:
        for column in NAMES:
            stats = self.ds[:0].stats(column)
            self.assertEqual((stats["rows"], stats["count"], stats["nulls"], stats["top"]), (0, 0, 0, []), column)
            self.assertEqual((stats["min"], stats["mean"], stats["histogram"]), (None, None, []), column)

    def test_stats_of_a_view_over_many_blocks_are_exact(self) -> None:
        small = [messages.encode("example", {"a": ("int64", [number % 1000])}) for number in range(150_000)]
        ds = ofindex.build(self.write("many/", small))
        for view in (ds[1000:149_000], ds.where("a < 10"), ds[::-3]):
            values = view.column("a")
            stats = view.stats("a")
            self.assertEqual(
                (stats["rows"], stats["count"], stats["min"], stats["max"], stats["distinct"]),
                (len(view), len(values), values.min(), values.max(), len(set(values.tolist()))),
            )
            self.assertAlmostEqual(stats["mean"], values.mean())
            self.assertEqual(sum(bin["count"] for bin in stats["histogram"]), len(values))

    def test_stats_of_repeated_records_take_no_memory_for_copies(self) -> None:
        values = messages.encode("example", {"a": ("int64", list(range(100)))})
        ds = ofindex.build(self.write("one.tfrecord", [values]), columns=["a"])
        said = in_new_process(REPEATS, ds._source.index_path)
        self.assertEqual(said, "500000 50000000 49.5 500000\n")


class FactsTest(WorkTest):
    def setUp(self) -> None:
        super().setUp()
        self.ds = self.examples(100)

    def test_schema_info_and_sql_are_refused_for_a_view(self) -> None:
        for view in (self.ds[:50], self.ds.where("label = 3"), self.ds[::-1], self.ds[[1, 1]], self.ds[:0]):
            asks = (lambda view=view: view.schema, lambda view=view: view.info, lambda view=view: view.sql("SELECT 1"))
            for ask in asks:
                with self.assertRaisesRegex(AttributeError, "a view has no (schema|info|sql)"):
                    ask()
        for whole in (self.ds[:], self.ds[list(range(100))], self.ds.where("label >= 0")):  # all records, in order
            self.assertEqual((whole.schema, whole.info), (self.ds.schema, self.ds.info))

    def test_the_html_table_of_a_view_counts_its_own_records(self) -> None:
        self.assertIn("<td>100</td>", self.ds._repr_html_())
        for view in (self.ds[:37], self.ds.where("label = 3"), self.ds[[1, 1]], self.ds[:0]):
            len(view)  # a view by SQL is evaluated on first use
            html = view._repr_html_()
            self.assertIn(f"{len(view)} of 100 records", html)
            cells = re.findall("<td>(.*?)</td>", html)
            self.assertEqual(cells[:3], ["boxes", "boxes", "REAL"])
            self.assertFalse([cell for cell in cells if cell.replace(",", "").isdigit()], html)


if __name__ == "__main__":
    unittest.main()

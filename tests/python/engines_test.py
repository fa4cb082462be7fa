"""Filters and projections of Polars, pyarrow and DuckDB, pushed into the index: the answers are those that the engines
give for the whole table in memory, and no record file is read."""

from __future__ import annotations

import operator
import pickle
import random
import shutil
import unittest
from collections.abc import Callable
from functools import reduce
from typing import Any
from unittest import mock

try:
    import duckdb
    import polars as pl
    import pyarrow as pa
    import pyarrow.compute as pc
except ImportError as missing:
    raise unittest.SkipTest(f"no {missing.name}") from None

import ofindex
from ofindex._engines.conditions import Columns, all_of, any_of, negated
from oracle import messages
from python.work import WorkTest

RECORDS = 3000
QUERIES = 100
COMPARISONS: list[Callable[[Any, Any], Any]] = [
    operator.eq,
    operator.ne,
    operator.lt,
    operator.le,
    operator.gt,
    operator.ge,
]


def payload(number: int) -> bytes:
    """Example `number`, with absent values, NaNs, texts, bytes that are no text, and lists."""
    return messages.encode(
        "example",
        {
            "label": ("int64", [number % 10]),
            "big": ("int64", [2**53 + number % 3]),
            "score": ("float", [float("nan") if number % 50 == 7 else number / 7]),
            "name": ("bytes", [f"n\u00e4me {number % 97}".encode()]),
            "bin": ("bytes", [b"\xff%d" % (number % 4) if number % 2 else b"text"]),
            "boxes": ("float", [float(box) for box in range(number % 4)]),
            **({} if number % 3 else {"maybe": ("int64", [number])}),
        },
    )


class EnginesTest(WorkTest):
    """The index of four shards, one of which is gone; the shards themselves are removed."""

    def setUp(self) -> None:
        super().setUp()
        for part in range(4):
            numbers = range(RECORDS * part // 4, RECORDS * (part + 1) // 4)
            self.write(f"data/part-{part}", [payload(number) for number in numbers])
        data = self.dir / "data"
        ofindex.build(data, columns=["auto", "boxes"])
        (data / "part-1").unlink()
        ofindex.update(data)
        self.ds = ofindex.open(data)
        shutil.rmtree(data)
        self.table = pa.table(self.ds)
        self.frame = pl.DataFrame(self.ds)
        self.random = random.Random(20)
        self.asked: list[str] = []
        where = ofindex.Dataset.where

        def spy(dataset: ofindex.Dataset, expression: str, parameters: Any = None) -> ofindex.Dataset:
            self.asked.append(expression)
            return where(dataset, expression, parameters)

        patch = mock.patch.object(ofindex.Dataset, "where", spy)
        patch.start()
        self.addCleanup(patch.stop)

    def leaf(self, column: Callable[[str], Any], engine: str) -> Any:
        """A random condition on one column."""
        choice = self.random.randrange(12)
        compare = self.random.choice(COMPARISONS)
        name = column("name")
        if choice < 3:
            return compare(column(self.random.choice(["label", "maybe", "_id"])), self.random.randrange(-1, 12))
        if choice == 3:
            return compare(column("big"), 2**53 + self.random.randrange(3))
        if choice == 4:
            return compare(column("score"), self.random.choice([1 / 7, 0.5, 1, 100, 3 / 7, -0.0]))
        if choice == 5:
            return compare(column("label"), self.random.choice([1.5, 3.0, -0.5]))
        if choice == 6:
            return compare(name, self.random.choice(["n\u00e4me 5", "", "n\u00e4me 50", "\U0010ffff"]))
        if choice == 7:
            return column(self.random.choice(["maybe", "score", "boxes", "name"])).is_null()
        if choice == 8:
            values = self.random.sample(range(12), self.random.randrange(1, 4))
            return column("label").is_in(values) if engine == "polars" else column("label").isin(values)
        if choice == 9:
            prefix = self.random.choice(["n\u00e4", "n\u00e4me 4", "x", "\U0010ffff"])
            return name.str.starts_with(prefix) if engine == "polars" else pc.starts_with(name, prefix)
        if choice == 10:
            equal = self.random.choice([operator.eq, operator.ne])
            return equal(column("bin"), self.random.choice([b"\xff1", b"text", b"\xff"]))
        return column("maybe") + column("label") > 40  # cannot be pushed down

    def condition(self, column: Callable[[str], Any], engine: str) -> Any:
        """A random condition on some columns."""
        leaves = [self.leaf(column, engine) for _ in range(self.random.randrange(1, 4))]
        leaves = [~leaf if self.random.randrange(4) == 0 else leaf for leaf in leaves]
        return reduce(self.random.choice([operator.and_, operator.or_]), leaves)

    def test_filters_of_polars_select_what_they_select_in_a_frame(self) -> None:
        lazy = ofindex.polars.scan(self.ds)
        for _ in range(QUERIES):
            condition = self.condition(pl.col, "polars")
            names = self.random.sample(self.frame.columns, self.random.randrange(1, 4))
            found = lazy.filter(condition).select(names).collect()
            expected = self.frame.filter(condition).select(names)
            self.assertTrue(found.equals(expected), f"{condition}: {len(found)} and {len(expected)} rows")
        self.assertGreater(len(self.asked), QUERIES * 2 // 3)

    def test_filters_of_pyarrow_select_what_they_select_in_a_table(self) -> None:
        dataset = self.ds.to_arrow_dataset()
        for _ in range(QUERIES):
            condition = self.condition(pc.field, "pyarrow")
            names = self.random.sample(self.table.column_names, self.random.randrange(1, 4))
            found = dataset.to_table(columns=names, filter=condition)
            expected = self.table.filter(condition).select(names)
            self.assertTrue(found.equals(expected), f"{condition}: {len(found)} and {len(expected)} rows")
        self.assertGreater(len(self.asked), QUERIES * 2 // 3)

    def test_duckdb_gives_the_answers_that_it_gives_for_the_table(self) -> None:
        dataset, whole = self.ds.to_arrow_dataset(), self.table
        for where, pushed in {
            "label = 3 AND score < 20.5": '("label" = ? AND "score" < ?)',
            "name = 'n\u00e4me 3' OR maybe > 2000": '("name" = ? OR "maybe" > ?)',
            "label BETWEEN 2 AND 4 AND maybe IS NOT NULL": '"maybe" IS NULL',
            "bin = '\\xff1'::BLOB": '"bin" = ?',
            "score IS NULL": '"score" IS NULL',
            "len(boxes) > 2": "",
        }.items():
            with self.subTest(where):
                self.asked.clear()
                query = f"SELECT label, count(*), sum(maybe) FROM {{}} WHERE {where} GROUP BY 1 ORDER BY 1"
                found = duckdb.sql(query.format("dataset")).fetchall()
                self.assertEqual(found, duckdb.sql(query.format("whole")).fetchall())
                self.assertNotEqual(found, [])
                self.assertIn(pushed, " ".join(self.asked))
        self.assertEqual(dataset.schema, whole.schema)

    def test_all_engines_agree_with_sql(self) -> None:
        sql = self.ds.sql("SELECT label, count(*) FROM records WHERE _id < 2000 GROUP BY 1 ORDER BY 1").fetchall()
        frame = ofindex.polars.scan(self.ds).filter(pl.col("_id") < 2000).group_by("label").agg(pl.len()).sort("label")
        self.assertEqual(frame.collect().rows(), sql)
        self.assertEqual(frame.collect(engine="streaming").rows(), sql)
        lazy = pl.scan_pyarrow_dataset(self.ds.to_arrow_dataset()).filter(pl.col("_id") < 2000)
        self.assertEqual(lazy.group_by("label").agg(pl.len()).sort("label").collect().rows(), sql)

    def test_rows_are_counted_without_a_column(self) -> None:
        dataset = self.ds.to_arrow_dataset()
        with mock.patch.object(ofindex.Dataset, "arrow", side_effect=AssertionError("a column was read")):
            self.assertEqual(dataset.count_rows(), RECORDS * 3 // 4)

    def test_only_the_columns_that_are_needed_are_read(self) -> None:
        with mock.patch.object(ofindex.Dataset, "arrow", autospec=True, side_effect=ofindex.Dataset.arrow) as arrow:
            ofindex.polars.scan(self.ds).filter(pl.col("label") > 7).select("maybe").collect()
            self.ds.to_arrow_dataset().to_table(columns=["maybe"], filter=pc.field("label") > 7)
            names = [sorted(call.args[1]) for call in arrow.mock_calls if len(call.args) == 2]
        self.assertEqual(names, [["label", "maybe"]] * 2)

    def test_a_view_is_scanned_as_a_view(self) -> None:
        view = self.ds.where("label = 4")[5:50]
        expected = pl.DataFrame(view).filter(pl.col("maybe") > 60)
        self.assertTrue(ofindex.polars.scan(view).filter(pl.col("maybe") > 60).collect().equals(expected))
        self.assertEqual(view.to_arrow_dataset().count_rows(), 45)
        self.assertEqual(view.to_arrow_dataset().to_table(filter=pc.field("label") == 5).num_rows, 0)

    def test_heads_stop_early_and_empty_results_have_columns(self) -> None:
        lazy = ofindex.polars.scan(self.ds)
        self.assertTrue(lazy.head(7).collect().equals(self.frame.head(7)))
        self.assertTrue(lazy.filter(pl.col("label") == 3).head(7).collect().equals(
            self.frame.filter(pl.col("label") == 3).head(7)))  # fmt: skip
        self.assertEqual(lazy.filter(pl.col("label") == 77).collect().schema, self.frame.schema)
        self.assertTrue(self.ds.to_arrow_dataset().head(7).equals(self.table.slice(0, 7)))
        self.assertEqual(lazy.select(pl.len()).collect().item(), len(self.ds))

    def test_an_arrow_dataset_pickles_and_refuses_what_it_cannot(self) -> None:
        dataset = pickle.loads(pickle.dumps(self.ds.to_arrow_dataset()))
        self.assertTrue(dataset.to_table(columns={"twice": pc.field("label") * 2}).column("twice").equals(
            pc.multiply(self.table["label"], 2)))  # fmt: skip
        for method in ("get_fragments", "filter", "sort_by", "replace_schema", "join", "join_asof"):
            with self.subTest(method), self.assertRaises(NotImplementedError):
                getattr(dataset, method)()
        with self.assertRaises(NotImplementedError):
            print(dataset.partition_expression)
        with self.assertRaisesRegex(pa.ArrowInvalid, "nope"):
            dataset.to_table(columns=["nope"])
        with self.assertRaisesRegex(TypeError, "int"):
            ofindex.polars.scan(7)  # type: ignore[arg-type]
        with self.assertRaises(FileNotFoundError):
            ofindex.polars.scan(self.dir / "none")


class ConditionsTest(unittest.TestCase):
    COLUMNS = Columns({"i": "integer", "f": "float", "d": "double", "t": "text", "b": "bytes", "l": "other"})

    def test_comparisons_are_translated_if_sql_has_the_same(self) -> None:
        for (column, value), expected in {
            ("i", 3): ('"i" < ?', (3,), True),
            ("i", 1.5): ('"i" < ?', (1.5,), True),
            ("f", 0.5): ('"f" < ?', (0.5,), True),
            ("f", 0.3): ('"f" < ?', (0.30000001192092896,), False),
            ("d", 0.3): ('"d" < ?', (0.3,), True),
            ("t", "x"): ('"t" < ?', ("x",), True),
        }.items():
            with self.subTest(f"{column} < {value!r}"):
                condition = self.COLUMNS.compare(column, "<", value)
                assert condition is not None
                self.assertEqual((condition.sql, condition.parameters, condition.exact), expected)

    def test_what_sql_compares_in_another_way_is_not_translated(self) -> None:
        for column, value in (
            *(("i", value) for value in (2**63, -(2**63) - 1, float("nan"), 2.0**53, "3", True, None)),
            *(("f", value) for value in (float("nan"), float("inf"), 2**53, 1e39, "1", None)),
            *(("t", value) for value in (5, b"x", "a\0b", None)),
            *(("b", value) for value in (b"x", "x", 5)),
            ("l", 5),
            ("none", 5),
        ):
            with self.subTest(f"{column} < {value!r}"):
                self.assertIsNone(self.COLUMNS.compare(column, "<", value))

    def test_only_what_is_exact_is_negated_and_only_an_and_may_lose_a_part(self) -> None:
        exact, rough = self.COLUMNS.compare("i", "=", 3), self.COLUMNS.compare("f", "=", 0.3)
        self.assertIsNone(negated(rough))
        self.assertIsNone(negated(None))
        self.assertEqual(negated(exact).sql, 'NOT ("i" = ?)')  # type: ignore[union-attr]
        self.assertIsNone(any_of([exact, None]))
        self.assertIsNone(all_of([None, None]))
        part = all_of([exact, None])
        assert part is not None
        self.assertEqual((part.sql, part.exact), ('("i" = ?)', False))
        self.assertIsNone(negated(part))
        self.assertIsNone(self.COLUMNS.among("i", []))
        self.assertIsNone(self.COLUMNS.among("i", range(1001)))
        self.assertIsNone(self.COLUMNS.among("i", [3, "x"]))

    def test_names_are_quoted_and_bytes_are_compared_as_they_are_stored(self) -> None:
        odd = Columns({'a "b"': "integer", "b": "bytes"})
        self.assertEqual(odd.compare('a "b"', "=", 1).sql, '"a ""b""" = ?')  # type: ignore[union-attr]
        for value, stored in ((b"text", "text"), (b"\xff", b"\xff"), (b"a\0", b"a\0")):
            self.assertEqual(odd.compare("b", "=", value).parameters, (stored,))  # type: ignore[union-attr]


if __name__ == "__main__":
    unittest.main()

"""where, sql, column, arrow, split: queries on the index from Python."""

from __future__ import annotations

import concurrent.futures
import contextlib
import sqlite3
import threading
import unittest
from typing import Any

import numpy as np
import ofindex
from oracle import messages
from python.work import WorkTest, example


def odd_example(number: int) -> bytes:
    """Features that are absent, of several kinds, or with several values."""
    features: dict[str, Any] = {"id": ("int64", [number])}
    if number % 3:
        features["weight"] = ("float", [number / 4])
    if number % 2:
        features["name"] = ("bytes", [f"ж{number}".encode()])
    features["blob"] = ("bytes", [b"\xff\x00" + bytes([number % 256])])
    features["boxes"] = ("float", [0.5 * box for box in range(number % 4)])
    features["words"] = ("bytes", [b"w%d" % word for word in range(number % 3)])
    features["mixed"] = ("int64", [number]) if number % 5 else ("bytes", [b"text"])
    return messages.encode("example", features)


class WhereTest(WorkTest):
    def test_a_view_has_the_records_that_match_the_expression(self) -> None:
        ds = self.examples(100)
        for expression, parameters, expected in (
            ("label = 7", None, range(7, 100, 10)),
            ("label = ? AND weight > ?", (7, 5), range(47, 100, 10)),
            ("label = :label", {"label": np.int64(3)}, range(3, 100, 10)),
            ("name = ?", ("record 5",), [5]),
            ("label = ?", 7, range(7, 100, 10)),
            ("label = ?", True, range(1, 100, 10)),
            ("weight > ?", 12.0, range(97, 100)),
            ("name = ?", "record 5", [5]),
            ("label IS NULL", (), []),
            ("1", (), range(100)),
            ("weight > $least", {"least": 12.0}, range(97, 100)),
            ("_id IN (SELECT record FROM bad) OR label = (SELECT count(*) FROM shards)", (), range(2, 100, 10)),
        ):
            view = ds.where(expression, parameters)
            self.assertEqual(list(view), [example(number) for number in expected], expression)

    def test_a_view_is_evaluated_once_on_first_use(self) -> None:
        ds = self.examples(10)
        wrong = ds.where("lable = 3")
        for _ in range(2):
            with self.assertRaisesRegex(ofindex.QueryError, "label"):
                len(wrong)
        parameters = [3]
        view = ds.where("label = ?", parameters)
        self.assertEqual(len(view), 1)
        parameters[0] = 4
        self.assertEqual(view[0], example(3))

    def test_wrong_parameters_are_errors(self) -> None:
        ds = self.examples(10)
        for parameters, error in (
            ((), ofindex.QueryError),
            ((1, 2), ofindex.QueryError),
            ({"other": 1}, ofindex.QueryError),
            (object(), TypeError),
            ((object(),), TypeError),
            ((2**64,), OverflowError),
        ):
            with self.assertRaises(error, msg=repr(parameters)):
                len(ds.where("label = ?", parameters))
        self.assertRaises(TypeError, ds.where, 7)

    def test_hostile_expressions_are_refused(self) -> None:
        ds = self.examples(10)
        for expression in ("1; DROP TABLE records", "load_extension('x')", "(SELECT 1 FROM sqlite_master)"):
            with self.assertRaises(ofindex.QueryError, msg=expression):
                len(ds.where(expression))


class SqlTest(WorkTest):
    def setUp(self) -> None:
        super().setUp()
        self.ds = ofindex.build(self.write("data/", [odd_example(number) for number in range(60)]), columns="auto")

    def test_rows_equal_those_of_sqlite(self) -> None:
        plain = sqlite3.connect(":memory:")
        plain.execute("CREATE TABLE records(_id INTEGER, id INTEGER, weight REAL, name TEXT)")
        for number in range(60):
            weight = number / 4 if number % 3 else None
            name = f"ж{number}" if number % 2 else None
            plain.execute("INSERT INTO records VALUES (?, ?, ?, ?)", (number, number, weight, name))
        for query in (
            "SELECT id, weight, name FROM records ORDER BY id",
            "SELECT count(*), avg(weight), max(name) FROM records",
            "SELECT id % 3, count(name) FROM records GROUP BY 1 ORDER BY 1",
            "SELECT a.id FROM records a JOIN records b ON a.id = b.id + 58 ORDER BY 1",
            "SELECT id FROM records WHERE 0",
        ):
            self.assertEqual(self.ds.sql(query).fetchall(), plain.execute(query).fetchall(), query)

    def test_rows_can_be_fetched_one_by_one_in_groups_or_all_at_once(self) -> None:
        rows = self.ds.sql("SELECT id, name AS 'the name' FROM records ORDER BY id DESC")
        self.assertEqual(rows.columns, ["id", "the name"])
        self.assertEqual([column[0] for column in rows.description], rows.columns)
        self.assertEqual(rows.fetchone(), (59, "ж59"))
        self.assertEqual(len(rows.fetchmany(10)), 10)
        self.assertEqual(next(rows), (48, None))
        self.assertEqual(len(rows.fetchall()), 48)
        self.assertIsNone(rows.fetchone())
        self.assertEqual(self.ds.sql("SELECT blob FROM records WHERE id = ?", (7,)).fetchone(), (b"\xff\x00\x07",))
        self.assertEqual(self.ds.sql("SELECT :a + 1", {"a": 41}).fetchone(), (42,))

    def test_a_wrong_statement_is_a_query_error(self) -> None:
        for query in (
            "SELEC 1",
            "SELECT nothing FROM records",
            "DELETE FROM records",
            "SELECT 1; SELECT 2",
            "PRAGMA user_version",
        ):
            with self.assertRaises(ofindex.QueryError, msg=query):
                self.ds.sql(query).fetchall()

    def test_a_deadline_ends_a_statement(self) -> None:
        endless = "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT max(x) FROM n"
        with self.assertRaises(ofindex.LimitError):
            self.ds.sql(endless, timeout=0.2).fetchall()

    def test_ctrl_c_ends_a_statement(self) -> None:
        import _thread

        endless = "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT max(x) FROM n"
        timer = threading.Timer(0.3, _thread.interrupt_main)
        timer.start()
        with self.assertRaises(KeyboardInterrupt):
            self.ds.sql(endless, timeout=60).fetchall()
        timer.join()
        self.assertEqual(self.ds.sql("SELECT 1").fetchall(), [(1,)])

    def test_a_view_refuses_statements(self) -> None:
        for view in (self.ds[:5], self.ds.where("id > 3"), self.ds[::-1], self.ds[:0]):
            with self.assertRaisesRegex(AttributeError, "a view has no sql"):  # like schema and info
                view.sql("SELECT 1")
        self.assertEqual(self.ds[:].sql("SELECT 1").fetchall(), [(1,)])

    def test_the_rows_of_two_statements_can_be_read_alternately(self) -> None:
        one, two = (self.ds.sql("SELECT id FROM records ORDER BY id") for _ in range(2))
        self.assertEqual([(a[0], b[0]) for a, b in zip(one, two, strict=True)], [(i, i) for i in range(60)])

    def test_a_statement_does_not_depend_on_the_one_before_it(self) -> None:
        count, sums = "SELECT count(*) FROM records", "SELECT id % 3, count(*), sum(id) FROM records GROUP BY 1"
        expected = [(0, 20, 570), (1, 20, 590), (2, 20, 610)]
        half_read = self.ds.sql("SELECT id FROM records")
        self.assertEqual(half_read.fetchone(), (0,))
        for before in (
            count,
            sums,
            "SELECT nothing",
            "SELECT id FROM records LIMIT 1",
            "SELECT abs(-9223372036854775808)",
        ):
            with contextlib.suppress(ofindex.Error):
                self.ds.sql(before).fetchone()
            self.assertEqual(self.ds.sql(count).fetchall(), [(60,)], before)
            self.assertEqual(self.ds.sql(sums).fetchall(), expected, before)
        with self.assertRaises(ofindex.LimitError):
            self.ds.sql("SELECT count(*) FROM records a, records b, records c, records d", timeout=0.02).fetchall()
        self.assertEqual(half_read.fetchone(), (1,))
        with concurrent.futures.ThreadPoolExecutor(4) as pool:
            answers = list(pool.map(lambda query: self.ds.sql(query).fetchall(), [count, sums] * 20))
        self.assertEqual(answers, [[(60,)], expected] * 20)
        self.assertEqual(len(half_read.fetchall()), 58)

    def test_query_results_convert_to_pandas_and_arrow(self) -> None:
        try:
            import pandas as pd
            import pyarrow as pa
        except ImportError:
            self.skipTest("pandas or pyarrow is not installed")
        query = "SELECT id, weight, name, blob, NULL AS gone FROM records ORDER BY id"
        self.assertEqual(self.ds.sql(query).df()["id"].tolist(), list(range(60)))
        table = self.ds.sql(query).arrow()
        self.assertEqual(
            [str(kind) for kind in table.schema.types], ["int64", "double", "large_string", "large_binary", "null"]
        )
        rows = self.ds.sql(query).fetchall()
        self.assertEqual([tuple(row.values()) for row in table.to_pylist()], rows)
        self.assertEqual(len(pd.DataFrame(table.to_pandas())), 60)
        with self.assertRaisesRegex(ofindex.QueryError, "CAST"):
            self.ds.sql("SELECT mixed FROM records").arrow()
        empty = self.ds.sql("SELECT id FROM records WHERE 0").arrow()
        self.assertEqual((empty.num_rows, empty.column_names), (0, ["id"]))
        self.assertEqual(pa.table(self.ds.sql("SELECT 1 AS a UNION ALL SELECT 2.5")).to_pydict(), {"a": [1.0, 2.5]})


class ColumnTest(WorkTest):
    def setUp(self) -> None:
        super().setUp()
        path = self.write("data/", [odd_example(number) for number in range(60)])
        self.ds = ofindex.build(path, columns=["id", "weight", "name", "blob", "boxes", "words", "mixed"])

    def test_columns_of_numbers_are_arrays_in_which_null_is_masked(self) -> None:
        ids = self.ds.column("id")
        self.assertEqual((type(ids), ids.dtype, ids.tolist()), (np.ndarray, np.int64, list(range(60))))
        weights = self.ds.column("weight")
        self.assertEqual((weights.dtype, weights.mask.tolist()), (np.float32, [i % 3 == 0 for i in range(60)]))
        self.assertEqual(weights.compressed().tolist(), [i / 4 for i in range(60) if i % 3])
        self.assertEqual(self.ds.column("_length").tolist(), [len(payload) for payload in self.ds])

    def test_columns_of_text_bytes_and_lists_are_object_arrays(self) -> None:
        self.assertEqual(self.ds.column("name").tolist(), [f"ж{i}" if i % 2 else None for i in range(60)])
        self.assertEqual(self.ds.column("blob")[7], b"\xff\x00\x07")
        boxes = self.ds.column("boxes")
        self.assertEqual([row.tolist() for row in boxes], [[0.5 * box for box in range(i % 4)] for i in range(60)])
        self.assertEqual(
            self.ds.column("words").tolist(), [[b"w%d" % word for word in range(i % 3)] for i in range(60)]
        )

    def test_a_column_of_a_view_has_the_records_of_the_view_in_its_order(self) -> None:
        for view in (self.ds[::-7], self.ds[[5, 3, 5]], self.ds.where("id % 7 = 2"), self.ds[:0]):
            numbers = view.ordinals(range(len(view))).tolist()
            self.assertEqual(view.column("id").tolist(), numbers)
            self.assertEqual(view.column("blob").tolist(), [b"\xff\x00" + bytes([number]) for number in numbers])

    def test_reading_values_that_the_column_does_not_store_is_an_error(self) -> None:
        lists = {"boxes": ("float", [0.5, 1]), "two": ("bytes", [b"a", b"b"]), "one": ("int64", [7])}
        large = {"boxes": ("float", [3]), "image": ("bytes", [bytes(100)])}
        data = self.write("some/", [messages.encode("example", features) for features in (lists, large, {})])
        ds = ofindex.build(data)
        for name, said in (("boxes", "more than one value in record 0"), ("two", "2 values"), ("image", "100 bytes")):
            for ask in (ds.column, lambda name: ds.arrow([name]).__arrow_c_stream__()):
                with self.assertRaisesRegex(ofindex.QueryError, said) as raised:
                    ask(name)
                self.assertIn(f"columns=['auto', '{name}']", raised.exception.hint)
        self.assertEqual(ds.column("one").tolist(), [7, None, None])
        self.assertEqual(ds[1:].column("boxes").tolist(), [3, None])  # no lists in this view
        self.assertEqual(ds.where('"boxes#count" = 1').column("boxes").tolist(), [3])
        for name, values in (("boxes#count", [2, 1, None]), ("two#count", [2, None, None])):
            self.assertEqual(ds.column(name).tolist(), values)
        self.assertEqual(ds.column("image#bytes").tolist(), [None, 100, None])
        stored = ofindex.build(data, columns=["boxes", "two", "image"], force=True)
        self.assertEqual([None if v is None else v.tolist() for v in stored.column("boxes")], [[0.5, 1], [3], None])
        self.assertEqual(stored.column("two").tolist(), [[b"a", b"b"], None, None])
        self.assertEqual(stored.column("image").tolist(), [None, bytes(100), None])

    def test_an_unknown_name_is_an_error(self) -> None:
        with self.assertRaisesRegex(ofindex.QueryError, "weight"):
            self.ds.column("wieght")
        with self.assertRaisesRegex(ofindex.QueryError, "both numbers and bytes"):
            self.ds.column("mixed")

    def test_arrow_tables_can_be_read_by_duckdb_polars_and_pyarrow(self) -> None:
        try:
            import duckdb
            import polars as pl
            import pyarrow as pa
        except ImportError:
            self.skipTest("duckdb, polars or pyarrow is not installed")
        names = ["id", "weight", "name", "blob", "boxes", "words", "_shard", "_length"]
        table = pa.table(self.ds.arrow(names))
        self.assertEqual(table.column_names, names)
        table.validate(full=True)
        for name in ("id", "weight", "name", "blob"):
            self.assertEqual(
                table[name].to_pylist(), [None if v is np.ma.masked else v for v in self.ds.column(name).tolist()]
            )
        self.assertEqual(table["boxes"].to_pylist()[7], [0, 0.5, 1])
        connection = duckdb.connect()
        connection.register("rows", self.ds.arrow(names))
        query = "SELECT count(*), sum(id), max(name), sum(len(boxes)) FROM rows"
        found = connection.sql(query).fetchall()[0]
        self.assertEqual(found, (60, sum(range(60)), "ж9", sum(i % 4 for i in range(60))))
        frame = pl.DataFrame(self.ds.arrow(names))
        self.assertEqual(frame["id"].to_list(), list(range(60)))
        self.assertEqual(frame.filter(pl.col("name") == "ж5")["words"].to_list(), [[b"w0", b"w1"]])
        self.assertEqual(pl.DataFrame(self.ds[[9, 2]].arrow(["id"]))["id"].to_list(), [9, 2])
        with self.assertRaises(ofindex.QueryError):
            self.ds.arrow(["id", "nothing"]).__arrow_c_stream__()
        with self.assertRaises(ofindex.QueryError):
            pa.table(self.ds.arrow())  # the column "mixed" cannot be exported

    def test_an_arrow_stream_that_is_never_read_is_released(self) -> None:
        for _ in range(100):
            self.ds.arrow(["id", "boxes"]).__arrow_c_stream__()

    def test_arrow_export_of_many_blocks_is_complete(self) -> None:
        try:
            import pyarrow as pa
        except ImportError:
            self.skipTest("pyarrow is not installed")
        small = messages.encode("example", {"a": ("int64", [5])})
        ds = ofindex.build(self.write("many/", [small] * 150_000))
        table = pa.table(ds.arrow(["_id", "a"]))
        self.assertEqual(table["_id"].to_pylist(), list(range(150_000)))
        self.assertEqual(ds.column("_id").tolist(), list(range(150_000)))


class SplitTest(WorkTest):
    def test_parts_are_disjoint_cover_the_dataset_and_depend_on_the_seed(self) -> None:
        ds = self.examples(1000)
        parts = ds.split({"train": 0.8, "val": 0.1, "test": 0.1}, seed=5)
        self.assertEqual(list(parts), ["train", "val", "test"])
        self.assertEqual(
            sorted(n for part in parts.values() for n in part.ordinals(range(len(part))).tolist()), list(range(1000))
        )
        self.assertGreater(len(parts["train"]), 700)
        again = ds.split({"train": 0.8, "val": 0.1, "test": 0.1}, seed=5)
        self.assertEqual(parts["val"], again["val"])
        self.assertNotEqual(parts["val"], ds.split({"train": 0.8, "val": 0.1, "test": 0.1}, seed=6)["val"])

    def test_stratified_parts_have_each_value_in_proportion(self) -> None:
        parts = self.examples(1000).split({"a": 0.5, "b": 0.5}, stratify="label")
        for part in parts.values():
            self.assertEqual(np.bincount(part.column("label")).tolist(), [50] * 10)

    def test_records_with_the_same_key_are_in_the_same_part(self) -> None:
        parts = self.examples(1000).split({"a": 0.5, "b": 0.5}, key="label")
        self.assertFalse(set(parts["a"].column("label")) & set(parts["b"].column("label")))

    def test_groups_stay_whole_in_a_stratified_split_by_key(self) -> None:
        parts = self.examples(1000).split({"a": 0.5, "b": 0.5}, key="label", stratify="label")
        self.assertEqual(sorted(map(len, parts.values())), [500, 500])
        self.assertFalse(set(parts["a"].column("label")) & set(parts["b"].column("label")))

    def test_a_view_is_split_like_its_dataset(self) -> None:
        ds = self.examples(1000)
        whole = ds.split({"a": 0.5, "b": 0.5}, seed=1)
        of_view = ds[100:200].split({"a": 0.5, "b": 0.5}, seed=1)
        self.assertEqual(
            set(of_view["a"].ordinals(range(len(of_view["a"])))),
            set(range(100, 200)) & set(whole["a"].ordinals(range(len(whole["a"])))),
        )

    def test_invalid_parts_are_errors(self) -> None:
        ds = self.examples(10)
        for parts in ({}, {"a": 0.7, "b": 0.7}, {"a": -1}, {"a": float("nan")}):
            with self.assertRaises(ValueError, msg=repr(parts)):
                ds.split(parts)
        self.assertRaises(ofindex.QueryError, ds.split, {"a": 1}, key="nothing")


if __name__ == "__main__":
    unittest.main()

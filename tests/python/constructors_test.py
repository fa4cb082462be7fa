"""Objects of the package passed to numpy, pandas, Polars, pyarrow and DuckDB give right values or an error."""

from __future__ import annotations

import pickle
import unittest
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import ofindex
from oracle import messages
from python.work import FEATURES, WorkTest, example

try:
    import duckdb
    import pandas as pd
    import polars as pl
    import pyarrow as pa
except ImportError as missing:
    raise unittest.SkipTest("duckdb, pandas, polars or pyarrow is not installed") from missing


def payload(number: int) -> bytes:
    """An Example ending in zeros, which numpy's byte strings would drop; some records have `name` and `weight`."""
    features: dict[str, Any] = {"id": ("int64", [number])}
    if number % 3:
        features["name"] = ("bytes", [b"name %d" % number])
    if number % 4:
        features["weight"] = ("float", [number / 4])
    features["zeros"] = ("bytes", [b"\0\0"])
    return messages.encode("example", features)


QUERY = "SELECT id, name, weight FROM records ORDER BY id"


class ConstructorTest(WorkTest):
    def setUp(self) -> None:
        super().setUp()
        self.payloads = [payload(number) for number in range(30)]
        self.ds = ofindex.build(self.write("data/", self.payloads))
        self.views = {
            "all": self.ds,
            "slice": self.ds[5:9],
            "reversed": self.ds[::-1],
            "picked": self.ds[[3, 1, 3]],
            "where": self.ds.where("id % 7 = 2"),
            "none": self.ds[:0],
        }

    def ids(self, view: ofindex.Dataset) -> list[int]:
        return view.ordinals(range(len(view))).tolist()


class NumpyTest(ConstructorTest):
    def test_an_array_of_records_holds_their_payloads_including_trailing_zeros(self) -> None:
        mix = ofindex.mix([self.ds, self.ds[:3]])
        for name, records in {**self.views, "mix": mix}.items():
            for make in (np.array, np.asarray, lambda some: np.array(some, dtype=object)):
                array = make(records)
                self.assertEqual((array.dtype, array.shape), (object, (len(records),)), name)
                self.assertEqual(array.tolist(), list(records), name)
            with self.assertRaises((TypeError, ValueError), msg=name):
                np.asarray(records, dtype=np.float64) if len(records) else np.asarray(records, copy=False)

    def test_an_array_of_byte_strings_keeps_trailing_zeros(self) -> None:
        values = [b"", b"\0", b"a\0\0", b"abc", b"\xff\0"]
        data = np.frombuffer(b"".join(values), dtype=np.uint8)
        offsets = np.cumsum([0, *map(len, values)])
        strings = ofindex.BytesArray(data, offsets)
        self.assertEqual(np.asarray(strings).tolist(), values)
        self.assertEqual(np.asarray(strings[1:3]).tolist(), values[1:3])
        self.assertEqual(pd.Series(strings).tolist(), values)
        self.assertEqual(pl.Series(strings).to_list(), values)
        rows = ofindex.BytesArray(data, offsets[:5], (2, 2))
        self.assertEqual((np.asarray(rows).shape, np.asarray(rows).tolist()), ((2, 2), [values[:2], values[2:4]]))
        self.assertEqual(np.asarray(ofindex.BytesArray(data, offsets[:1], (0, 3))).shape, (0, 3))
        for lengths in ([0, 2, 2, 4], [0, 2, 2, 5], [0]):
            ragged = ofindex.Ragged(strings, np.array(lengths))
            self.assertEqual(np.asarray(ragged).tolist(), ragged.tolist(), lengths)

    def test_an_array_made_from_ragged_rows_holds_one_array_per_row(self) -> None:
        for lengths in ([0, 2, 4], [0, 1, 4], [0]):
            ragged = ofindex.Ragged(np.arange(4), np.array(lengths))
            array = np.asarray(ragged)
            self.assertEqual((array.dtype, array.shape), (object, (len(ragged),)))
            self.assertEqual([row.tolist() for row in array], ragged.tolist())

    def test_decoded_byte_strings_can_be_written_to_a_new_shard(self) -> None:
        batch = self.ds.batch(range(30), {"zeros": ofindex.fixed("bytes"), "name": ofindex.ragged("bytes")})
        with ofindex.Writer(self.dir / "twin.tfrecord") as writer:
            writer.write({"zeros": batch["zeros"], "name": batch["name"][1]})
        twin = ofindex.build(self.dir / "twin.tfrecord").record(0)
        self.assertEqual(twin, {"zeros": [b"\0\0"] * 30, "name": [b"name 1"]})

    def test_columns_of_several_types_cannot_be_one_array(self) -> None:
        for make in (np.array, np.asarray):
            with self.assertRaisesRegex(TypeError, "column"):
                make(self.ds.arrow(["id"]))
            with self.assertRaisesRegex(TypeError, "fetchall"):
                make(self.ds.sql(QUERY))


class TableTest(ConstructorTest):
    def expected(self, ids: list[int]) -> dict[str, list[Any]]:
        return {
            "id": ids,
            "name": [f"name {i}" if i % 3 else None for i in ids],
            "weight": [i / 4 if i % 4 else None for i in ids],
        }

    def test_tables_of_records_hold_their_columns(self) -> None:
        def of_duckdb(table: Any) -> dict[str, list[Any]]:
            connection = duckdb.connect()
            connection.register("the_rows", table)
            columns = connection.sql("SELECT id, name, weight FROM the_rows").fetchall()
            return {name: [row[c] for row in columns] for c, name in enumerate(("id", "name", "weight"))}

        ways: dict[str, Callable[[Any], dict[str, list[Any]]]] = {
            "polars.DataFrame": lambda table: pl.DataFrame(table).to_dict(as_series=False),
            "polars.from_arrow": lambda table: pl.from_arrow(pa.table(table)).to_dict(as_series=False),
            "pyarrow.table": lambda table: pa.table(table).to_pydict(),
            "pyarrow reader": lambda table: pa.RecordBatchReader.from_stream(table).read_all().to_pydict(),
            "duckdb": of_duckdb,
        }
        if hasattr(pd.DataFrame, "from_arrow"):
            ways["pandas"] = lambda table: pa.Table.from_pandas(pd.DataFrame.from_arrow(table)).to_pydict()
        for name, view in self.views.items():
            expected = self.expected(self.ids(view))
            for table in (view, view.arrow(), view.arrow(["id", "name", "weight"]), pickle.loads(pickle.dumps(view))):
                for way, make in ways.items():
                    made = make(table)
                    self.assertEqual({key: made[key] for key in expected}, expected, (name, way, table))
        for way, make in ways.items():
            for twice in range(2):
                made = make(self.ds.sql(QUERY))
                self.assertEqual(made, self.expected(list(range(30))), (way, twice))

    def test_a_table_of_all_columns_omits_lists_that_are_not_stored_and_says_so(self) -> None:
        features = [{"one": ("int64", [1]), "boxes": ("float", [0.5] * count)} for count in (1, 3, 0)]
        data = self.write("lists/", [messages.encode("example", one) for one in features])
        ds = ofindex.build(data)
        lacking = {"one", "boxes#count", "_id"}
        for view in (ds, ds[:1], ds.where("one = 1"), ds[2:], ds[:0]):
            for table in (view, view.arrow()):
                for make in (lambda table: pl.DataFrame(table).columns, lambda table: pa.table(table).column_names):
                    with self.assertWarnsRegex(UserWarning, r"'boxes'.*columns=\['auto', 'boxes'\]"):
                        names = make(table)
                    self.assertLessEqual(lacking, set(names))
                    self.assertNotIn("boxes", names)
        self.assertEqual(pa.table(ds[:1].arrow(["boxes"])).to_pydict(), {"boxes": [0.5]})  # no lists in this view
        stored = ofindex.build(data, columns=["auto", "boxes"], force=True)
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            self.assertEqual(pa.table(stored)["boxes"].to_pylist(), [[0.5], [0.5] * 3, []])
            pa.table(self.ds)

    def test_pandas_accepts_a_dataset_as_payloads_and_a_query_result_as_columns(self) -> None:
        for name, view in self.views.items():
            self.assertEqual(pd.Series(view).tolist(), list(view), name)
            self.assertEqual(pd.DataFrame({"payload": view})["payload"].tolist(), list(view), name)
        self.assertEqual(self.ds.sql(QUERY).df().columns.tolist(), ["id", "name", "weight"])
        for frame in (self.ds.arrow(["id"]), self.ds.sql(QUERY)):
            with self.assertRaises((TypeError, ValueError), msg=frame):
                pd.DataFrame(frame)  # the frame would lose the column names

    def test_a_query_result_can_be_exported_to_arrow_any_number_of_times(self) -> None:
        rows = self.ds.sql(QUERY)
        first, second = pa.table(rows), pa.table(rows)
        self.assertEqual(first, second)
        first.validate(full=True)
        del rows, first
        self.assertEqual(second.to_pydict(), self.expected(list(range(30))))
        rows = self.ds.sql("SELECT id, random() AS dice, json_group_array(id) AS list FROM records GROUP BY id")
        self.assertEqual(pa.table(rows), pa.table(rows))  # random() is not evaluated again
        found = duckdb.sql("SELECT count(*), count(DISTINCT dice) FROM rows").fetchall()
        self.assertEqual(found, [(30, 30)])
        self.assertEqual(pa.table(self.ds.sql("SELECT id FROM records WHERE 0")).num_rows, 0)

    def test_a_query_result_is_read_as_rows_or_as_columns_but_not_as_both(self) -> None:
        rows = self.ds.sql(QUERY)
        pa.table(rows)
        for take in (rows.fetchone, rows.fetchall, rows.df, lambda: next(rows), lambda: rows.fetchmany(3)):
            with self.assertRaisesRegex(ValueError, "again"):
                take()
        rows = self.ds.sql(QUERY)
        rows.fetchone()
        with self.assertRaisesRegex(ValueError, "again"):
            pa.table(rows)
        mixed = self.ds.sql("SELECT 1 AS a UNION ALL SELECT 'text'")
        for error in (ofindex.QueryError, ValueError):
            with self.assertRaises(error):
                pa.table(mixed)

    def test_a_table_can_be_pickled(self) -> None:
        for view in self.views.values():
            for table in (view.arrow(), view.arrow(["weight", "_id"])):
                twin = pickle.loads(pickle.dumps(table))
                self.assertEqual((twin, repr(twin), len(twin)), (table, repr(table), len(table)))
                self.assertEqual(pa.table(twin), pa.table(table))
        self.assertNotEqual(self.ds.arrow(["id"]), self.ds.arrow(["weight"]))


class NullTest(WorkTest):
    def column(self, values: list[int | None]) -> Any:
        payloads = [messages.encode("example", {} if value is None else {"n": ("int64", [value])}) for value in values]
        return ofindex.build(self.write("some.tfrecord", payloads), force=True).column("n")

    def test_null_among_integers_is_nan_as_in_pandas_and_pyarrow(self) -> None:
        for values in ([1, None, 3], [None, -(2**53)], [2**53, None], [None, None, 0]):
            column = self.column(values)
            self.assertEqual((column.dtype, column.tolist()), (np.float64, values))
            expected = pa.array(values, pa.int64()).to_numpy(zero_copy_only=False)
            for array in (np.asarray(column), column.filled(), pd.Series(values, dtype="float64").to_numpy()):
                np.testing.assert_array_equal(array, expected)
        self.assertEqual(self.column([1, 2**63 - 1]).tolist(), [1, 2**63 - 1])

    def test_integers_that_a_float_cannot_hold_are_objects_if_the_column_has_nulls(self) -> None:
        for values in ([2**53 + 1, None], [None, -(2**53) - 1], [2**63 - 1, None, 1], [-(2**63), None, 1]):
            column = self.column(values)
            self.assertEqual((type(column), column.dtype, column.tolist()), (np.ndarray, np.dtype(object), values))
            self.assertEqual({type(value) for value in column}, {int, type(None)})
            ds = ofindex.open(self.dir / "some.tfrecord")
            self.assertEqual(pa.table(ds.arrow(["n"]))["n"].to_pylist(), values)
            self.assertEqual(ds.where("n IS NOT NULL").column("n").tolist(), [v for v in values if v is not None])
            frame = ds.sql("SELECT n, n AS n, 1 AS one FROM records").df()  # two columns may have one name
            self.assertEqual([str(dtype) for dtype in frame.dtypes], ["object", "object", "int64"])
            for place in range(2):
                self.assertEqual(frame.iloc[:, place].tolist(), values)

    def test_a_frame_has_nan_for_null_if_floats_can_hold_the_integers(self) -> None:
        for values in ([1, None, 3], [None, -(2**53)], [2**53, None]):
            column = self.column(values)
            frame = ofindex.open(self.dir / "some.tfrecord").sql("SELECT n, n AS m FROM records WHERE 1").df()
            for name in ("n", "m"):
                self.assertEqual(frame[name].dtype, np.float64)
                np.testing.assert_array_equal(frame[name].to_numpy(), column.filled())
        empty = ofindex.open(self.dir / "some.tfrecord").sql("SELECT n FROM records WHERE 0").df()
        self.assertEqual((len(empty), list(empty.columns)), (0, ["n"]))

    def test_integers_among_reals_become_floats_only_if_that_is_exact(self) -> None:
        for values in ([2**53, 0.5], [-(2**53), 0.5, None]):
            query = " UNION ALL ".join(f"SELECT {'NULL' if v is None else v} AS n" for v in values)
            ds = self.examples(1, f"data-{len(values)}/")
            self.assertEqual(pa.table(ds.sql(query))["n"].to_pylist(), values)
            self.assertEqual(ds.sql(query).df()["n"].dtype, np.float64)
        for values in ([2**53 + 1, 0.5], [0.5, -(2**53) - 1], [None, 2**63 - 1, 0.5]):
            query = " UNION ALL ".join(f"SELECT {'NULL' if v is None else v} AS n" for v in values)
            self.assertEqual(ds.sql(query).df()["n"].tolist(), values)
            with self.assertRaisesRegex(ofindex.QueryError, r"integers beyond 2\*\*53"):
                pa.table(ds.sql(query))

    def test_a_feature_of_integers_and_floats_becomes_floats_only_if_that_is_exact(self) -> None:
        def build(*values: Any) -> ofindex.Dataset:
            features = [{"n": ("int64" if isinstance(value[0], int) else "float", list(value))} for value in values]
            path = self.write("mixed.tfrecord", [messages.encode("example", one) for one in features])
            return ofindex.build(path, columns=["n"], force=True)

        self.assertEqual(build([2**53], [0.5]).column("n").tolist(), [2**53, 0.5])
        self.assertEqual([row.tolist() for row in build([1, 2**53], [0.5]).column("n")], [[1, 2**53], [0.5]])
        for ds in (build([2**53 + 1], [0.5]), build([1, 2**53 + 1], [0.5])):
            with self.assertRaisesRegex(ofindex.QueryError, r"beyond 2\*\*53(.|\n)*CAST"):
                ds.column("n")
            with self.assertRaisesRegex((pa.ArrowInvalid, OSError), r"beyond 2\*\*53"):
                pa.table(ds.arrow(["n"]))


class BatchTest(WorkTest):
    def test_batches_convert_to_numpy_pandas_and_polars(self) -> None:
        ds = ofindex.build(self.write("data/", [example(number) for number in range(20)]))
        batch = ds.batch(range(20), FEATURES)
        names = [b"record %d" % number for number in range(20)]
        self.assertEqual(pd.DataFrame({"name": np.asarray(batch["name"])})["name"].tolist(), names)
        self.assertEqual(pl.DataFrame({"name": batch["name"].tolist()})["name"].to_list(), names)
        self.assertEqual(np.asarray(batch["boxes"]).shape, (20,))


if __name__ == "__main__":
    unittest.main()

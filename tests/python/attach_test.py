"""ds.attach and ds.detach: columns of data frames, arrays and Parquet files as columns of the records."""

from __future__ import annotations

import decimal
import pickle
from typing import Any

import numpy as np
import ofindex
import polars
import pyarrow
import pyarrow.parquet
from python.work import WorkTest


class AttachTest(WorkTest):
    def setUp(self) -> None:
        super().setUp()
        self.ds = self.examples(40)
        self.names = [f"record {n}" for n in range(40)]

    def test_arrays_are_attached_by_ordinal_and_become_columns(self) -> None:
        found = self.ds.attach({"score": np.linspace(0, 1, 40, dtype=np.float32), "tag": ["a", None] * 20})
        self.assertEqual((found["columns"], found["attached_records"]), (["score", "tag"], 40))
        np.testing.assert_array_equal(self.ds.column("score"), np.linspace(0, 1, 40, dtype=np.float32))
        self.assertEqual(list(self.ds.column("tag")), ["a", None] * 20)
        self.assertEqual(list(self.ds.where("score >= 1").ordinals(range(1))), [39])
        self.assertEqual(self.ds.stats("score")["max"], 1)
        self.assertEqual(self.ds.sql("SELECT count(tag) FROM records").fetchall(), [(20,)])
        self.assertIn("attached", self.ds.schema["score"]["origin"])
        self.assertIsNone(self.ds.schema["label"]["origin"])
        table = pyarrow.table(self.ds.arrow(["label", "score"]))
        self.assertEqual(table.schema.field("score").type, pyarrow.float32())
        self.assertEqual(set(self.ds.sampler(seed=1, weights="score").take(30)) & {0}, set())
        self.assertEqual(self.ds.record(3).keys(), {"label", "weight", "name", "boxes"})
        again = ofindex.open(self.dir / "data")
        self.assertEqual(list(again.column("tag")), ["a", None] * 20)
        self.assertEqual(self.ds.detach("tag")["left"], ["score"])
        with self.assertRaisesRegex(ofindex.QueryError, "tag"):
            len(self.ds.where("tag = 'a'"))

    def test_some_records_are_named_by_an_array_of_numbers(self) -> None:
        found = self.ds.attach({"_id": [7, 3, 99], "v": [1, 2, 3]})
        self.assertEqual(found["rows_without_record"], {"count": 1, "first": [{"row": 3, "key": "99"}]})
        self.assertEqual(self.ds.column("v")[[3, 7]].tolist(), [2, 1])
        self.assertEqual(found["records_without_row"]["first"], [0, 1, 2, 4, 5])

    def test_every_type_of_arrow_that_has_values_is_attached(self) -> None:
        rows = 40
        columns: dict[str, Any] = {
            "name": pyarrow.array(self.names, pyarrow.large_string()),
            "truth": pyarrow.array([n % 3 == 0 if n % 5 else None for n in range(rows)]),
            "half": pyarrow.array(np.arange(rows, dtype=np.float16)),
            "binary": pyarrow.array([b"\xff%d" % n for n in range(rows)]),
            "fixed": pyarrow.array([b"%04d" % n for n in range(rows)], pyarrow.binary(4)),
            "word": pyarrow.array([f"w{n % 3}" for n in range(rows)]).dictionary_encode(),
            "null": pyarrow.nulls(rows),
            "view": pyarrow.array([f"{'long ' * (n % 4)}{n}" for n in range(rows)], pyarrow.string_view()),
        }
        for kind in ("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float", "double"):
            columns[kind] = pyarrow.array([n % 100 if n % 7 else None for n in range(rows)], kind)
        table = pyarrow.table(columns)
        halves = pyarrow.concat_tables([table.slice(13), table.slice(0, 13)])
        self.ds.attach(halves, key="name", prefix="t_")
        for name in columns.keys() - {"name", "null"}:
            expected = [value if not isinstance(value, bool) else int(value) for value in table[name].to_pylist()]
            rows_of = self.ds.sql(f'SELECT "t_{name}" FROM records ORDER BY _id').fetchall()
            got = [value.encode() if name == "fixed" else value for (value,) in rows_of]
            self.assertEqual(got, expected, name)

    def test_polars_and_pandas_and_parquet_are_tables(self) -> None:
        frame = polars.DataFrame({"name": self.names, "p": np.arange(40) * 2, "q": self.names})
        self.ds.attach(frame, key="name", columns="p")
        self.assertEqual(self.ds.column("p").tolist(), list(range(0, 80, 2)))
        path = self.dir / "t.parquet"
        pyarrow.parquet.write_table(pyarrow.table({"key": self.names, "r": [n / 8 for n in range(40)]}), path)
        self.ds.attach(path, key="name", table_key="key", columns=["r"])
        self.assertEqual(self.ds.column("r")[9], 9 / 8)
        self.assertIn(str(path), self.ds.schema["r"]["origin"])
        with self.assertRaisesRegex(ValueError, r"there is no column 's'"):
            self.ds.attach(path, key="name", table_key="key", columns=["s"])
        with self.assertRaisesRegex(ValueError, "is attached .* already\nreplace it with replace=True"):
            self.ds.attach(path, key="name", table_key="key")

    def test_what_cannot_be_attached_is_an_error_that_names_it(self) -> None:
        name = self.names[:2]
        for table, error, said in (
            (pyarrow.table({"name": name, "l": [[1], [2]]}), ofindex.FormatError, "column 'l' has lists"),
            (pyarrow.table({"name": name, "d": [decimal.Decimal(1)] * 2}), ofindex.FormatError, "'d' has decimals"),
            (
                pyarrow.table({"name": name, "u": pyarrow.array([1, 2**63], "uint64")}),
                ofindex.FormatError,
                "fit 64 bits",
            ),
            (pyarrow.table({"name": [1, 2], "v": [1, 2]}), ValueError, "of another type"),
            (pyarrow.table({"name": ["record 1"] * 2, "v": [1, 2]}), ofindex.FormatError, "row 2 repeats the key"),
            (pyarrow.table({"name": ["x", "y"], "v": [1, 2]}), ValueError, "none of its 2 rows"),
            (pyarrow.table({"name": name, "label": [1, 2]}), ValueError, "name of a column of the index"),
            ("t.csv", ValueError, "expected a Parquet file"),
            (7, TypeError, "a table is a data frame"),
            ({"name": name, "v": [1, 2, 3]}, ValueError, "different lengths"),
            ({"name": name, "v": np.zeros((2, 2))}, ValueError, "shape"),
            ({"name": name, "v": np.array([1j, 2j])}, TypeError, "complex"),
            ({"name": name, "v": [1, "a"]}, None, ""),
            ({"name": name, "v": np.array([1, "a"], object)}, TypeError, "item 0 is int"),
        ):
            with self.subTest(said):
                if error is None:  # numpy makes texts of these
                    self.ds.attach(table, key="name")
                    self.ds.detach("v")
                    continue
                with self.assertRaisesRegex(error, said):
                    self.ds.attach(table, key="name")
        with self.assertRaisesRegex(ValueError, "has 3 values; expected 40, one for each record"):
            self.ds.attach({"v": [1, 2, 3]})
        with self.assertRaises(AttributeError):
            self.ds[:5].attach({"v": [1] * 5})
        self.assertEqual([feature for feature in self.ds.schema.values() if feature["origin"]], [])

    def test_codes_outside_a_dictionary_are_refused(self) -> None:
        for codes in ([0, 5], [-1, 0]):
            text = pyarrow.DictionaryArray.from_arrays(pyarrow.array(codes), pyarrow.array(["a"]), safe=False)
            with self.assertRaisesRegex(ofindex.FormatError, "is outside its dictionary of 1 values"):
                self.ds.attach(pyarrow.table({"name": self.names[:2], "v": text}), key="name")

    def test_a_dictionary_of_a_dictionary_is_refused(self) -> None:
        inner = pyarrow.DictionaryArray.from_arrays(pyarrow.array([2, 1]), pyarrow.array(["x", "y", "z"]))
        codes = pyarrow.DictionaryArray.from_arrays(pyarrow.array([0, 1]), inner)
        with self.assertRaisesRegex(ofindex.FormatError, "column 'v' has codes of codes"):
            self.ds.attach(pyarrow.table({"name": self.names[:2], "v": codes}), key="name")

    def test_a_column_of_nulls_alone_is_a_column(self) -> None:
        self.ds.attach(pyarrow.table({"name": self.names, "none": pyarrow.nulls(40)}), key="name")
        self.assertEqual((self.ds.schema["none"]["column"], self.ds.schema["none"]["present"]), ("none", 0))
        self.assertEqual(len(self.ds.where("none IS NULL")), 40)
        table = pyarrow.table(self.ds.sql("SELECT _id, none FROM records"))
        self.assertEqual(table.column("none").null_count, 40)
        self.assertEqual([value for value in self.ds.column("none") if value is not None and value == value], [])

    def test_views_of_long_texts_and_rows_that_are_null_as_a_whole(self) -> None:
        texts = pyarrow.array(["short", "a text of more than twelve bytes", None], pyarrow.string_view())
        rows = pyarrow.StructArray.from_arrays(
            [pyarrow.array(self.names[:3]), texts, pyarrow.array([1, 2, 3])],
            ["name", "t", "v"],
            mask=pyarrow.array([True, False, False]),
        )
        self.ds.attach(pyarrow.chunked_array([rows]), key="name")
        found = list(self.ds.sql("SELECT t, v FROM records WHERE _id < 3"))
        self.assertEqual(found, [(None, None), ("a text of more than twelve bytes", 2), (None, 3)])

    def test_a_file_of_columns_lies_over_an_index_and_follows_pickles(self) -> None:
        self.ds.attach({"v": np.arange(40)}, output=self.dir / "v.columns")
        self.assertNotIn("v", self.ds.schema)
        laid = ofindex.open(self.dir / "data", attach=self.dir / "v.columns")
        self.assertEqual(laid.column("v").tolist(), list(range(40)))
        self.assertEqual(pickle.loads(pickle.dumps(laid)).where("v > 37").ordinals(range(2)).tolist(), [38, 39])
        with self.assertRaisesRegex(FileNotFoundError, "no such file"):
            len(ofindex.open(self.dir / "data", attach=[self.dir / "w.columns"]).where("1"))

    def test_masks_and_nan_are_null_and_a_stale_index_is_noticed(self) -> None:
        self.ds.attach({"m": np.ma.masked_array(np.arange(40), np.arange(40) % 2 == 0), "n": [float("nan")] * 40})
        self.assertEqual(self.ds.sql("SELECT count(m), count(n) FROM records").fetchall(), [(20, 0)])
        ofindex.build(self.dir / "data", columns="none", force=True)
        with self.assertRaises(ofindex.StaleError):
            self.ds.attach({"v": np.arange(40)})

"""ofindex.pack: the kind of each type of Parquet and Avro."""

from __future__ import annotations

import datetime as dt
import os
import unittest
import uuid
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import ofindex
from python.packing import (
    DAY,
    DAYS,
    STAMP,
    STAMP_US,
    TIME,
    TIME_US,
    UTC,
    PackCase,
    fastavro,
    needs_fastavro,
    needs_pyarrow,
    pa,
    pq,
)
from python.work import in_new_process


@needs_pyarrow
class ParquetTest(PackCase):
    def table(self, **columns: Any) -> Path:
        path = self.dir / "table.parquet"
        pq.write_table(pa.table(columns), path)
        return path

    def test_each_type_becomes_the_documented_feature_kind(self) -> None:
        struct = pa.struct({"a": pa.int32(), "b": pa.struct({"c": pa.string()})})
        for name, kind, value, example, ofrecord in (
            ("boolean", pa.bool_(), True, {"x": ("int64", [1])}, None),
            ("char", pa.uint16(), 65, {"x": ("int64", [65])}, None),
            ("byte", pa.int8(), -5, {"x": ("int64", [-5])}, None),
            ("short", pa.int16(), -5, {"x": ("int64", [-5])}, None),
            ("int", pa.int32(), -5, {"x": ("int64", [-5])}, {"x": ("int32", [-5])}),
            ("long", pa.int64(), 2**63 - 1, {"x": ("int64", [2**63 - 1])}, None),
            ("bigint", pa.uint64(), 2**63 - 1, {"x": ("int64", [2**63 - 1])}, None),
            ("half", pa.float16(), np.float16(0.5), {"x": ("float", [0.5])}, None),
            ("float", pa.float32(), 0.5, {"x": ("float", [0.5])}, None),
            ("double", pa.float64(), 0.5, {"x": ("float", [0.5])}, {"x": ("double", [0.5])}),
            ("decimal", pa.decimal128(10, 2), Decimal("1.25"), {"x": ("float", [1.25])}, {"x": ("double", [1.25])}),
            ("date", pa.date32(), DAY, {"x": ("int64", [DAYS])}, None),
            ("time", pa.time64("us"), TIME, {"x": ("int64", [TIME_US])}, None),
            ("timestamp", pa.timestamp("us"), STAMP, {"x": ("int64", [STAMP_US])}, None),
            ("timestamp with zone", pa.timestamp("us", "UTC"), UTC, {"x": ("int64", [STAMP_US])}, None),
            ("timestamp in ns", pa.timestamp("ns"), STAMP, {"x": ("int64", [STAMP_US])}, None),
            ("duration", pa.duration("ms"), dt.timedelta(seconds=2), {"x": ("int64", [2_000_000])}, None),
            ("enum", pa.dictionary(pa.int8(), pa.string()), "RED", {"x": ("bytes", ["RED"])}, None),
            ("string", pa.string(), "é", {"x": ("bytes", ["é"])}, None),
            ("bytes", pa.binary(), b"ab", {"x": ("bytes", ["ab"])}, None),
            ("fixed", pa.binary(2), b"ab", {"x": ("bytes", ["ab"])}, None),
            ("array of bytes", pa.list_(pa.uint8()), [97, 98], {"x": ("bytes", ["ab"])}, None),
            ("array of signed bytes", pa.list_(pa.int8()), [97, 98], {"x": ("bytes", ["ab"])}, None),
            ("array of longs", pa.list_(pa.int64()), [1, 2], {"x": ("int64", [1, 2])}, None),
            ("array of strings", pa.list_(pa.string()), ["a", "b"], {"x": ("bytes", ["a", "b"])}, None),
            ("array of dates", pa.list_(pa.date32()), [DAY, DAY], {"x": ("int64", [DAYS, DAYS])}, None),
            ("empty array", pa.list_(pa.float32()), [], {"x": ("float", [])}, None),
            ("array of arrays", pa.list_(pa.list_(pa.int64())), [[1, 2], [3]], {"x": ("int64", [1, 2, 3])}, None),
            (
                "record",
                struct,
                {"a": 1, "b": {"c": "d"}},
                {"x.a": ("int64", [1]), "x.b.c": ("bytes", ["d"])},
                {"x.a": ("int32", [1]), "x.b.c": ("bytes", ["d"])},
            ),
            (
                "array of records",
                pa.list_(pa.struct({"a": pa.int64(), "b": pa.list_(pa.string())})),
                [{"a": 1, "b": ["p", "q"]}, {"a": 2, "b": ["r"]}],
                {"x.a": ("int64", [1, 2]), "x.b": ("bytes", ["p", "q", "r"])},
                None,
            ),
            (
                "map",
                pa.map_(pa.string(), pa.int64()),
                [("k", 1), ("l", 2)],
                {"x.k": ("int64", [1]), "x.l": ("int64", [2])},
                None,
            ),
            ("null", pa.null(), None, {}, None),
        ):
            path = self.table(x=pa.array([value], kind), id=pa.array([7], pa.int64()))
            for payload, expected in (("example", example), ("ofrecord", ofrecord or example)):
                with self.subTest(name, payload=payload):
                    self.assertEqual(self.packed(path, payload), [{**expected, "id": ("int64", [7])}])

    def test_a_null_is_an_absent_feature_and_in_a_list_an_error(self) -> None:
        path = self.table(x=pa.array([1, None]), y=pa.array(["a", "b"]))
        self.assertEqual(
            self.packed(path, "example"),
            [{"x": ("int64", [1]), "y": ("bytes", ["a"])}, {"y": ("bytes", ["b"])}],
        )
        for column in (
            pa.array([[1], [1, None]]),
            pa.array([[1], [None]], pa.list_(pa.uint8())),
            pa.array([[{"a": 1}], [{"a": None}]]),
            pa.array([[{"a": 1}], [None]]),
            pa.array([[[1]], [[None]]]),
        ):
            path = self.table(x=column)
            with self.assertRaisesRegex(ofindex.FeatureError, r"table.parquet: record 1: feature 'x.*'.*(null|None)"):
                self.packed(path, "example")

    def test_the_error_of_a_value_that_does_not_fit_names_file_record_and_feature(self) -> None:
        for column, pattern in (
            (pa.array([1, 2**63], pa.uint64()), "record 1: feature 'x'.*64 bits"),
            (pa.array([1.0, 1e300]), "record 1: feature 'x'.*beyond a float"),
            (pa.array([0.5, float("nan")]), "record 1: feature 'x'.*NaN"),
            (pa.array([1000, 1], pa.timestamp("ns")), "record 1: feature 'x'.*time_unit='ns'"),
        ):
            with self.assertRaisesRegex(ofindex.FeatureError, f"table.parquet: {pattern}"):
                self.packed(self.table(x=column), "example")
        self.assertEqual(self.beside(), ["table.parquet"])

    def test_the_error_of_a_map_with_a_duplicate_key_names_record_and_feature(self) -> None:
        pairs = pa.map_(pa.string(), pa.int64())
        good, bad = [("k", 1)], [("k", 1), ("l", 2), ("k", None)]
        for kind, values in (
            (pairs, [good, bad]),
            (pa.list_(pairs), [[good], [good, bad]]),
            (pa.list_(pairs), [[good], [bad]]),
            (pa.struct({"m": pairs}), [{"m": good}, {"m": bad}]),
            (pa.map_(pa.string(), pairs), [[("a", good)], [("a", bad)]]),
        ):
            path = self.table(x=pa.array(values, kind), id=[1, 2])
            for payload in ("example", "sequence_example"):
                with (
                    self.subTest(str(kind), payload=payload),
                    self.assertRaisesRegex(
                        ofindex.FeatureError, r"table.parquet: record 1: feature 'x(\.[am])?': a map .* key 'k' twice"
                    ),
                ):
                    self.packed(path, payload)

    def test_the_error_of_a_value_that_python_cannot_represent_names_record_and_feature(self) -> None:
        late = pa.array([0, 2**62], pa.timestamp("us"))
        no_text = pa.array([b"a", b"\xff"], pa.binary()).cast(pa.string(), safe=False)
        for column in (late, no_text, pa.array([[0], [2**62]], pa.list_(pa.timestamp("us")))):
            with self.assertRaisesRegex(ofindex.FeatureError, "table.parquet: record 1: feature 'x': "):
                self.packed(self.table(x=column), "example")

    def test_times_are_counted_in_the_requested_unit(self) -> None:
        path = self.table(x=pa.array([dt.datetime(1970, 1, 2)], pa.timestamp("ms")), y=pa.array([dt.time(0, 0, 1)]))
        for unit, size in (("s", 1), ("ms", 10**3), ("us", 10**6), ("ns", 10**9)):
            (found,) = self.packed(path, "example", time_unit=unit)
            self.assertEqual(found, {"x": ("int64", [86_400 * size]), "y": ("int64", [size])})
        with self.assertRaisesRegex(ofindex.FeatureError, "not a whole number of s; time_unit='ms'"):
            self.packed(self.table(x=pa.array([1500], pa.timestamp("ms"))), "example", time_unit="s")
        with self.assertRaisesRegex(ValueError, "time_unit"):
            self.packed(path, "example", time_unit="minutes")

    def test_arrays_of_arrays_become_feature_lists_of_sequence_examples(self) -> None:
        path = self.table(x=pa.array([[[1, 2], [3]]]), y=pa.array([[1, 2]]))
        self.assertEqual(
            self.packed(path, "sequence_example"),
            [{"x[]": ("int64", [[1, 2], [3]]), "y": ("int64", [1, 2])}],
        )

    def test_files_globs_and_folders_are_read_in_natural_order(self) -> None:
        folder = self.dir / "data"
        folder.mkdir()
        for number in (10, 2, 1):
            pq.write_table(pa.table({"i": [number]}), folder / f"part-{number}.parquet")
        (folder / "_SUCCESS").touch()
        for source in (
            folder,
            str(folder / "*.parquet"),
            [folder / "part-1.parquet", f"{folder}/part-[!1]*", f"{folder}/*10*"],
        ):
            self.assertEqual([one["i"][1] for one in self.packed(source, "example")], [[1], [2], [10]])
        (folder / "notes.txt").write_text("more")
        with self.assertWarnsRegex(UserWarning, "notes.txt"):
            self.packed(folder, "example")

    def test_memory_does_not_grow_with_the_file(self) -> None:
        path = self.dir / "large.parquet"
        schema = pa.schema({"x": pa.binary()})
        with pq.ParquetWriter(path, schema) as writer:
            for _ in range(40):
                rows = [os.urandom(5000) for _ in range(2000)]
                writer.write_table(pa.table({"x": rows}, schema=schema))
        self.assertGreater(path.stat().st_size, 390_000_000)
        source = (
            "import ofindex, pyarrow.parquet, resource, sys\n"
            "before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss\n"
            "ofindex.pack(sys.argv[1], sys.argv[2], 'tfrecord', shards=2)\n"
            "print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before)\n"
        )
        self.assertLess(int(in_new_process(source, path, self.dir / "out")), 200_000)


@needs_fastavro
class AvroTest(PackCase):
    def avro(self, kind: Any, values: list[Any], **more: Any) -> Path:
        path = self.dir / "records.avro"
        schema = {"type": "record", "name": "R", "fields": [{"name": "x", "type": kind}]}
        with open(path, "wb") as file:
            fastavro.writer(file, schema, [{"x": value} for value in values], **more)
        return path

    def test_each_type_becomes_the_documented_feature_kind(self) -> None:
        inner = {
            "type": "record",
            "name": "I",
            "fields": [{"name": "a", "type": "int"}, {"name": "b", "type": "string"}],
        }
        for name, kind, value, example, ofrecord in (
            ("boolean", "boolean", True, {"x": ("int64", [1])}, None),
            ("int", "int", -5, {"x": ("int64", [-5])}, {"x": ("int32", [-5])}),
            ("long", "long", 2**63 - 1, {"x": ("int64", [2**63 - 1])}, None),
            ("float", "float", 0.5, {"x": ("float", [0.5])}, None),
            ("double", "double", 0.5, {"x": ("float", [0.5])}, {"x": ("double", [0.5])}),
            (
                "decimal",
                {"type": "bytes", "logicalType": "decimal", "precision": 9, "scale": 2},
                Decimal("1.25"),
                {"x": ("float", [1.25])},
                {"x": ("double", [1.25])},
            ),
            ("date", {"type": "int", "logicalType": "date"}, DAY, {"x": ("int64", [DAYS])}, None),
            ("time", {"type": "long", "logicalType": "time-micros"}, TIME, {"x": ("int64", [TIME_US])}, None),
            ("timestamp", {"type": "long", "logicalType": "timestamp-micros"}, UTC, {"x": ("int64", [STAMP_US])}, None),
            (
                "local timestamp",
                {"type": "long", "logicalType": "local-timestamp-micros"},
                STAMP,
                {"x": ("int64", [STAMP_US])},
                None,
            ),
            (
                "uuid",
                {"type": "string", "logicalType": "uuid"},
                uuid.UUID(int=5),
                {"x": ("bytes", [str(uuid.UUID(int=5))])},
                None,
            ),
            ("enum", {"type": "enum", "name": "E", "symbols": ["RED"]}, "RED", {"x": ("bytes", ["RED"])}, None),
            ("string", "string", "é", {"x": ("bytes", ["é"])}, None),
            ("bytes", "bytes", b"ab", {"x": ("bytes", ["ab"])}, None),
            ("fixed", {"type": "fixed", "name": "F", "size": 2}, b"ab", {"x": ("bytes", ["ab"])}, None),
            ("array", {"type": "array", "items": "int"}, [1, 2], {"x": ("int64", [1, 2])}, {"x": ("int32", [1, 2])}),
            ("array of bytes", {"type": "array", "items": "bytes"}, [b"a", b"b"], {"x": ("bytes", ["a", "b"])}, None),
            ("empty array", {"type": "array", "items": "string"}, [], {"x": ("bytes", [])}, None),
            (
                "array of arrays",
                {"type": "array", "items": {"type": "array", "items": "long"}},
                [[1], [2, 3]],
                {"x": ("int64", [1, 2, 3])},
                None,
            ),
            (
                "record",
                inner,
                {"a": 1, "b": "c"},
                {"x.a": ("int64", [1]), "x.b": ("bytes", ["c"])},
                {"x.a": ("int32", [1]), "x.b": ("bytes", ["c"])},
            ),
            (
                "array of records",
                {"type": "array", "items": inner},
                [{"a": 1, "b": "c"}, {"a": 2, "b": "d"}],
                {"x.a": ("int64", [1, 2]), "x.b": ("bytes", ["c", "d"])},
                {"x.a": ("int32", [1, 2]), "x.b": ("bytes", ["c", "d"])},
            ),
            ("map", {"type": "map", "values": "long"}, {"k": 1}, {"x.k": ("int64", [1])}, None),
            ("choice of string", ["null", "string", "long"], "a", {"x": ("bytes", ["a"])}, None),
            ("choice of long", ["null", "string", "long"], 5, {"x": ("int64", [5])}, None),
            ("optional", ["null", "int"], 5, {"x": ("int64", [5])}, {"x": ("int32", [5])}),
            ("null", ["null", "int"], None, {}, None),
        ):
            path = self.avro(kind, [value])
            for payload, expected in (("example", example), ("ofrecord", ofrecord or example)):
                if payload == "ofrecord" and not expected:
                    continue  # it would be empty
                with self.subTest(name, payload=payload):
                    self.assertEqual(self.packed(path, payload), [expected])

    def test_a_logical_type_unknown_to_avro_is_read_as_its_stored_type(self) -> None:
        for base, logical, value, example, ofrecord in (
            ("string", "varchar", "é", ("bytes", ["é"]), None),  # of Hive
            ("string", "date", "today", ("bytes", ["today"]), None),
            ("string", "decimal", "1.25", ("bytes", ["1.25"]), None),
            ("bytes", "geometry", b"ab", ("bytes", ["ab"]), None),
            ("int", "color", 5, ("int64", [5]), ("int32", [5])),
            ("int", "timestamp-micros", 5, ("int64", [5]), ("int32", [5])),
            ("double", "degrees", 0.5, ("float", [0.5]), ("double", [0.5])),
            ("boolean", "flag", True, ("int64", [1]), None),
        ):
            path = self.avro({"type": base, "logicalType": logical, "maxLength": 9}, [value])
            with self.subTest(f"{logical} of {base}"):
                self.assertEqual(self.packed(path, "example"), [{"x": example}])
                self.assertEqual(self.packed(path, "ofrecord"), [{"x": ofrecord or example}])

    def test_nanoseconds_are_counted_in_the_requested_unit(self) -> None:
        for logical in ("timestamp-nanos", "local-timestamp-nanos"):
            path = self.avro({"type": "long", "logicalType": logical}, [5_000])
            self.assertEqual(self.packed(path, "example"), [{"x": ("int64", [5])}])
            with self.assertRaisesRegex(ofindex.FeatureError, "time_unit='us'"):
                self.packed(path, "example", time_unit="s")

    def test_a_recursive_record_is_read(self) -> None:
        kind = {
            "type": "record",
            "name": "Node",
            "fields": [{"name": "v", "type": "long"}, {"name": "next", "type": ["null", "Node"]}],
        }
        path = self.avro(kind, [{"v": 1, "next": {"v": 2, "next": None}}])
        self.assertEqual(self.packed(path, "example"), [{"x.v": ("int64", [1]), "x.next.v": ("int64", [2])}])

    def test_records_of_avro_blocks_are_counted_so_that_shards_are_equal(self) -> None:
        path = self.avro("long", list(range(1000)), sync_interval=100)
        paths = ofindex.pack(path, self.dir / "out", "tfrecord", shards=3)
        self.assertEqual([len(self.payloads([one])) for one in paths], [333, 333, 334])

    def test_null_in_a_list_is_an_error(self) -> None:
        path = self.avro({"type": "array", "items": ["null", "int"]}, [[1, None]])
        with self.assertRaisesRegex(ofindex.FeatureError, "records.avro: record 0: feature 'x'.*(null|None)"):
            self.packed(path, "example")

    def test_a_schema_that_is_not_a_record_is_refused(self) -> None:
        path = self.dir / "longs.avro"
        with open(path, "wb") as file:
            fastavro.writer(file, "long", [1, 2])
        with self.assertRaisesRegex(ValueError, "its schema is not a record"):
            self.packed(path, "example")


if __name__ == "__main__":
    unittest.main()

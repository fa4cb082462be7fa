"""ofindex.pack: what each type of Parquet, Avro and Python becomes, and where the records go."""

from __future__ import annotations

import datetime as dt
import enum
import os
import subprocess
import sys
import time
import unittest
import uuid
from collections.abc import Callable, Iterator
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import ofindex
from oracle import messages, records
from python.work import WorkTest, in_new_process

try:
    import pyarrow as pa
    import pyarrow.parquet as pq
except ImportError:
    pa = None
try:
    import fastavro
except ImportError:
    fastavro = None

needs_pyarrow = unittest.skipUnless(pa, "pyarrow is not installed")
needs_fastavro = unittest.skipUnless(fastavro, "fastavro is not installed")

DAY = dt.date(2024, 2, 29)
TIME = dt.time(1, 2, 3, 4)
STAMP = dt.datetime(2024, 2, 29, 1, 2, 3, 4)
UTC = STAMP.replace(tzinfo=dt.timezone.utc)
DAYS = 19782
TIME_US = 3_723_000_004
STAMP_US = DAYS * 86_400_000_000 + TIME_US

Found = dict[str, tuple[str, list[Any]]]


class Color(enum.Enum):
    RED = 3


class PackCase(WorkTest):
    def payloads(self, paths: list[str]) -> list[bytes]:
        found = []
        for path in paths:
            walk = (records.walk_tfrecord if ".tfrecord" in path else records.walk_ofrecord)(Path(path).read_bytes())
            self.assertEqual(walk.damage, [])
            found += walk.payloads
        return found

    def packed(self, source: Any, payload: str, **options: Any) -> list[Found]:
        """The features of each record of `source`, packed into one shard, as libprotobuf finds them."""
        output = self.dir / ("part-0" if payload == "ofrecord" else "one.tfrecord")
        to = "ofrecord" if payload == "ofrecord" else "tfrecord"
        paths = ofindex.pack(source, output, to, payload=payload, force=True, **options)
        return [
            {
                name: (feature["kind"], feature["values"])
                for name, feature in messages.features_json(one, payload).items()
            }
            for one in self.payloads(paths)
        ]

    def numbers(self, paths: list[str]) -> list[int]:
        found = [messages.MESSAGES["example"].FromString(one).features.feature["i"] for one in self.payloads(paths)]
        return [feature.int64_list.value[0] for feature in found]

    def beside(self) -> list[str]:
        return sorted(os.listdir(self.dir))


class DamageCase(PackCase):
    def assert_refused(self, path: Path) -> None:
        """It is no file of its format: who it is, the reader's reason and what to do are told, and nothing is left."""
        with self.assertRaises(ofindex.FormatError) as caught:
            self.packed(path, "example")
        first, hint = str(caught.exception).split("\n")
        self.assertRegex(first, f"^{path}: (Parquet|Avro) that is cut or damaged: [A-Z].*")
        self.assertEqual(caught.exception.hint, hint)
        self.assertIn("copy it again", hint)
        self.assertEqual(self.beside(), [path.name])

    def assert_hurt(self, path: Path) -> None:
        """Cut at every length, and changed at every place, it is read or refused by name."""
        whole = path.read_bytes()
        for size in range(4, len(whole)):
            path.write_bytes(whole[:size])
            self.pack_hurt(path)
        for place in range(4, len(whole)):
            for value in (0, 255, whole[place] ^ 1):
                path.write_bytes(whole[:place] + bytes([value]) + whole[place + 1 :])
                self.pack_hurt(path)

    def pack_hurt(self, path: Path) -> None:
        output = self.dir / "out.tfrecord"
        try:
            ofindex.pack(path, output, "tfrecord", force=True, allow_nan=True)
        except (ofindex.FormatError, ofindex.FeatureError) as error:
            self.assertIn(str(path), str(error))
        except ImportError as error:  # a codec, by a changed name
            self.assertIn("install", str(error))
        except ValueError as error:
            self.assertRegex(str(error), "at first|no record|is not UTF-8")


@needs_pyarrow
class HurtParquetTest(DamageCase):
    def setUp(self) -> None:
        super().setUp()
        self.path = self.dir / "table.parquet"
        pq.write_table(pa.table({"x": list(range(9)), "y": [["a", "bc"]] * 9}), self.path)

    def test_a_cut_or_foreign_file_is_a_format_error(self) -> None:
        whole = self.path.read_bytes()
        for content in (
            whole[:-1],
            whole[:100],
            b"PAR1",
            b"PAR1 is a word",
            whole[:4] + bytes(len(whole) - 8) + b"PAR1",
        ):
            self.path.write_bytes(content)
            self.assert_refused(self.path)
        self.path.write_bytes(b"")
        with self.assertRaisesRegex(ofindex.FormatError, "table.parquet: does not begin as Parquet"):
            self.packed(self.path, "example")

    def test_hurt_at_any_place_it_is_read_or_refused_by_name(self) -> None:
        self.assert_hurt(self.path)


@needs_fastavro
class HurtAvroTest(DamageCase):
    def setUp(self) -> None:
        super().setUp()
        self.path = self.dir / "records.avro"
        schema = {
            "type": "record",
            "name": "R",
            "fields": [{"name": "x", "type": "long"}, {"name": "y", "type": "string"}],
        }
        with open(self.path, "wb") as file:
            fastavro.writer(file, schema, [{"x": number, "y": "abc"} for number in range(9)], codec="deflate")

    def test_a_cut_or_foreign_file_is_a_format_error(self) -> None:
        whole = self.path.read_bytes()
        for content in (whole[:-1], whole[:100], b"Obj\x01", b"Obj\x01 is none", whole[:-40] + bytes(40)):
            self.path.write_bytes(content)
            self.assert_refused(self.path)
        self.path.write_bytes(b"{}")
        with self.assertRaisesRegex(ofindex.FormatError, "records.avro: does not begin as Avro"):
            self.packed(self.path, "example")

    def test_hurt_at_any_place_it_is_read_or_refused_by_name(self) -> None:
        self.assert_hurt(self.path)


@needs_pyarrow
class ParquetTest(PackCase):
    def table(self, **columns: Any) -> Path:
        path = self.dir / "table.parquet"
        pq.write_table(pa.table(columns), path)
        return path

    def test_each_type_of_the_mapping_becomes_its_kind(self) -> None:
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

    def test_nulls_are_absent_and_in_lists_an_error(self) -> None:
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

    def test_what_does_not_fit_names_file_record_and_feature(self) -> None:
        for column, pattern in (
            (pa.array([1, 2**63], pa.uint64()), "record 1: feature 'x'.*64 bits"),
            (pa.array([1.0, 1e300]), "record 1: feature 'x'.*beyond a float"),
            (pa.array([0.5, float("nan")]), "record 1: feature 'x'.*NaN"),
            (pa.array([1000, 1], pa.timestamp("ns")), "record 1: feature 'x'.*time_unit='ns'"),
        ):
            with self.assertRaisesRegex(ofindex.FeatureError, f"table.parquet: {pattern}"):
                self.packed(self.table(x=column), "example")
        self.assertEqual(self.beside(), ["table.parquet"])

    def test_a_map_with_a_key_twice_names_record_and_feature(self) -> None:
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

    def test_a_value_that_python_does_not_have_names_record_and_feature(self) -> None:
        late = pa.array([0, 2**62], pa.timestamp("us"))
        no_text = pa.array([b"a", b"\xff"], pa.binary()).cast(pa.string(), safe=False)
        for column in (late, no_text, pa.array([[0], [2**62]], pa.list_(pa.timestamp("us")))):
            with self.assertRaisesRegex(ofindex.FeatureError, "table.parquet: record 1: feature 'x': "):
                self.packed(self.table(x=column), "example")

    def test_times_are_counted_in_the_unit_asked_for(self) -> None:
        path = self.table(x=pa.array([dt.datetime(1970, 1, 2)], pa.timestamp("ms")), y=pa.array([dt.time(0, 0, 1)]))
        for unit, size in (("s", 1), ("ms", 10**3), ("us", 10**6), ("ns", 10**9)):
            (found,) = self.packed(path, "example", time_unit=unit)
            self.assertEqual(found, {"x": ("int64", [86_400 * size]), "y": ("int64", [size])})
        with self.assertRaisesRegex(ofindex.FeatureError, "no whole number of s; time_unit='ms'"):
            self.packed(self.table(x=pa.array([1500], pa.timestamp("ms"))), "example", time_unit="s")
        with self.assertRaisesRegex(ValueError, "time_unit"):
            self.packed(path, "example", time_unit="minutes")

    def test_arrays_of_arrays_are_feature_lists_of_sequence_examples(self) -> None:
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

    def test_each_type_of_the_mapping_becomes_its_kind(self) -> None:
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

    def test_a_logical_type_that_avro_does_not_have_is_what_it_is_stored_as(self) -> None:
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

    def test_nanoseconds_are_counted_in_the_unit_asked_for(self) -> None:
        for logical in ("timestamp-nanos", "local-timestamp-nanos"):
            path = self.avro({"type": "long", "logicalType": logical}, [5_000])
            self.assertEqual(self.packed(path, "example"), [{"x": ("int64", [5])}])
            with self.assertRaisesRegex(ofindex.FeatureError, "time_unit='us'"):
                self.packed(path, "example", time_unit="s")

    def test_a_record_that_holds_itself_is_read(self) -> None:
        kind = {
            "type": "record",
            "name": "Node",
            "fields": [{"name": "v", "type": "long"}, {"name": "next", "type": ["null", "Node"]}],
        }
        path = self.avro(kind, [{"v": 1, "next": {"v": 2, "next": None}}])
        self.assertEqual(self.packed(path, "example"), [{"x.v": ("int64", [1]), "x.next.v": ("int64", [2])}])

    def test_blocks_are_counted_so_that_shards_are_equal(self) -> None:
        path = self.avro("long", list(range(1000)), sync_interval=100)
        paths = ofindex.pack(path, self.dir / "out", "tfrecord", shards=3)
        self.assertEqual([len(self.payloads([one])) for one in paths], [333, 333, 334])

    def test_null_in_a_list_is_an_error(self) -> None:
        path = self.avro({"type": "array", "items": ["null", "int"]}, [[1, None]])
        with self.assertRaisesRegex(ofindex.FeatureError, "records.avro: record 0: feature 'x'.*(null|None)"):
            self.packed(path, "example")

    def test_a_schema_that_is_no_record_is_refused(self) -> None:
        path = self.dir / "longs.avro"
        with open(path, "wb") as file:
            fastavro.writer(file, "long", [1, 2])
        with self.assertRaisesRegex(ValueError, "no record"):
            self.packed(path, "example")


class MappingsTest(PackCase):
    def test_values_of_python_say_their_kinds(self) -> None:
        record = {
            "int": 5,
            "float": 0.5,
            "decimal": Decimal("0.25"),
            "date": DAY,
            "time": TIME,
            "stamp": STAMP,
            "zoned": UTC.astimezone(dt.timezone(dt.timedelta(hours=2))),
            "duration": dt.timedelta(days=-1),
            "numpy": np.datetime64("2024-02-29"),
            "array": np.array(["1970-01-01T00:00:01"], "M8[s]"),
            "enum": Color.RED,
            "none": None,
            "nested": {"a": {"b": [1, 2]}, "c": None},
            "records": [{"v": 1, "w": [1, 2]}, {"v": 2, "w": []}],
            "deep": [[[1], [2]], [[3]]],
        }
        expected = {
            "int": ("int64", [5]),
            "float": ("float", [0.5]),
            "decimal": ("float", [0.25]),
            "date": ("int64", [DAYS]),
            "time": ("int64", [TIME_US]),
            "stamp": ("int64", [STAMP_US]),
            "zoned": ("int64", [STAMP_US]),
            "duration": ("int64", [-86_400_000_000]),
            "numpy": ("int64", [DAYS]),
            "array": ("int64", [1_000_000]),
            "enum": ("bytes", ["RED"]),
            "nested.a.b": ("int64", [1, 2]),
            "records.v": ("int64", [1, 2]),
            "records.w": ("int64", [1, 2]),
            "deep": ("int64", [1, 2, 3]),
        }
        self.assertEqual(self.packed([record], "example"), [expected])
        (steps,) = self.packed([record], "sequence_example")
        self.assertEqual(steps["deep[]"], ("int64", [[1, 2], [3]]))

    def test_two_values_of_one_name_are_an_error(self) -> None:
        with self.assertRaisesRegex(ofindex.FeatureError, r"record 1: feature 'a.b': two values"):
            self.packed([{"a": 1}, {"a.b": 1, "a": {"b": 2}}], "example")

    def test_values_among_steps_are_an_error(self) -> None:
        for values in (
            [[1], 2, [3]],
            [1, [2]],
            [["a"], "b"],
            [["a"], bytearray(b"b")],
            [[0.5], np.float32(1)],
            [[1], np.array(2)],
            [[1], DAY],
        ):
            with self.assertRaisesRegex(ofindex.FeatureError, "record 1: feature 'x': a value, where"):
                self.packed([{"x": [[1]]}, {"x": values}], "sequence_example")
        (found,) = self.packed([{"x": [[1], 2, [3]]}], "example")
        self.assertEqual(found, {"x": ("int64", [1, 2, 3])})
        (found,) = self.packed([{"x": [[1], np.arange(2), (3,)]}], "sequence_example")
        self.assertEqual(found, {"x[]": ("int64", [[1], [0, 1], [3]])})

    def test_the_schema_goes_before_what_values_say(self) -> None:
        found = self.packed([{"x": 1, "y": []}], "ofrecord", schema={"x": "double", "y": "bytes"})
        self.assertEqual(found, [{"x": ("double", [1.0]), "y": ("bytes", [])}])

    def test_a_time_that_is_none_is_an_error(self) -> None:
        for value in (np.datetime64("NaT"), [np.timedelta64("NaT")]):
            with self.assertRaisesRegex(ofindex.FeatureError, "record 1: feature 'x': NaT"):
                self.packed([{"x": 1}, {"x": value}], "example")

    def test_other_sources_are_refused(self) -> None:
        (self.dir / "rows.csv").write_text("a,b\n1,2\n")
        (self.dir / "empty").mkdir()
        for source, kind, pattern in (
            (self.dir / "rows.csv", ValueError, "command `ofindex pack`"),
            (self.dir / "empty", ValueError, "command `ofindex pack`"),
            (self.dir / "nothing.parquet", FileNotFoundError, "nothing"),
            (f"{self.dir}/no*", FileNotFoundError, "no file"),
            (5, TypeError, "int"),
            ({"a": 1}, TypeError, "dict"),
            ([1], TypeError, "int"),
            ([{1: 1}], TypeError, "named by"),
        ):
            with self.subTest(repr(source)), self.assertRaisesRegex(kind, pattern):
                ofindex.pack(source, self.dir / "out", "tfrecord")
        self.assertEqual(self.beside(), ["empty", "rows.csv"])

    def test_a_reader_that_is_not_installed_is_named(self) -> None:
        for module, package, magic in (("pyarrow", "pyarrow", "PAR1"), ("fastavro", "fastavro", "Obj\\x01")):
            printed = in_new_process(
                "import ofindex, sys\n"
                f"sys.modules['{module}'] = None\n"
                f"open(sys.argv[1], 'wb').write(b'{magic}')\n"
                "try: ofindex.pack(sys.argv[1], sys.argv[1] + '-out', 'tfrecord')\n"
                "except ImportError as error: print(error)\n",
                self.dir / "file",
            )
            self.assertIn(f"pip install {package}", printed)


class ShardsTest(PackCase):
    def given(self, count: int) -> Iterator[dict[str, int]]:
        return ({"i": number} for number in range(count))

    def test_shards_have_equal_shares_in_order(self) -> None:
        sources: tuple[Callable[[], Any], ...] = (lambda: self.given(10), lambda: list(self.given(10)))
        for number, source in enumerate(sources):
            paths = ofindex.pack(source(), self.dir / f"set{number}", "tfrecord", shards=3)
            names = [f"set{number}-{shard:05}-of-00003.tfrecord" for shard in range(3)]
            self.assertEqual([os.path.basename(path) for path in paths], names)
            self.assertEqual([self.numbers([path]) for path in paths], [[0, 1, 2], [3, 4, 5], [6, 7, 8, 9]])
        paths = ofindex.pack(self.given(3), self.dir / "of", "ofrecord", shards=2)
        self.assertEqual([os.path.relpath(path, self.dir) for path in paths], ["of/part-0", "of/part-1"])
        self.assertEqual(self.beside(), ["of", "set0", "set1"])

    def test_what_the_command_refuses_is_refused(self) -> None:
        for to, options, pattern in (
            ("tfrecord", {"payload": "ofrecord"}, "payload='ofrecord' is not what tfrecord files hold"),
            ("ofrecord", {"payload": "example"}, "payload='example' is not what ofrecord files hold"),
            ("ofrecord", {"payload": "sequence_example"}, "TFRecords hold"),
            ("tfrecord", {"shards": 100_000}, "shards=100000: expected 1 to 99999"),
            ("tfrecord", {"shards": 0}, "shards=0"),
        ):
            with self.subTest(to, **options), self.assertRaisesRegex(ValueError, pattern):
                ofindex.pack(self.given(1), self.dir / "set", to, **options)
        self.assertEqual(self.beside(), [])

    def test_a_seed_shuffles_across_shards_and_is_repeatable(self) -> None:
        orders = []
        for seed, shards in ((1, 4), (1, 1), (2, 4), (None, 4)):
            paths = ofindex.pack(self.given(2000), self.dir / "set", "tfrecord", shards=shards, seed=seed, force=True)
            orders.append(self.numbers(paths))
            self.assertEqual(len(os.listdir(self.dir / "set")), shards)
        self.assertEqual(orders[0], orders[1])
        self.assertNotEqual(orders[0], orders[2])
        self.assertEqual(orders[3], list(range(2000)))
        for order in orders:
            self.assertEqual(sorted(order), list(range(2000)))
        moved = np.abs(np.array(orders[0]) - np.arange(2000)).mean()
        self.assertGreater(moved, 500)  # a third of 2,000, of a true shuffle
        self.assertEqual(self.beside(), ["set"])

    def test_no_records_are_empty_shards(self) -> None:
        for options in ({}, {"shards": 2}, {"seed": 1}, {"shards": 2, "seed": 1}):
            paths = ofindex.pack(iter([]), self.dir / "set", "tfrecord", force=True, **options)
            self.assertEqual([os.path.getsize(path) for path in paths], [0] * options.get("shards", 1))

    def test_what_is_there_is_replaced_with_force_only_and_only_by_whole_sets(self) -> None:
        def failing() -> Iterator[dict[str, Any]]:
            yield from self.given(5)
            yield {"i": "\ud800"}

        paths = ofindex.pack(self.given(4), self.dir / "set", "tfrecord", shards=2)
        with self.assertRaisesRegex(ValueError, "there already"):
            ofindex.pack(self.given(4), self.dir / "set", "tfrecord")
        for options in ({}, {"shards": 3}, {"seed": 1}):
            with self.assertRaises(ofindex.FeatureError):
                ofindex.pack(failing(), self.dir / "set", "tfrecord", force=True, **options)
            self.assertEqual(sorted(os.listdir(self.dir / "set")), sorted(map(os.path.basename, paths)))
            with self.assertRaises(ofindex.FeatureError):
                ofindex.pack(failing(), self.dir / "new", "tfrecord", **options)
        self.assertEqual(self.beside(), ["set"])
        self.assertEqual(self.numbers(paths), [0, 1, 2, 3])
        self.assertEqual(self.numbers(ofindex.pack(self.given(2), self.dir / "set", "tfrecord", force=True)), [0, 1])

    def test_a_source_that_grows_meanwhile_is_an_error(self) -> None:
        class Lying(list):  # type: ignore[type-arg]
            def __len__(self) -> int:
                return 3

        for count in (2, 5):
            with self.assertRaisesRegex(ValueError, "at first"):
                ofindex.pack(Lying(self.given(count)), self.dir / "set", "tfrecord", shards=2)
        self.assertEqual(self.beside(), [])

    def test_progress_is_told_with_records(self) -> None:
        told: list[tuple[int, int, int]] = []
        ofindex.pack(self.given(3000), self.dir / "a.tfrecord", "tfrecord", progress=lambda *now: told.append(now))
        self.assertEqual(told[-1][2], 3000)

    def test_gzip_is_read_by_tensorflows_rules(self) -> None:
        (path,) = ofindex.pack(self.given(100), self.dir / "a.tfrecord.gz", "tfrecord")
        walk = records.walk_tfrecord(records.inflate(Path(path).read_bytes()))
        self.assertEqual((len(walk.records), walk.damage), (100, []))
        with self.assertRaises(ValueError):
            ofindex.pack(self.given(1), self.dir / "set", "ofrecord", compress="gzip")

    def test_a_full_disk_leaves_nothing(self) -> None:
        printed = in_new_process(
            "import ofindex, resource, signal, sys\n"
            "signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
            "resource.setrlimit(resource.RLIMIT_FSIZE, (1_000_000, 1_000_000))\n"
            "for options in ({}, {'shards': 2}, {'seed': 1}):\n"
            "    records = ({'x': bytes(10_000)} for _ in range(300))\n"
            "    try: ofindex.pack(records, sys.argv[1], 'tfrecord', **options)\n"
            "    except OSError as error: print(error.errno)\n",
            self.dir / "set",
        )
        self.assertEqual((len(printed.split()), self.beside()), (3, []))

    def test_a_killed_pack_leaves_no_shard(self) -> None:
        source = (
            "import ofindex, sys\n"
            "def records():\n"
            "    print('begun', flush=True)\n"
            "    while True: yield {'x': bytes(1000)}\n"
            "ofindex.pack(records(), sys.argv[1], 'ofrecord')\n"
        )
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
        with subprocess.Popen(
            [sys.executable, "-c", source, str(self.dir / "set")], stdout=subprocess.PIPE, env=environment
        ) as process:
            assert process.stdout is not None
            process.stdout.readline()
            time.sleep(0.1)
            process.kill()
        self.assertEqual([name for name in os.listdir(self.dir / "set") if not name.endswith(".draft")], [])
        ofindex.pack([{"x": 1}], self.dir / "set", "ofrecord")
        self.assertEqual(os.listdir(self.dir / "set"), ["part-0"])


if __name__ == "__main__":
    unittest.main()

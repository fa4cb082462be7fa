"""ofindex.Writer: what values become, what is refused, and that no half shard ever has a name."""

from __future__ import annotations

import array
import enum
import gc
import math
import os
import random
import signal
import struct
import subprocess
import sys
import threading
import time
import unittest
import warnings
from collections import OrderedDict, deque
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np
import ofindex
from oracle import messages, records
from oracle.fixtures import FIXTURES, needs_fixtures
from python.work import WorkTest, in_new_process

FORMATS = {"example": "tfrecord", "sequence_example": "tfrecord", "ofrecord": "ofrecord"}

KINDS = {
    "example": ("bytes", "float", "int64"),
    "sequence_example": ("bytes", "float", "int64"),
    "ofrecord": ("bytes", "float", "double", "int32", "int64"),
}
COUNT = 20_000


class Color(enum.IntEnum):
    RED = 3


class Odd(Mapping[str, Any]):
    """A mapping that is no dict."""

    def __init__(self, content: dict[str, Any]) -> None:
        self.content = content

    def __getitem__(self, key: str) -> Any:
        return self.content[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self.content)

    def __len__(self) -> int:
        return len(self.content)


class WriterCase(WorkTest):
    def written(self, payload: str, *features: Any, **options: Any) -> list[Any]:
        """The messages that libprotobuf finds in a shard of these records."""
        path = self.dir / "shard"
        with ofindex.Writer(path, FORMATS[payload], payload=payload, **options) as writer:
            for record in features:
                writer.write(record)
        walk = records.WALK[FORMATS[payload]](path.read_bytes())
        self.assertEqual(walk.damage, [])
        return [messages.MESSAGES[payload].FromString(one) for one in walk.payloads]

    def feature(self, payload: str, value: Any, **options: Any) -> tuple[str, list[Any]]:
        """The kind and the values that `value` is written as."""
        (message,) = self.written(payload, {"x": value, "other": 1}, **options)
        found = (message.feature if payload == "ofrecord" else message.features.feature)["x"]
        kind = found.WhichOneof("kind")
        return ("none", []) if kind is None else (kind.removesuffix("_list"), list(getattr(found, kind).value))

    def beside(self) -> list[str]:
        return sorted(os.listdir(self.dir))


class ValuesTest(WriterCase):
    def test_each_value_has_its_kind(self) -> None:
        bytes_array = ofindex.BytesArray(np.frombuffer(b"abc", np.uint8), np.array([0, 1, 3]))
        for value, example, ofrecord in (
            (3, ("int64", [3]), ("int64", [3])),
            (True, ("int64", [1]), ("int64", [1])),
            (-(2**63), ("int64", [-(2**63)]), ("int64", [-(2**63)])),
            (Color.RED, ("int64", [3]), ("int64", [3])),
            (0.5, ("float", [0.5]), ("double", [0.5])),
            (np.float32(0.5), ("float", [0.5]), ("float", [0.5])),
            (np.float16(0.5), ("float", [0.5]), ("float", [0.5])),
            (np.float64(0.5), ("float", [0.5]), ("double", [0.5])),
            (np.int32(-4), ("int64", [-4]), ("int32", [-4])),
            (np.uint8(200), ("int64", [200]), ("int64", [200])),
            (np.bool_(True), ("int64", [1]), ("int64", [1])),
            (np.str_("é"), ("bytes", ["é".encode()]), ("bytes", ["é".encode()])),
            (np.bytes_(b"a\0b"), ("bytes", [b"a\0b"]), ("bytes", [b"a\0b"])),
            ("é", ("bytes", ["é".encode()]), ("bytes", ["é".encode()])),
            (b"\0\xff", ("bytes", [b"\0\xff"]), ("bytes", [b"\0\xff"])),
            (bytearray(b"a"), ("bytes", [b"a"]), ("bytes", [b"a"])),
            (memoryview(b"abcd")[::2], ("bytes", [b"ac"]), ("bytes", [b"ac"])),
            (array.array("d", [1, 2]), ("float", [1, 2]), ("double", [1, 2])),
            ([1, 2], ("int64", [1, 2]), ("int64", [1, 2])),
            ((1.5, 2.5), ("float", [1.5, 2.5]), ("double", [1.5, 2.5])),
            (range(3), ("int64", [0, 1, 2]), ("int64", [0, 1, 2])),
            (deque([1]), ("int64", [1]), ("int64", [1])),
            (["a", b"b", bytearray(b"c")], ("bytes", [b"a", b"b", b"c"]), ("bytes", [b"a", b"b", b"c"])),
            ([np.float32(0.5), np.float32(1)], ("float", [0.5, 1]), ("float", [0.5, 1])),
            ([np.float32(0.5), 1.5], ("float", [0.5, 1.5]), ("double", [0.5, 1.5])),
            ([np.int32(1), 2], ("int64", [1, 2]), ("int64", [1, 2])),
            (np.arange(6, dtype=np.int32).reshape(2, 3), ("int64", list(range(6))), ("int32", list(range(6)))),
            (np.arange(6).reshape(2, 3).T, ("int64", [0, 3, 1, 4, 2, 5]), ("int64", [0, 3, 1, 4, 2, 5])),
            (np.arange(3, dtype=">i4"), ("int64", [0, 1, 2]), ("int32", [0, 1, 2])),
            (np.arange(3, dtype=">f8"), ("float", [0, 1, 2]), ("double", [0, 1, 2])),
            (np.array([1, 0], bool), ("int64", [1, 0]), ("int64", [1, 0])),
            (np.array([2**63 - 1], np.uint64), ("int64", [2**63 - 1]), ("int64", [2**63 - 1])),
            (np.array(["a", "bc"]), ("bytes", [b"a", b"bc"]), ("bytes", [b"a", b"bc"])),
            (np.array([b"a", b"bc"]), ("bytes", [b"a", b"bc"]), ("bytes", [b"a", b"bc"])),
            (np.array(["a", b"b"], object), ("bytes", [b"a", b"b"]), ("bytes", [b"a", b"b"])),
            (np.array(7.0), ("float", [7]), ("double", [7])),
            (bytes_array, ("bytes", [b"a", b"bc"]), ("bytes", [b"a", b"bc"])),
            ([], ("none", []), ("none", [])),
            (np.array([], np.float32), ("float", []), ("float", [])),
            (np.array([], np.float64), ("float", []), ("double", [])),
            (np.array([], np.int32), ("int64", []), ("int32", [])),
            (np.array([], "U3"), ("bytes", []), ("bytes", [])),
        ):
            with self.subTest(repr(value)):
                self.assertEqual(self.feature("example", value), example)
                self.assertEqual(self.feature("ofrecord", value), ofrecord)

    def test_the_schema_says_kinds_before_the_values_do(self) -> None:
        for value, kind, expected in (
            (3, "float", [3.0]),
            ([1, 2.5], "float", [1.0, 2.5]),
            ([1, 2.5], "double", [1.0, 2.5]),
            (np.float32(0.5), "double", [0.5]),
            (np.array([0.5, 1.5]), "float", [0.5, 1.5]),
            (np.arange(3), "double", [0.0, 1.0, 2.0]),
            (np.arange(3), "int32", [0, 1, 2]),
            (-5, "int32", [-5]),
            (np.int32(5), "int64", [5]),
            ([], "bytes", []),
            ([], "double", []),
        ):
            with self.subTest(repr(value), kind=kind):
                self.assertEqual(self.feature("ofrecord", value, schema={"x": kind}), (kind, expected))

    def test_tensors_are_arrays(self) -> None:
        try:
            import torch
        except ImportError:
            self.skipTest("torch is not installed")
        self.assertEqual(self.feature("ofrecord", torch.arange(4).reshape(2, 2)), ("int64", [0, 1, 2, 3]))
        self.assertEqual(self.feature("ofrecord", torch.tensor([0.5])), ("float", [0.5]))
        self.assertEqual(self.feature("example", [torch.tensor(1), torch.tensor(2)]), ("int64", [1, 2]))

    def test_none_is_an_absent_feature(self) -> None:
        (message,) = self.written("example", {"a": None, "b": 1})
        self.assertEqual(list(message.features.feature), ["b"])

    def test_any_mapping_and_names_of_bytes_will_do(self) -> None:
        for record in (OrderedDict(a=1), MappingProxyType({"a": 1}), Odd({"a": 1}), {b"a": 1}):
            (message,) = self.written("example", record)
            self.assertEqual(list(message.features.feature["a"].int64_list.value), [1])

    def test_steps_are_lists_of_lists_and_rows_of_arrays(self) -> None:
        ragged = ofindex.Ragged(np.arange(3), np.array([0, 1, 3]))
        for value, steps in (
            ([[1, 2], [3]], [("int64", [1, 2]), ("int64", [3])]),
            ([[1, 2], []], [("int64", [1, 2]), ("int64", [])]),
            ([[], ["a"]], [("bytes", []), ("bytes", [b"a"])]),
            ([[]], [("none", [])]),
            ([None, [1.5]], [("none", []), ("float", [1.5])]),
            (np.arange(4).reshape(2, 2), [("int64", [0, 1]), ("int64", [2, 3])]),
            (np.zeros((1, 2, 2), np.float32), [("float", [0, 0, 0, 0])]),
            ([np.arange(2), np.arange(1)], [("int64", [0, 1]), ("int64", [0])]),
            (ragged, [("int64", [0]), ("int64", [1, 2])]),
        ):
            expected = messages.MESSAGES["sequence_example"].FromString(
                messages.encode_sequence({"c": ("int64", [1])}, {"x": steps})
            )
            for name in ("x", "x[]"):
                with self.subTest(repr(value), name=name):
                    self.assertEqual(self.written("sequence_example", {name: value, "c": 1}), [expected])

    def test_a_marked_name_is_a_feature_list_whatever_its_values(self) -> None:
        for value, steps in (([1, 2], [("int64", [1]), ("int64", [2])]), ([], []), (np.arange(1), [("int64", [0])])):
            expected = messages.MESSAGES["sequence_example"].FromString(messages.encode_sequence({}, {"x": steps}))
            self.assertEqual(self.written("sequence_example", {"x[]": value}), [expected])
        (message,) = self.written("example", {"x[]": 1})
        self.assertEqual(list(message.features.feature), ["x[]"])

    @needs_fixtures
    def test_the_published_example_comes_out_bit_for_bit(self) -> None:
        published = (FIXTURES / "mnist_example.pb").read_bytes()
        features = messages.MESSAGES["example"].FromString(published).features.feature
        values = {
            "image_raw": features["image_raw"].bytes_list.value[0],
            "label": 5,
            "height": 28,
            "width": 28,
        }
        path = self.dir / "mnist.tfrecord"
        with ofindex.Writer(path, sort=False) as writer:
            writer.write(values)
        self.assertEqual(path.read_bytes(), records.frame_tfrecord(published))
        self.assertEqual(len(published), 859)

    def test_the_same_values_are_the_same_bytes_in_any_order(self) -> None:
        names = [f"feature {number}" for number in range(30)]
        shuffled = random.Random(1).sample(names, len(names))
        for payload, format in FORMATS.items():
            for order in (names, shuffled):
                with ofindex.Writer(self.dir / f"{order[0]}", format, payload=payload) as writer:
                    writer.write(dict.fromkeys(order, 1))
            a, b = ((self.dir / order[0]).read_bytes() for order in (names, shuffled))
            self.assertEqual(a, b)


class RefusedTest(WriterCase):
    def refused(
        self, payload: str, record: Any, pattern: str, kind: Any = ofindex.FeatureError, **options: Any
    ) -> None:
        """A writer that refuses `record`, and goes on as if it had not been there."""
        with ofindex.Writer(self.dir / "shard", FORMATS[payload], payload=payload, **options) as writer:
            writer.write({"good": 1})
            size = writer.size
            with self.assertRaisesRegex(kind, pattern):
                writer.write(record)
            self.assertEqual((writer.records, writer.size), (1, size))
            writer.write({"good": 2})
        found = records.WALK[FORMATS[payload]]((self.dir / "shard").read_bytes())
        self.assertEqual((len(found.records), found.damage), (2, []))

    def test_values_that_do_not_fit_are_named_with_record_and_feature(self) -> None:
        named = "record 1: feature 'x'"
        for value, pattern in (
            (math.nan, f"{named}.*NaN"),
            ([0.5, math.nan], f"{named}.*NaN"),
            (np.array([math.nan], np.float32), f"{named}.*NaN"),
            (2**63, f"{named}.*64 bits"),
            (-(2**63) - 1, f"{named}.*64 bits"),
            (10**400, f"{named}.*64 bits"),
            (np.array([2**63], np.uint64), f"{named}.*int64"),
            ([1, "a"], f"{named}.*mixed list"),
            ([1, 2.5], f"{named}.*mixed list"),
            (["a", 1.5], f"{named}.*mixed list"),
            ([None], f"{named}.*None"),
            ([1, None], f"{named}.*None"),
            ([[1], [2]], f"{named}.*list inside a list"),
            ([np.arange(2)], f"{named}.*list inside a list"),
            (np.array([[1], [1, 2]], object), f"{named}.*list inside a list"),
            ({"a": 1}, f"{named}.*mapping"),
            ([{"a": 1}], f"{named}.*mapping"),
            ("\ud800", f"{named}.*surrogates"),
            (np.array(["2020-01-01"], "M8[D]"), f"{named}.*datetime64"),
            (np.datetime64("2020-01-01"), f"{named}.*datetime64"),
            (np.array([1j]), f"{named}.*complex"),
            (1j, f"{named}.*complex"),
            (object(), f"{named}.*object"),
            ({1, 2}, f"{named}.*set"),
            (ofindex.Ragged(np.arange(2), np.array([0, 2])), f"{named}.*Ragged"),
        ):
            for payload in ("example", "ofrecord"):
                with self.subTest(repr(value)[:40], payload=payload):
                    self.refused(payload, {"first": 1, "x": value}, pattern)

    def test_floats_beyond_32_bits_have_no_place_in_a_float_list(self) -> None:
        for value in (1e300, -1e300, [0.5, 3.5e38], np.array([1e300])):
            self.refused("example", {"x": value}, "record 1: feature 'x'.*beyond a float")
            self.refused("ofrecord", {"x": value}, "beyond a float", schema={"x": "float"})
        self.assertEqual(self.feature("ofrecord", 1e300), ("double", [1e300]))
        self.assertEqual(self.feature("example", math.inf), ("float", [math.inf]))

    def test_what_the_schema_does_not_allow_is_refused(self) -> None:
        for value, kind, pattern in (
            (2**31, "int32", "record 1: feature 'x'.*int32"),
            (np.array([-(2**31) - 1]), "int32", "int32"),
            (1.5, "int64", "floats, and the schema asks for int64"),
            ("a", "float", "bytes, and the schema"),
            (1, "bytes", "integers, and the schema"),
            (np.zeros(2), "bytes", "floats, and the schema"),
            (10**400, "double", "beyond a double"),
        ):
            self.refused("ofrecord", {"x": value}, pattern, schema={"x": kind})

    def test_steps_of_different_kinds_are_a_mixed_list(self) -> None:
        for value in ([[1], ["a"]], [[1], [1.5]], [1, [2]], [[1], [[2]]], [[None]]):
            self.refused("sequence_example", {"x": value}, "record 1: feature 'x'")
        for value in (5, "text", b"bytes", {"a": 1}):
            self.refused("sequence_example", {"x[]": value}, "record 1: feature 'x'")

    def test_an_ofrecord_is_never_empty(self) -> None:
        for record in (b"", bytearray(), {}, {"x": None}):
            self.refused("ofrecord", record, "record 1.*empty")
        self.assertEqual(len(self.written("example", {}, b"", {"x": None})), 3)

    def test_a_record_that_is_none_is_a_type_error(self) -> None:
        for record in (5, None, "text", [1], object()):
            self.refused("example", record, "a record is bytes or a mapping", TypeError)
        for record in ({1: 1}, {None: 1}, {("a",): 1}):
            self.refused("example", record, "features are named by", TypeError)

    def test_names_that_readers_would_refuse_are_refused(self) -> None:
        self.refused("example", {b"\xff": 1}, "UTF-8")
        self.refused("example", {"\udcff": 1}, "UTF-8")
        self.refused("example", {"a": 1, b"a": 2}, "record 1.*'a'")
        (message,) = records.walk_ofrecord(self.one_ofrecord({"\udcff": 1})).payloads
        self.assertIn(b"\xff", message)

    def one_ofrecord(self, record: Any) -> bytes:
        with ofindex.Writer(self.dir / "part-0") as writer:
            writer.write(record)
        return (self.dir / "part-0").read_bytes()

    def test_a_dictionary_that_changes_meanwhile_is_an_error(self) -> None:
        record: dict[str, Any] = {"a": 1}

        class Growing:
            def __index__(self) -> int:
                record[f"more {len(record)}"] = 1
                return 1

        record["b"] = Growing()
        self.refused("example", record, "changed", RuntimeError)

    def test_errors_of_values_themselves_go_through(self) -> None:
        class Broken:
            def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
                raise KeyError("mine")

        self.refused("example", {"x": Broken()}, "mine", KeyError)

    def test_a_value_may_write_a_record_itself(self) -> None:
        path = self.dir / "shard.tfrecord"
        with ofindex.Writer(path) as writer:

            class Writing:
                def __index__(self) -> int:
                    writer.write({"inner": 1})
                    return 2

            writer.write({"outer": Writing()})
        self.assertEqual([sorted(r.features.feature) for r in self.examples_in(path)], [["inner"], ["outer"]])

    def examples_in(self, path: Path) -> list[Any]:
        payloads = records.walk_tfrecord(path.read_bytes()).payloads
        return [messages.MESSAGES["example"].FromString(payload) for payload in payloads]

    def test_arguments_that_make_no_sense_together_are_value_errors(self) -> None:
        for name, options, pattern in (
            ("shard", {}, "does not say"),
            ("a.tfrecord", {"format": "ofrecord"}, "the name says"),
            ("a.ofrecord", {"format": "tfrecord"}, "the name says"),
            ("a", {"format": "parquet"}, "format="),
            ("a.tfrecord", {"payload": "opaque"}, "payload="),
            ("a.tfrecord", {"payload": "ofrecord"}, "payload='ofrecord' is not what tfrecord files hold"),
            ("part-0", {"payload": "example"}, "payload='example' is not what ofrecord files hold"),
            ("part-0", {"payload": "sequence_example"}, "TFRecords hold"),
            ("a.tfrecord", {"schema": {"x": "double"}}, "'x'.*double"),
            ("a.ofrecord", {"schema": {"x": "int8"}}, "'x'.*int8"),
            ("a.ofrecord", {"compress": "gzip"}, "compressed"),
            ("a.tfrecord", {"compress": "zstd"}, "compress="),
            ("a.tfrecord.gz", {"append": True}, "appended"),
        ):
            with self.subTest(name, **options), self.assertRaisesRegex(ValueError, pattern):
                ofindex.Writer(self.dir / name, **options)
        self.assertEqual(self.beside(), [])
        with self.assertRaises(TypeError):
            ofindex.Writer(self.dir / "a.tfrecord", compres="gzip")  # type: ignore[call-arg]
        with self.assertRaises(FileNotFoundError):
            ofindex.Writer(self.dir / "nowhere" / "part-0")


class RoundTripTest(WriterCase):
    def values(self, rng: random.Random, kind: str, count: int) -> Any:
        """As Dataset.record gives them."""
        if kind == "bytes":
            return [rng.randbytes(rng.choice((0, 1, 3, 40))) for _ in range(count)]
        if kind in ("int32", "int64"):
            bits = int(kind[3:]) - 1
            ends = (0, 1, -1, 2**bits - 1, -(2**bits))
            return np.array([rng.choice((rng.choice(ends), rng.randrange(-300, 300))) for _ in range(count)], kind)
        dtype = "float32" if kind == "float" else "float64"
        return np.array([rng.choice((rng.gauss(0, 9), math.inf, -0.0, 1e-45)) for _ in range(count)], dtype)

    def record(self, rng: random.Random, payload: str) -> dict[str, Any]:
        record: dict[str, Any] = {}
        for number in range(rng.randrange(1, 5)):
            kind = rng.choice(KINDS[payload])
            least = 1 if kind == "bytes" else 0  # of an empty list of bytes, record() does not tell the kind
            if payload == "sequence_example" and rng.random() < 0.5:
                steps = [self.values(rng, kind, rng.randrange(3)) for _ in range(rng.randrange(4))]
                if not any(len(step) for step in steps) and kind == "bytes":
                    steps = []
                record[f"é{number}[]"] = [None if rng.random() < 0.1 else step for step in steps]
                if kind == "bytes" and not any(record[f"é{number}[]"]):
                    record[f"é{number}[]"] = []
            else:
                record[f"f{number}"] = self.values(rng, kind, rng.randrange(least, 4))
        return record

    def assert_same(self, found: Any, expected: Any) -> None:
        if isinstance(expected, list):
            self.assertIsInstance(found, list)
            self.assertEqual(len(found), len(expected))
            for one, other in zip(found, expected, strict=True):
                self.assert_same(one, other)
        elif isinstance(expected, np.ndarray):
            self.assertEqual((found.dtype, found.tobytes()), (expected.dtype, expected.tobytes()))
        else:
            self.assertEqual(found, expected)

    def test_random_records_are_read_as_they_were_written(self) -> None:
        for payload, format in FORMATS.items():
            rng = random.Random(payload)
            written = [self.record(rng, payload) for _ in range(COUNT // len(FORMATS) + 1)]
            path = self.dir / f"{payload}.{format}"
            with ofindex.Writer(path, payload=payload) as writer:
                for record in written:
                    writer.write(record)
            ds = ofindex.build(path, progress=False, payload=payload)
            self.assertEqual(len(ds), len(written))
            with ofindex.Writer(self.dir / f"again.{format}", payload=payload) as again:
                for number, record in enumerate(written):
                    found = ds.record(number)
                    self.assertEqual(sorted(found), sorted(record))
                    for name, values in record.items():
                        self.assert_same(found[name], values)
                    again.write(found)
            self.assertEqual((self.dir / f"again.{format}").read_bytes(), path.read_bytes())


class ClosingTest(WriterCase):
    def payloads(self, path: Path) -> list[bytes]:
        walk = records.walk_tfrecord(path.read_bytes())
        self.assertEqual(walk.damage, [])
        return walk.payloads

    def setUp(self) -> None:
        super().setUp()
        self.path = self.dir / "a.tfrecord"

    def test_the_file_has_its_name_when_it_is_closed_and_not_before(self) -> None:
        writer = ofindex.Writer(self.path)
        writer.write(b"one")
        writer.flush()
        self.assertFalse(self.path.exists())
        self.assertEqual((writer.records, writer.closed, writer.path), (1, False, str(self.path)))
        writer.close()
        writer.close()
        self.assertEqual((self.payloads(self.path), writer.closed, self.beside()), ([b"one"], True, ["a.tfrecord"]))
        self.assertEqual(repr(writer), f"<ofindex.Writer {str(self.path)!r}: tfrecord, 1 records, closed>")
        for use in (lambda: writer.write(b"x"), lambda: writer.write({"a": 1}), writer.flush):
            with self.assertRaisesRegex(ValueError, "closed"):
                use()
        writer.abandon()
        self.assertTrue(self.path.exists())

    def test_a_block_that_fails_leaves_the_old_file_and_nothing_beside_it(self) -> None:
        self.write("a.tfrecord", [b"old"])
        with self.assertRaises(KeyError), ofindex.Writer(self.path) as writer:
            writer.write(b"new")
            raise KeyError
        self.assertEqual((self.payloads(self.path), self.beside()), ([b"old"], ["a.tfrecord"]))

    def test_a_writer_that_nobody_closed_is_given_up_with_a_warning(self) -> None:
        writer = ofindex.Writer(self.path)
        writer.write(b"lost")
        with self.assertWarnsRegex(ResourceWarning, "not closed"):
            del writer
            gc.collect()
        self.assertEqual(self.beside(), [])
        printed = in_new_process(
            "import ofindex, sys\nwriter = ofindex.Writer(sys.argv[1])\nwriter.write(b'lost')\nprint('end')", self.path
        )
        self.assertEqual((printed, self.beside()), ("end\n", []))

    def test_a_closed_writer_and_one_that_never_began_end_in_silence(self) -> None:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            ofindex.Writer(self.path).close()
            with self.assertRaises(ValueError):
                ofindex.Writer(self.dir / "unknown")
            gc.collect()

    def test_a_shard_has_one_writer(self) -> None:
        with ofindex.Writer(self.path), self.assertRaises(ofindex.LockError):
            ofindex.Writer(self.path)

    def test_records_are_appended_to_what_is_there(self) -> None:
        for number in range(3):
            with ofindex.Writer(self.path, append=True) as writer:
                self.assertEqual(writer.records, number)
                writer.write(b"%d" % number)
        self.assertEqual(self.payloads(self.path), [b"0", b"1", b"2"])

    def test_nothing_is_appended_to_a_torn_shard(self) -> None:
        for framing, name in ((records.TFRECORD, "a.tfrecord"), (records.OFRECORD, "part-0")):
            whole = self.write(name, [b"first", b"second"], framing).read_bytes()
            first = len(records.FRAME[framing](b"first"))
            for size in range(first + 1, len(whole)):
                (self.dir / name).write_bytes(whole[:size])
                with self.assertRaises(ofindex.DamageError, msg=size):
                    ofindex.Writer(self.dir / name, append=True)
                self.assertEqual((self.dir / name).read_bytes(), whole[:size])
        self.assertEqual(self.beside(), ["a.tfrecord", "part-0"])

    def test_gzip_is_what_the_name_or_the_argument_says(self) -> None:
        for name, compress in (("a.tfrecord.gz", None), ("b.tfrecord", "gzip")):
            with ofindex.Writer(self.dir / name, compress=compress) as writer:
                for number in range(100):
                    writer.write(b"record %d" % number)
            data = (self.dir / name).read_bytes()
            self.assertEqual(data[:2], b"\x1f\x8b")
            walk = records.walk_tfrecord(records.inflate(data))
            self.assertEqual((len(walk.payloads), walk.damage), (100, []))

    def test_all_that_is_bytes_like_is_a_payload(self) -> None:
        given = [b"a", bytearray(b"b"), memoryview(b"cd"), np.arange(3, dtype=np.uint8), array.array("h", [1])]
        with ofindex.Writer(self.path) as writer:
            for payload in given:
                writer.write(payload)
        self.assertEqual(self.payloads(self.path), [bytes(memoryview(payload)) for payload in given])

    def test_a_writer_is_of_one_process_and_is_not_pickled(self) -> None:
        import pickle

        with ofindex.Writer(self.path) as writer, self.assertRaises(TypeError):
            pickle.dumps(writer)

    def test_a_forked_child_can_neither_write_nor_publish_nor_remove(self) -> None:
        writer = ofindex.Writer(self.path)
        writer.write(b"parent's")
        child = os.fork()
        if child == 0:
            code = 1
            try:
                refused = 0
                for use in (
                    lambda: writer.write(b"child's"),
                    lambda: writer.write({"a": 1}),
                    writer.flush,
                    writer.close,
                ):
                    try:
                        use()
                    except ValueError:
                        refused += 1
                writer.abandon()
                with warnings.catch_warnings():
                    warnings.simplefilter("error")
                    del writer
                    gc.collect()
                code = 0 if refused == 4 else 2
            finally:
                os._exit(code)
        self.assertEqual(os.waitpid(child, 0)[1], 0)
        self.assertEqual(self.beside(), ["a.tfrecord.draft"])
        writer.write(b"again")
        writer.close()
        self.assertEqual(self.payloads(self.path), [b"parent's", b"again"])

    def test_records_of_many_threads_come_whole(self) -> None:
        def work(writer: ofindex.Writer, thread: int) -> None:
            for number in range(500):
                size = (10, 40_000)[number % 50 == 0]
                writer.write(b"%d %d " % (thread, number) + bytes([thread]) * size)
                writer.write({"thread": thread, "number": number, "values": [thread] * 10})

        with ofindex.Writer(self.path) as writer:
            threads = [threading.Thread(target=work, args=(writer, number)) for number in range(4)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
        found = self.payloads(self.path)
        self.assertEqual(len(found), 4000)
        raw: list[list[int]] = [[] for _ in range(4)]
        made: list[list[int]] = [[] for _ in range(4)]
        for payload in found:
            if payload[:1].isdigit():
                thread, number, rest = payload.split(b" ", 2)
                self.assertEqual(set(rest), {int(thread)})
                raw[int(thread)].append(int(number))
                continue
            features = messages.MESSAGES["example"].FromString(payload).features.feature
            (of,) = features["thread"].int64_list.value
            self.assertEqual(list(features["values"].int64_list.value), [of] * 10)
            made[of].extend(features["number"].int64_list.value)
        self.assertEqual(raw, [list(range(500))] * 4)
        self.assertEqual(made, [list(range(500))] * 4)


class DyingTest(WriterCase):
    def test_a_full_disk_leaves_the_old_file(self) -> None:
        path = self.write("a.tfrecord", [b"old"])
        printed = in_new_process(
            "import ofindex, resource, signal, sys\n"
            "signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
            "resource.setrlimit(resource.RLIMIT_FSIZE, (1_000_000, 1_000_000))\n"
            "writer = ofindex.Writer(sys.argv[1])\n"
            "failed = 0\n"
            "for number in range(300):\n"
            "    try: writer.write(bytes(10_000))\n"
            "    except OSError: failed += 1\n"
            "try: writer.close()\n"
            "except OSError: print('not closed', failed > 0, writer.closed)\n",
            path,
        )
        self.assertEqual(printed, "not closed True True\n")
        self.assertEqual(records.walk_tfrecord(path.read_bytes()).payloads, [b"old"])
        self.assertEqual(self.beside(), ["a.tfrecord"])

    def test_a_disk_that_is_full_at_the_end_is_an_error_of_close(self) -> None:
        printed = in_new_process(
            "import ofindex, resource, signal, sys\n"
            "signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
            "resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))\n"
            "try:\n"
            "    with ofindex.Writer(sys.argv[1]) as writer: writer.write(bytes(10_000))\n"
            "except OSError as error: print(error.errno)\n",
            self.dir / "part-0",
        )
        self.assertEqual((int(printed) > 0, self.beside()), (True, []))

    def test_a_killed_writer_leaves_no_shard_and_the_next_one_takes_over(self) -> None:
        for delay in (0.0, 0.05, 0.2):
            path = self.write("a.tfrecord", [b"old"])
            source = (
                "import ofindex, sys\n"
                "writer = ofindex.Writer(sys.argv[1])\n"
                "print('begun', flush=True)\n"
                "while True: writer.write(bytes(1000))\n"
            )
            environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
            with subprocess.Popen(
                [sys.executable, "-c", source, str(path)], stdout=subprocess.PIPE, env=environment
            ) as process:
                assert process.stdout is not None
                process.stdout.readline()
                time.sleep(delay)
                process.send_signal(signal.SIGKILL)
            self.assertEqual(records.walk_tfrecord(path.read_bytes()).payloads, [b"old"])
            with ofindex.Writer(path) as writer:
                writer.write(b"new")
            self.assertEqual(records.walk_tfrecord(path.read_bytes()).payloads, [b"new"])
            self.assertEqual(self.beside(), ["a.tfrecord"])


class SeedTest(WriterCase):
    def test_the_loop_of_oneflows_document_reads_what_was_written(self) -> None:
        rng = random.Random(0)
        images = [[rng.random() for _ in range(28 * 28)] for _ in range(3)]
        labels = [rng.randint(0, 9) for _ in range(3)]
        path = self.dir / "part-0"
        with ofindex.Writer(path) as writer:
            for image, label in zip(images, labels, strict=True):
                writer.write({"images": np.array(image, np.float32), "labels": label})
        with open(path, "rb") as f:
            for image, label in zip(images, labels, strict=True):
                length = struct.unpack("q", f.read(8))
                message = messages.MESSAGES["ofrecord"].FromString(f.read(length[0]))
                self.assertEqual(list(message.feature["images"].float_list.value), np.array(image, np.float32).tolist())
                self.assertEqual(list(message.feature["labels"].int64_list.value), [label])
            self.assertEqual(f.read(), b"")


if __name__ == "__main__":
    unittest.main()

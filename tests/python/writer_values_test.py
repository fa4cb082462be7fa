"""ofindex.Writer: Python values get their feature kinds, and are read as they were written."""

from __future__ import annotations

import array
import enum
import math
import random
import unittest
from collections import OrderedDict, deque
from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import Any

import numpy as np
import ofindex
from oracle import messages, records
from oracle.fixtures import FIXTURES, needs_fixtures
from python.writing import FORMATS, WriterCase

KINDS = {
    "example": ("bytes", "float", "int64"),
    "sequence_example": ("bytes", "float", "int64"),
    "ofrecord": ("bytes", "float", "double", "int32", "int64"),
}
COUNT = 20_000


class Color(enum.IntEnum):
    RED = 3


class Odd(Mapping[str, Any]):
    """A mapping that is not a dict."""

    def __init__(self, content: dict[str, Any]) -> None:
        self.content = content

    def __getitem__(self, key: str) -> Any:
        return self.content[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self.content)

    def __len__(self) -> int:
        return len(self.content)


class ValuesTest(WriterCase):
    def test_each_python_type_has_a_feature_kind(self) -> None:
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

    def test_the_schema_overrides_the_kinds_of_values(self) -> None:
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

    def test_tensors_are_written_like_arrays(self) -> None:
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

    def test_a_record_may_be_any_mapping_and_its_names_may_be_bytes(self) -> None:
        for record in (OrderedDict(a=1), MappingProxyType({"a": 1}), Odd({"a": 1}), {b"a": 1}):
            (message,) = self.written("example", record)
            self.assertEqual(list(message.features.feature["a"].int64_list.value), [1])

    def test_lists_of_lists_and_arrays_of_rows_are_written_as_steps(self) -> None:
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

    def test_a_name_with_brackets_is_a_feature_list_whatever_its_values(self) -> None:
        for value, steps in (([1, 2], [("int64", [1]), ("int64", [2])]), ([], []), (np.arange(1), [("int64", [0])])):
            expected = messages.MESSAGES["sequence_example"].FromString(messages.encode_sequence({}, {"x": steps}))
            self.assertEqual(self.written("sequence_example", {"x[]": value}), [expected])
        (message,) = self.written("example", {"x[]": 1})
        self.assertEqual(list(message.features.feature), ["x[]"])

    @needs_fixtures
    def test_the_published_example_is_reproduced_bit_for_bit(self) -> None:
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

    def test_the_same_values_give_the_same_bytes_in_any_order(self) -> None:
        names = [f"feature {number}" for number in range(30)]
        shuffled = random.Random(1).sample(names, len(names))
        for payload, format in FORMATS.items():
            for order in (names, shuffled):
                with ofindex.Writer(self.dir / f"{payload} {order[0]}", format, payload=payload) as writer:
                    writer.write(dict.fromkeys(order, 1))
            a, b = ((self.dir / f"{payload} {order[0]}").read_bytes() for order in (names, shuffled))
            self.assertEqual(a, b)


class RoundTripTest(WriterCase):
    def values(self, rng: random.Random, kind: str, count: int) -> Any:
        """Random values of one kind, in the form in which Dataset.record returns them."""
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
            least = 1 if kind == "bytes" else 0  # record() does not show the kind of an empty list of bytes
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
            with ofindex.Writer(self.dir / f"again {payload}.{format}", payload=payload) as again:
                for number, record in enumerate(written):
                    found = ds.record(number)
                    self.assertEqual(sorted(found), sorted(record))
                    for name, values in record.items():
                        self.assert_same(found[name], values)
                    again.write(found)
            self.assertEqual((self.dir / f"again {payload}.{format}").read_bytes(), path.read_bytes())


if __name__ == "__main__":
    unittest.main()

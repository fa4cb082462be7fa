"""ofindex.Writer: an error about a refused record names record and feature, and no part of the record is written."""

from __future__ import annotations

import math
import unittest
from pathlib import Path
from typing import Any

import numpy as np
import ofindex
from oracle import messages, records
from python.writing import FORMATS, WriterCase


class RefusedTest(WriterCase):
    def refused(
        self, payload: str, record: Any, pattern: str, kind: Any = ofindex.FeatureError, **options: Any
    ) -> None:
        """Checks that a writer refuses `record`, and continues as if the record had not been passed."""
        (self.dir / "shard").unlink(missing_ok=True)
        with ofindex.Writer(self.dir / "shard", FORMATS[payload], payload=payload, **options) as writer:
            writer.write({"good": 1})
            size = writer.size
            with self.assertRaisesRegex(kind, pattern):
                writer.write(record)
            self.assertEqual((writer.records, writer.size), (1, size))
            writer.write({"good": 2})
        found = records.WALK[FORMATS[payload]]((self.dir / "shard").read_bytes())
        self.assertEqual((len(found.records), found.damage), (2, []))

    def test_the_error_of_a_value_that_does_not_fit_names_record_and_feature(self) -> None:
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

    def test_floats_beyond_32_bits_do_not_fit_a_float_list(self) -> None:
        for value in (1e300, -1e300, [0.5, 3.5e38], np.array([1e300])):
            self.refused("example", {"x": value}, "record 1: feature 'x'.*beyond a float")
            self.refused("ofrecord", {"x": value}, "beyond a float", schema={"x": "float"})
        self.assertEqual(self.feature("ofrecord", 1e300), ("double", [1e300]))
        self.assertEqual(self.feature("example", math.inf), ("float", [math.inf]))

    def test_values_that_the_schema_does_not_allow_are_refused(self) -> None:
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

    def test_a_single_value_among_lists_of_steps_is_refused(self) -> None:
        for value in ([[1], 2, [3]], [[1], "a"], [np.arange(2), 3]):
            self.refused("sequence_example", {"x": value}, "record 1: feature 'x'.*among lists")

    def test_steps_of_different_kinds_are_refused(self) -> None:
        for value in ([[1], ["a"]], [[1], [1.5]], [1, [2]], [[1], [[2]]], [[None]]):
            self.refused("sequence_example", {"x": value}, "record 1: feature 'x'")
        for value in (5, "text", b"bytes", {"a": 1}):
            self.refused("sequence_example", {"x[]": value}, "record 1: feature 'x'")

    def test_an_empty_ofrecord_is_refused(self) -> None:
        for record in (b"", bytearray(), {}, {"x": None}):
            self.refused("ofrecord", record, "record 1.*empty")
        self.assertEqual(len(self.written("example", {}, b"", {"x": None})), 3)

    def test_a_record_of_a_wrong_type_is_a_type_error(self) -> None:
        for record in (5, None, "text", [1], object()):
            self.refused("example", record, "a record is bytes or a mapping", TypeError)
        for record in ({1: 1}, {None: 1}, {("a",): 1}):
            self.refused("example", record, "features are named by", TypeError)

    def test_feature_names_that_readers_would_refuse_are_refused(self) -> None:
        self.refused("example", {b"\xff": 1}, "UTF-8")
        self.refused("example", {"\udcff": 1}, "UTF-8")
        self.refused("example", {"a": 1, b"a": 2}, "record 1.*'a'")
        (message,) = records.walk_ofrecord(self.one_ofrecord({"\udcff": 1})).payloads
        self.assertIn(b"\xff", message)

    def one_ofrecord(self, record: Any) -> bytes:
        with ofindex.Writer(self.dir / "part-0") as writer:
            writer.write(record)
        return (self.dir / "part-0").read_bytes()

    def test_a_dictionary_that_changes_while_it_is_written_is_an_error(self) -> None:
        record: dict[str, Any] = {"a": 1}

        class Growing:
            def __index__(self) -> int:
                record[f"more {len(record)}"] = 1
                return 1

        record["b"] = Growing()
        self.refused("example", record, "changed", RuntimeError)

    def test_exceptions_raised_by_values_are_passed_on(self) -> None:
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

    def test_invalid_combinations_of_arguments_are_value_errors(self) -> None:
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


if __name__ == "__main__":
    unittest.main()

"""Dataset.batch and ofindex.decode: every form of feature, every dtype, what is refused, and the arrays."""

from __future__ import annotations

import gc
import math
import pickle
import weakref
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import ofindex
from ofindex import BytesArray, Ragged, fixed, ragged, raw
from oracle import messages, records
from python.work import FEATURES, WorkTest, example

INTEGERS = ("bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64")
FLOATS = ("float32", "float64")

NAN, INFINITY = math.nan, math.inf

# A feature of one record: (kind, values). None: the record does not have it.
Value = tuple[str, Sequence[Any]] | None


def payloads_of(values: Sequence[Value], kind: str = "example") -> list[bytes]:
    """A message for each of `values`, as its feature "x"; there is another feature beside it."""
    beside = ("int64", [7])
    return [messages.encode(kind, {"beside": beside} if v is None else {"beside": beside, "x": v}) for v in values]


def decoded(feature: ofindex.Feature, values: Sequence[Value], kind: str = "example") -> Any:
    """What `feature` makes of the records that have `values`."""
    return ofindex.decode(payloads_of(values, kind), {"x": feature}, kind)["x"]


def plain(value: Any) -> Any:
    """An array of any class as (what it is, shape or lengths, values)."""
    if isinstance(value, Ragged):
        inner = value.values
        return ("ragged", "bytes" if isinstance(inner, BytesArray) else inner.dtype.name, value.tolist())
    if isinstance(value, BytesArray):
        return ("bytes", value.shape, value.tolist())
    return (value.dtype.name, value.shape, value.tolist())


class BatchTest(WorkTest):
    def check_error(self, texts: Sequence[str], feature: ofindex.Feature, values: Sequence[Value], kind: str) -> None:
        """Decoding fails with a FeatureError that has all of `texts`, and a hint."""
        payloads = payloads_of(values, kind)
        with self.assertRaises(ofindex.FeatureError, msg=f"{feature} {values}") as raised:
            ofindex.decode(payloads, {"x": feature}, kind)  # type: ignore[arg-type]
        for text in texts:
            self.assertIn(text, str(raised.exception), f"{feature} {values}")
        self.assertTrue(raised.exception.hint)


class FixedTest(BatchTest):
    def test_every_dtype_takes_its_kinds_to_the_ends_of_its_range(self) -> None:
        for name in INTEGERS:
            least, most = (0, 1) if name == "bool" else (int(np.iinfo(name).min), int(np.iinfo(name).max))
            ends = [least, min(most, 2**63 - 1)]
            for kind, payload in (("int64", "example"), ("int64", "ofrecord"), ("int32", "ofrecord")):
                fit = [value for value in ends if kind == "int64" or -(2**31) <= value < 2**31]
                array = decoded(fixed(name), [(kind, [value]) for value in fit], payload)
                self.assertEqual(plain(array), (name, (len(fit),), fit), (name, kind))
            for value in {least - 1, most + 1}:
                if -(2**63) <= value < 2**63:
                    texts = ["record 1", "feature 'x'", f"{value} does not fit {name}"]
                    self.check_error(texts, fixed(name), [("int64", [0]), ("int64", [value])], "example")
        for name in FLOATS:
            for kind, payload in (("float", "example"), ("float", "ofrecord"), ("double", "ofrecord")):
                values = [0.5, -0.0, INFINITY, -INFINITY, NAN, 2.0**-149]
                array = decoded(fixed(name), [(kind, [value]) for value in values], payload)
                self.assertEqual(array.dtype, name)
                np.testing.assert_array_equal(array, values)
                self.assertEqual(np.signbit(array).tolist()[:4], [False, True, False, True])
        self.assertEqual(
            plain(decoded(fixed("bytes"), [("bytes", [b"\0\xff"]), ("bytes", [b""])])),
            ("bytes", (2,), [b"\0\xff", b""]),
        )

    def test_dtypes_are_spelled_as_numpy_does(self) -> None:
        for dtype in ("int16", np.int16, np.dtype("int16"), np.dtype(">i2"), "i2", "short"):
            self.assertEqual(fixed(dtype), fixed("int16"))
        self.assertEqual([fixed(of).dtype for of in (bool, int, float, bytes)], ["bool", "int64", "float64", "bytes"])

    def test_a_double_is_rounded_to_a_float_but_not_to_infinity(self) -> None:
        self.assertEqual(decoded(fixed("float32"), [("double", [0.1])], "ofrecord")[0], np.float32(0.1))
        self.check_error(["1e+300 does not fit float32"], fixed("float32"), [("double", [1e300])], "ofrecord")

    def test_shapes(self) -> None:
        numbers, strings = list(range(6)), [b"%d" % i for i in range(6)]
        for shape in (
            (),
            1,
            (1,),
            3,
            (3,),
            [2, 3],
            (2, 3),
            np.array([3, 2]),
            np.int64(6),
            (1, 6, 1),
            0,
            (0,),
            (2, 0, 3),
        ):
            sizes = fixed("int64", shape).shape  # type: ignore[arg-type]
            count = math.prod(sizes)
            for kind, dtype, values in (
                ("int64", "int32", numbers),
                ("float", "float64", numbers),
                ("bytes", "bytes", strings),
            ):
                rows = [values[:count], values[:count][::-1]]
                array = decoded(fixed(dtype, shape), [(kind, row) for row in rows])  # type: ignore[arg-type]
                expected = np.array(rows, dtype=object if dtype == "bytes" else dtype).reshape((2, *sizes))
                self.assertEqual(array.shape, expected.shape, sizes)
                self.assertEqual(array.tolist(), expected.tolist(), sizes)

    def test_a_record_without_the_feature_has_the_default(self) -> None:
        # dtype, shape, default, a record that has it, expected
        table: list[tuple[str, Any, Any, Any, Any]] = [
            ("int64", (), -1, ("int64", [5]), [5, -1]),
            ("uint8", (), 255, ("int64", [5]), [5, 255]),
            ("bool", (), True, ("int64", [0]), [False, True]),
            ("int64", (), 2.0, ("int64", [5]), [5, 2]),
            ("int64", (), np.int8(3), ("int64", [5]), [5, 3]),
            ("int64", (), [3], ("int64", [5]), [5, 3]),
            ("float32", (), 0.5, ("float", [1.5]), [1.5, 0.5]),
            ("float64", (), 2**53 + 1, ("float", [1.5]), [1.5, 2.0**53]),
            ("float32", (), INFINITY, ("float", [1.5]), [1.5, INFINITY]),
            ("int32", (3,), 9, ("int64", [1, 2, 3]), [[1, 2, 3], [9, 9, 9]]),
            ("int32", (3,), [7, 8, 9], ("int64", [1, 2, 3]), [[1, 2, 3], [7, 8, 9]]),
            ("int32", (1, 2), np.array([[7, 8]]), ("int64", [1, 2]), [[[1, 2]], [[7, 8]]]),
            ("int32", (2,), np.arange(6)[1::3], ("int64", [1, 2]), [[1, 2], [1, 4]]),
            ("int32", (0,), 9, ("int64", []), [[], []]),
            ("int32", (0,), [], ("int64", []), [[], []]),
            ("bytes", (), b"\xff\0", ("bytes", [b"a"]), [b"a", b"\xff\0"]),
            ("bytes", (), "é", ("bytes", [b"a"]), [b"a", "é".encode()]),
            ("bytes", (), "", ("bytes", [b"a"]), [b"a", b""]),
            ("bytes", (), bytearray(b"ab"), ("bytes", [b"a"]), [b"a", b"ab"]),
            ("bytes", (2,), b"d", ("bytes", [b"a", b"b"]), [[b"a", b"b"], [b"d", b"d"]]),
            ("bytes", (2,), [b"d", "e"], ("bytes", [b"a", b"b"]), [[b"a", b"b"], [b"d", b"e"]]),
            ("bytes", (1, 2), [["d", "e"]], ("bytes", [b"a", b"b"]), [[[b"a", b"b"]], [[b"d", b"e"]]]),
            ("bytes", (2,), np.array([b"d", b"e"]), ("bytes", [b"a", b"b"]), [[b"a", b"b"], [b"d", b"e"]]),
        ]
        for dtype, shape, default, value, expected in table:
            feature = fixed(dtype, shape, default)
            self.assertEqual(decoded(feature, [value, None]).tolist(), expected, feature)
            self.assertEqual(decoded(feature, [value, ("none", [])]).tolist(), expected, feature)
            self.assertEqual(decoded(feature, [None]).tolist(), expected[1:], feature)

    def test_a_default_is_for_absent_features_alone(self) -> None:
        self.check_error(["0 values; expected 1"], fixed("int64", (), 5), [("int64", [])], "example")
        self.check_error(["data types don't match"], fixed("int64", (), 5), [("float", [])], "example")

    def test_defaults_that_compare_equal_are_not_mixed_up(self) -> None:
        for default in (0.0, -0.0, 0, False, 0.0):
            self.assertEqual(
                bool(np.signbit(decoded(fixed("float64", (), default), [None])[0])), str(default)[0] == "-"
            )
        array = np.array([1, 2])
        feature = fixed("int64", 2, array)
        array[0] = 9
        self.assertEqual(decoded(feature, [None]).tolist(), [[1, 2]])
        self.assertEqual(hash(feature), hash(fixed("int64", (2,), [1, 2])))

    def test_what_a_record_does_not_have_is_an_error_that_says_all(self) -> None:
        good = ("int64", [1, 2])
        # values of record 1, feature, texts
        table: list[tuple[Value, ofindex.Feature, list[str]]] = [
            (None, fixed("int64", 2), ["not in the record", "no default"]),
            (("none", []), fixed("int64", 2), ["no kind", "no default"]),
            (("int64", [1]), fixed("int64", 2), ["1 value;", "expected 2"]),
            (("int64", []), fixed("int64", 2), ["0 values", "expected 2"]),
            (("int64", [1, 2, 3]), fixed("int64", 2), ["3 values", "expected 2"]),
            (("int64", [1] * 2000), fixed("int64", (2, 1)), ["2,000 values", "expected 2"]),
            (("float", [1, 2]), fixed("int64", 2), ["data types don't match", "float", "int64"]),
            (("bytes", [b"1", b"2"]), fixed("int64", 2), ["data types don't match", "bytes", "int64"]),
            (("int64", [1, 300]), fixed("uint8", 2), ["300 does not fit uint8"]),
            (("int64", [-1, 300]), fixed("uint8", 2), ["-1 does not fit uint8"]),
            (("int64", [1, 2]), fixed("bool", 2), ["2 does not fit bool"]),
        ]
        for value, feature, texts in table:
            first: Value = ("int64", [0, 1]) if feature.dtype == "bool" else good
            self.check_error(["record 1", "feature 'x'", *texts], feature, [first, value], "example")
        for feature in (fixed("float32", 2), fixed("bytes", 2), fixed("float64", 2)):
            self.check_error(["data types don't match", "int64", feature.dtype], feature, [good], "example")


class RaggedTest(BatchTest):
    def test_rows_of_every_dtype(self) -> None:
        cases = [
            *((name, "int64", [[1, 0], [], [1]]) for name in INTEGERS),
            *((n, "float", [[1.5], [], [NAN]]) for n in FLOATS),
        ]
        for name, kind, rows in cases:
            array = decoded(ragged(name), [(kind, row) for row in rows])
            self.assertIsInstance(array, Ragged)
            self.assertEqual(array.values.dtype, name)
            self.assertEqual(
                (array.offsets.dtype, array.offsets.tolist()), (np.int64, np.cumsum([0, *map(len, rows)]).tolist())
            )
            np.testing.assert_array_equal(array.values, np.concatenate(rows))
        strings = [[b"a", b"", b"\0\xff"], [], [b"bc"]]
        array = decoded(ragged("bytes"), [("bytes", row) for row in strings])
        self.assertEqual(plain(array), ("ragged", "bytes", strings))

    def test_a_row_is_empty_where_there_is_nothing(self) -> None:
        for kind, dtype in (("int64", "int64"), ("float", "float32"), ("bytes", "bytes")):
            value = (kind, [b"1"] if kind == "bytes" else [1])
            array = decoded(ragged(dtype), [None, ("none", []), (kind, []), value, None])
            self.assertEqual(array.lengths.tolist(), [0, 0, 0, 1, 0])
            self.assertEqual(decoded(ragged(dtype), [None, None]).tolist(), [[], []])

    def test_wrong_kinds_and_values_are_errors(self) -> None:
        self.check_error(["record 0", "'x'", "float"], ragged("int64"), [("float", [1])], "example")
        self.check_error(["record 0", "'x'", "float"], ragged("int64"), [("float", [])], "example")
        self.check_error(
            ["record 1", "'x'", "-129 does not fit int8"], ragged("int8"), [None, ("int64", [1, -129])], "example"
        )


class RawTest(BatchTest):
    def test_bytes_are_the_memory_of_an_array(self) -> None:
        for name in (*INTEGERS, *FLOATS):
            arrays = np.array([[1, 0, 1], [0, 1, 1]], dtype=name)
            made = decoded(raw(name, (1, 3)), [("bytes", [array.tobytes()]) for array in arrays])
            self.assertEqual(plain(made), (name, (2, 1, 3), arrays.reshape(2, 1, 3).tolist()))
        pattern = bytes(range(0x70, 0x90))
        for name in (*INTEGERS[1:], *FLOATS):
            count = len(pattern) // np.dtype(name).itemsize
            made = decoded(raw(name, count), [("bytes", [pattern])])
            self.assertEqual(made.tobytes(), pattern, name)  # NaNs keep their bits

    def test_numbers_are_cast_one_by_one(self) -> None:
        # dtype, kind, values, expected
        table: list[tuple[str, str, list[Any], list[Any]]] = [
            ("uint8", "int64", [0, 255], [0, 255]),
            ("float32", "int64", [-(2**63), 2**24 + 1], [-(2.0**63), 2.0**24]),
            ("int8", "float", [-128.9, 127.9], [-128, 127]),
            ("uint8", "float", [-0.9, 255.5], [0, 255]),
            ("int64", "double", [-1.5, 2.0**53], [-1, 2**53]),
            ("float32", "double", [0.1, NAN], [float(np.float32(0.1)), NAN]),
            ("float64", "float", [0.5, INFINITY], [0.5, INFINITY]),
            ("bool", "float", [0.0, 1.0], [False, True]),
            ("int32", "int32", [-(2**31), 2**31 - 1], [-(2**31), 2**31 - 1]),
        ]
        for dtype, kind, values, expected in table:
            array = decoded(raw(dtype, 2), [(kind, values)], "ofrecord")
            self.assertEqual(array.dtype, dtype)
            np.testing.assert_array_equal(array, [expected], f"{dtype} {kind}")

    def test_truncate_cuts_and_pad_fills_up_with_zeros(self) -> None:
        values: list[tuple[str, list[Any]]] = [("int64", [1, 2]), ("float", [1, 2]), ("bytes", [b"\1\0\2\0"])]
        for value in values:
            self.assertEqual(decoded(raw("int16", 1, truncate=True), [value]).tolist(), [[1]])
            self.assertEqual(decoded(raw("int16", (), truncate=True), [value]).tolist(), [1])
            self.assertEqual(decoded(raw("int16", 0, truncate=True), [value]).tolist(), [[]])
            self.assertEqual(decoded(raw("int16", (2, 2), pad=True), [value]).tolist(), [[[1, 2], [0, 0]]])
            for size in (1, 2, 4):
                array = decoded(raw("int16", size, truncate=True, pad=True), [value, value])
                self.assertEqual(array.tolist(), [[1, 2, 0, 0][:size]] * 2)
            self.check_error(["'x'", "2 items", "expected 1"], raw("int16", 1, pad=True), [value], "example")
            self.check_error(["'x'", "2 items", "expected 3"], raw("int16", 3, truncate=True), [value], "example")
        self.assertEqual(decoded(raw("int16", 2, pad=True), [("int64", []), ("bytes", [b""])]).tolist(), [[0, 0]] * 2)
        # What is cut off need not fit.
        self.assertEqual(decoded(raw("uint8", 1, truncate=True), [("int64", [1, 999])]).tolist(), [[1]])

    def test_what_does_not_fit_is_an_error(self) -> None:
        table: list[tuple[Value, ofindex.Feature, list[str]]] = [
            (None, raw("uint8", 2, pad=True), ["not in the record"]),
            (("none", []), raw("uint8", 2, pad=True), ["no kind"]),
            (("bytes", []), raw("uint8", 2, pad=True), ["0 byte strings", "expected 1"]),
            (("bytes", [b"ab", b"cd"]), raw("uint8", 2), ["2 byte strings", "expected 1"]),
            (("bytes", [b"abc"]), raw("int16", 2, truncate=True, pad=True), ["3 bytes", "multiple of 2", "int16"]),
            (("bytes", [b"\0\2"]), raw("bool", 2), ["2 does not fit bool"]),
            (("int64", [1, 256]), raw("uint8", 2), ["256 does not fit uint8"]),
            (("float", [1, NAN]), raw("uint8", 2), ["nan does not fit uint8"]),
            (("float", [1, 256]), raw("uint8", 2), ["256 does not fit uint8"]),
            (("float", [1, 0.5]), raw("bool", 2), ["0.5 does not fit bool"]),
        ]
        for value, feature, texts in table:
            self.check_error(["record 1", "feature 'x'", *texts], feature, [("int64", [0, 1]), value], "example")


class PayloadTest(BatchTest):
    def test_the_lists_of_a_sequence_example_are_joined_step_by_step(self) -> None:
        steps: list[dict[str, Any]] = [
            {"tokens": [("int64", [1, 2]), ("int64", []), ("none", []), ("int64", [3])], "words": [("bytes", [b"a"])]},
            {"tokens": [], "words": [("bytes", [b"b", b"c"]), ("bytes", [b""])]},
            {},
        ]
        payloads = [messages.encode_sequence({"label": ("int64", [i])}, lists) for i, lists in enumerate(steps)]
        features = {
            "label": fixed("uint8"),
            "tokens[]": ragged("int16"),
            "words[]": ragged("bytes"),
            "tokens": ragged("int16"),
        }
        batch = ofindex.decode(payloads, features, "sequence_example")
        self.assertEqual(batch["label"].tolist(), [0, 1, 2])
        self.assertEqual(batch["tokens[]"].tolist(), [[1, 2, 3], [], []])
        self.assertEqual(batch["words[]"].tolist(), [[b"a"], [b"b", b"c", b""], []])
        self.assertEqual(batch["tokens"].tolist(), [[], [], []])  # is a list, and no feature
        ds = ofindex.build(self.write("steps/", payloads))
        self.assertEqual(ds.batch([1, 0], features)["words[]"], batch["words[]"].tolist()[1::-1])
        self.assertEqual(ds[:1].batch([0], {"tokens[]": fixed("int64", 3)})["tokens[]"].tolist(), [[1, 2, 3]])
        with self.assertRaisesRegex(ofindex.FeatureError, r"record 1.*tokens\[\]"):
            ds.batch([0, 1], {"tokens[]": fixed("int64", 3)})
        mixed = messages.encode_sequence({}, {"tokens": [("int64", [1]), ("float", [1])]})
        with self.assertRaisesRegex(ofindex.FeatureError, "steps differ in kind"):
            ofindex.decode([mixed], {"tokens[]": ragged("int64")}, "sequence_example")

    def test_ofrecords_have_int32_and_double(self) -> None:
        payloads = [
            messages.encode("ofrecord", {"i": ("int32", [-i, i]), "d": ("double", [i / 3]), "b": ("bytes", [b"x" * i])})
            for i in range(50)
        ]
        features = {"i": fixed("int8", 2), "d": fixed("float64"), "b": fixed("bytes")}
        ds = ofindex.build(self.write("of/", payloads, records.OFRECORD))
        for batch in (ds.batch(range(50), features), ofindex.decode(payloads, features, "ofrecord")):
            self.assertEqual(batch["i"].tolist(), [[-i, i] for i in range(50)])
            self.assertEqual(batch["d"].tolist(), [i / 3 for i in range(50)])
            self.assertEqual(batch["b"], [b"x" * i for i in range(50)])

    def test_names_may_be_any_bytes(self) -> None:
        name = b"\xff/\xc3\x28"
        entry = b"\x0a\x04" + name + b"\x12\x05\x2a\x03\x0a\x01\x07"  # int64_list of 7, field 5 of OneFlow's Feature
        payload = b"\x0a" + bytes([len(entry)]) + entry
        ds = ofindex.build(self.write("of/", [payload] * 4, records.OFRECORD), format="ofrecord", payload="ofrecord")
        text = next(iter(ds.record(0)))
        for key in (name, name.decode("utf-8", "surrogateescape"), text):
            batch = ds.batch([0, 1], {key: fixed("int64")})
            self.assertEqual(list(batch), [key])
            self.assertEqual(batch[key].tolist(), [7, 7])
        with self.assertRaisesRegex(ofindex.FeatureError, "record 0: feature .*xff"):
            ds.batch([0], {name: fixed("bytes")})
        odd = {name: ("int64", [i]) for i, name in enumerate(("", "é", "a b", 'q"\n\0', "x" * 5000, "📷"))}
        batch = ofindex.decode([messages.encode("example", odd)], {name: fixed("int64") for name in odd})
        self.assertEqual([array.tolist() for array in batch.values()], [[i] for i in range(len(odd))])

    def test_an_empty_payload_has_no_features(self) -> None:
        for kind in ("example", "sequence_example", "ofrecord"):
            batch = ofindex.decode([b"", b""], {"a": ragged("bytes"), "b": fixed("int8", (), 5)}, kind)
            self.assertEqual((batch["a"].tolist(), batch["b"].tolist()), ([[], []], [5, 5]))

    def test_what_is_no_message_is_damage_and_named(self) -> None:
        payloads = [example(number) for number in range(300)]
        for bad in (b"\xff", b"\x0a\x05abc", payloads[0][:-1], b"\x0b"):
            payloads[200] = bad
            with self.assertRaisesRegex(ofindex.DamageError, "record 200"):
                ofindex.decode(payloads, FEATURES)
        with self.assertRaises(ofindex.FeatureError) as raised:
            ofindex.build(self.write("text", [b"some text", b"more of it"] * 4)).batch([1], FEATURES)
        self.assertIn("record 1", str(raised.exception))
        self.assertIn("opaque", str(raised.exception))

    def test_a_payload_is_bytes(self) -> None:
        for payloads in (["text"], [None], [bytearray(b"")], [b"", memoryview(b"")], b"bytes"):
            with self.assertRaisesRegex(TypeError, "expected bytes"):
                ofindex.decode(payloads, FEATURES)  # type: ignore[arg-type]
        with self.assertRaises(TypeError):
            ofindex.decode(5, FEATURES)  # type: ignore[arg-type]
        for kind in ("opaque", "json", ""):
            with self.assertRaisesRegex(ValueError, "'example', 'sequence_example' or 'ofrecord'"):
                ofindex.decode([], FEATURES, kind)  # type: ignore[arg-type]


class NumbersTest(BatchTest):
    def setUp(self) -> None:
        super().setUp()
        self.payloads = [example(number) for number in range(100)]
        self.ds = ofindex.build(self.write("data/", self.payloads))

    def weights(self, numbers: Any, ds: ofindex.Dataset | None = None) -> list[float]:
        """Of records `numbers`: times 8, which their numbers are."""
        array = (self.ds if ds is None else ds).batch(numbers, FEATURES)["weight"]
        assert isinstance(array, np.ndarray)
        return (array * 8).tolist()

    def test_order_repeats_and_negative_numbers(self) -> None:
        numbers = [3, 1, 4, 1, 5, -1, 99, -100, 0]
        expected = [number % 100 for number in numbers]
        for form in (
            numbers, tuple(numbers), np.array(numbers), np.array(numbers, dtype=np.int8), iter(numbers),
            (n for n in numbers), [np.int16(n) for n in numbers],
        ):  # fmt: skip
            self.assertEqual(self.weights(form), expected, type(form))
        batch = self.ds.batch(numbers, FEATURES)
        self.assertEqual(batch["name"], [b"record %d" % number for number in expected])
        self.assertEqual(batch["boxes"].tolist(), [list(range(number % 10)) for number in expected])

    def test_numbers_in_any_clothes(self) -> None:
        self.assertEqual(self.weights(range(90, 10, -7)), list(range(90, 10, -7)))
        self.assertEqual(self.weights(np.arange(100)[::-3]), list(range(99, -1, -3)))
        self.assertEqual(self.weights(np.arange(5, dtype=np.uint64)), [0, 1, 2, 3, 4])
        self.assertEqual(sorted(self.weights({7, 3, 5})), [3, 5, 7])
        self.assertEqual(self.weights({7: "a", 3: "b"}.keys()), [7, 3])
        self.assertEqual(self.weights(memoryview(np.array([4, 2]))), [4, 2])
        for nothing in ([], (), range(0), np.array([]), np.array([], dtype=int), iter(()), set()):
            batch = self.ds.batch(nothing, {**FEATURES, "m": fixed("int8", (2, 3), 0), "b": fixed("bytes", (2,), "")})
            self.assertEqual([array.tolist() for array in batch.values()], [[]] * 6)
            self.assertEqual((batch["m"].shape, batch["b"].shape, len(batch["boxes"])), ((0, 2, 3), (0, 2), 0))  # type: ignore[union-attr]

    def test_numbers_of_a_view_are_its_own(self) -> None:
        self.assertEqual(self.weights([0, -1], self.ds[10:20]), [10, 19])
        self.assertEqual(self.weights([2, 0], self.ds.where("label = 7")), [27, 7])
        self.assertEqual(self.weights(range(3), self.ds[::-1][[5, 5, 1]]), [94, 94, 98])
        with self.assertRaisesRegex(ofindex.FeatureError, "record 11: feature 'boxes'"):
            self.ds[10:20].batch([0, 1], {"boxes": fixed("float32", 0)})
        with self.assertRaises(IndexError):
            self.ds[10:20].batch([10], FEATURES)

    def test_what_is_no_number_of_a_record(self) -> None:
        for numbers in ([100], [0, -101], [2**63], [-(2**200)], np.array([100]), range(99, 101), iter([100])):
            with self.assertRaises(IndexError, msg=repr(numbers)):
                self.ds.batch(numbers, FEATURES)
        for numbers in (
            5,
            None,
            [1.0],
            ["1"],
            "12",
            [None],
            np.array([1.0]),
            [True],
            np.array([True]),
            np.array([[1]]),
            [[1]],
        ):
            with self.assertRaises(TypeError, msg=repr(numbers)):
                self.ds.batch(numbers, FEATURES)  # type: ignore[arg-type]


class LargeTest(BatchTest):
    COUNT = 20_000

    def setUp(self) -> None:
        super().setUp()
        some = [example(number) for number in range(1000)]
        self.payloads = [some[i * 7 % 1000] for i in range(self.COUNT)]

    def test_any_number_of_threads_gives_the_same_arrays(self) -> None:
        features = {**FEATURES, "boxes2": ragged("float64")}
        one = ofindex.decode(self.payloads, FEATURES, threads=1)
        numbers = [i * 7 % 1000 for i in range(self.COUNT)]
        self.assertEqual((one["weight"] * 8).tolist(), numbers)  # type: ignore[operator]
        self.assertEqual(one["name"], [b"record %d" % number for number in numbers])
        self.assertEqual(one["boxes"].lengths.tolist(), [number % 10 for number in numbers])  # type: ignore[union-attr]
        ds = ofindex.build(self.write("data/", self.payloads[:5000]))
        for threads in (2, 4, None):
            many = ofindex.decode(self.payloads, FEATURES, threads=threads)
            for name in FEATURES:
                self.assertEqual(plain(many[name]), plain(one[name]), (threads, name))
            read = ds.batch(range(5000), features, threads=threads)
            for name in FEATURES:
                self.assertEqual(read[name].tolist(), one[name].tolist()[:5000])

    def test_a_bad_record_deep_in_a_batch_is_named_whoever_finds_it(self) -> None:
        self.payloads[15_123] = messages.encode("example", {"label": ("int64", [1, 2])})
        self.payloads[17_000] = b"\xff"
        texts = set()
        for threads in (1, 2, 4, None):
            with self.assertRaises(ofindex.FeatureError) as raised:
                ofindex.decode(self.payloads, FEATURES, threads=threads)
            texts.add(str(raised.exception))
        self.assertEqual(len(texts), 1)
        self.assertRegex(texts.pop(), r"record 15,?123: feature 'label': 2 values; expected 1")
        ds = ofindex.build(self.write("data/", self.payloads[15_000:]))
        for threads in (1, 4):
            with self.assertRaises(ofindex.FeatureError) as raised:
                ds.batch(range(1000), FEATURES, threads=threads)
            texts.add(str(raised.exception))
        self.assertEqual(len(texts), 1)
        self.assertRegex(texts.pop(), r"part-0@\d+: record 123: feature 'label'")
        # The order asked for decides which of two is the first.
        with self.assertRaisesRegex(ofindex.DamageError, "2,?000"):
            ds.batch([5, 2000, 123], FEATURES)

    def test_threads_are_one_and_more(self) -> None:
        for threads in (0, -1):
            with self.assertRaisesRegex(ValueError, "threads"):
                ofindex.decode([], FEATURES, threads=threads)
        with self.assertRaises(TypeError):
            ofindex.decode([], FEATURES, threads="4")  # type: ignore[arg-type]


class ArgumentsTest(BatchTest):
    def test_features_are_a_dict_of_features(self) -> None:
        ds = self.examples(4)
        table: list[tuple[Any, type[Exception], str]] = [
            ({}, ValueError, "empty"),
            ([], TypeError, "dict"),
            (None, TypeError, "dict"),
            (["label"], TypeError, "dict"),
            ({"label": "int64"}, TypeError, "'label'.*fixed.*not str"),
            ({"label": np.int64}, TypeError, "'label'.*fixed"),
            ({"label": ofindex.fixed}, TypeError, "'label'.*fixed"),
            ({5: fixed("int64")}, TypeError, "str or bytes, not by int"),
            ({"x": fixed("int64"), b"x": fixed("int64")}, ValueError, "'x'.*twice"),
        ]
        for features, error, text in table:
            with self.assertRaisesRegex(error, text):
                ds.batch([0], features)
            with self.assertRaisesRegex(error, text):
                ofindex.decode([], features)

    def test_features_that_make_no_sense(self) -> None:
        table: list[tuple[Any, type[Exception], str]] = [
            (lambda: fixed("foo"), TypeError, "'foo'.*expected one of bool, .*bytes"),
            (lambda: fixed("str"), ValueError, "str.*expected one of"),
            (lambda: fixed("complex64"), ValueError, "complex64.*expected one of"),
            (lambda: fixed("float16"), ValueError, "float16.*expected one of"),
            (lambda: fixed(None), TypeError, "None.*expected one of"),
            (lambda: ragged(object), ValueError, "object.*expected one of"),
            (lambda: raw("bytes", 4), ValueError, "numeric"),
            (lambda: fixed("int64", -1), ValueError, "sizes of 0 and more"),
            (lambda: fixed("int64", (2, None)), TypeError, "integer"),
            (lambda: raw("int64", 1.5), TypeError, "integer"),
            (lambda: raw("int64", "12"), TypeError, "integer"),
            (lambda: fixed("int64", (2**40, 2**40)), ValueError, "at most"),
            (lambda: fixed("uint8", (), 256), ValueError, "256 does not fit uint8"),
            (lambda: fixed("uint8", (), -1), ValueError, "-1 does not fit uint8"),
            (lambda: fixed("int64", (), 2**63), ValueError, "does not fit int64"),
            (lambda: fixed("int64", (), 2**200), ValueError, "does not fit int64"),
            (lambda: fixed("int64", (), 1.5), ValueError, "1.5 does not fit int64"),
            (lambda: fixed("int64", (), NAN), ValueError, "nan does not fit int64"),
            (lambda: fixed("bool", (), 2), ValueError, "2 does not fit bool"),
            (lambda: fixed("float32", (), 1e300), ValueError, "1e\\+300 does not fit float32"),
            (lambda: fixed("int64", (), "5"), TypeError, "'5': expected numbers"),
            (lambda: fixed("int64", (), b"5"), TypeError, "b'5': expected numbers"),
            (lambda: fixed("int64", (), [None]), TypeError, "expected numbers"),
            (lambda: fixed("float32", (), 1j), TypeError, "expected numbers"),
            (lambda: fixed("bytes", (), 5), TypeError, "5: expected bytes or str"),
            (lambda: fixed("bytes", (), [None]), TypeError, "expected bytes or str"),
            (lambda: fixed("int64", (3,), [1, 2]), ValueError, r"shape \(2,\): expected one value, or shape \(3,\)"),
            (lambda: fixed("int64", (2, 3), range(6)), ValueError, r"shape \(6,\).*\(2, 3\)"),
            (lambda: fixed("int64", (), [1, 2]), ValueError, r"shape \(2,\)"),
            (lambda: fixed("int64", (2,), []), ValueError, r"shape \(0,\)"),
            (lambda: fixed("bytes", (2, 3), ["a"] * 6), ValueError, r"shape \(6,\).*\(2, 3\)"),
            (lambda: fixed("bytes", (), []), ValueError, r"shape \(0,\)"),
        ]
        for make, error, text in table:
            with self.assertRaisesRegex(error, text):
                make()

    def test_a_feature_is_a_value(self) -> None:
        features = [fixed("int8"), fixed("int8", 1), fixed("int8", (), 0), fixed("int8", (), 1), fixed("bytes", (), "")]
        features += [ragged("int8"), raw("int8", ()), raw("int8", (), pad=True), raw("int8", (), truncate=True)]
        self.assertEqual(len(set(features)), len(features))
        for feature in features:
            twin = pickle.loads(pickle.dumps(feature))
            self.assertEqual((twin, hash(twin), repr(twin)), (feature, hash(feature), repr(feature)))
        self.assertIn("int8", repr(features[0]))
        self.assertEqual(raw("int8", (), truncate=1, pad=0), raw("int8", (), truncate=True))  # type: ignore[arg-type]


class BytesArrayTest(BatchTest):
    VALUES = (b"zero", b"", b"two\0\xff", b"3" * 300)

    def setUp(self) -> None:
        super().setUp()
        self.array = decoded(fixed("bytes"), [("bytes", [value]) for value in self.VALUES])
        rows = [[value, b"x", value + b"y"] for value in self.VALUES]
        self.rows = rows
        self.table = decoded(fixed("bytes", (3, 1)), [("bytes", row) for row in rows])

    def test_it_is_a_sequence_of_bytes(self) -> None:
        values = list(self.VALUES)
        self.assertIsInstance(self.array, BytesArray)
        self.assertEqual((len(self.array), self.array.shape), (4, (4,)))
        self.assertEqual((list(self.array), self.array.tolist(), self.array[:].tolist()), (values, values, values))
        self.assertEqual(list(reversed(self.array)), values[::-1])
        self.assertIn(b"two\0\xff", self.array)
        self.assertEqual((self.array.index(b""), self.array.count(b""), b"no" in self.array), (1, 1, False))
        for index in (0, 3, -1, -4, np.int64(2), np.uint8(1)):
            self.assertEqual(self.array[index], values[index])
            self.assertIsInstance(self.array[index], bytes)
            self.assertEqual(bytes(self.array.view(index)), values[index])
        for index in (4, -5, 2**70):
            with self.assertRaises(IndexError):
                self.array[index]
            with self.assertRaises(IndexError):
                self.array.view(index)
        for index in (1.0, "1", None, b"1"):
            with self.assertRaises(TypeError):
                self.array[index]

    def test_slices_share_the_buffer(self) -> None:
        for key in (slice(1, 3), slice(None), slice(-2, None), slice(3, 1), slice(2, 99), slice(0, 0)):
            part = self.array[key]
            self.assertIsInstance(part, BytesArray)
            self.assertEqual(
                (part.tolist(), list(part), len(part)), (list(self.VALUES)[key],) * 2 + (len(self.VALUES[key]),)
            )
            self.assertTrue(np.shares_memory(part.data, self.array.data))
            self.assertEqual(part[:1].tolist(), list(self.VALUES)[key][:1])
            self.assertEqual(pickle.loads(pickle.dumps(part)), part)
        with self.assertRaisesRegex(ValueError, "step"):
            self.array[::2]
        self.assertEqual(bytes(self.array[2:].view(-2)), self.VALUES[2])

    def test_more_dimensions_are_rows(self) -> None:
        expected = [[[value] for value in row] for row in self.rows]
        self.assertEqual((self.table.shape, len(self.table)), ((4, 3, 1), 4))
        self.assertEqual((self.table.tolist(), [row.tolist() for row in self.table]), (expected, expected))
        self.assertEqual(self.table[-1].shape, (3, 1))
        self.assertEqual(self.table[2][0][0], self.VALUES[2])
        self.assertEqual((self.table[1:3].shape, self.table[1:3].tolist()), ((2, 3, 1), expected[1:3]))
        with self.assertRaises(ValueError):
            self.table.view(0)

    def test_buffer_and_offsets_are_what_they_are_said_to_be(self) -> None:
        array = self.array
        self.assertEqual((array.data.dtype, array.data.tobytes()), (np.uint8, b"".join(self.VALUES)))
        self.assertEqual((array.offsets.dtype, array.offsets.tolist()), (np.int64, [0, 4, 4, 9, 309]))
        view = array.view(2)
        self.assertEqual(bytes(view), self.VALUES[2])
        self.assertTrue(np.shares_memory(np.frombuffer(view, np.uint8), array.data))

    def test_equality_pickles_and_repr(self) -> None:
        again = decoded(fixed("bytes"), [("bytes", [value]) for value in self.VALUES])
        self.assertEqual(self.array, again)
        self.assertEqual(self.array, list(self.VALUES))
        self.assertNotEqual(self.array, again[:3])
        self.assertNotEqual(self.array, list(self.VALUES)[:3])
        self.assertNotEqual(self.array, 5)
        self.assertNotEqual(decoded(fixed("bytes", 2), [("bytes", [b"a", b"b"])]), [b"a", b"b"])
        for array in (self.array, self.table, self.array[:0], self.table[1:2], self.table[1]):
            twin = pickle.loads(pickle.dumps(array))
            self.assertEqual((twin, twin.shape), (array, array.shape))
        self.assertLess(len(pickle.dumps(self.array[:2])), 600)
        self.assertEqual(repr(self.array), "BytesArray(shape=(4,), 309 bytes)")
        self.assertRaises(TypeError, hash, self.array)

    def test_the_list_of_a_part_takes_as_long_as_the_part_has_bytes(self) -> None:
        count = 5_000  # of 4 KiB: a copy of the whole for each row would be 100 GB
        data = np.zeros(count * 4096, dtype=np.uint8)
        ends = np.arange(count + 1, dtype=np.int64)
        self.assertEqual(len(BytesArray(data, ends * 4096, (count, 1)).tolist()), count)
        self.assertEqual(len(Ragged(BytesArray(data, ends * 4096), ends).tolist()), count)


class RaggedArrayTest(BatchTest):
    ROWS = ([1, 2, 3], [], [4], [])

    def setUp(self) -> None:
        super().setUp()
        self.numbers = decoded(ragged("int32"), [("int64", row) for row in self.ROWS])
        self.strings = decoded(ragged("bytes"), [("bytes", [b"%d" % value for value in row]) for row in self.ROWS])

    def test_it_is_a_sequence_of_rows(self) -> None:
        for array, rows in (
            (self.numbers, list(self.ROWS)),
            (self.strings, [[b"%d" % v for v in r] for r in self.ROWS]),
        ):
            self.assertEqual((len(array), array.tolist()), (4, rows))
            self.assertEqual(array.lengths.tolist(), [3, 0, 1, 0])
            self.assertEqual([list(row) for row in array], rows)
            for index in (0, 2, -1, -4, np.int8(1)):
                self.assertEqual(list(array[index]), rows[index])
            for index in (4, -5):
                with self.assertRaises(IndexError):
                    array[index]
            for index in (1.0, "1", None):
                with self.assertRaises(TypeError):
                    array[index]
            self.assertEqual(array, rows)
            self.assertNotEqual(array, rows[:3])
            self.assertNotEqual(array, 5)
            self.assertRaises(TypeError, hash, array)
        self.assertIsInstance(self.numbers[0], np.ndarray)
        self.assertTrue(np.shares_memory(self.numbers[0], self.numbers.values))
        self.assertIsInstance(self.strings[0], list)
        self.assertNotEqual(self.numbers, self.strings)

    def test_a_slice_is_ragged_and_begins_at_0(self) -> None:
        for array in (self.numbers, self.strings):
            for key in (slice(1, 3), slice(None), slice(-2, None), slice(3, 1), slice(2, 99), slice(4, 4)):
                part = array[key]
                self.assertIsInstance(part, Ragged)
                self.assertEqual(part.tolist(), array.tolist()[key])
                self.assertEqual((part.offsets[0], part.offsets[-1]), (0, len(part.values)))
                self.assertEqual(pickle.loads(pickle.dumps(part)), part)
            with self.assertRaisesRegex(ValueError, "step"):
                array[::-1]

    def test_repr(self) -> None:
        self.assertEqual(repr(self.numbers), "Ragged(4 rows, 4 values of int32)")
        self.assertEqual(repr(self.strings), "Ragged(4 rows, 4 values of bytes)")


class MemoryTest(BatchTest):
    def arrays(self, batch: Mapping[str, Any]) -> list[np.ndarray[Any, Any]]:
        """All arrays of numpy that `batch` is made of."""
        found: list[Any] = []
        for value in batch.values():
            inner = value.values if isinstance(value, Ragged) else value
            found += [value.offsets] if isinstance(value, Ragged) else []
            found += [inner.data, inner.offsets] if isinstance(inner, BytesArray) else [inner]
        return found

    def test_arrays_outlive_everything(self) -> None:
        features = {**FEATURES, "names": ragged("bytes"), "pair": fixed("int64", (1, 1), 3)}
        ds = ofindex.build(self.write("data/", [example(number) for number in range(100)]))
        gone = weakref.ref(ds)
        batch = ds.batch(range(100), features)
        before = [array.copy() for array in self.arrays(batch)]
        label = batch["label"]
        (self.dir / "data" / "part-0").write_bytes(b"")
        del ds
        gc.collect()
        self.assertIsNone(gone())
        for array, copied in zip(self.arrays(batch), before, strict=True):
            np.testing.assert_array_equal(array, copied)
            self.assertTrue(array.flags.c_contiguous and array.flags.aligned)
        del batch
        for _ in range(20):  # others would be given its memory
            ofindex.decode([example(1)] * 100, features)
        np.testing.assert_array_equal(label, np.arange(100) % 10)

    def test_arrays_may_be_written_to_and_share_nothing(self) -> None:
        payloads = [example(number) for number in range(10)]
        first, second = (ofindex.decode(payloads, FEATURES) for _ in range(2))
        for array in self.arrays(first):
            array[...] = 0
        self.assertEqual(second["label"].tolist(), list(range(10)))
        self.assertEqual(ofindex.decode(payloads, FEATURES)["name"], second["name"])
        default = np.array([1, 2])
        batch = ofindex.decode([b"", b""], {"d": fixed("int64", 2, default)})
        batch["d"][0] = 9  # type: ignore[index]
        self.assertEqual((default.tolist(), batch["d"].tolist()), ([1, 2], [[9, 9], [1, 2]]))
        self.assertEqual(ofindex.decode([b""], {"d": fixed("int64", 2, default)})["d"].tolist(), [[1, 2]])

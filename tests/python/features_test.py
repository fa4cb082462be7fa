"""Features: every form and dtype, absent features, and invalid specs."""

from __future__ import annotations

import math
import pickle
from typing import Any

import numpy as np
import ofindex
from ofindex import Ragged, fixed, ragged, raw
from python.decoding import FLOATS, INFINITY, INTEGERS, NAN, DecodingTest, Value, decoded, plain


class FixedTest(DecodingTest):
    def test_every_dtype_accepts_its_kinds_over_its_whole_range(self) -> None:
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

    def test_dtypes_have_the_names_of_numpy(self) -> None:
        for dtype in ("int16", np.int16, np.dtype("int16"), np.dtype(">i2"), "i2", "short"):
            self.assertEqual(fixed(dtype), fixed("int16"))
        self.assertEqual([fixed(of).dtype for of in (bool, int, float, bytes)], ["bool", "int64", "float64", "bytes"])

    def test_a_double_is_rounded_to_a_float_but_not_to_infinity(self) -> None:
        self.assertEqual(decoded(fixed("float32"), [("double", [0.1])], "ofrecord")[0], np.float32(0.1))
        self.check_error(["1e+300 does not fit float32"], fixed("float32"), [("double", [1e300])], "ofrecord")

    def test_a_shape_may_be_an_integer_a_sequence_or_an_array(self) -> None:
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
        # dtype, shape, default, the value in record 0, the expected array
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

    def test_a_default_replaces_only_absent_features(self) -> None:
        self.check_error(["0 values; expected 1"], fixed("int64", (), 5), [("int64", [])], "example")
        self.check_error(["data types don't match"], fixed("int64", (), 5), [("float", [])], "example")

    def test_defaults_that_compare_equal_keep_their_own_bits(self) -> None:
        for default in (0.0, -0.0, 0, False, 0.0):
            self.assertEqual(
                bool(np.signbit(decoded(fixed("float64", (), default), [None])[0])), str(default)[0] == "-"
            )
        array = np.array([1, 2])
        feature = fixed("int64", 2, array)
        array[0] = 9
        self.assertEqual(decoded(feature, [None]).tolist(), [[1, 2]])
        self.assertEqual(hash(feature), hash(fixed("int64", (2,), [1, 2])))

    def test_the_error_of_a_missing_or_wrong_feature_has_all_details(self) -> None:
        good = ("int64", [1, 2])
        # the feature "x" of record 1, the spec, texts in the error
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
        self.check_error(["data types don't match", "int64", "bytes"], fixed("bytes", 2), [good], "example")

    def test_integers_become_floats_that_hold_them_exactly(self) -> None:
        for dtype, bits in (("float32", 24), ("float64", 53)):
            good = [0, -1, 2**bits, -(2**62)]
            self.assertEqual(decoded(fixed(dtype, 4), [("int64", good)]).tolist(), [[float(n) for n in good]])
            self.assertEqual(decoded(fixed(dtype, 4), [("int64", good)]).dtype, dtype)
            for bad in (2**bits + 1, -(2**bits) - 1, 2**63 - 1):
                said = f"{bad} does not fit {dtype}"
                self.check_error([said, "record 1"], fixed(dtype), [("int64", [1]), ("int64", [bad])], "example")


class RaggedTest(DecodingTest):
    def test_ragged_rows_of_every_dtype_are_decoded(self) -> None:
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

    def test_a_missing_feature_is_an_empty_ragged_row(self) -> None:
        for kind, dtype in (("int64", "int64"), ("float", "float32"), ("bytes", "bytes")):
            value = (kind, [b"1"] if kind == "bytes" else [1])
            array = decoded(ragged(dtype), [None, ("none", []), (kind, []), value, None])
            self.assertEqual(array.lengths.tolist(), [0, 0, 0, 1, 0])
            self.assertEqual(decoded(ragged(dtype), [None, None]).tolist(), [[], []])

    def test_ragged_values_of_a_wrong_kind_or_range_are_errors(self) -> None:
        self.check_error(["record 0", "'x'", "float"], ragged("int64"), [("float", [1])], "example")
        self.check_error(["record 0", "'x'", "float"], ragged("int64"), [("float", [])], "example")
        self.check_error(
            ["record 1", "'x'", "-129 does not fit int8"], ragged("int8"), [None, ("int64", [1, -129])], "example"
        )


class RawTest(DecodingTest):
    def test_raw_bytes_are_read_as_the_memory_of_an_array(self) -> None:
        for name in (*INTEGERS, *FLOATS):
            arrays = np.array([[1, 0, 1], [0, 1, 1]], dtype=name)
            made = decoded(raw(name, (1, 3)), [("bytes", [array.tobytes()]) for array in arrays])
            self.assertEqual(plain(made), (name, (2, 1, 3), arrays.reshape(2, 1, 3).tolist()))
        pattern = bytes(range(0x70, 0x90))
        for name in (*INTEGERS[1:], *FLOATS):
            count = len(pattern) // np.dtype(name).itemsize
            made = decoded(raw(name, count), [("bytes", [pattern])])
            self.assertEqual(made.tobytes(), pattern, name)  # NaNs keep their bits

    def test_raw_casts_each_number_of_a_numeric_feature(self) -> None:
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

    def test_raw_truncates_long_values_and_pads_short_ones_with_zeros_on_request(self) -> None:
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
        # Values that are cut off need not fit.
        self.assertEqual(decoded(raw("uint8", 1, truncate=True), [("int64", [1, 999])]).tolist(), [[1]])

    def test_raw_values_that_do_not_fit_are_errors(self) -> None:
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


class ArgumentsTest(DecodingTest):
    def test_the_argument_features_must_be_a_dict_of_features(self) -> None:
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

    def test_invalid_features_are_refused(self) -> None:
        table: list[tuple[Any, type[Exception], str]] = [
            (lambda: fixed("foo"), TypeError, "'foo'.*expected one of bool, .*bytes"),
            (lambda: fixed("str"), ValueError, "str.*expected one of"),
            (lambda: fixed("complex64"), ValueError, "complex64.*expected one of"),
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

    def test_equal_features_have_equal_hashes_reprs_and_pickles(self) -> None:
        features = [fixed("int8"), fixed("int8", 1), fixed("int8", (), 0), fixed("int8", (), 1), fixed("bytes", (), "")]
        features += [ragged("int8"), raw("int8", ()), raw("int8", (), pad=True), raw("int8", (), truncate=True)]
        self.assertEqual(len(set(features)), len(features))
        for feature in features:
            twin = pickle.loads(pickle.dumps(feature))
            self.assertEqual((twin, hash(twin), repr(twin)), (feature, hash(feature), repr(feature)))
        self.assertIn("int8", repr(features[0]))
        self.assertEqual(raw("int8", (), truncate=1, pad=0), raw("int8", (), truncate=True))  # type: ignore[arg-type]

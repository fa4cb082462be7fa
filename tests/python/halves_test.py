"""float16 and bfloat16: rounded as numpy and torch round, exact or refused, and raw memory."""

from __future__ import annotations

import random
import unittest
from fractions import Fraction
from typing import Any

import ml_dtypes
import numpy as np
import ofindex
from ofindex import fixed, ragged, raw
from ofindex._engines.selection import Selection
from python.decoding import INFINITY, NAN, DecodingTest, decoded
from python.work import in_new_process

BFLOAT16 = np.dtype(ml_dtypes.bfloat16)
HALVES = {"float16": np.dtype("float16"), "bfloat16": BFLOAT16}
LARGEST = {"float16": 65504.0, "bfloat16": float(ml_dtypes.finfo(BFLOAT16).max)}


def every_value(dtype: np.dtype[Any]) -> Any:
    """Every finite item, as float32."""
    items = np.arange(2**16, dtype=np.uint16).view(dtype).astype(np.float32)
    return items[np.isfinite(items)]


def nearest(value: float, dtype: np.dtype[Any], all_bits: Any) -> float:
    """The nearest of the sorted values `all_bits`, of two the one with an even last bit."""
    place = int(np.searchsorted(all_bits, value))
    near = [float(all_bits[i]) for i in (place - 1, place) if 0 <= i < len(all_bits)]
    return min(near, key=lambda one: (abs(Fraction(one) - Fraction(value)), bits_of(one, dtype) & 1))


def bits_of(value: float, dtype: np.dtype[Any]) -> int:
    return int(np.array([value], np.float32).astype(dtype).view(np.uint16)[0])


class HalvesTest(DecodingTest):
    def test_floats_are_rounded_as_numpy_rounds_them(self) -> None:
        for name, dtype in HALVES.items():
            items = every_value(dtype)
            middles = (np.sort(items)[1:].astype(np.float64) + np.sort(items)[:-1]) / 2
            floats = np.concatenate([items, middles.astype(np.float32)])
            floats = np.concatenate([floats, *(np.nextafter(floats, np.float32(to)) for to in (-INFINITY, INFINITY))])
            floats = floats[np.abs(floats) <= LARGEST[name]].astype(np.float32)
            got = decoded(ragged(name), [("float", floats.tolist())]).values
            self.assertEqual(got.dtype, dtype)
            np.testing.assert_array_equal(got.view(np.uint16), floats.astype(dtype).view(np.uint16))
            special = decoded(fixed(name, 4), [("float", [INFINITY, -INFINITY, NAN, -0.0])])[0].astype(np.float32)
            np.testing.assert_array_equal(special, [INFINITY, -INFINITY, NAN, -0.0])
            self.assertTrue(np.signbit(special[3]))

    def test_doubles_are_rounded_once(self) -> None:
        chance = random.Random(4)
        for name, dtype in HALVES.items():
            items = np.unique(every_value(dtype)).astype(np.float64)
            some = [chance.choice(items[1:-1]) for _ in range(400)]
            middles = [(one + items[np.searchsorted(items, one) + 1]) / 2 for one in some]
            doubles = [*some, *middles, *np.nextafter(middles, INFINITY), *np.nextafter(middles, -INFINITY)]
            got = decoded(ragged(name), [("double", doubles)], "ofrecord").values.astype(np.float64)
            self.assertEqual(got.tolist(), [nearest(one, dtype, items) for one in doubles])

    def test_what_would_be_infinite_or_an_inexact_integer_is_refused(self) -> None:
        for name, fit, unfit in (("float16", 65519.0, 65520.0), ("bfloat16", 3.39e38, 3.4e38)):
            self.assertEqual(float(decoded(fixed(name), [("float", [fit])])[0]), LARGEST[name])
            self.check_error([f"does not fit {name}"], fixed(name), [("float", [unfit])], "example")
            self.check_error([f"does not fit {name}"], fixed(name), [("double", [-1e300])], "ofrecord")
        for name, exact, inexact in (("float16", 2048, 2049), ("bfloat16", 256, 257), ("bfloat16", 2**62, 2**63 - 1)):
            self.assertEqual(decoded(fixed(name), [("int64", [-exact])])[0], -exact)
            self.check_error([f"{inexact} does not fit {name}"], fixed(name), [("int64", [inexact])], "example")
        self.assertEqual(decoded(raw("float16", 1), [("int64", [2049])]).tolist(), [[2048.0]])  # cast

    def test_raw_is_the_memory_of_an_array(self) -> None:
        for name, dtype in HALVES.items():
            array = np.array([[1.5, -2], [0, 3]]).astype(dtype)
            got = decoded(raw(name, (2, 2)), [("bytes", [array.tobytes()])])
            np.testing.assert_array_equal(got, array[np.newaxis])

    def test_a_default_is_rounded(self) -> None:
        for name, dtype in HALVES.items():
            got = decoded(fixed(name, 2, default=[0.1, NAN]), [None])
            wanted = np.array([[0.1, NAN]], np.float32).astype(dtype)
            np.testing.assert_array_equal(got.astype(np.float32), wanted.astype(np.float32))
            self.assertEqual(decoded(fixed(name, default=-0.5), [None]).tolist(), [-0.5])
            self.assertEqual(decoded(fixed(name, default=dtype.type(0.5)), [None]).tolist(), [0.5])
            step = {"float16": 2.0**-10, "bfloat16": 2.0**-7}[name]
            above_half = 1 + step / 2 + 2.0**-40  # a float rounds it to the half, which becomes 1
            self.assertEqual(decoded(fixed(name, default=above_half), [None]).tolist(), [1 + step])
            with self.assertRaisesRegex(ValueError, f"default 1e\\+39 does not fit {name}"):
                fixed(name, default=1e39)

    def test_dtypes_are_those_of_numpy_ml_dtypes_and_torch(self) -> None:
        self.assertEqual((fixed(np.float16).dtype, fixed(BFLOAT16).dtype), ("float16", "bfloat16"))
        try:
            import torch
        except ImportError:
            self.skipTest("torch is not installed")
        self.assertEqual((fixed(torch.float16).dtype, fixed(torch.bfloat16).dtype), ("float16", "bfloat16"))
        ds = self.examples(10)
        features = {"weight": fixed("bfloat16"), "boxes": ragged("float16")}
        (batch,) = ofindex.torch.Loader(ds, features, 10, range(10))
        self.assertEqual((batch["weight"].dtype, batch["boxes"].values.dtype), (torch.bfloat16, torch.float16))
        self.assertEqual(batch["weight"].tolist(), [number / 8 for number in range(10)])

    def test_arrow_has_no_bfloat16(self) -> None:
        ds = self.examples(3)
        for name in ("float16", "bfloat16"):
            features = {"weight": fixed(name)}
            if name == "float16":
                self.assertEqual(str(Selection(ds, None, features).schema.field("weight").type), "halffloat")
                continue
            with self.assertRaisesRegex(TypeError, "feature 'weight': Arrow has no bfloat16\nask for \"float32\""):
                Selection(ds, None, features)

    def test_without_ml_dtypes_bfloat16_has_no_arithmetic(self) -> None:
        self.examples(3)
        told = in_new_process(
            "import sys\n"
            "sys.modules['ml_dtypes'] = None\n"
            "import ofindex\n"
            "values = ofindex.open(sys.argv[1]).batch([2], {'weight': ofindex.fixed('bfloat16')})['weight']\n"
            "print(values.dtype, values.tobytes().hex())\n",
            self.dir / "data",
        )
        self.assertEqual(told.split(), ["|V2", BFLOAT16.type(0.25).tobytes().hex()])


if __name__ == "__main__":
    unittest.main()

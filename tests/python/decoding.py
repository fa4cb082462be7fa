"""Messages with one feature, their decoded values, and the errors."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import ofindex
from ofindex import BytesArray, Ragged
from oracle import messages
from python.work import WorkTest

INTEGERS = ("bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64")
FLOATS = ("float32", "float64")

NAN, INFINITY = math.nan, math.inf

# A feature of one record, as (kind, values); None if the record does not have the feature.
Value = tuple[str, Sequence[Any]] | None


def payloads_of(values: Sequence[Value], kind: str = "example") -> list[bytes]:
    """A message for each of `values`, with the value as feature "x" and another feature next to it."""
    beside = ("int64", [7])
    return [messages.encode(kind, {"beside": beside} if v is None else {"beside": beside, "x": v}) for v in values]


def decoded(feature: ofindex.Feature, values: Sequence[Value], kind: str = "example") -> Any:
    """The result of decoding `feature` from records with `values`."""
    return ofindex.decode(payloads_of(values, kind), {"x": feature}, kind)["x"]


def plain(value: Any) -> Any:
    """An array of any class as (its class, shape or lengths, values)."""
    if isinstance(value, Ragged):
        inner = value.values
        return ("ragged", "bytes" if isinstance(inner, BytesArray) else inner.dtype.name, value.tolist())
    if isinstance(value, BytesArray):
        return ("bytes", value.shape, value.tolist())
    return (value.dtype.name, value.shape, value.tolist())


class DecodingTest(WorkTest):
    def check_error(self, texts: Sequence[str], feature: ofindex.Feature, values: Sequence[Value], kind: str) -> None:
        """Checks that decoding raises a FeatureError with a hint, whose text contains all of `texts`."""
        payloads = payloads_of(values, kind)
        with self.assertRaises(ofindex.FeatureError, msg=f"{feature} {values}") as raised:
            ofindex.decode(payloads, {"x": feature}, kind)  # type: ignore[arg-type]
        for text in texts:
            self.assertIn(text, str(raised.exception), f"{feature} {values}")
        self.assertTrue(raised.exception.hint)

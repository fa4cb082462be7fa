"""What a feature of a record is to become in a batch: `fixed`, `ragged`, `raw`."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

import numpy as np

from . import _ofindex

DTYPES = ("bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float32", "float64", "bytes")


@dataclass(frozen=True)
class Feature:
    """How the values of one feature become an array; made by `fixed`, `ragged` or `raw`."""

    form: Literal["fixed", "ragged", "raw"]
    dtype: str
    shape: tuple[int, ...] = ()
    default: Any = None
    truncate: bool = False
    pad: bool = False

    @property
    def count(self) -> int:
        """Values that a record has."""
        return math.prod(self.shape)


#: Feature name -> what it is to become. A name is a str, or bytes where it is not UTF-8.
Features: TypeAlias = Mapping[str, Feature]


def _dtype_name(dtype: Any) -> str:
    name = "bytes" if dtype in (bytes, "bytes") else np.dtype(dtype).name
    if name not in DTYPES:
        raise ValueError(f"dtype {name!r}: expected one of {', '.join(DTYPES)}")
    return name


def _shape(shape: int | Sequence[int]) -> tuple[int, ...]:
    sizes = (shape,) if isinstance(shape, int) else tuple(int(size) for size in shape)
    if any(size < 0 for size in sizes):
        raise ValueError(f"shape {sizes}: expected sizes of 0 and more")
    return sizes


def fixed(dtype: Any, shape: int | Sequence[int] = (), default: Any = None) -> Feature:
    """A feature with as many values in every record.

    Args:
        dtype: A numpy dtype or its name, or ``"bytes"``. Integers of any width take int32 and int64 features,
            ``float32`` and ``float64`` take float and double ones, ``"bytes"`` bytes; nothing is converted otherwise.
        shape: Of the values of one record: the batch has ``(n, *shape)``.
        default: The value, or array of `shape`, of a record without the feature. Without a default, that is an error.

    Raises (when it is used):
        FeatureError: a record has no such feature and there is no default, has another number of values (both are
            named), another kind, or a value that the dtype does not hold.
    """
    return Feature("fixed", _dtype_name(dtype), _shape(shape), default)


def ragged(dtype: Any) -> Feature:
    """A feature with any number of values, none where it is missing: the batch has a `Ragged`."""
    return Feature("ragged", _dtype_name(dtype))


def raw(dtype: Any, shape: int | Sequence[int], truncate: bool = False, pad: bool = False) -> Feature:
    """An array of a fixed shape, out of the bytes of one value or out of any list of numbers.

    The one value of a bytes feature is taken for the little-endian memory of an array of `dtype`; numbers are cast one
    by one, floats to integers by cutting off what is behind the point. What does not fit is an error.

    Args:
        truncate: Drop values that are more than `shape` has. Else they are an error.
        pad: Add zeros where they are fewer. Else that is an error.
    """
    name = _dtype_name(dtype)
    if name == "bytes":
        raise ValueError("raw() makes numbers: expected a numeric dtype")
    return Feature("raw", name, _shape(shape), truncate=truncate, pad=pad)


def _default_bytes(feature: Feature) -> bytes | list[bytes] | None:
    """The default as the memory of an array, or as bytes values."""
    if feature.default is None:
        return None
    if feature.dtype == "bytes":
        values = np.asarray(feature.default, dtype=object).reshape(-1).tolist()
        values = [value.encode() if isinstance(value, str) else bytes(value) for value in values]
        expected: tuple[int, ...] = (1, feature.count)
        if len(values) not in expected:
            raise ValueError(f"default of {len(values)} values: expected 1 or {feature.count}")
        return values
    given = np.asarray(feature.default)
    array = given.astype(feature.dtype)
    if not np.array_equal(array, given, equal_nan=array.dtype.kind == "f" and given.dtype.kind == "f"):
        kept_float = array.dtype.kind == "f" and given.dtype.kind in "fiu"
        if not kept_float:
            raise ValueError(f"default {feature.default!r} does not fit {feature.dtype}")
    if array.size != 1 and array.shape != feature.shape:
        raise ValueError(f"default of shape {array.shape}: expected one value, or shape {feature.shape}")
    return np.ascontiguousarray(array).tobytes()


def decoder_of(features: Features) -> _ofindex.Decoder:
    """The compiled form of `features`."""
    if not isinstance(features, Mapping):
        raise TypeError("features are a dict: name -> ofindex.fixed(...), ragged(...) or raw(...)")
    if not features:
        raise ValueError("features are empty: name one at least")
    specs = []
    for name, feature in features.items():
        if not isinstance(feature, Feature):
            raise TypeError(
                f"feature {name!r}: expected ofindex.fixed(...), ragged(...) or raw(...), not {type(feature).__name__}"
            )
        try:
            default = _default_bytes(feature)
        except ValueError as error:
            raise ValueError(f"feature {name!r}: {error}") from None
        specs.append((name, feature.form, feature.dtype, feature.count, default, feature.truncate, feature.pad))
    return _ofindex.Decoder(specs)

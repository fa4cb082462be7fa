"""Decoded features as Arrow arrays, without a copy where Arrow has the same layout."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from .._arrays import BytesArray, Ragged
from .._features import Feature

Tensors: TypeAlias = Callable[["npt.NDArray[Any]"], pa.Array]
"""Makes an Arrow array of an array of shape ``(n, *shape)``."""


def nested_lists(values: npt.NDArray[Any]) -> pa.Array:
    """Return an array of shape ``(n, *shape)`` as n lists of fixed sizes, one within another."""
    return _nested(pa.array(values.reshape(-1)), values.shape[1:])


def to_arrow(values: npt.NDArray[Any] | BytesArray | Ragged, tensors: Tensors = nested_lists) -> pa.Array:
    """Return the values of one feature, one row for each record."""
    if isinstance(values, Ragged):
        items = values.values
        flat = _bytes_of(items) if isinstance(items, BytesArray) else pa.array(items)
        return pa.LargeListArray.from_arrays(pa.array(values.offsets), flat)
    if isinstance(values, BytesArray):
        return _nested(_bytes_of(values), values.shape[1:])
    return pa.array(values) if values.ndim == 1 else tensors(values)


def type_of(feature: Feature, tensors: Tensors = nested_lists) -> pa.DataType:
    """Return the type that `to_arrow` gives to values of a feature."""
    if feature.dtype == "bytes":
        scalar: Any = BytesArray(np.empty(0, np.uint8), np.zeros(1, np.int64), (0, *feature.shape))
    else:
        scalar = np.empty((0, *feature.shape), feature.dtype)
    if feature.form != "ragged":
        return to_arrow(scalar, tensors).type
    return to_arrow(Ragged(scalar, np.zeros(1, np.int64))).type


def _bytes_of(values: BytesArray) -> pa.Array:
    """Return the byte strings in C order."""
    offsets = np.ascontiguousarray(values.offsets, np.int64)
    return pa.LargeBinaryArray.from_buffers(
        pa.large_binary(), len(offsets) - 1, [None, pa.py_buffer(offsets), pa.py_buffer(values.data)]
    )


def _nested(flat: pa.Array, shape: tuple[int, ...]) -> pa.Array:
    for size in reversed(shape):
        flat = pa.FixedSizeListArray.from_arrays(flat, size)
    return flat

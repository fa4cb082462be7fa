"""Arrays that numpy does not have: of byte strings, and of rows of different lengths."""

from __future__ import annotations

import operator
from collections.abc import Iterator, Sequence
from functools import cache
from itertools import pairwise
from typing import Any, overload

import numpy as np
import numpy.typing as npt


def _place(index: int, size: int, what: str) -> int:
    """Return `index` counted from the beginning."""
    number = operator.index(index)
    if not -size <= number < size:
        raise IndexError(f"{what} {number} does not exist; there are {size}")
    return number % size


@cache
def bfloat16() -> np.dtype[Any]:
    """Return the dtype of ml_dtypes or, if that is not installed, one of two bytes without arithmetic."""
    try:
        import ml_dtypes
    except ImportError:
        return np.dtype("V2")
    dtype: np.dtype[Any] = np.dtype(ml_dtypes.bfloat16)
    return dtype


def objects_of(values: list[Any], shape: tuple[int, ...] | None = None) -> npt.NDArray[Any]:
    """Return `values` in an array of objects, because numpy's byte strings lose trailing zeros."""
    objects = np.empty(len(values), dtype=object)
    objects[:] = values
    return objects if shape is None else objects.reshape(shape)


def fits_float(least: int, most: int) -> bool:
    """Whether float64 holds every integer in ``[least, most]``."""
    return least >= -(2**53) and most <= 2**53


def as_numpy_asks(objects: npt.NDArray[Any], dtype: Any, copy: bool | None) -> npt.NDArray[Any]:
    """Return `objects`, which is already a copy, as ``__array__(dtype, copy)`` must."""
    if copy is False:
        raise ValueError("an array of these values is always a copy")
    return objects if dtype is None else objects.astype(dtype)


def _range(index: slice, size: int, of: str) -> tuple[int, int]:
    start, stop, step = index.indices(size)
    if step != 1:
        raise ValueError(f"a slice of a {of} cannot have a step: convert it with list() first")
    return start, max(start, stop)


class BytesArray(Sequence[Any]):
    """Byte strings in one buffer: a sequence of `bytes` or, if it has more than one dimension, of rows of `bytes`::

        texts = ds.batch([0, 1], {"text": ofindex.fixed("bytes")})["text"]
        texts[1], texts.tolist()  # (b'text 1', [b'text 0', b'text 1'])

    Attributes:
        data: All values, concatenated: uint8 array, shape ``(offsets[-1],)``. A slice shares the whole array.
        offsets: Start of each value in `data`, and the end of the last one: int64 array, shape ``(count + 1,)``.
        shape: ``(n,)`` or ``(n, *shape)``; the values are in C order.
    """

    __slots__ = ("data", "offsets", "shape")

    def __init__(
        self, data: npt.NDArray[np.uint8], offsets: npt.NDArray[np.int64], shape: tuple[int, ...] | None = None
    ) -> None:
        self.data = data
        self.offsets = offsets
        self.shape = (len(offsets) - 1,) if shape is None else shape

    def __len__(self) -> int:
        return self.shape[0]

    @overload
    def __getitem__(self, index: int) -> Any: ...

    @overload
    def __getitem__(self, index: slice) -> BytesArray: ...

    def __getitem__(self, index: int | slice) -> Any:
        width = int(np.prod(self.shape[1:], dtype=np.int64))
        if isinstance(index, slice):
            start, stop = _range(index, len(self), "BytesArray")
            offsets = self.offsets[start * width : stop * width + 1]
            return BytesArray(self.data, offsets, (stop - start, *self.shape[1:]))
        number = _place(index, len(self), "value")
        if len(self.shape) == 1:
            return self.data[self.offsets[number] : self.offsets[number + 1]].tobytes()
        return BytesArray(self.data, self.offsets[number * width : (number + 1) * width + 1], self.shape[1:])

    def view(self, index: int) -> memoryview:
        """Return value `index` of a one-dimensional BytesArray without copying. The view keeps the buffer alive."""
        if len(self.shape) != 1:
            raise ValueError(f"a BytesArray of shape {self.shape} has rows: call view() on a row, self[i]")
        number = _place(index, len(self), "value")
        return self.data[self.offsets[number] : self.offsets[number + 1]].data

    def tolist(self) -> list[Any]:
        """Return all values as `bytes`, in lists nested as deep as there are dimensions."""
        if len(self.shape) > 1:
            return [row.tolist() for row in self]
        first = int(self.offsets[0])
        whole, ends = self.data[first : int(self.offsets[-1])].tobytes(), (self.offsets - first).tolist()
        return [whole[begin:end] for begin, end in pairwise(ends)]

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> npt.NDArray[Any]:
        """Return the values as an array of `bytes` objects, of this shape."""
        flat = BytesArray(self.data, self.offsets).tolist()
        return as_numpy_asks(objects_of(flat, self.shape), dtype, copy)

    def __iter__(self) -> Iterator[Any]:
        return iter(self.tolist()) if len(self.shape) == 1 else (self[i] for i in range(len(self)))

    def __eq__(self, other: object) -> bool:
        if isinstance(other, BytesArray):
            return self.shape == other.shape and self.tolist() == other.tolist()
        return bool(self.tolist() == other) if isinstance(other, list) else NotImplemented

    __hash__ = None  # type: ignore[assignment]

    def __reduce__(self) -> tuple[Any, ...]:
        first = int(self.offsets[0])
        return BytesArray, (self.data[first : int(self.offsets[-1])].copy(), self.offsets - first, self.shape)

    def __repr__(self) -> str:
        return f"BytesArray(shape={self.shape}, {int(self.offsets[-1] - self.offsets[0])} bytes)"


class Ragged(Sequence[Any]):
    """Rows of different lengths. A sequence of rows: arrays, or lists of `bytes`. To pad them with zeros::

        rows = ds.batch([0, 2], {"tokens": ofindex.ragged("int64")})["tokens"]
        padded = np.zeros((len(rows), rows.lengths.max()), rows.values.dtype)
        padded[np.arange(padded.shape[1]) < rows.lengths[:, None]] = rows.values
        padded.tolist()  # [[0, 0, 0], [2, 2, 2]]

    Attributes:
        values: The values of all rows, concatenated: an array of shape ``(offsets[-1],)`` or a `BytesArray`.
        offsets: Start of each row in `values`, and the end of the last one: int64 array, shape ``(n + 1,)``.
    """

    __slots__ = ("offsets", "values")

    def __init__(self, values: npt.NDArray[Any] | BytesArray, offsets: npt.NDArray[np.int64]) -> None:
        self.values = values
        self.offsets = offsets

    def __len__(self) -> int:
        return len(self.offsets) - 1

    @overload
    def __getitem__(self, index: int) -> Any: ...

    @overload
    def __getitem__(self, index: slice) -> Ragged: ...

    def __getitem__(self, index: int | slice) -> Any:
        if isinstance(index, slice):
            start, stop = _range(index, len(self), "Ragged")
            begin, end = int(self.offsets[start]), int(self.offsets[stop])
            return Ragged(self.values[begin:end], self.offsets[start : stop + 1] - begin)
        number = _place(index, len(self), "row")
        row = self.values[int(self.offsets[number]) : int(self.offsets[number + 1])]
        return row.tolist() if isinstance(row, BytesArray) else row

    @property
    def lengths(self) -> npt.NDArray[np.int64]:
        """Number of values in each row: int64 array, shape ``(n,)``."""
        return np.diff(self.offsets)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> npt.NDArray[Any]:
        """Return the rows as an array of objects of shape ``(n,)``; each object is an array or a list of `bytes`."""
        return as_numpy_asks(objects_of(list(self)), dtype, copy)

    def tolist(self) -> list[list[Any]]:
        """Return the rows as lists of built-in Python values."""
        return [row if isinstance(row, list) else row.tolist() for row in self]

    def __eq__(self, other: object) -> bool:
        if isinstance(other, Ragged):
            return self.tolist() == other.tolist()
        return bool(self.tolist() == other) if isinstance(other, list) else NotImplemented

    __hash__ = None  # type: ignore[assignment]

    def __reduce__(self) -> tuple[Any, ...]:
        return Ragged, (self.values, self.offsets)

    def __repr__(self) -> str:
        dtype = "bytes" if isinstance(self.values, BytesArray) else self.values.dtype
        return f"Ragged({len(self)} rows, {int(self.offsets[-1])} values of {dtype})"

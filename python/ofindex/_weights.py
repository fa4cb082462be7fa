"""Weights of records: a column, an SQL expression, or numbers."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
import numpy.typing as npt

from . import _ofindex
from ._errors import QueryError

if TYPE_CHECKING:
    from ._dataset import Dataset

#: A numeric column, an SQL expression over ``records``, or one number for each record: an array, a list, a tensor or a
#: series.
Weights: TypeAlias = "str | npt.ArrayLike"

#: What looks like a name, so that a misspelt one is reported as that.
_NAME = re.compile(r"[^\s()'\"*+,<>=]+")


def resolved(dataset: Dataset, weights: Weights | None) -> str | bytes | npt.NDArray[np.float64] | None:
    """Return `weights` as the extension expects them: a column's name, or one number for each record of `dataset`.

    Raises:
        QueryError: there is no such column, and it is no expression. TypeError: these are not numbers. ValueError: not
        one dimension.
    """
    if weights is None:
        return None
    if isinstance(weights, bytes):
        return weights
    if isinstance(weights, str):
        if _ofindex.has_column(dataset._source, weights):
            return weights
        try:
            return _values_of(dataset, weights)
        except QueryError:
            if seems_a_name(weights):
                return weights  # opening a sampler by it gives the error, with the nearest names
            raise
    return numbers_of(weights)


def seems_a_name(text: str) -> bool:
    """Whether `text` that names no column was probably meant to."""
    return _NAME.fullmatch(text) is not None


def numbers_by_ordinal(dataset: Dataset, expression: str) -> npt.NDArray[np.float64]:
    """Return the values of an expression by ordinal; NaN for NULL, and where there is no record."""
    _ofindex.where(dataset._source, expression, None, dataset.rows)  # its errors are about the expression alone
    session = _ofindex.open_session(dataset._source)
    ordinals, numbers = session.query(f"SELECT _id, ({expression}\n) FROM records", None, None).numbers()
    if len(ordinals) != dataset._source.records:
        raise QueryError(f"'{expression}' has {len(ordinals):,} values, not one for each record")
    by_ordinal = np.full(dataset._source.ordinals, np.nan)
    by_ordinal[ordinals] = numbers
    return by_ordinal


def _values_of(dataset: Dataset, expression: str) -> npt.NDArray[np.float64]:
    """Return the values of an expression, one for each record of `dataset` that is there; NULL is NaN."""
    there = dataset._present()
    return numbers_by_ordinal(dataset, expression)[there.ordinals(range(len(there)))]


def numbers_of(weights: npt.ArrayLike, what: str = "weights") -> npt.NDArray[np.float64]:
    """Return numbers as a new array. `what` they are is for errors."""
    array = weights if isinstance(weights, np.ma.MaskedArray) else np.asarray(weights)
    if array.dtype.kind not in "biuf":
        raise TypeError(
            f"{what} are a column, an expression, or numbers; these are of type {array.dtype} (a missing one is NaN)"
        )
    if array.ndim != 1:
        raise ValueError(f"{what} of shape {array.shape}: expected one number for each record")
    numbers = np.ma.filled(array.astype(np.float64), np.nan)  # a copy: the caller may change the array later
    return np.ascontiguousarray(numbers)

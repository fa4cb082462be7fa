"""What selects records: numbers, slices and masks of every library."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt


def _type_of(key: Any) -> str:
    """The name of an array's element type: "bool", "torch.bool", "Boolean", "int64"."""
    return str(getattr(key, "dtype", getattr(key, "type", "")))


def is_number(key: Any) -> bool:
    """Whether `key` is a single integer, of Python or of a library; bools are not."""
    return hasattr(key, "__index__") and getattr(key, "ndim", 0) == 0 and not isinstance(key, (bool, np.bool_))


def mask_of(key: Any, records: int) -> npt.NDArray[np.bool_] | None:
    """Return `key` as a mask of `records` values; None if it is no mask, but numbers.

    Args:
        key: A boolean array, tensor or series of numpy, torch, pandas, Polars or pyarrow, or a list of bools.

    Raises:
        IndexError: the mask has another number of values. TypeError: it has nulls.
    """
    if isinstance(key, (list, tuple)):
        if not key or not all(isinstance(value, (bool, np.bool_)) for value in key):
            return None
    elif _type_of(key).removeprefix("torch.").lower() not in ("bool", "boolean"):
        return None
    mask: npt.NDArray[Any] = np.asarray(key)
    if mask.ndim != 1 or len(mask) != records:
        raise IndexError(f"a mask of {len(mask):,} values for {records:,} records: expected one for each")
    if mask.dtype != np.bool_:
        missing = next(number for number, value in enumerate(mask) if not isinstance(value, (bool, np.bool_)))
        raise TypeError(f"the mask has no value for record {missing:,}: fill its nulls with False")
    return mask

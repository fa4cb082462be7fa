"""What selects records: numbers, slices and masks of every library."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from ._foreign import shown


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


def _first_text(key: Any) -> str | bytes | None:
    """The first text in a list; None if there is none."""
    if not isinstance(key, (list, tuple)):
        return None
    return next((item for item in key if isinstance(item, (str, bytes))), None)


def not_selected(key: Any, misspelt: Callable[[str | bytes], str] = lambda _: "") -> TypeError:
    """Return the error of ``ds[key]`` for a key that selects no records, with what was meant.

    Args:
        misspelt: Returns the nearest columns to a text that is none.
    """
    text = key if isinstance(key, (str, bytes)) else _first_text(key)
    if text is not None:
        said = "records are selected by integers, slices or lists of integers, not by " + type(text).__name__
        near = misspelt(text)
        return TypeError(
            f"{said}; {near}"
            if near
            else f"{said}\nwrite ds.column({text!r}) for the values of a column, "
            f"or ds.batch(numbers, {{{text!r}: ofindex.fixed(...)}}) for those of records"
        )
    said = f"records are selected by integers, slices or lists of integers, not {type(key).__name__}"
    if isinstance(key, (float, np.floating)) and float(key).is_integer():
        return TypeError(f"{said}\nwrite ds[{int(key)}]")
    if callable(key):
        return TypeError(f"{said}\nwrite ds.filter({shown(key)})")
    return TypeError(said)

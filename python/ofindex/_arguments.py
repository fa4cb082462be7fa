"""Checks numbers that are passed as arguments."""

from __future__ import annotations

import operator
from typing import Any

import numpy as np

from ._foreign import shown

MAX_UINT64 = 2**64 - 1


def whole(value: Any, name: str, minimum: int = 0, maximum: int = MAX_UINT64) -> int:
    """Return `value` as an integer in ``[minimum, maximum]``.

    Raises:
        TypeError: `value` is not an integer. ValueError: `value` is out of range; the error text calls it `name`.
    """
    try:
        number = operator.index(value)
    except TypeError:
        whole_float = isinstance(value, (float, np.floating)) and float(value).is_integer()
        meant = f": write {name}={int(value)}" if whole_float else ""
        raise TypeError(f"{name}={shown(value)}: expected an integer, not {type(value).__name__}{meant}") from None
    if not minimum <= number <= maximum:
        raise ValueError(f"{name}={number}: expected {minimum} to {maximum}")
    return number


def parameters_of(parameters: Any) -> Any:
    """Return the parameters of an SQL statement as a sequence or a mapping: a single value becomes a sequence."""
    if isinstance(parameters, np.generic):
        return (parameters.item(),)
    return (parameters,) if isinstance(parameters, (bool, int, float, str, bytes)) else parameters

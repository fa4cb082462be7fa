"""Checks numbers that are passed as arguments."""

from __future__ import annotations

import operator
from typing import Any

MAX_UINT64 = 2**64 - 1


def whole(value: Any, name: str, minimum: int = 0, maximum: int = MAX_UINT64) -> int:
    """Return `value` as an integer in ``[minimum, maximum]``.

    Raises:
        TypeError: `value` is not an integer. ValueError: `value` is out of range; the error text calls it `name`.
    """
    number = operator.index(value)
    if not minimum <= number <= maximum:
        raise ValueError(f"{name}={number}: expected {minimum} to {maximum}")
    return number

"""Numbers that are given as arguments."""

from __future__ import annotations

import operator
from typing import Any

MOST = 2**64 - 1


def whole(value: Any, name: str, least: int = 0, most: int = MOST) -> int:
    """Return `value` as an integer in ``[least, most]``.

    Raises:
        TypeError: it is not an integer. ValueError: it is out of range; the text calls it `name`.
    """
    number = operator.index(value)
    if not least <= number <= most:
        raise ValueError(f"{name}={number}: expected {least} to {most}")
    return number

"""Numbers as readers want them: three digits."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import median


def number(value: float) -> str:
    """1234567 is 1.23 M, 0.0123 is 0.0123."""
    for size, letter in ((1e9, "G"), (1e6, "M"), (1e3, "k")):
        if abs(value) >= size:
            return f"{plain(value / size)} {letter}"
    return plain(value)


def plain(value: float) -> str:
    """Three digits, without an exponent."""
    if value == int(value) and abs(value) < 1000:
        return str(int(value))
    for size, digits in ((100, 0), (10, 1), (1, 2), (0.1, 3), (0.01, 4)):
        if abs(value) >= size:
            return f"{value:.{digits}f}"
    return f"{value:.5f}"


def spread(values: Sequence[float]) -> str:
    """The least and the greatest value."""
    least, most = number(min(values)), number(max(values))
    return least if least == most else f"{least} to {most}"


def with_spread(values: Sequence[float]) -> str:
    """The median, and the range in parentheses."""
    return f"{number(median(values))} ({spread(values)})" if len(values) > 1 else number(median(values))

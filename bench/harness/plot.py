"""Plots as SVG: bars on a logarithmic scale, with their range. No library draws them, since one would be the largest
dependency of the benchmarks, and would write other bytes with each of its versions."""

from __future__ import annotations

import math
from collections.abc import Sequence
from html import escape

from harness.figures import number
from harness.summary import LIMIT, OURS, Row

LABELS, BARS, VALUES = 190, 420, 90  # widths
LINE = 22
TOP = 44
COLOURS = {OURS: "#1f6feb", LIMIT: "#8c959f"}
OTHERS = "#d0d7de"


def scale_of(rows: Sequence[Row]) -> tuple[float, float]:
    """The powers of ten that enclose all values."""
    positive = [value for row in rows for value in row.values if value > 0]
    least, most = math.floor(math.log10(min(positive))), math.ceil(math.log10(max(positive)))
    return float(least), float(max(most, least + 1))


def bar(row: Row, title: str, at: int, least: float, most: float) -> list[str]:
    def x(value: float) -> float:
        return LABELS + BARS * (math.log10(max(value, 10**least)) - least) / (most - least)

    middle = at + LINE / 2
    end, low, high = x(row.median), x(min(row.values)), x(max(row.values))
    colour = COLOURS.get(row.tool, OTHERS)
    return [
        f'<text x="{LABELS - 8}" y="{middle + 4:.1f}" text-anchor="end">{escape(title)}</text>',
        f'<rect x="{LABELS}" y="{at + 4}" width="{max(1, end - LABELS):.1f}" height="{LINE - 8}" fill="{colour}"/>',
        f'<path d="M{low:.1f} {middle:.1f}H{high:.1f}" stroke="#24292f"/>',
        f'<text x="{max(end, high) + 6:.1f}" y="{middle + 4:.1f}">{number(row.median)}</text>',
    ]


def svg(title: str, unit: str, rows: Sequence[Row], names: dict[str, str]) -> str:
    """A plot of the rows that have values, in their order; empty if there are none."""
    shown = [row for row in rows if row.values]
    if not any(value > 0 for row in shown for value in row.values):
        return ""
    least, most = scale_of(shown)
    height = TOP + LINE * len(shown) + 8
    width = LABELS + BARS + VALUES
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" viewBox="0 0 {width} {height}"'
        ' font-family="sans-serif" font-size="12" fill="#24292f">',
        f'<rect width="{width}" height="{height}" fill="#ffffff"/>',
        f'<text x="8" y="18" font-size="14" font-weight="bold">{escape(title)}</text>',
        f'<text x="8" y="35" fill="#57606a">{escape(unit)}, logarithmic; the line is the range</text>',
    ]
    for power in range(int(least), int(most) + 1):
        x = LABELS + BARS * (power - least) / (most - least)
        lines.append(f'<path d="M{x:.1f} {TOP}V{height - 8}" stroke="#eaeef2"/>')
    for i, row in enumerate(shown):
        lines += bar(row, names.get(row.tool, row.tool), TOP + LINE * i, least, most)
    return "\n".join([*lines, "</svg>", ""])

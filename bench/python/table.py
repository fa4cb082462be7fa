"""The table that a run prints."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from turns import Ratio

HEAD = ("name", "ofindex", "peer", "ratio", "asked", "verdict")


@dataclass(frozen=True)
class Asked:
    """The bound of a number: at least this, or at most."""

    bound: float
    at_most: bool = False

    def __str__(self) -> str:
        return f"{'<=' if self.at_most else '>='} {self.bound:g}"

    def holds(self, got: float) -> bool:
        return got <= self.bound if self.at_most else got >= self.bound


@dataclass(frozen=True)
class Row:
    """One line. If `got` is None, nothing was measured, and `why` gives the reason; if `asked` is None, there is no
    bound."""

    name: str
    ours: str = ""
    peer: str = ""
    got: float | None = None
    span: tuple[float, float] | None = None
    asked: Asked | None = None
    why: str = ""

    @property
    def short(self) -> bool:
        return self.got is not None and self.asked is not None and not self.asked.holds(self.got)

    @property
    def failed(self) -> bool:
        return self.got is None and self.why.startswith("failed")

    def cells(self) -> tuple[str, ...]:
        got = "" if self.got is None else f"{self.got:.3g}"
        span = "" if self.span is None else f" ({self.span[0]:.3g} to {self.span[1]:.3g})"
        asked = "" if self.asked is None else str(self.asked)
        verdict = self.why or ("" if self.asked is None else "SHORT" if self.short else "ok")
        return (self.name, self.ours, self.peer, got + span, asked, verdict)


@dataclass(frozen=True)
class Job:
    """A measurement that gives one line of the table. The line has this name even if the measurement fails."""

    name: str
    run: Callable[[], Row]


def a_second(unit: str) -> Callable[[float], str]:
    """How to print a rate, in units per second."""

    def show(rate: float) -> str:
        for size, letter in ((1e9, "G"), (1e6, "M"), (1e3, "k")):
            if rate >= size:
                return f"{rate / size:.3g} {letter}{unit}/s"
        return f"{rate:.3g} {unit}/s"

    return show


def each(rate: float) -> str:
    """Print the time of one unit at this rate per second."""
    return f"{1e6 / rate:.3g} us" if rate > 1e3 else f"{1e3 / rate:.3g} ms"


def row_of(name: str, ratio: Ratio, at_least: float | None, show: Callable[[float], str]) -> Row:
    asked = None if at_least is None else Asked(at_least)
    span = (ratio.least, ratio.most)
    return Row(name, show(ratio.ours), show(ratio.theirs), ratio.ratio, span, asked)


def lines_of(rows: list[Row]) -> list[str]:
    table = [HEAD, *(row.cells() for row in rows)]
    widths = [max(len(cells[i]) for cells in table) for i in range(len(HEAD))]
    return ["  ".join(cell.ljust(width) for cell, width in zip(cells, widths)).rstrip() for cells in table]


def summary_of(rows: list[Row]) -> list[str]:
    """The last lines: missed bounds, and what was not measured."""
    short = [f"short: {row.name}: got {row.got:.3g}, asked {row.asked}" for row in rows if row.short]
    unmeasured = [f"not measured: {row.name}: {row.why}" for row in rows if row.got is None]
    return [*(short or ["All measured numbers keep their bounds."]), *unmeasured]

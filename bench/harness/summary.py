"""From results to rows: medians, ranges and ratios."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from statistics import median

from harness.results import Result
from harness.task import Figure

OURS = "ofindex"
LIMIT = "limit"


@dataclass(frozen=True)
class Row:
    """A tool at one figure of a task, for one data set. `times` is how many times better ofindex is, turn by turn;
    `of_limit` is the part of the physical limit that the tool reaches."""

    tool: str
    values: tuple[float, ...]
    times: tuple[float, ...] = ()
    of_limit: tuple[float, ...] = ()
    why: str = ""
    note: str = ""

    @property
    def median(self) -> float:
        return median(self.values)


def by_turn(results: Iterable[Result], tool: str, figure: str) -> dict[int, float]:
    """The values of the turns that count."""
    return {
        one.turn: one.figures[figure] for one in results if one.tool == tool and one.turn > 0 and figure in one.figures
    }


def ratios(better: dict[int, float], worse: dict[int, float], figure: Figure) -> tuple[float, ...]:
    """How many times better one is than the other, in each turn that both took."""
    pairs = [(better[turn], worse[turn]) for turn in sorted(better.keys() & worse.keys())]
    if any(0 in pair for pair in pairs):
        return ()
    return tuple(a / b if figure.more_is_better else b / a for a, b in pairs)


def rows(results: list[Result], figure: Figure) -> list[Row]:
    """The tools at a task and data set, the best first; tools without a result last."""
    tools = list(dict.fromkeys(one.tool for one in results if one.tool))
    values = {tool: by_turn(results, tool, figure.name) for tool in tools}
    ours, limit = values.get(OURS, {}), values.get(LIMIT, {})
    found = []
    for tool in tools:
        why = next((one.why for one in results if one.tool == tool and one.why), "")
        if not values[tool]:
            if why:
                found.append(Row(tool, (), why=why))
            continue
        times = () if tool == OURS else ratios(ours, values[tool], figure)
        of_limit = () if tool == LIMIT else ratios(values[tool], limit, figure)
        note = next((one.note for one in results if one.tool == tool and one.note), "")
        found.append(Row(tool, tuple(values[tool].values()), times, of_limit, why, note))

    def order(row: Row) -> tuple[bool, float]:
        if not row.values:
            return (True, 0)
        return (False, -row.median if figure.more_is_better else row.median)

    return sorted(found, key=order)

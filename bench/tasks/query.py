"""Questions about the values of all records."""

from __future__ import annotations

import time
from collections.abc import Callable
from statistics import median
from typing import Any, ClassVar

from harness.data import Data, Grid
from harness.peer import GroupRows, Peer
from harness.task import Figure, Measured, Task

REPEATS = 7
TIME = (Figure("ms", "time", "ms"),)
SESSION = "has no session to open, and no program to check; that takes ofindex 0.2 ms, and 0.8 ms for an aggregate"
IN_ORDER = "adds reals in any order; ofindex in the order of the records, for SQLite's result to the last bit"


def numbers(ids: Any) -> list[int]:
    """The answer for an array of ordinals."""
    import numpy as np

    array = np.asarray(ids)
    return [len(array), int(array.sum(dtype=np.int64))]


def repeated(ask: Callable[[], Any], answer: Callable[[Any], Any]) -> Measured:
    """The median time of a query, after one that is not counted."""
    found = answer(ask())
    seconds = []
    for _ in range(REPEATS):
        begin = time.perf_counter()
        ask()
        seconds.append(time.perf_counter() - begin)
    return Measured({"ms": 1e3 * median(seconds)}, found)


def groups_answer(found: GroupRows) -> list[float]:
    """The number of groups, that of records, and a sum of the means in which each has a weight of its own."""
    import numpy as np

    labels, records, means = map(np.asarray, found)
    return [len(labels), int(records.sum()), float(labels.astype(np.float64) @ means.astype(np.float64))]


def bins_answer(found: GroupRows) -> list[int]:
    """The number of pairs, that of records, and a sum in which each pair has a weight of its own."""
    import numpy as np

    heights, widths, records = (np.asarray(column).astype(np.int64) for column in found)
    return [len(heights), int(records.sum()), int(((100 * heights + widths) * records).sum())]


class Query(Task):
    """The base of the queries: they read columns, of the smallest records."""

    figures = TIME
    store = "typed"
    typical = 0.5

    def data(self, grid: Grid) -> list[Data]:
        return [grid.smallest()]


class Where(Query):
    """The ordinals of the records with height BETWEEN 500 AND 700 AND score > 0.9, in an array; repeated in a process
    that has the data open."""

    name = "where"
    title = "Filter by two ranges"
    advantages: ClassVar[dict[str, str]] = dict.fromkeys(
        (f"ms {tool}" for tool in ("polars", "tfr_reader", "lance", "vortex")), SESSION
    )
    needs = ("where",)
    condition = "height BETWEEN 500 AND 700 AND score > 0.9"

    def measure(self, peer: Peer) -> Measured:
        ask = peer.where()
        return repeated(lambda: ask(self.condition), numbers)


class Equal(Where):
    """The ordinals of the records with label = 17, in an array."""

    name = "equal"
    title = "Filter by one value"
    condition = "label = 17"


class Groups(Query):
    """Number and mean score of the records of each of 1,000 labels."""

    name = "groups"
    title = "Group"
    advantages: ClassVar[dict[str, str]] = {"ms duckdb": IN_ORDER}
    needs = ("groups",)

    def measure(self, peer: Peer) -> Measured:
        return repeated(peer.groups(), groups_answer)


class Bins(Query):
    """A histogram of two dimensions: the number of records of each pair of height / 100 and width / 100."""

    name = "bins"
    title = "Group by two expressions"
    advantages: ClassVar[dict[str, str]] = dict.fromkeys(
        ("ms polars", "ms duckdb"), "divides many integers by one instruction; ofindex computes as SQLite does"
    )
    needs = ("bins",)

    def measure(self, peer: Peer) -> Measured:
        return repeated(peer.bins(), bins_answer)


class Top(Query):
    """The ten greatest scores."""

    name = "top"
    title = "The first in an order"
    advantages: ClassVar[dict[str, str]] = dict.fromkeys(("ms polars", "ms duckdb"), SESSION)
    needs = ("top",)

    def measure(self, peer: Peer) -> Measured:
        return repeated(peer.top(), lambda found: [float(score) for score in found])


class Total(Query):
    """The number of records, and the sum of height."""

    name = "total"
    title = "Aggregate"
    advantages: ClassVar[dict[str, str]] = dict.fromkeys(
        (f"ms {tool}" for tool in ("polars", "tfr_reader", "duckdb")), SESSION
    )
    needs = ("total",)

    def measure(self, peer: Peer) -> Measured:
        return repeated(peer.total(), list)

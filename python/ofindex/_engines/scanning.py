"""Columns of a Dataset, read step by step by the engines that ask for them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from .conditions import Condition

if TYPE_CHECKING:
    from .._dataset import Dataset

ROWS_AT_ONCE = 65_536
"""As in the extension: about one block of the index."""


def selected(dataset: Dataset, condition: Condition | None) -> Dataset:
    """Return the records that `condition` selects; all that are there if it is None."""
    return dataset[:] if condition is None else dataset.where(condition.sql, condition.parameters)


def steps(view: Dataset, rows: int | None = None) -> Iterator[Dataset]:
    """Yield the first `rows` records of the view, or all, in order, some at a time; an empty view once."""
    size = len(view) if rows is None else min(rows, len(view))
    for begin in range(0, max(size, 1), ROWS_AT_ONCE):
        yield view[begin : min(begin + ROWS_AT_ONCE, size)]

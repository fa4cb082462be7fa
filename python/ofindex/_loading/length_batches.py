"""Batches of a budget: as many records as their lengths allow."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from .. import _ofindex
from .._arguments import MAX_UINT64, whole
from .._dataset import Dataset
from .._epochs import Order, State, WholeEpoch, checked_state
from .._errors import QueryError, StaleError
from .._foreign import explained_methods
from .._mix import Mix
from .._weights import Weights, numbers_by_ordinal, numbers_of, seems_a_name

_MAX_WINDOW = 2**24
_SCHEMA = "ofindex.window_state/1"


@explained_methods
class LengthBatches:
    """A budget for batches, for ``length_batches=`` of a Loader: the lengths of a batch's records add up to at most
    `total`. A record that is longer forms a batch of its own, or is an error with ``pack=`` of the Loader, for which
    `total` and `records` are limits of a row. Not to be changed after it is made; can be pickled::

        budget = ofindex.LengthBatches(8192, "tokens#count", padded=True, window=4096)
        loader = ofindex.Loader(ds, features, length_batches=budget, seed=1)
        for batch in loader:
            step(batch)  # at most 8192 tokens, padding included
    """

    def __init__(
        self,
        total: int,
        by: Weights | None = None,
        *,
        records: int | None = None,
        padded: bool = False,
        window: int = 0,
    ) -> None:
        """
        Args:
            total: Maximum sum of the lengths of a batch's records.
            by: Lengths: a numeric column, an SQL expression, or one number for each record; they are rounded up. None:
                payload bytes.
            records: Maximum number of records in a batch; None: no maximum.
            padded: Count each record as the longest of its batch, as it is after padding.
            window: Number of records of the epoch's order that are sorted by length and cut together, so that a batch
                has records of similar length; at most 2^24. The batches of a window come in a shuffled order. 0: the
                records of a batch are those that follow each other in the order. With `pack` of a Loader, the records
                of a window are packed together; 0 is 16,384 then.

        Raises:
            ValueError: a number is out of range. TypeError: it is not an integer.
        """
        self.total = whole(total, "total", 1)
        self.by: str | bytes | npt.NDArray[np.float64] | None
        # A copy of numbers, because the caller may change the array later.
        self.by = by if by is None or isinstance(by, (str, bytes)) else np.array(numbers_of(by, "lengths"))
        self.records = None if records is None else whole(records, "records", 1)
        self.padded = bool(padded)
        self.window = whole(window, "window", 0, _MAX_WINDOW)

    def __repr__(self) -> str:
        parts = [str(self.total)]
        if self.by is not None:
            parts.append(f"by={self.by!r}" if isinstance(self.by, (str, bytes)) else "by=[...]")
        if self.records is not None:
            parts.append(f"records={self.records}")
        parts += ["padded=True"] if self.padded else []
        parts += [f"window={self.window}"] if self.window else []
        return f"LengthBatches({', '.join(parts)})"


LengthBatches.__module__ = "ofindex"  # its name in pickles


def _of_record_numbers(dataset: Dataset | Mix, given: npt.ArrayLike) -> npt.NDArray[np.float64]:
    """Return numbers of the records of `dataset` by ordinal; NaN elsewhere."""
    numbers = numbers_of(given, "lengths")
    there = dataset._present()
    if len(numbers) != len(there):
        raise ValueError(f"{len(numbers):,} lengths for {len(there):,} records: expected one for each")
    ordinals = dataset._first_ordinals[-1] if isinstance(dataset, Mix) else dataset._source.ordinals
    by_ordinal = np.full(ordinals, np.nan)
    by_ordinal[there.ordinals(range(len(there)))] = numbers
    return by_ordinal


def _lengths_of(dataset: Dataset | Mix, by: Weights | None) -> _ofindex.RecordLengths:
    parts: Sequence[Dataset] = dataset.datasets if isinstance(dataset, Mix) else [dataset]
    sources = [part._source for part in parts]
    if by is None:
        return _ofindex.lengths_by(sources, None)
    if not isinstance(by, (str, bytes)):
        return _ofindex.lengths_in(_of_record_numbers(dataset, by))
    if isinstance(by, bytes) or all(_ofindex.has_column(source, by) for source in sources):
        return _ofindex.lengths_by(sources, by)
    try:
        return _ofindex.lengths_in(np.concatenate([numbers_by_ordinal(part, by) for part in parts]))
    except QueryError:
        if seems_a_name(by):
            return _ofindex.lengths_by(sources, by)  # gives the error, with the nearest names
        raise


def _fingerprint(by: Weights | None) -> str:
    if by is None:
        return "payload bytes"
    if not isinstance(by, (str, bytes)):
        by = numbers_of(by, "lengths").tobytes()
    data = by.encode("utf-8", "surrogateescape") if isinstance(by, str) else by
    return hashlib.sha256(data).hexdigest()[:16]


class Cutter:
    """Cuts epochs of a dataset into the batches of a budget. Used by one thread at a time."""

    def __init__(
        self, dataset: Dataset | Mix, budget: LengthBatches, rows: int | None = None, drop_last: bool = False
    ) -> None:
        """
        Args:
            rows: Number of rows in a batch, into which records are packed. None: they are not packed.
            drop_last: Omit a last batch of fewer rows.
        """
        self.budget = budget
        self._rows, self._drop_last = rows, drop_last
        self._window = budget.window or (_ofindex.PACK_WINDOW if rows else 0)
        self._lengths = _lengths_of(dataset, budget.by)
        self._counted: tuple[Any, int] | None = None  # what was counted last
        self._most = MAX_UINT64 if budget.records is None else budget.records
        kind = "best_fit" if rows else "padded" if budget.padded else "sum"
        shape = f"{self._window} {budget.total} {self._most} {kind} {_fingerprint(budget.by)}"
        self.windows = shape if self._window else ""  # identifies the order of the records within windows

    def order(self, epoch: WholeEpoch) -> _ofindex.RowSampler | Order:
        """Return the order that `cut` expects."""
        window = self._window
        return epoch.order_from(epoch.position - epoch.position % window if window else epoch.position)

    def cut(self, epoch: WholeEpoch, order: _ofindex.RowSampler | Order) -> _ofindex.LengthCutter:
        """Return the batches of `order`, which is `order(epoch)`, for a loader."""
        return _ofindex.LengthCutter(
            order,
            self._lengths,
            self.budget.total,
            self._most,
            self.budget.padded,
            self._window,
            self._rows,
            self._drop_last,
            epoch.skipped,
            epoch.position,
            *epoch.ranks,
        )

    def count(self, epoch: WholeEpoch) -> int:
        """Return the number of batches; looks up the length of each record.

        Raises:
            TypeError: the order can be read only once.
        """
        if epoch.identity is None:
            raise TypeError("the sampler has no length in batches of a budget")
        key, counted = (epoch.identity, epoch.ranks), self._counted
        if counted is None or counted[0] != key:
            counted = self._counted = key, self.cut(epoch, self.order(epoch)).count()
        return counted[1]

    def marked(self, state: State) -> State:
        """Return a state of the sampler as one of the Loader. With windows, positions count other records, so that only
        a Loader with the same budget may read it."""
        if not self.windows:
            return state
        return {**state, "schema": _SCHEMA, "of": state["schema"], "windows": self.windows}


def unmarked(state: State, windows: str) -> State:
    """Return the sampler's state in the state of a Loader, whose `Cutter.windows` are given; without one, empty.

    Raises:
        StaleError: the state is of other windows.
    """
    given = dict(checked_state(state))
    if given.get("schema") == _SCHEMA and not windows:
        raise StaleError(
            "the state is of length batches with a window: give the same length_batches and pack, or begin the next "
            "epoch without the state"
        )
    if not windows:
        return given
    if given.get("schema") != _SCHEMA or given.pop("windows", None) != windows:
        raise StaleError(
            "the state is of other length batches: with a window, total, lengths, records, padded, window and pack "
            "must be those of the state; begin the next epoch without it"
        )
    given["schema"] = given.pop("of", None)
    return given

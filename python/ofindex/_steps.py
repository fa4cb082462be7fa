"""Steps of a run: which records a step reads, at which step a record is read, and steps that are skipped."""

from __future__ import annotations

import operator
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol, TypeAlias

import numpy as np
import numpy.typing as npt

from . import _ofindex
from ._arguments import MAX_UINT64
from ._foreign import shown

if TYPE_CHECKING:
    from ._epochs import Reader, State, Tail

#: Rank, world size and tail of a reader.
Ranks: TypeAlias = "tuple[int, int, Tail]"

#: Steps that are skipped: the first and the one after the last; epoch and position of the begin; those of the end.
Skip: TypeAlias = tuple[int, int, int, int, int, int]


@dataclass(frozen=True, order=True)
class Reading:
    """A place of a record in a run: the step that reads it."""

    step: int
    """Number of the step, counted through all epochs."""
    rank: int
    """Rank that reads the record."""
    index: int
    """Index of the record in the rank's batch."""
    epoch: int
    """Epoch of the step."""


Reading.__module__ = "ofindex"


def checked_skip(skip: Iterable[tuple[int, int]] | None) -> list[tuple[int, int]]:
    """Return `skip` as pairs of steps.

    Raises:
        TypeError: it is not a list of pairs of integers. ValueError: a pair is not in order.
    """
    expected = "expected pairs of steps, as [(4200, 4260)] for steps 4200 to 4259"
    pairs: list[tuple[int, int]] = []
    try:
        for first, last in () if skip is None else skip:
            pairs.append((operator.index(first), operator.index(last)))
    except (TypeError, ValueError):
        raise TypeError(f"skip={shown(skip)}: {expected}") from None
    for first, last in pairs:
        if not 0 <= first <= last < 2**63:
            raise ValueError(f"skip={shown(skip)}: {expected}")
    return pairs


def skips_in(state: State) -> list[Skip]:
    """Return the skips of a state.

    Raises:
        ValueError: they are not lists of six numbers, or an end lies before its begin.
    """
    skips = state.get("skip", [])
    try:
        found: list[Skip] = [(a, b, c, d, e, f) for a, b, c, d, e, f in skips]
    except (TypeError, ValueError):
        found = [(-1, 0, 0, 0, 0, 0)]
    sound = all(isinstance(number, int) and 0 <= number <= MAX_UINT64 for one in found for number in one)
    if not (sound and all(one[0] <= one[1] and one[2:4] <= one[4:] for one in found)):
        raise ValueError(f"not a sampler state: skip is {shown(skips)}; expected lists of six whole numbers, in order")
    return found


def still_skipped(reader: Reader, step: int | None) -> list[Skip]:
    """Return what `reader` still skips if it stands before step `step`: what comes, by its position or by its number.
    The numbers show which steps were skipped already, even after other ranks or batches have changed what comes where.
    None as `step`: they count other steps, and are dropped."""
    here = (reader.epoch, reader.position)
    if step is None:
        return [(0, 0, *one[2:]) for one in reader.skipped if one[4:] > here]
    return [one for one in reader.skipped if one[4:] > here or one[1] > step]


class Steps(Protocol):
    """The steps of a run from its origin on: from the position at which its ranks began together. Steps that are
    skipped keep their numbers. Epochs begin at their start, or at the origin."""

    def read_before(self, epoch: int, /) -> int:
        """Return the number of steps that are read from the origin to the begin of an epoch."""

    def known_before(self, epoch: int, /) -> int | None:
        """Do the same if it takes no time, else return None."""

    def number_of(self, read: int, /) -> int:
        """Return the number of the step before which `read` steps are read."""

    def number_at(self, read: int, epoch: int, position: int, /) -> int:
        """Return the number that a state has before which `read` steps are read: that of the next step, except
        that it does not count skipped steps which begin there, and not earlier."""

    def to_skip(self, wanted: list[tuple[int, int]], /) -> list[Skip]:
        """Return what has to be skipped in addition, so that the steps `wanted` are, as far as they are to come."""

    def rows(self, step: int, rank: int, /) -> npt.NDArray[np.int64]:
        """Return the rows that `rank` reads in `step`; none if it is skipped."""

    def readings(self, row: int, epoch: int, /) -> list[Reading]:
        """Return the readings of `row` in `epoch`, in the order of steps."""


def number_at(first: int, read: int, origin: Reader, here: tuple[int, int]) -> int:
    """See `Steps.number_at`; the number of the origin is `first`."""
    begin = (origin.epoch, origin.position)
    gaps = sum(max(0, one[1] - one[0]) for one in origin.skipped if begin <= one[2:4] < here)
    return min(first + read + gaps, MAX_UINT64)


def check_epoch(epoch: int, origin: Reader) -> None:
    """Raise IndexError if `epoch` lies before that of the origin."""
    if epoch < origin.epoch:
        raise IndexError(f"epoch {epoch}: expected {origin.epoch} or more, where this run begins")


class BatchSteps:
    """Steps of batches that have `size` rows each: see `Steps`."""

    def __init__(self, origin: Reader, ranks: Ranks, size: int, drop_last: bool, step: int | None) -> None:
        """
        Args:
            step: Number of the step that begins at the origin. None: as if the run had had the same ranks and batches
                before.
        """
        self._origin = origin.copy()
        later = origin.copy()
        later.set_epoch(min(origin.epoch + 1, MAX_UINT64))  # which may have more records
        self._size, self._drop_last = size, drop_last
        _, world_size, tail = ranks
        shape = (world_size, tail, size, drop_last)
        epoch, position = origin.epoch, origin.position
        if step is None:
            before = _ofindex.RunSteps(origin.epoch_size, [], *shape, 0, 0, 0, origin.epoch_size)
            step = before.step_at(epoch, position)
        self.first = step
        self._steps = _ofindex.RunSteps(
            later.epoch_size, origin.skipped, *shape, step, epoch, position, origin.epoch_size
        )

    def read_before(self, epoch: int) -> int:
        return self._steps.read_before(epoch)

    known_before = read_before

    def number_of(self, read: int) -> int:
        return self._steps.number_of(read)

    def number_at(self, read: int, epoch: int, position: int) -> int:
        return number_at(self.first, read, self._origin, (epoch, position))

    def to_skip(self, wanted: list[tuple[int, int]]) -> list[Skip]:
        return self._steps.to_skip(wanted)

    def rows(self, step: int, rank: int) -> npt.NDArray[np.int64]:
        found = self._steps.find(step)
        if found is None:
            return np.empty(0, np.int64)
        epoch, batch = found
        return self._batch(self._reader_of(epoch), rank, batch)

    def _reader_of(self, epoch: int) -> Reader:
        """Return a reader that stands where the ranks begin in an epoch."""
        reader = self._origin.copy()
        if epoch != reader.epoch:
            reader.set_epoch(epoch)
        return reader

    def _batch(self, reader: Reader, rank: int, batch: int) -> npt.NDArray[np.int64]:
        rows = reader.rows_of(rank, batch * self._size, self._size)
        return rows[:0] if self._drop_last and len(rows) < self._size else rows

    def readings(self, row: int, epoch: int) -> list[Reading]:
        check_epoch(epoch, self._origin)
        reader, before = self._reader_of(epoch), self.read_before(epoch)
        found = []
        for rank, number in reader.places_of(row):
            batch, index = divmod(number, self._size)
            if not self._drop_last or len(self._batch(reader, rank, batch)):
                found.append(Reading(self.number_of(before + batch), rank, index, epoch))
        return sorted(found)

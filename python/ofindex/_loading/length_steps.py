"""Steps of a run in length batches."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from .. import _ofindex
from .._arguments import MAX_UINT64
from .._epochs import Reader
from .._mix_sampler import MixSampler
from .._sampler import Sampler
from .._steps import Ranks, Reading, Skip, check_epoch, number_at
from .length_batches import Cutter

#: Batches of an epoch are counted for all ranks together: rank r of w reads batches r, r + w, r + 2w, ...
_ALONE: Ranks = (0, 1, "exact")

_MAX_EPOCHS = 1000
_MAX_EMPTY = 4  # epochs without a step, after which no others are tried


class LengthSteps:
    """Steps of batches of a budget: see `Steps`. Batches are found by cutting the epoch from where its ranks begin,
    which looks up the lengths of the records before them. Remembers how many steps an epoch has."""

    def __init__(self, sampler: Sampler | MixSampler, cutter: Cutter, origin: Reader, step: int | None) -> None:
        """
        Args:
            step: Number of the step that begins at the origin. None: as if the run had had the same ranks and
                batches before, which are counted once a number is asked for.
        """
        self._origin = origin.copy()
        self._sampler, self._cutter = sampler, cutter
        _, self._world_size, self._tail = sampler._ranks
        self._counts: dict[int, int] = {}  # steps that are read, by epoch
        self._step = 0 if step is None and (origin.epoch, origin.position) == (0, 0) else step
        self._numbers: _ofindex.StepNumbers | None = None

    def note(self, epoch: int, position: int, steps: int) -> None:
        """Note the number of steps that an epoch had from a position to its end."""
        if position == (self._origin.position if epoch == self._origin.epoch else 0):
            self._counts[epoch] = steps

    def _begin_of(self, epoch: int) -> Reader:
        """Return a reader that stands where the ranks begin in an epoch."""
        begin = self._origin.copy()
        if epoch != begin.epoch:
            begin.set_epoch(epoch)
        return begin

    def _cut(self, begin: Reader) -> _ofindex.LengthCutter:
        whole = self._sampler._whole_of(begin, _ALONE)
        return self._cutter.cut(whole, self._cutter.order(whole))

    def _steps_of(self, batches: int) -> int:
        return batches // self._world_size if self._tail == "drop" else -(-batches // self._world_size)

    def _steps_in(self, epoch: int) -> int:
        if epoch not in self._counts:
            self._counts[epoch] = self._steps_of(self._cut(self._begin_of(epoch)).count())
        return self._counts[epoch]

    def read_before(self, epoch: int) -> int:
        begin = self._origin.epoch
        if epoch - begin > _MAX_EPOCHS:
            raise IndexError(
                f"epoch {epoch}: expected one of the next {_MAX_EPOCHS:,}, since the batches of all are counted"
            )
        return sum(self._steps_in(before) for before in range(begin, epoch))

    def known_before(self, epoch: int) -> int | None:
        between = range(self._origin.epoch, epoch)
        known = self._numbers is not None or self._step is not None
        if not known or len(between) > _MAX_EPOCHS or any(one not in self._counts for one in between):
            return None
        return self.read_before(epoch)

    def number_of(self, read: int) -> int:
        return self._all_numbers().number_of(read)

    def number_at(self, read: int, epoch: int, position: int) -> int:
        first = self._all_numbers().first if self._step is None else self._step
        return number_at(first, read, self._origin, (epoch, position))

    def _all_numbers(self) -> _ofindex.StepNumbers:
        if self._numbers is None:
            step = self._steps_before_origin() if self._step is None else self._step
            gaps = []
            for first, last, epoch, position, _, _ in self._origin.skipped:
                if (epoch, position) >= (self._origin.epoch, self._origin.position) and last > first:
                    gaps.append((self._read_before_position(epoch, position), last - first))
            self._numbers = _ofindex.StepNumbers(step, gaps)
        return self._numbers

    def _steps_before_origin(self) -> int:
        """Return the number of steps before the origin in a run with the same ranks and batches."""
        if self._origin.epoch > _MAX_EPOCHS:
            raise IndexError(
                f"epoch {self._origin.epoch}: the state does not tell its step, and there are more than "
                f"{_MAX_EPOCHS:,} epochs to count"
            )
        begin = self._origin.copy()
        begin.skip([])
        steps = 0
        for epoch in range(self._origin.epoch):
            begin.resume(epoch, 0)
            steps += self._steps_of(self._cut(begin.copy()).count())
        begin.resume(self._origin.epoch, 0)
        return steps + self._steps_to(begin, self._origin.position)

    def _steps_to(self, begin: Reader, position: int) -> int:
        """Return the number of steps that begin before a position, from `begin` on in the same epoch."""
        batches = self._cut(begin).count(until=position)
        return -(-batches // self._world_size)

    def _read_before_position(self, epoch: int, position: int) -> int:
        before = self.read_before(epoch)
        return before + min(self._steps_to(self._begin_of(epoch), position), self._steps_in(epoch))

    def to_skip(self, wanted: list[tuple[int, int]]) -> list[Skip]:
        left = _ofindex.steps_to_skip(self._all_numbers().first, self._origin.skipped, wanted)
        skips: list[Skip] = []
        for first, last in left:
            begin, end = self._position_of(first), self._position_of(last)
            if begin is not None:
                skips.append((first, last, *begin, *(end or (MAX_UINT64, 0))))
        return skips

    def _find(self, step: int) -> tuple[int, int, bool] | None:
        """Return the epoch of a step, its number in the epoch, and whether it is skipped; then the place is that of the
        next one. None if it is further away than batches are counted."""
        read, skipped = self._all_numbers().find(step)
        first, empty = self._origin.epoch, 0
        for epoch in range(first, min(first + _MAX_EPOCHS, MAX_UINT64)):
            steps = self._steps_in(epoch)
            if read < steps:
                return epoch, read, skipped
            if epoch > first and read > 2 * _MAX_EPOCHS * max(1, steps):
                return None  # epochs have about equally many
            empty += steps == 0
            if empty > _MAX_EMPTY and not self._origin.skipped:  # else they may be skipped
                return None
            read -= steps
        return None

    def _position_of(self, step: int) -> tuple[int, int] | None:
        place = self._find(step)
        if place is None:
            return None
        epoch, within, _ = place
        cut = self._cut(self._begin_of(epoch))
        cut.count(within * self._world_size)
        return epoch, cut.position

    def rows(self, step: int, rank: int) -> npt.NDArray[np.int64]:
        place = self._find(step)
        if place is None:
            raise IndexError(
                f"step {step}: expected one of {_MAX_EPOCHS:,} epochs, since the batches of all are counted, and of "
                "epochs that have batches"
            )
        epoch, within, skipped = place
        if skipped:
            return np.empty(0, np.int64)
        begin = self._begin_of(epoch)
        wanted = within * self._world_size + rank
        cut = self._cut(begin.copy())
        batches = cut.count(wanted)
        ordinals = cut.next()
        if batches < wanted or not len(ordinals):
            again = self._repeated(rank, batches)
            cut = self._cut(begin.copy())
            if again is None or cut.count(again) < again:
                return np.empty(0, np.int64)
            ordinals = cut.next()
        return begin.rows_of_ordinals(ordinals)

    def _repeated(self, rank: int, batches: int) -> int | None:
        """Return the batch that a rank repeats in the last step, of `batches` in all; None if it has one of its own."""
        own = batches % self._world_size
        if self._tail != "pad" or not 0 < own <= rank:
            return None
        return min(rank - own, min(self._world_size, batches) - 1)

    def readings(self, row: int, epoch: int) -> list[Reading]:
        check_epoch(epoch, self._origin)
        ordinal = int(self._sampler._dataset.ordinals(np.array([row]))[0])
        places, batches = self._cut(self._begin_of(epoch)).find(ordinal)
        before, steps = self.read_before(epoch), self._steps_of(batches)
        found = [
            (batch // self._world_size, batch % self._world_size, index)
            for batch, index in places
            if batch // self._world_size < steps
        ]
        for rank in range(self._world_size):
            again = self._repeated(rank, batches)
            found += [(steps - 1, rank, index) for batch, index in places if batch == again]
        return sorted(Reading(self.number_of(before + step), rank, index, epoch) for step, rank, index in found)

"""The order in which a training run reads the records of a mix."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from . import _ofindex
from ._arguments import whole
from ._epochs import (
    EpochSampler,
    Reader,
    State,
    Tail,
    WholeEpoch,
    checked_state,
    number_of,
    rank_and_world_size,
)
from ._errors import StaleError

if TYPE_CHECKING:
    from ._mix import Mix

_GOLDEN = 0x9E3779B97F4A7C15


class _MixOrder:
    """The endless order of a mix under one seed: its rows by position. Caches the last epoch of each dataset; belongs
    to one thread."""

    def __init__(self, mix: Mix, seed: int) -> None:
        self._size = len(mix)
        self._first_rows = mix._first_rows
        self._numbers = mix._numbers
        self._mixture = _ofindex.make_mixture(mix.weights, list(map(len, mix.datasets)), seed)
        self._samplers = [
            dataset.sampler(seed=(seed + _GOLDEN * number) % 2**64, rank=0, world_size=1)._order()
            for number, dataset in enumerate(mix.datasets)
        ]

    def copy(self) -> _MixOrder:
        """Return a copy for another thread."""
        twin = copy.copy(self)
        twin._samplers = [sampler.copy() for sampler in self._samplers]
        return twin

    def rows(self, epoch: int, first: int, step: int, count: int) -> npt.NDArray[np.int64]:
        """Return the rows at positions first, first + step, ... of `epoch`; positions past its end wrap
        to its start."""
        # A step of at least the epoch's size is taken at most once.
        first, step = first % self._size, min(step, self._size)
        positions = (first + np.arange(count, dtype=np.int64) * step) % self._size
        rows = np.empty(count, dtype=np.int64)
        inside = int(np.searchsorted(np.diff(positions) < 0, True)) + 1 if count else 0  # before a padded tail wraps
        for begin, end in ((0, inside), *((i, i + 1) for i in range(inside, count))):
            if end > begin:
                start = epoch * self._size + int(positions[begin])
                rows[begin:end] = self._look_up(*self._mixture.places(start, step, end - begin))
        return rows if self._numbers is None else self._numbers[rows]

    def _look_up(
        self, which: npt.NDArray[np.int64], epochs: npt.NDArray[np.int64], positions: npt.NDArray[np.int64]
    ) -> npt.NDArray[np.int64]:
        rows = np.empty_like(positions)
        for number, epoch in sorted(set(zip(which.tolist(), epochs.tolist(), strict=True))):
            mine = (which == number) & (epochs == epoch)
            sampler = self._samplers[number]
            if sampler.epoch != epoch:
                sampler.set_epoch(epoch)
            rows[mine] = sampler.rows_at(positions[mine]) + self._first_rows[number]
        return rows


class MixReader:
    """One rank's rows of an epoch of a mix, from a position onwards: see `Reader`."""

    _base: int  # position from which all ranks continue together
    _step: int  # number of rows that this rank has taken since `_base`
    _ended: bool  # fewer rows were left than requested

    def __init__(self, mix: Mix, seed: int, epoch: int, rank: int, world_size: int, tail: Tail) -> None:
        self._mix = mix
        self._rank, self._world_size, self._tail = rank, world_size, tail
        self._order = _MixOrder(mix, seed)
        self.seed = seed
        self.set_epoch(epoch)

    @property
    def epoch_size(self) -> int:
        return len(self._mix)

    @property
    def position(self) -> int:
        return self.epoch_size if self._ended else min(self.epoch_size, self._base + self._step * self._world_size)

    @property
    def left(self) -> int:
        left, world = self.epoch_size - self._base, self._world_size
        if self._tail == "exact":
            steps = max(0, -(-(left - self._rank) // world))
        else:
            steps = -(-left // world) if self._tail == "pad" else left // world
        return steps - self._step

    def take(self, most: int) -> npt.NDArray[np.int64]:
        count = min(most, self.left)
        first = self._base + self._rank + self._step * self._world_size
        rows = self._order.rows(self.epoch, first, self._world_size, count)
        self._step += count
        self._ended = self._ended or count < most
        return rows

    def set_epoch(self, epoch: int) -> None:
        # Positions of the endless order must be below 2^63.
        self.epoch = whole(epoch, "epoch", 0, 2**63 // self.epoch_size - 1)
        self.seek(0)

    def seek(self, position: int) -> None:
        self._base = position
        self._step = 0
        self._ended = False

    def resume(self, epoch: int, position: int) -> None:
        self.set_epoch(epoch)
        self.seek(position)

    def copy(self) -> MixReader:
        twin = copy.copy(self)
        twin._order = self._order.copy()
        return twin

    def state(self) -> str:
        return json.dumps(
            {
                "schema": "ofindex.mix_state/1",
                "law": 1,
                "seed": self.seed,
                "epoch": self.epoch,
                "position": self.position,
                "sources": self._mix._fingerprints,
                "weights": self._mix.weights,
            }
        )


class MixSampler(EpochSampler):
    """Records of a `Mix` in the order of a training run, for one rank of many; see `Sampler`.

    Each iteration is the next epoch, as with a Sampler. The order is endless; epoch e consists of its positions
    ``[e * n, (e + 1) * n)``, where n is ``len(mix)``. If the share of a dataset is not in proportion to its size, an
    epoch repeats or omits some of the dataset's records; over many epochs, all of them occur equally often.
    """

    def __init__(
        self,
        mix: Mix,
        seed: int,
        epoch: int,
        rank: int | None,
        world_size: int | None,
        tail: Tail,
        state: State | None = None,
    ) -> None:
        if tail not in ("exact", "pad", "drop"):
            raise ValueError(f"tail={tail!r}: expected 'exact', 'pad' or 'drop'")
        self._dataset = mix
        self._given = (rank, world_size, tail)  # as given, since another process has its own rank
        self._slice = (*rank_and_world_size(rank, world_size), tail)
        super().__init__(MixReader(mix, seed, epoch, *self._slice), self._slice[1], loaded=False)
        if state is not None:
            self.load_state_dict(state)

    def _order(self) -> Callable[[int], tuple[npt.NDArray[np.int64], int]]:
        """Return the source of a loader's ordinals, which starts where a new iterator would."""
        return self._order_of(self._begin.copy())

    def _order_of(self, reader: Reader) -> Callable[[int], tuple[npt.NDArray[np.int64], int]]:
        def take(count: int) -> tuple[npt.NDArray[np.int64], int]:
            return self._dataset.ordinals(reader.take(count)), reader.position

        return take

    def _whole_epoch(self, epoch: int | None = None) -> WholeEpoch:
        """Return what all ranks read from where a new iterator would start, or from the start of `epoch`."""
        begin = self._begin_of(epoch)

        def order_from(position: int) -> Callable[[int], tuple[npt.NDArray[np.int64], int]]:
            whole = MixReader(self._dataset, begin.seed, begin.epoch, 0, 1, "exact")
            whole.seek(position)
            return self._order_of(whole)

        return WholeEpoch(begin.state(), begin.position, order_from, self._slice)

    def load_state_dict(self, state: State) -> None:
        """Replace seed, epoch and position by those of `state`, which may come from any number of ranks.

        Raises:
            StaleError: the state belongs to other datasets or weights.
        """
        given, own = checked_state(state), self._begin_state()
        for key in ("schema", "law", "sources", "weights"):
            if given.get(key) != own[key]:
                raise StaleError(
                    f"the state is of another mix, or a dataset of it was updated since: its {key} are not those of "
                    "this mix; begin the next epoch without the state"
                )
        begin = MixReader(self._dataset, number_of(given, "seed"), number_of(given, "epoch"), *self._slice)
        begin.seek(number_of(given, "position", self.epoch_size))
        self._resume(begin)

    def __reduce__(self) -> tuple[Any, ...]:
        state = self.state_dict()
        return MixSampler, (self._dataset, self.seed, state["epoch"], *self._given, state)

    def __repr__(self) -> str:
        return f"<ofindex.MixSampler of {self._dataset!r}: seed={self.seed}, epoch={self.epoch}>"

"""The order in which a training run reads the records of a mix."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any, cast

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
from ._steps import Ranks, Skip, skips_in

if TYPE_CHECKING:
    from ._mix import Mix

_GOLDEN = 0x9E3779B97F4A7C15


class _MixOrder:
    """The endless order of a mix under one seed: its rows by position. Caches the last epoch of each dataset; belongs
    to one thread."""

    def __init__(self, mix: Mix, seed: int) -> None:
        self._size = len(mix)
        self._first_rows = mix._first_rows
        self._first_ordinals = mix._first_ordinals
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

    def rows(self, epoch: int, first: int, stride: int, count: int) -> npt.NDArray[np.int64]:
        """Return the rows at positions first, first + stride, ... of `epoch`."""
        rows = self._look_up(*self._mixture.places(epoch * self._size + first, stride, count))
        return rows if self._numbers is None else self._numbers[rows]

    def positions_of(self, epoch: int, row: int) -> list[int]:
        """Return the positions of `row` in `epoch`."""
        row = row if self._numbers is None else int(np.flatnonzero(self._numbers == row)[0])
        number = int(np.searchsorted(self._first_rows, row, side="right")) - 1
        sampler, row = self._samplers[number], row - int(self._first_rows[number])
        begin, end = epoch * self._size, (epoch + 1) * self._size
        positions = []
        for of_source in range(*self._mixture.epochs_of(number, begin, end)):
            sampler.set_epoch(of_source)
            for _, position in sampler.places_of(row):  # of its only rank, whose rows are the positions
                mixed = self._mixture.position_of(number, of_source, position)
                if begin <= mixed < end:
                    positions.append(mixed - begin)
        return positions

    def rows_of_ordinals(self, ordinals: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
        """Return the rows of ordinals, which count through all datasets."""
        which = np.searchsorted(self._first_ordinals, ordinals, side="right") - 1
        rows = np.empty_like(ordinals)
        for number in set(which.tolist()):
            mine = which == number
            own = np.ascontiguousarray(ordinals[mine] - self._first_ordinals[number])
            rows[mine] = self._samplers[number].rows_of_ordinals(own) + self._first_rows[number]
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

    _steps: _ofindex.RankSteps  # of this epoch, from where the ranks began
    _taken: int  # number of rows that this rank has taken from there
    _ended: bool  # fewer rows were left than requested

    def __init__(self, mix: Mix, seed: int, epoch: int, rank: int, world_size: int, tail: Tail) -> None:
        self._mix = mix
        self._rank, self._world_size, self._tail = rank, world_size, tail
        self._order = _MixOrder(mix, seed)
        self._skipped: list[Skip] = []
        self.seed = seed
        self.set_epoch(epoch)

    @property
    def epoch_size(self) -> int:
        return len(self._mix)

    @property
    def position(self) -> int:
        return self.epoch_size if self._ended else self._steps.position_after(self._taken)

    @property
    def left(self) -> int:
        return self._steps.steps_of(self._rank) - self._taken

    def take(self, most: int) -> npt.NDArray[np.int64]:
        count = min(most, self.left)
        rows = self._rows(self._rank, self._taken, count)
        self._taken += count
        self._ended = self._ended or count < most
        return rows

    def _rows(self, rank: int, first: int, count: int) -> npt.NDArray[np.int64]:
        runs = [self._order.rows(self.epoch, *run) for run in self._steps.runs(rank, first, count)]
        return np.concatenate([np.empty(0, np.int64), *runs])

    def position_after(self, rows: int) -> int:
        return self._steps.position_after(rows)

    def rows_of(self, rank: int, first: int, count: int) -> npt.NDArray[np.int64]:
        return self._rows(rank, first, max(0, min(count, self._steps.steps_of(rank) - first)))

    def rows_of_ordinals(self, ordinals: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
        return self._order.rows_of_ordinals(ordinals)

    def places_of(self, row: int) -> list[tuple[int, int]]:
        positions = self._order.positions_of(self.epoch, row)
        return [place for position in positions for place in self._steps.places_of(position)]

    @property
    def skipped(self) -> list[Skip]:
        return self._skipped

    def skip(self, skipped: list[Skip]) -> None:
        self._skipped = skipped
        self.seek(self._begin)

    @property
    def skipped_positions(self) -> list[tuple[int, int]]:
        """Ranges of positions of this epoch that are skipped."""
        return self._steps.skipped

    def set_epoch(self, epoch: int) -> None:
        # Positions of the endless order must be below 2^63.
        self.epoch = whole(epoch, "epoch", 0, 2**63 // self.epoch_size - 1)
        self.seek(0)

    def seek(self, position: int) -> None:
        self._begin = position
        self._steps = _ofindex.RankSteps(
            self.epoch_size, self._skipped, self.epoch, position, self._world_size, self._tail
        )
        self._taken = 0
        self._ended = False

    def resume(self, epoch: int, position: int) -> None:
        self.set_epoch(epoch)
        self.seek(position)

    def copy(self) -> MixReader:
        twin = copy.copy(self)
        twin._order = self._order.copy()
        return twin

    def state(self) -> str:
        state = {
            "schema": "ofindex.mix_state/1",
            "law": 1,
            "seed": self.seed,
            "epoch": self.epoch,
            "position": self.position,
            "sources": self._mix._fingerprints,
            "weights": self._mix.weights,
        }
        return json.dumps({**state, "skip": self._skipped} if self._skipped else state)


class MixSampler(EpochSampler):
    """Records of a `Mix` in the order of a training run, for one rank of many; see `Sampler`.

    Each iteration is the next epoch, as with a Sampler. The order is endless; epoch e consists of its positions
    ``[e * n, (e + 1) * n)``, where n is ``len(mix)``. If the share of a dataset is not in proportion to its size, an
    epoch repeats or omits some of the dataset's records; over many epochs, all of them occur equally often.
    """

    _dataset: Mix

    def __init__(
        self,
        mix: Mix,
        seed: int,
        epoch: int,
        rank: int | None,
        world_size: int | None,
        tail: Tail,
        state: State | None = None,
        skip: Iterable[tuple[int, int]] | None = None,
    ) -> None:
        if tail not in ("exact", "pad", "drop"):
            raise ValueError(f"tail={tail!r}: expected 'exact', 'pad' or 'drop'")
        self._dataset = mix
        self._given = (rank, world_size, tail)  # as given, since another process has its own rank
        self._slice = (*rank_and_world_size(rank, world_size), tail)
        super().__init__(MixReader(mix, seed, epoch, *self._slice), self._slice, loaded=False, skip=skip)
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
        return self._whole_of(self._begin_of(epoch), self._ranks)

    def _whole_of(self, begin: Reader, ranks: Ranks) -> WholeEpoch:
        """Return the rest of the epoch from where `begin` is, for other ranks."""

        def order_from(position: int) -> Callable[[int], tuple[npt.NDArray[np.int64], int]]:
            whole = MixReader(self._dataset, begin.seed, begin.epoch, 0, 1, "exact")
            whole.seek(position)
            return self._order_of(whole)

        return WholeEpoch(begin.state(), begin.position, order_from, ranks, cast(MixReader, begin).skipped_positions)

    def load_state_dict(self, state: State) -> None:
        """Replace seed, epoch and position by those of `state`, which may come from any number of ranks.

        Raises:
            StaleError: the state belongs to other datasets or weights.
        """
        begin = self._loaded_from(state)
        self._skip_wanted(begin, True, counted="step" not in state)
        self._resume(begin)

    def _loaded_from(self, state: State) -> MixReader:
        """Return a reader that stands where `state` does."""
        given, own = checked_state(state), self._begin_state()
        for key in ("schema", "law", "sources", "weights"):
            if given.get(key) != own[key]:
                raise StaleError(
                    f"the state is of another mix, or a dataset of it was updated since: its {key} are not those of "
                    "this mix; begin the next epoch without the state"
                )
        begin = MixReader(self._dataset, number_of(given, "seed"), number_of(given, "epoch"), *self._slice)
        begin.seek(number_of(given, "position", self.epoch_size))
        begin.skip(skips_in(given))
        return begin

    def __reduce__(self) -> tuple[Any, ...]:
        state = self.state_dict()
        return MixSampler, (self._dataset, self.seed, state["epoch"], *self._given, state, self._skip)

    def __repr__(self) -> str:
        return f"<ofindex.MixSampler of {self._dataset!r}: seed={self.seed}, epoch={self.epoch}>"

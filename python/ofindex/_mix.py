"""Several datasets in fixed proportions."""

from __future__ import annotations

import bisect
import copy
import itertools
import operator
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from . import _ofindex
from ._arguments import MOST, whole
from ._batch import Batch, decoding_of, thread_limit
from ._dataset import Dataset
from ._errors import StaleError
from ._features import Features
from ._sampler import State, Tail, checked_state, place_of

_TAKEN_AT_ONCE = 1024
_GOLDEN = 0x9E3779B97F4A7C15
_PLACE = ("epoch", "position")  # what of a state says where it stands


class Mix:
    """Several datasets as one: a sequence of their records, one dataset after the other, whose sampler draws from each
    in a fixed proportion. Made by `mix`. Pickles."""

    def __init__(self, datasets: Sequence[Dataset], weights: Sequence[float]) -> None:
        self.datasets = tuple(datasets)
        self.weights = tuple(float(weight) for weight in weights)
        self._first_rows = list(itertools.accumulate(map(len, self.datasets), initial=0))
        sizes = [dataset._source.records for dataset in self.datasets]
        self._first_ordinals = list(itertools.accumulate(sizes, initial=0))
        self._payloads_made: _ofindex.Payloads | None = None
        _ofindex.make_mixture(self.weights, list(map(len, self.datasets)), 0)  # what is wrong is said at once

    @property
    def _payloads(self) -> _ofindex.Payloads:
        if self._payloads_made is None:
            self._payloads_made = _ofindex.payloads_of([dataset._source for dataset in self.datasets])
        return self._payloads_made

    def __len__(self) -> int:
        """Records of all datasets; an epoch has as many."""
        return self._first_rows[-1]

    def place(self, number: int) -> tuple[int, int]:
        """Which dataset has record `number`, and its number there."""
        number = operator.index(number)
        if not -len(self) <= number < len(self):
            raise IndexError(f"record {number} is not there; there are {len(self):,}")
        number %= len(self)
        which = bisect.bisect_right(self._first_rows, number) - 1
        return which, number - self._first_rows[which]

    def __getitem__(self, number: int) -> bytes:
        which, row = self.place(number)
        payload: bytes = self.datasets[which][row]
        return payload

    def __getitems__(self, numbers: Iterable[int]) -> list[bytes]:
        """Payloads of the records `numbers`, in the order asked for; torch calls this."""
        return [self[number] for number in numbers]

    def __iter__(self) -> Iterator[bytes]:
        return itertools.chain.from_iterable(self.datasets)

    def record(self, number: int) -> dict[str, Any]:
        """All features of one record: see `Dataset.record`."""
        which, row = self.place(number)
        return self.datasets[which].record(row)

    def ordinals(self, rows: Iterable[int] | npt.ArrayLike) -> npt.NDArray[np.int64]:
        """The records `rows` as the decoder counts them: ordinals of all datasets, one after the other."""
        wanted = _ofindex.indices(rows, len(self))
        which = np.searchsorted(self._first_rows, wanted, side="right") - 1
        out = np.empty_like(wanted)
        for number in np.unique(which).tolist():
            mine = which == number
            inside = self.datasets[number].ordinals(wanted[mine] - self._first_rows[number])
            out[mine] = inside + self._first_ordinals[number]
        return out

    def batch(self, numbers: Iterable[int], features: Features, threads: int | None = None) -> Batch:
        """Decode records into arrays, in the order asked for: see `Dataset.batch`."""
        rows = numbers if hasattr(numbers, "__len__") else list(numbers)
        decoding = decoding_of(features)
        arrays = decoding.decoder.decode_joined(self._payloads, self.ordinals(rows), thread_limit(threads))
        return decoding.batch(len(rows), arrays)  # type: ignore[arg-type]

    def sampler(
        self, seed: int = 0, epoch: int = 0, rank: int = 0, world_size: int = 1, tail: Tail = "exact"
    ) -> MixSampler:
        """The order of a training run: records of all datasets in their proportions, each dataset shuffled anew each
        time that it has been read. The arguments are those of `Dataset.sampler`."""
        place = (whole(rank, "rank"), whole(world_size, "world_size", 1))
        return MixSampler(self, whole(seed, "seed"), whole(epoch, "epoch"), *place, tail)

    def __eq__(self, other: object) -> bool:
        """Whether both are the same records of the same indexes, in the same proportions."""
        if not isinstance(other, Mix):
            return NotImplemented
        return self.datasets == other.datasets and self.weights == other.weights

    def __hash__(self) -> int:
        return hash((self.datasets, self.weights))

    def __reduce__(self) -> tuple[Any, ...]:
        return Mix, (self.datasets, self.weights)

    def __repr__(self) -> str:
        parts = ", ".join(
            f"{weight:g} of {dataset!r}" for dataset, weight in zip(self.datasets, self.weights, strict=True)
        )
        return f"<ofindex.Mix: {parts}>"


def mix(datasets: Sequence[Dataset], weights: Sequence[float] | None = None) -> Mix:
    """Mix datasets in fixed proportions.

    Args:
        datasets: Two or more, or views of them.
        weights: How much of each, in any unit; None: as the data have them. A dataset that is read faster than others
            begins its next epoch while they are in an earlier one.

    Raises:
        ValueError: a weight makes no sense, or a dataset that has one is empty. TypeError: there is something else
        among the datasets.
    """
    for dataset in datasets:
        if not isinstance(dataset, Dataset):
            raise TypeError(f"expected datasets, not {type(dataset).__name__}")
    if not datasets:
        raise ValueError("no datasets to mix")
    if weights is not None and len(weights) != len(datasets):
        raise ValueError(f"{len(weights)} weights for {len(datasets)} datasets")
    return Mix(datasets, [float(len(dataset)) for dataset in datasets] if weights is None else weights)


class MixSampler:
    """Records of a `Mix` in the order of a training run, for one rank of many; see `Sampler`.

    The order is endless. Epoch e is its positions ``[e * n, (e + 1) * n)``, n being ``len(mix)``: in an epoch some
    records of a dataset may come twice and others not at all, where its share is not its size; over epochs all come
    alike.
    """

    def __init__(self, mix: Mix, seed: int, epoch: int, rank: int, world_size: int, tail: Tail, base: int = 0) -> None:
        if tail not in ("exact", "pad", "drop"):
            raise ValueError(f"tail={tail!r}: expected 'exact', 'pad' or 'drop'")
        if not 0 <= rank < world_size:
            raise ValueError(f"rank {rank} of {world_size}: expected a rank below the world")
        self._mix = mix
        self._rank, self._world_size, self._tail = rank, world_size, tail
        self._iterator: _MixIterator | None = None
        self._loaded = base != 0  # a state was, and nothing was read since
        self._begin(seed, self._epoch_to_read(epoch), base)

    def _begin(self, seed: int, epoch: int, base: int) -> None:
        self._order_of_mix = _MixOrder(self._mix, seed)
        self.seed, self.epoch = seed, epoch
        self._base = base  # position of the epoch at which the ranks begin together

    def _epoch_to_read(self, epoch: int) -> int:
        """`epoch`, whose positions of the endless order are below 2^63."""
        return whole(epoch, "epoch", 0, 2**63 // self.epoch_size - 1)

    @property
    def epoch_size(self) -> int:
        """Positions of an epoch, all ranks together."""
        return len(self._mix)

    def __len__(self) -> int:
        """Records that an iterator begun now gives."""
        return self._length()

    def _length(self) -> int:
        return self._records_from(self._base)

    def _epoch_length(self) -> int:
        """Records of a whole epoch."""
        return self._records_from(0)

    def _records_from(self, base: int) -> int:
        left, world = self.epoch_size - base, self._world_size
        if self._tail == "pad":
            return -(-left // world)
        return left // world if self._tail == "drop" else max(0, -(-(left - self._rank) // world))

    def __iter__(self) -> _MixIterator:
        self._loaded = False
        self._iterator = _MixIterator(self)
        return self._iterator

    def _begin_state(self) -> State:
        return self._state(self._base)

    def _order(self) -> Callable[[int], tuple[npt.NDArray[np.int64], int]]:
        iterator = _MixIterator(self)

        def take(count: int) -> tuple[npt.NDArray[np.int64], int]:
            return self._mix.ordinals(iterator.take(count)), iterator.position

        return take

    def take(self, count: int) -> npt.NDArray[np.int64]:
        """The first `count` rows of an iterator begun now, fewer where the epoch ends: int64 array."""
        return _MixIterator(self).take(whole(count, "count"))

    def set_epoch(self, epoch: int) -> None:
        """Goes to the begin of `epoch`; see `Sampler.set_epoch`."""
        wanted = self._epoch_to_read(epoch)
        if self._loaded and wanted == self.epoch:
            return
        self.epoch, self._base, self._iterator, self._loaded = wanted, 0, None, False

    def _state(self, position: int) -> State:
        sources = [f"{dataset._source.id} {dataset.rows.fingerprint()}" for dataset in self._mix.datasets]
        return {
            "schema": "ofindex.mix_state/1",
            "law": 1,
            "seed": self.seed,
            "epoch": self.epoch,
            "position": position,
            "sources": sources,
            "weights": list(self._mix.weights),
        }

    def state_dict(self) -> State:
        """Where the last iterator stands, or where one would begin; see `Sampler.state_dict`."""
        return self._begin_state() if self._iterator is None else self._iterator.state_dict()

    def load_state_dict(self, state: State) -> None:
        """Replaces seed, epoch and position by those of a state, taken under any number of ranks.

        Raises:
            StaleError: the state is not of these datasets and weights.
        """
        checked_state(state)
        own = self._state(0)
        for key in ("schema", "law", "sources", "weights"):
            if state.get(key) != own[key]:
                raise StaleError(f"the state is of another mix: its {key} are not those of this one")
        epoch, position = place_of(state, self.epoch_size)
        seed = state.get("seed")
        if not (isinstance(seed, int) and 0 <= seed <= MOST):
            raise ValueError(f"this is no state of a sampler: its seed is {seed!r}")
        self._begin(seed, self._epoch_to_read(epoch), position)
        self._iterator, self._loaded = None, True

    def __reduce__(self) -> tuple[Any, ...]:
        state = self.state_dict()
        wish = (state["seed"], state["epoch"], self._rank, self._world_size, self._tail, state["position"])
        return MixSampler, (self._mix, *wish)

    def __repr__(self) -> str:
        return f"<ofindex.MixSampler of {self._mix!r}: seed={self.seed}, epoch={self.epoch}>"


class _MixOrder:
    """The endless order of a mix under one seed: its rows by position. Keeps the last epoch of each dataset at hand;
    belongs to one iterator."""

    def __init__(self, mix: Mix, seed: int) -> None:
        self._size = len(mix)
        self._first_rows = mix._first_rows
        self._mixture = _ofindex.make_mixture(mix.weights, list(map(len, mix.datasets)), seed)
        self._samplers = [
            dataset.sampler(seed=(seed + _GOLDEN * number) % 2**64)._order()
            for number, dataset in enumerate(mix.datasets)
        ]

    def copy(self) -> _MixOrder:
        """The same for another iterator."""
        twin = copy.copy(self)
        twin._samplers = [sampler.copy() for sampler in self._samplers]
        return twin

    def rows(self, epoch: int, first: int, step: int, count: int) -> npt.NDArray[np.int64]:
        """Rows at positions first, first + step, ... of `epoch`; those past its end are of its begin again."""
        # A step of the epoch's size, or beyond, is taken once at most.
        first, step = first % self._size, min(step, self._size)
        positions = (first + np.arange(count, dtype=np.int64) * step) % self._size
        rows = np.empty(count, dtype=np.int64)
        inside = int(np.searchsorted(np.diff(positions) < 0, True)) + 1 if count else 0  # before a padded tail wraps
        for begin, end in ((0, inside), *((i, i + 1) for i in range(inside, count))):
            if end > begin:
                start = epoch * self._size + int(positions[begin])
                rows[begin:end] = self._look_up(*self._mixture.places(start, step, end - begin))
        return rows

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


class _MixIterator:
    """One pass over what is left of an epoch. Knows its place; belongs to one thread."""

    def __init__(self, sampler: MixSampler) -> None:
        self._order = sampler._order_of_mix.copy()
        self._sampler = sampler  # for what does not change: ranks and sizes
        self._start(sampler._begin_state())

    def _start(self, state: State) -> None:
        self._state = state
        self._base: int = state["position"]
        self._size = self._sampler._records_from(self._base)
        self._step = 0
        self._taken: list[int] = []  # rows that are not handed on yet, the next one last
        self._ended = False

    def take(self, count: int) -> npt.NDArray[np.int64]:
        """The next rows, fewer at the end."""
        given = min(count, self._size - self._step)
        world_size = self._sampler._world_size
        first = self._base + self._sampler._rank + self._step * world_size
        rows = self._order.rows(self._state["epoch"], first, world_size, given)
        self._step += given
        self._ended = self._ended or given < count
        return rows

    def __iter__(self) -> _MixIterator:
        return self

    def __next__(self) -> int:
        if not self._taken:
            ended = self._ended
            self._taken = self.take(_TAKEN_AT_ONCE)[::-1].tolist()
            if not self._taken:
                raise StopIteration
            self._ended = ended
        return self._taken.pop()

    def __len__(self) -> int:
        return self._size - self._step + len(self._taken)

    @property
    def position(self) -> int:
        """Position of the epoch, all ranks together, at which this iterator stands."""
        size = self._sampler.epoch_size
        if self._ended:
            return size
        return min(size, self._base + (self._step - len(self._taken)) * self._sampler._world_size)

    def state_dict(self) -> State:
        """See `Sampler.state_dict`."""
        return {**self._state, "position": self.position}

    def load_state_dict(self, state: State) -> None:
        """Goes on from a state of the same sampler; `MixSampler.load_state_dict` takes those of others."""
        given = checked_state(state)
        differing = [key for key, own in self._state.items() if key not in _PLACE and given.get(key) != own]
        if differing:
            text = f"the state is of another sampler: {', '.join(differing)} differ; load it into the sampler"
            raise ValueError(text)
        epoch, position = place_of(state, self._sampler.epoch_size)
        self._start({**state, "epoch": self._sampler._epoch_to_read(epoch), "position": position})

"""Epochs: one pass over one, where it stands, and how training goes on from there."""

from __future__ import annotations

import itertools
import json
import os
import sys
import threading
import weakref
from typing import Any, Literal, Protocol, TypeAlias, TypeVar

import numpy as np
import numpy.typing as npt

from ._arguments import MOST, whole

Tail: TypeAlias = Literal["exact", "pad", "drop"]

#: What `Sampler.state_dict` gives: plain values, less than 1 KiB as JSON.
State: TypeAlias = dict[str, Any]

_TAKEN_AT_ONCE = 1024
_PLACE = ("epoch", "position")  # what of a state says where it stands

_Same = TypeVar("_Same", bound="Reader")


def place_in_world(rank: int | None, world_size: int | None) -> tuple[int, int]:
    """Returns rank and world size. None of both stands for torch.distributed's if it is initialised, else for RANK and
    WORLD_SIZE as torchrun sets them, else for 0 and 1.

    Raises:
        ValueError: one is given without the other, here or in the environment; or the rank is not below the world size.
    """
    if (rank is None) != (world_size is None):
        given, lacking = ("rank", "world_size") if world_size is None else ("world_size", "rank")
        raise ValueError(f"{given} is given without {lacking}: give both, or neither for those of the environment")
    if rank is None or world_size is None:
        rank, world_size = _own_place()
    rank, world_size = whole(rank, "rank"), whole(world_size, "world_size", 1)
    if rank >= world_size:
        raise ValueError(f"rank {rank} of {world_size}: expected a rank below the world size")
    return rank, world_size


def _own_place() -> tuple[int, int]:
    distributed = sys.modules.get("torch.distributed")  # a process that has not imported it has not initialised it
    if distributed is not None and distributed.is_available() and distributed.is_initialized():
        return distributed.get_rank(), distributed.get_world_size()
    names = ("RANK", "WORLD_SIZE")
    lacking = [name for name in names if name not in os.environ]
    if len(lacking) == 2:
        return 0, 1
    if lacking:
        (alone,) = set(names) - set(lacking)
        raise ValueError(
            f"{alone}={os.environ[alone]!r} is in the environment without {lacking[0]}: set both or neither, "
            "or give rank and world_size"
        )
    try:
        rank, world_size = (int(os.environ[name]) for name in names)
    except ValueError:
        given = ", ".join(f"{name}={os.environ[name]!r}" for name in names)
        raise ValueError(f"{given} in the environment: expected integers; or give rank and world_size") from None
    return rank, world_size


class Turns:
    """A guard that lets one thread in at a time: `with turns: ...`.

    Raises (on entering):
        RuntimeError: another thread is inside.
    """

    def __init__(self, what: str) -> None:
        self._what = what
        self._taken = threading.Lock()

    def __enter__(self) -> None:
        if not self._taken.acquire(blocking=False):
            raise RuntimeError(f"two threads use one {self._what} at the same time: give each its own, or use a lock")

    def __exit__(self, *_: object) -> None:
        self._taken.release()


class Reader(Protocol):
    """One rank's rows of an epoch, from a position on: the extension's `RowSampler`, or a mix's."""

    @property
    def seed(self) -> int: ...
    @property
    def epoch(self) -> int: ...
    @property
    def epoch_size(self) -> int:
        """Positions of an epoch, all ranks together."""

    @property
    def position(self) -> int:
        """Where the next row is; `epoch_size` after a `take` that gave fewer than were asked for."""

    @property
    def left(self) -> int:
        """Rows that are left of the epoch, for this rank."""

    def take(self, most: int, /) -> npt.NDArray[np.int64]:
        """The next rows, fewer at the end."""

    def set_epoch(self, epoch: int, /) -> None:
        """Goes to the begin of `epoch`."""

    def seek(self, position: int, /) -> None:
        """Goes to a position of the epoch, at which the ranks begin together."""

    def state(self) -> str:
        """What is read, and where this stands, as JSON."""

    def copy(self: _Same) -> _Same:
        """The same for another thread."""


def checked_state(state: Any) -> State:
    """`state`, which is a dict."""
    if not isinstance(state, dict):
        raise TypeError(f"a state is a dict, not {type(state).__name__}")
    return state


def number_of(state: State, key: str, most: int = MOST) -> int:
    """The number `key` of a state, in ``[0, most]``."""
    number = state.get(key)
    if not (isinstance(number, int) and 0 <= number <= most):
        raise ValueError(f"this is no state of a sampler: {key} is {number!r}; expected 0 to {most}")
    return number


class SamplerIterator:
    """One pass over what is left of an epoch. Knows its place; belongs to one thread."""

    _number: int  # iterators of a sampler count up, in the order in which they begin

    def __init__(self, sampler: EpochSampler, begin: Reader) -> None:
        self._sampler = sampler
        self._turns = Turns("iterator of a sampler")
        self._seat(begin)

    def _seat(self, begin: Reader) -> None:
        """Begins at `begin`."""
        self._reader = begin
        self._number = self._sampler._next_number()
        self._begin()

    def _begin(self) -> None:
        self._base = self._reader.position
        self._taken: list[int] = []  # rows that are not handed on yet, the next one last
        self._handed = 0
        self._ended = False

    def __iter__(self) -> SamplerIterator:
        return self

    def __next__(self) -> int:
        with self._turns:
            if not self._taken:
                self._taken = self._reader.take(_TAKEN_AT_ONCE)[::-1].tolist()
                if not self._taken:
                    self._ended = True
                    self._sampler._was_read(self)
                    raise StopIteration
            self._handed += 1
            if self._sampler._iterator is not self or self._handed == 1:
                self._sampler._was_read(self)
            return self._taken.pop()

    def __len__(self) -> int:
        """Rows that are left."""
        return self._reader.left + len(self._taken)

    @property
    def epoch(self) -> int:
        """Epoch that this iterator reads."""
        return self._reader.epoch

    @property
    def touched(self) -> bool:
        """Whether something was read from this iterator, so that the next one reads the next epoch."""
        return self._ended or self._handed > 0

    @property
    def position(self) -> int:
        """Position of the epoch, all ranks together, at which this iterator stands."""
        size = self._reader.epoch_size
        return size if self._ended else min(size, self._base + self._handed * self._sampler._world_size)

    def state_dict(self) -> State:
        """As `EpochSampler.state_dict`, except that an iterator that has ended is at the end of its own epoch: an
        iterator that goes on from there has nothing left, as those of torch's samplers."""
        return {**json.loads(self._reader.state()), "position": self.position}

    def load_state_dict(self, state: State) -> None:
        """Goes on from a state of the same sampler; the sampler's own `load_state_dict` takes those of others."""
        given = checked_state(state)
        differing = [key for key, own in self.state_dict().items() if key not in _PLACE and given.get(key) != own]
        if differing:
            raise ValueError(
                f"the state is of another sampler: {', '.join(differing)} differ; load it into the sampler"
            )
        position = number_of(given, "position", self._reader.epoch_size)
        self._reader.set_epoch(number_of(given, "epoch"))
        self._reader.seek(position)
        self._begin()
        self._sampler._was_loaded(self)

    def __repr__(self) -> str:
        return f"<ofindex.SamplerIterator of seed {self._reader.seed}: epoch {self.epoch}, position {self.position:,}>"


class EpochSampler:
    """What samplers have in common: epochs, a place in them, and its state. Used by one thread at a time.

    Each iteration is the next epoch, unless `set_epoch` or `load_state_dict` was called in between. An iterator from
    which nothing was read does not count, so it does not matter how many of them a DataLoader begins, or which of them
    it reads; `set_epoch` and `load_state_dict` move it, too.
    """

    def __init__(self, begin: Reader, world_size: int, *, loaded: bool) -> None:
        """
        Args:
            begin: Where an iterator begun now begins.
            loaded: Whether that is out of a state: its epoch goes on where it stands.
        """
        self._standing = begin
        self._world_size = world_size
        self._iterator: SamplerIterator | None = None  # whose place is the sampler's: begun or read last
        self._read: SamplerIterator | None = None  # of those that were read, the one that began last
        self._unread: weakref.WeakSet[SamplerIterator] = weakref.WeakSet()
        self._numbers = itertools.count()
        self._first = 0  # iterators below it are of an earlier place
        self._loaded = loaded  # a state was, and nothing was read since

    @property
    def _begin(self) -> Reader:
        """Where an iterator begun now begins: the begin of the epoch after the last iterator's, once that was read."""
        standing = self._standing
        if self._touched and (standing.epoch != self.epoch or standing.position != 0):
            standing.set_epoch(whole(self.epoch, "epoch"))
        return standing

    @property
    def _touched(self) -> bool:
        return self._iterator is not None and self._iterator.touched

    @property
    def seed(self) -> int:
        """Seed of the run."""
        return self._standing.seed

    @property
    def epoch(self) -> int:
        """Epoch that an iterator begun now reads."""
        if self._iterator is not None and self._iterator.touched:
            return self._iterator.epoch + 1
        return self._standing.epoch

    @property
    def epoch_size(self) -> int:
        """Positions of an epoch, all ranks together."""
        return self._standing.epoch_size

    def __len__(self) -> int:
        """Rows that an iterator begun now gives."""
        return self._begin.left

    def _length(self) -> int:
        return self._begin.left

    def _epoch_length(self) -> int:
        """Rows of a whole epoch."""
        anew = self._begin.copy()
        anew.seek(0)
        return anew.left

    def __iter__(self) -> SamplerIterator:
        self._iterator = SamplerIterator(self, self._begin.copy())
        self._unread.add(self._iterator)
        return self._iterator

    def _next_number(self) -> int:
        return next(self._numbers)

    def _was_read(self, iterator: SamplerIterator) -> None:
        """Called by an iterator that is read."""
        self._unread.discard(iterator)
        if iterator._number < self._first:
            return
        if self._read is None or self._read._number < iterator._number:
            self._read = iterator
        self._iterator, self._loaded = self._read, False

    def _was_loaded(self, iterator: SamplerIterator) -> None:
        """Called by an iterator that goes on from a state."""
        if iterator is self._iterator:
            self._loaded = True

    def _move(self, begin: Reader) -> None:
        """Makes `begin` the sampler's place, and that of the iterators from which nothing was read."""
        self._standing, self._iterator, self._read = begin, None, None
        self._first = self._next_number()
        for iterator in sorted(self._unread, key=lambda one: one._number):
            iterator._seat(begin.copy())
            self._iterator = iterator

    def take(self, count: int) -> npt.NDArray[np.int64]:
        """The first `count` rows of an iterator begun now, fewer where the epoch ends: int64 array."""
        return self._begin.copy().take(whole(count, "count"))

    def set_epoch(self, epoch: int) -> None:
        """Makes `epoch` the next one, from its begin. After `load_state_dict`, or out of a pickle, the state's own
        epoch is left where it stands until something is read, so that the usual loop over epochs resumes in mid-epoch.
        """
        wanted = whole(epoch, "epoch")
        if self._loaded and wanted == (self._iterator or self._standing).epoch:
            return
        self._standing.set_epoch(wanted)
        self._move(self._standing)
        self._loaded = False

    def _begin_state(self) -> State:
        """Where an iterator begun now would stand."""
        state: State = json.loads(self._begin.state())
        return state

    def state_dict(self) -> State:
        """Where the iterator that was begun or read last stands, or where one would begin: seed, epoch, position of all
        ranks together, and fingerprints of the dataset, the rows and the order. Behind the last row that is the end of
        the epoch, of which nothing is left to resume; once the iterator has ended, the begin of the next epoch. Plain
        values, less than 1 KiB as JSON."""
        if self._iterator is None:
            return self._begin_state()
        state = self._iterator.state_dict()
        return {**state, "epoch": self.epoch, "position": 0} if self._iterator._ended else state

    def _resume(self, begin: Reader) -> None:
        """Begins where a state that was loaded says."""
        self._move(begin)
        self._loaded = True

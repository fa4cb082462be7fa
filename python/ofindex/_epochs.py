"""One pass over an epoch, the position in it, and resuming training from that position."""

from __future__ import annotations

import itertools
import json
import operator
import os
import sys
import threading
import weakref
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, Protocol, TypeAlias, TypeVar

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    from . import _ofindex
    from ._dataset import Dataset
    from ._mix import Mix

from ._arguments import MAX_UINT64, whole
from ._passes import Pass
from ._steps import BatchSteps, Ranks, Reading, Skip, checked_skip, skips_in, still_skipped

Tail: TypeAlias = Literal["exact", "pad", "drop"]

#: The type of `Sampler.state_dict`: plain values, less than 1 KiB as JSON.
State: TypeAlias = dict[str, Any]

_MOVES = ("epoch", "position", "skip")  # the keys of a state that an iterator takes from it

_ReaderT = TypeVar("_ReaderT", bound="Reader")


def rank_and_world_size(rank: int | None, world_size: int | None) -> tuple[int, int]:
    """Return rank and world size. If neither is given, they come from torch.distributed if it is initialised, or else
    from RANK and WORLD_SIZE as set by torchrun, or else are 0 and 1.

    Raises:
        ValueError: only one of the two is given, as an argument or in the environment; or the rank is not below the
        world size.
    """
    if (rank is None) != (world_size is None):
        given, lacking = ("rank", "world_size") if world_size is None else ("world_size", "rank")
        raise ValueError(f"{given} is given without {lacking}: give both, or neither to use the environment")
    if rank is None or world_size is None:
        rank, world_size = _rank_and_world_size_here()
    rank, world_size = whole(rank, "rank"), whole(world_size, "world_size", 1)
    if rank >= world_size:
        raise ValueError(f"rank {rank} of {world_size}: expected a rank below the world size")
    return rank, world_size


def _rank_and_world_size_here() -> tuple[int, int]:
    distributed = sys.modules.get("torch.distributed")  # not initialised unless already imported
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


class ExclusiveUse:
    """A guard that admits one thread at a time: `with turns: ...`.

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
    """One rank's rows of an epoch, from a position onwards: the extension's `RowSampler`, or a `MixReader`."""

    @property
    def seed(self) -> int: ...
    @property
    def epoch(self) -> int: ...
    @property
    def epoch_size(self) -> int:
        """Number of positions in an epoch, over all ranks."""

    @property
    def position(self) -> int:
        """Position of the next row; `epoch_size` after a `take` that returned fewer rows than requested."""

    @property
    def left(self) -> int:
        """Number of rows left in the epoch for this rank."""

    def take(self, limit: int, /) -> npt.NDArray[np.int64]:
        """Return the next rows, fewer at the end."""

    def set_epoch(self, epoch: int, /) -> None:
        """Move to the start of `epoch`."""

    def seek(self, position: int, /) -> None:
        """Move to a position of the epoch, from which all ranks continue together."""

    def resume(self, epoch: int, position: int, /) -> None:
        """Do the same in `epoch` of the records that are read now: those of an older generation if this reader comes
        from a state. `set_epoch` moves to the newest generation."""

    def position_after(self, rows: int, /) -> int:
        """Return the position of all ranks once each has read `rows` rows from where they began."""

    def rows_of(self, rank: int, first: int, count: int, /) -> npt.NDArray[np.int64]:
        """Return the rows that `rank` reads after its first `first` rows, `count` of them or as many as there are."""

    def rows_of_ordinals(self, ordinals: npt.NDArray[np.int64], /) -> npt.NDArray[np.int64]:
        """Return the rows of ordinals that a loader got from this order."""

    def places_of(self, row: int, /) -> list[tuple[int, int]]:
        """Return the places of `row` in the epoch: rank, and number of rows that the rank reads before it."""

    @property
    def skipped(self) -> list[Skip]:
        """Steps that are skipped."""

    def skip(self, skipped: list[Skip], /) -> None:
        """Skip these instead, and return to where the ranks began."""

    def state(self) -> str:
        """Return the current position, and what identifies the rows and their order, as JSON."""

    def copy(self: _ReaderT) -> _ReaderT:
        """Return a copy for another thread."""


class Order(Protocol):
    """Rows of an epoch as the loader accepts them, if they are not from the extension's own sampler."""

    def __call__(self, count: int, /) -> tuple[npt.NDArray[np.int64], int]: ...


@dataclass(frozen=True)
class WholeEpoch:
    """The rest of an epoch for all ranks together."""

    identity: str | None
    """Differs if the records or their order differ; None if the order can be read only once."""
    position: int
    """Where all ranks begin."""
    order_from: Callable[[int], _ofindex.RowSampler | Order]
    """Returns a new order that begins at a position; the extension's own may begin anywhere."""
    ranks: Ranks
    """Rank, world size and tail of this reader."""
    skipped: list[tuple[int, int]]
    """Positions that batches skip, unless the order is the extension's own, which knows them."""


def checked_state(state: Any) -> State:
    """Return `state` if it is a dict."""
    if not isinstance(state, dict):
        raise TypeError(f"a state is a dict, not {type(state).__name__}")
    return state


def number_of(state: State, key: str, limit: int = MAX_UINT64) -> int:
    """Return the number `key` of a state, in ``[0, limit]``."""
    number = state.get(key)
    if not (isinstance(number, int) and 0 <= number <= limit):
        raise ValueError(f"not a sampler state: {key} is {number!r}; expected 0 to {limit}")
    return number


def row_of(row: int, sampler: EpochSampler) -> int:
    """Return the number of a row; negative numbers count from the end."""
    size = len(sampler._dataset)
    number = operator.index(row)
    if not -size <= number < size:
        raise IndexError(f"record {number}: expected -{size} to {size - 1}")
    return number % size


def origin_of(begin: Reader, loaded: bool) -> Reader:
    """Return from where the steps of a run are counted that starts at `begin`, which may come from a loaded state: from
    epoch 0, unless what came before may have had other ranks or other records."""
    origin = begin.copy()
    if not loaded and begin.position == 0:
        origin.set_epoch(0)
    return origin


class SamplerIterator:
    """One pass over the rest of an epoch. Keeps its position; belongs to one thread."""

    def __init__(self, sampler: EpochSampler, own: Pass) -> None:
        self._sampler = sampler
        self._pass = own
        self._exclusive_use = ExclusiveUse("iterator of a sampler")

    def __iter__(self) -> SamplerIterator:
        return self

    def __next__(self) -> int:
        with self._exclusive_use:
            own = self._pass
            if not own.taken and not own.take_more():
                self._sampler._was_read(own)
                raise StopIteration
            own.handed += 1
            if self._sampler._pass is not own or own.handed == 1:
                self._sampler._was_read(own)
            return own.taken.pop()

    def __len__(self) -> int:
        """Number of rows left."""
        return self._pass.left

    @property
    def epoch(self) -> int:
        """Epoch that this iterator reads."""
        return self._pass.reader.epoch

    @property
    def touched(self) -> bool:
        """Whether something was read from this iterator, so that the next iterator reads the next epoch."""
        return self._pass.touched

    @property
    def position(self) -> int:
        """Position in the epoch, over all ranks, of this iterator."""
        return self._pass.position

    def state_dict(self) -> State:
        """Return the position, as `EpochSampler.state_dict` does. But a finished iterator is at the end of its own
        epoch: an iterator resumed from there has nothing left, as with torch's samplers."""
        return self._pass.state()

    def load_state_dict(self, state: State) -> None:
        """Resume from a state of the same sampler. For other states, call the sampler's own `load_state_dict`."""
        given = checked_state(state)
        differing = [key for key, own in self.state_dict().items() if key not in _MOVES and given.get(key) != own]
        if differing:
            raise ValueError(
                f"the state is of another sampler: {', '.join(differing)} differ; load it into the sampler"
            )
        reader = self._pass.reader
        position = number_of(given, "position", reader.epoch_size)
        begin = reader.copy()
        begin.resume(number_of(given, "epoch"), position)
        begin.skip(skips_in(given))
        self._sampler._skip_wanted(begin, True, counted="step" not in given)
        self._pass.read_from(begin)
        self._sampler._was_loaded(self._pass)

    def __repr__(self) -> str:
        seed = self._pass.reader.seed
        return f"<ofindex.SamplerIterator of seed {seed}: epoch {self.epoch}, position {self.position:,}>"


class EpochSampler:
    """Base class of samplers: epochs, a position in them, and its state. Used by one thread at a time.

    Each iteration is the next epoch, unless `set_epoch` or `load_state_dict` was called in between. An iterator counts
    only once it is read, so a DataLoader may create any number of iterators and read any of them. `set_epoch` and
    `load_state_dict` also move the iterators from which nothing was read.
    """

    _dataset: Dataset | Mix

    def __init__(
        self, begin: Reader, ranks: Ranks, *, loaded: bool, skip: Iterable[tuple[int, int]] | None = None
    ) -> None:
        """
        Args:
            begin: Where a new iterator starts.
            loaded: Whether `begin` comes from a state. If so, its epoch is continued, not started again.
            skip: Steps to skip, which are rows of each rank.
        """
        self._standing = begin
        self._ranks = ranks
        self._skip = checked_skip(skip)
        self._pass: Pass | None = None  # of the iterator created or read last, which has the sampler's position
        self._read: Pass | None = None  # the newest one that was read
        self._unread: weakref.WeakSet[Pass] = weakref.WeakSet()
        self._numbers = itertools.count()
        self._first = 0  # passes with a lower number belong to an earlier position
        self._loaded = loaded  # a state was loaded, and nothing was read since
        self._origins = 0  # number of origins until now
        self._lent: set[tuple[int, ...]] = set()  # positions that are skipped because a Loader was asked to
        self._skip_wanted(begin, loaded)
        self._count_from(begin, loaded)

    def _count_from(self, begin: Reader, loaded: bool) -> None:
        """Count steps from `begin` on."""
        self._origin = origin_of(begin, loaded)
        self._origins += 1

    def _skip_wanted(self, begin: Reader, loaded: bool, *, counted: bool = True) -> None:
        """Make `begin`, where a new iterator is to start, skip what the sampler was asked to skip.

        Args:
            counted: Whether the numbers of what it skips already count rows of this sampler.
        """
        if begin.skipped:
            begin.skip(still_skipped(begin, self._steps_from(begin).first if counted else None))
        if self._skip:
            begin.skip([*begin.skipped, *self._steps_from(origin_of(begin, loaded)).to_skip(self._skip)])

    def _steps_from(self, origin: Reader) -> BatchSteps:
        """Return the steps of the run, which are rows of each rank."""
        return BatchSteps(origin, self._ranks, 1, False, None)

    def _skip_steps(self, skipped: list[Skip]) -> None:
        """Skip `skipped` from now on."""
        begin = self._begin
        begin.skip(skipped)
        self._move(begin)
        self._origin.skip(skipped)
        self._origins += 1

    def when(self, row: int, epoch: int | None = None) -> list[Reading]:
        """Return when `row` is read in an epoch: step, rank, index (always 0) and epoch; a step is one row of each
        rank, and steps are counted as if the whole run had these ranks. None if the row is skipped, dropped or not
        drawn; several if it is drawn so, or a padded tail repeats it::

            ds.sampler(seed=1, rank=0, world_size=4).when(17)  # [Reading(step=..., rank=..., index=0, epoch=0)]

        Without weights and balance, this takes as long as for one row; with them, as all draws of an epoch.

        Args:
            row: Number of a record, as the sampler yields it.
            epoch: None: the epoch that is being read, or will be.

        Raises:
            IndexError: there is no such row, or the epoch lies before the state that was loaded.
        """
        here = (self._standing if self._pass is None else self._pass.reader).epoch
        steps = self._steps_from(self._origin)
        return steps.readings(row_of(row, self), here if epoch is None else whole(epoch, "epoch"))

    @property
    def _begin(self) -> Reader:
        """Where a new iterator starts: if the last iterator was read, at the start of the epoch after it."""
        standing = self._standing
        if self._touched and (standing.epoch != self.epoch or standing.position != 0):
            standing.set_epoch(whole(self.epoch, "epoch"))
        return standing

    @property
    def _touched(self) -> bool:
        return self._pass is not None and self._pass.touched

    @property
    def seed(self) -> int:
        """Seed of the run."""
        return self._standing.seed

    @property
    def epoch(self) -> int:
        """Epoch that a new iterator reads."""
        if self._pass is not None and self._pass.touched:
            return self._pass.reader.epoch + 1
        return self._standing.epoch

    @property
    def epoch_size(self) -> int:
        """Number of positions in an epoch, over all ranks."""
        return self._standing.epoch_size

    def __len__(self) -> int:
        """Number of rows that a new iterator returns."""
        return self._begin.left

    def _length(self) -> int:
        return self._begin.left

    def _epoch_length(self, epoch: int) -> int:
        """Number of rows in a whole epoch."""
        anew = self._begin.copy()
        anew.set_epoch(epoch)
        return anew.left

    def __iter__(self) -> SamplerIterator:
        self._pass = Pass(self._begin.copy(), self._next_number())
        self._unread.add(self._pass)
        return SamplerIterator(self, self._pass)

    def _next_number(self) -> int:
        return next(self._numbers)

    def _was_read(self, one: Pass) -> None:
        """Called by an iterator when it is read."""
        self._unread.discard(one)
        if one.number < self._first:
            return
        if self._read is None or self._read.number < one.number:
            self._read = one
        self._pass, self._loaded = self._read, False

    def _was_loaded(self, one: Pass) -> None:
        """Called by an iterator when it loads a state."""
        if one is self._pass:
            self._loaded = True
            self._count_from(one.reader, True)

    def _move(self, begin: Reader) -> None:
        """Make `begin` the position of the sampler and of the iterators from which nothing was read."""
        self._standing, self._pass, self._read = begin, None, None
        self._first = self._next_number()
        for one in sorted(self._unread, key=lambda unread: unread.number):
            one.restart(begin.copy(), self._next_number())
            self._pass = one

    def take(self, count: int) -> npt.NDArray[np.int64]:
        """Return the first `count` rows that a new iterator would return, fewer if the epoch ends: int64 array.

        Which records a run reads first::

            ds.sampler(seed=1).take(3)  # array([91, 55, 28])
        """
        return self._begin.copy().take(whole(count, "count"))

    def set_epoch(self, epoch: int) -> None:
        """Make the next iteration read `epoch` from its start. But if a state was just loaded or unpickled, and `epoch`
        is the state's epoch, the iteration continues from the state's position, so that the usual loop over epochs
        resumes in mid-epoch.
        """
        wanted = whole(epoch, "epoch")
        if self._loaded and wanted == (self._standing if self._pass is None else self._pass.reader).epoch:
            return
        self._standing.set_epoch(wanted)
        self._move(self._standing)
        self._loaded = False
        if (wanted, 0) < (self._origin.epoch, self._origin.position):
            self._count_from(self._standing, False)

    def _begin_of(self, epoch: int | None) -> Reader:
        """Return a copy of where a new iterator starts, or of the start of `epoch`."""
        begin = self._begin.copy()
        if epoch is not None:
            begin.set_epoch(epoch)
        return begin

    def _begin_state(self) -> State:
        """State of a new iterator."""
        state: State = json.loads(self._begin.state())
        return state

    def state_dict(self) -> State:
        """Return the position of the iterator that was created or read last, or of a new iterator if there is none:
        seed, epoch, position over all ranks, and fingerprints of the dataset, the rows and the order. After the last
        row, the position is the end of the epoch, with nothing left to resume; once the iterator has raised
        StopIteration, it is the start of the next epoch. Plain values, less than 1 KiB as JSON."""
        if self._pass is None:
            return self._begin_state()
        state = self._pass.state()
        return {**state, "epoch": self.epoch, "position": 0} if self._pass.ended else state

    def _resume(self, begin: Reader) -> None:
        """Start at `begin`, which comes from a loaded state and skips what it shall skip."""
        self._move(begin)
        self._loaded = True
        self._count_from(begin, True)

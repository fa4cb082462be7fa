"""Which record a training run reads next."""

from __future__ import annotations

import json
import operator
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import numpy as np
import numpy.typing as npt

from ._arguments import MOST, whole

if TYPE_CHECKING:
    from . import _ofindex
    from ._dataset import Dataset

Tail: TypeAlias = Literal["exact", "pad", "drop"]

#: What `Sampler.state_dict` gives: plain values, less than 1 KiB as JSON.
State: TypeAlias = dict[str, Any]

_TAKEN_AT_ONCE = 1024


def block_size(block: int | Literal["auto"] | None) -> int | None:
    """`block` as the extension has it: 0 for "auto"."""
    if block is None or block == "auto":
        return None if block is None else 0
    size = operator.index(block)
    if size < 1:
        raise ValueError(f"block={block}: expected 'auto' or a number of records, 1 or more")
    return size


def checked_state(state: Any) -> State:
    """`state`, which is a dict."""
    if not isinstance(state, dict):
        raise TypeError(f"a state is a dict, not {type(state).__name__}")
    return state


def place_of(state: State, epoch_size: int) -> tuple[int, int]:
    """Epoch and position of a state of epochs of `epoch_size` positions."""
    epoch, position = state.get("epoch"), state.get("position")
    if not (isinstance(epoch, int) and 0 <= epoch <= MOST):
        raise ValueError(f"this is no state of a sampler: its epoch is {epoch!r}")
    if not (isinstance(position, int) and 0 <= position <= epoch_size):
        raise ValueError(f"this is no state of a sampler: its position is {position!r}; expected 0 to {epoch_size}")
    return epoch, position


def state_text(state: State) -> str:
    """A state as JSON, for the extension to check."""
    return json.dumps(checked_state(state))


class SamplerIterator:
    """One pass over what is left of an epoch. Knows its place; belongs to one thread."""

    def __init__(self, reader: _ofindex.RowSampler, world_size: int) -> None:
        self._reader = reader
        self._world_size = world_size
        self._base = reader.position
        self._taken: list[int] = []  # rows that are not handed on yet, the next one last
        self._handed = 0
        self._ended = False

    def __iter__(self) -> SamplerIterator:
        return self

    def __next__(self) -> int:
        if not self._taken:
            self._taken = self._reader.take(_TAKEN_AT_ONCE)[::-1].tolist()
            if not self._taken:
                self._ended = True
                raise StopIteration
        self._handed += 1
        return self._taken.pop()

    def __len__(self) -> int:
        """Rows that are left."""
        return self._reader.left + len(self._taken)

    @property
    def position(self) -> int:
        """Position of the epoch, all ranks together, at which this iterator stands."""
        size = self._reader.epoch_size
        return size if self._ended else min(size, self._base + self._handed * self._world_size)

    def state_dict(self) -> State:
        """See `Sampler.state_dict`."""
        state: State = json.loads(self._reader.state())
        state["position"] = self.position
        return state

    def load_state_dict(self, state: State) -> None:
        """Goes on from a state of the same sampler; `Sampler.load_state_dict` takes those of others."""
        own = self.state_dict()
        given = checked_state(state)
        differing = [key for key in own if key not in ("epoch", "position") and own[key] != given.get(key)]
        if differing:
            raise ValueError(
                f"the state is of another sampler: {', '.join(differing)} differ; load it into the sampler"
            )
        epoch, position = place_of(state, self._reader.epoch_size)
        self._reader.set_epoch(epoch)
        self._reader.seek(position)
        self._base, self._taken, self._handed, self._ended = self._reader.position, [], 0, False


class Sampler:
    """Rows of a Dataset in the order of a training run, for one rank of many: ``ds[i]`` for each `i` of it.

    Each epoch has another order, which follows from seed and epoch alone; docs/sampling.md has the laws. Takes O(1)
    memory, but for weights and balance. Made by `Dataset.sampler`. Pickles; used by one thread at a time.
    """

    def __init__(self, dataset: Dataset, wish: dict[str, Any]) -> None:
        self._dataset = dataset
        self._wish = wish
        self._begin: _ofindex.RowSampler = dataset._open_sampler(**wish)
        self._iterator: SamplerIterator | None = None  # the last one
        self._loaded = "state" in wish  # a state was, and nothing was read since

    @property
    def seed(self) -> int:
        """Seed of the run."""
        return self._begin.seed

    @property
    def epoch(self) -> int:
        """Epoch that an iterator begun now reads."""
        return self._begin.epoch

    @property
    def epoch_size(self) -> int:
        """Positions of an epoch, all ranks together."""
        return self._begin.epoch_size

    def __len__(self) -> int:
        """Rows that an iterator begun now gives."""
        return self._begin.left

    def _length(self) -> int:
        return self._begin.left

    def _epoch_length(self) -> int:
        """Rows of a whole epoch."""
        whole = self._begin.copy()
        whole.seek(0)
        return whole.left

    def __iter__(self) -> SamplerIterator:
        self._loaded = False
        self._iterator = SamplerIterator(self._begin.copy(), self._wish["world_size"])
        return self._iterator

    def _begin_state(self) -> State:
        """Where an iterator begun now would stand."""
        state: State = json.loads(self._begin.state())
        return state

    def _order(self) -> _ofindex.RowSampler:
        """What a loader draws ordinals from, from where an iterator would begin."""
        return self._begin

    def take(self, count: int) -> npt.NDArray[np.int64]:
        """The first `count` rows of an iterator begun now, fewer where the epoch ends: int64 array."""
        return self._begin.copy().take(whole(count, "count"))

    def set_epoch(self, epoch: int) -> None:
        """Goes to the begin of `epoch`. Right after `load_state_dict`, or out of a pickle, the state's own epoch is
        left where it stands, so that the usual loop over epochs resumes in mid-epoch."""
        if self._loaded and epoch == self._begin.epoch:
            return
        self._begin.set_epoch(whole(epoch, "epoch"))
        self._iterator = None
        self._loaded = False

    def state_dict(self) -> State:
        """Where the last iterator stands, or where one would begin: seed, epoch, position of all ranks together, and
        fingerprints of the dataset, the rows and the order. Plain values, less than 1 KiB as JSON."""
        return self._begin_state() if self._iterator is None else self._iterator.state_dict()

    def load_state_dict(self, state: State, force: bool = False) -> None:
        """Replaces seed, epoch and position by those of a state, taken under any number of ranks. The next iterator
        reads on from there; no record of the epoch is lost or read twice.

        Args:
            force: Take the state though it is of another dataset, other rows or another order.

        Raises:
            StaleError: the state is not of this dataset, these rows and this order; the text says what is different.
        """
        wish = {**self._wish, "state": state_text(state), "force": force}
        self._begin = self._dataset._open_sampler(**wish)
        self._iterator = None
        self._loaded = True

    def __reduce__(self) -> tuple[Any, ...]:
        wish = {**self._wish, "state": json.dumps(self.state_dict())}
        return Sampler, (self._dataset, wish)

    def __repr__(self) -> str:
        wish = self._wish
        parts = [f"seed={self.seed}", f"epoch={self.epoch}", f"rank={wish['rank']}/{wish['world_size']}"]
        parts += [f"{key}={wish[key]!r}" for key in ("weights", "balance") if wish[key] is not None]
        return f"<ofindex.Sampler of {len(self._dataset):,} records, {self._begin.order}: {', '.join(parts)}>"

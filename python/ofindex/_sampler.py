"""The order in which a training run reads the records of a Dataset."""

from __future__ import annotations

import json
import operator
import warnings
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, cast

from ._epochs import EpochSampler, Reader, State, WholeEpoch, checked_state, rank_and_world_size
from ._steps import Ranks
from ._weights import resolved

if TYPE_CHECKING:
    from . import _ofindex
    from ._dataset import Dataset


def block_size(block: int | Literal["auto"] | None) -> int | None:
    """Return `block` as the extension expects it: 0 for "auto"."""
    if block is None or block == "auto":
        return None if block is None else 0
    size = operator.index(block)
    if size < 1:
        raise ValueError(f"block={block}: expected 'auto' or a number of records, 1 or more")
    return size


class Changes(NamedTuple):
    """What updates of the index have changed for the epoch of a state since the state was taken."""

    new: int
    """Number of records that the state's epoch does not have."""
    gone: int
    """Number of the dataset's records that are gone; 0 if the state's epoch goes on, since it misses none then."""
    generations: tuple[int, int]
    """Generation of the state, and of the dataset."""
    begun_anew: bool
    """Whether nothing of the epoch was read, so that it has the records that are there now."""

    def text(self) -> str:
        """Return the changes as a sentence."""
        named = ((self.new, "new"), (self.gone, "missing"))
        counts = " and ".join(f"{count:,} {word}" for count, word in named if count)
        before, now = self.generations
        what = f"the dataset has {counts} records since this state (generation {before}, now {now})"
        if self.begun_anew:
            return f"{what}: nothing of the epoch was read, so it is read as the dataset is now"
        return f"{what}: they come with the next epoch" if self.new else what


class Sampler(EpochSampler):
    """Rows of a Dataset in the order of a training run, for one rank of many; each `i` it yields is record ``ds[i]``.

    To resume, keep its state::

        sampler = ds.sampler(seed=1)
        for number in sampler:
            step(ds[number])
            state = sampler.state_dict()
        again = ds.sampler()
        again.load_state_dict(state)

    Each iteration is the next epoch, unless `set_epoch` or `load_state_dict` was called in between. Each epoch has a
    different order, which depends only on seed and epoch; docs/sampling.md specifies the sampling algorithms. Takes
    O(1) memory, unless it has weights or balance. Made by `Dataset.sampler`. Pickles with the position of its last
    iterator; if rank and world size were not given, the process that unpickles a sampler looks them up. Used by one
    thread at a time.
    """

    _dataset: Dataset
    _standing: _ofindex.RowSampler

    def __init__(
        self, dataset: Dataset, options: dict[str, Any], skip: Iterable[tuple[int, int]] | None = None
    ) -> None:
        self._dataset = dataset
        self._options = options  # as given, since another process has its own rank
        self._slice = rank_and_world_size(options["rank"], options["world_size"])
        self._weights = resolved(dataset, options["weights"])
        if not isinstance(options["weights"], (str, bytes)):
            self._options = {**options, "weights": self._weights}  # which the caller cannot change
        ranks = (*self._slice, options["tail"])
        super().__init__(self._opened(options), ranks, loaded="state" in options, skip=skip)

    def _opened(self, options: dict[str, Any]) -> _ofindex.RowSampler:
        rank, world_size = self._slice
        return self._dataset._open_sampler(
            **{**options, "weights": self._weights, "rank": rank, "world_size": world_size}
        )

    def _order(self) -> _ofindex.RowSampler:
        """Return the source of a loader's ordinals, which starts where a new iterator would."""
        return cast("_ofindex.RowSampler", self._begin)

    def _whole_epoch(self, epoch: int | None = None) -> WholeEpoch:
        """Return what all ranks read from where a new iterator would start, or from the start of `epoch`."""
        return self._whole_of(self._begin_of(epoch), self._ranks)

    def _whole_of(self, begin: Reader, ranks: Ranks) -> WholeEpoch:
        """Return the rest of the epoch from where `begin` is, for other ranks."""
        order = cast("_ofindex.RowSampler", begin)
        return WholeEpoch(order.state(), order.position, lambda _: order, ranks, [])

    def load_state_dict(self, state: State, force: bool = False) -> None:
        """Replace seed, epoch and position by those of `state`, which may come from any number of ranks. The next
        iterator continues from there; no record of the epoch is lost or read twice.

        If the index was updated since, the epoch goes on with the records that it began with, in the same order. New
        records come with the next epoch: a warning counts them, and `changes` has the numbers. An epoch of which
        nothing was read has them at once.

        Args:
            force: Accept a state of another dataset, of other rows or of another order.

        Raises:
            StaleError: the state is not of this dataset, these rows and this order, or records of its epoch are gone;
            the text gives the difference.
        """
        begin = self._loaded_from(state, force)
        self._skip_wanted(begin, True, counted="step" not in state)
        self._resume(begin)
        self._warn_of_changes(2)

    def _warn_of_changes(self, level: int) -> None:
        """Warn if there are changes, as if the caller's caller did; at `level` 2 of it."""
        if self.changes is not None:
            warnings.warn(self.changes.text(), UserWarning, stacklevel=level + 1)

    def _loaded_from(self, state: State, force: bool = False) -> _ofindex.RowSampler:
        """Return a reader that stands where `state` does."""
        return self._opened({**self._options, "state": json.dumps(checked_state(state)), "force": force})

    @property
    def changes(self) -> Changes | None:
        """What updates of the index have changed since the loaded state; None if nothing has, if no state was loaded,
        or if the next epoch was begun."""
        reader = self._standing if self._pass is None else self._pass.reader
        changes = cast("_ofindex.RowSampler", reader).changes
        if changes is None:
            return None
        new, gone, before, now, begun_anew = changes
        return Changes(new, gone, (before, now), begun_anew)

    def __reduce__(self) -> tuple[Any, ...]:
        options = {**self._options, "state": json.dumps(self.state_dict())}
        return Sampler, (self._dataset, options, self._skip)

    def __repr__(self) -> str:
        options, (rank, world_size) = self._options, self._slice
        parts = [f"seed={self.seed}", f"epoch={self.epoch}", f"rank={rank}/{world_size}"]
        if options["weights"] is not None:
            parts.append(f"weights={options['weights']!r}" if isinstance(options["weights"], str) else "weights=[...]")
        if options["balance"] is not None:
            parts.append(f"balance={options['balance']!r}")
        return f"<ofindex.Sampler of {len(self._dataset):,} records, {self._standing.order}: {', '.join(parts)}>"

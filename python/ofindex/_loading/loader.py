"""Epochs of prefetched batches, and the position of a run within its epochs."""

from __future__ import annotations

import copy
import threading
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, Generic, Literal, NoReturn, TypeVar

import numpy as np
import numpy.typing as npt

from .._arguments import whole
from .._batch import Batch, decoding_for
from .._dataset import Dataset
from .._epochs import ExclusiveUse, Reader, State, Tail, WholeEpoch, number_of, row_of
from .._features import Features
from .._foreign import explained_methods, shown
from .._mix import Mix
from .._mix_sampler import MixSampler
from .._sampler import Sampler
from .._steps import BatchSteps, Reading, Steps, checked_skip, still_skipped
from .._weights import Weights
from .epoch import Batches, Epoch, checked_reading, transformed
from .length_batches import Cutter, LengthBatches, unmarked
from .length_steps import LengthSteps
from .packing import Pack, checked_pack, packed
from .sampler_adapter import SamplerAdapter

if TYPE_CHECKING:
    from typing_extensions import TypeVar as TypeVarWithDefault

    #: What iterating a Loader yields: the results of its transform or, without one, batches. The values of a batch are
    #: Any, because a union of arrays, BytesArray and Ragged would have to be told apart wherever one is used.
    ResultT = TypeVarWithDefault("ResultT", default=dict[str, Any])
else:
    ResultT = TypeVar("ResultT")

_LoaderT = TypeVar("_LoaderT", bound="Loader[Any]")

_BATCH_SIZE = 256

#: Arguments that describe an order and are None by default. They belong to the sampler if there is one.
_OF_ORDER = ("rank", "world_size", "weights", "balance", "block")


@dataclass
class _Place:
    """Progress of an iteration. A Loader keeps this instead of the iterator, so that a dropped iterator is closed."""

    begin: State
    steps: Steps | None
    position: int
    returned: int = 0
    ended: bool = False

    def state_dict(self) -> State:
        if self.ended:
            return with_step({**self.begin, "epoch": self.begin["epoch"] + 1, "position": 0}, self.steps)
        return with_step({**self.begin, "position": self.position}, self.steps, self.returned)


def with_step(state: State, steps: Steps | None, returned: int = 0) -> State:
    """Return a state with the step of its position, before which `returned` steps were read since its epoch was begun.
    Without one if steps cannot be counted, or if that takes long and the state can do without."""
    if steps is None:
        return state
    epoch = state["epoch"]
    before = steps.read_before(epoch) if "skip" in state else steps.known_before(epoch)
    if before is None:
        return state
    return {**state, "step": steps.number_at(before + returned, epoch, state["position"])}


def _sampler_of(
    dataset: Dataset | Mix, sampler: Sampler | MixSampler | Iterable[int] | None, options: dict[str, Any]
) -> Sampler | MixSampler | SamplerAdapter:
    """Return the sampler given to a Loader, or the one that `options` describe."""
    given = [name for name in _OF_ORDER if options[name] is not None]
    if sampler is None:
        if isinstance(dataset, Dataset):
            return dataset.sampler(**options)
        for name in given:
            if name == "weights":
                raise ValueError("a mix draws by the weights of its datasets: give them to ofindex.mix(...)")
            if name in ("balance", "block"):
                raise ValueError(f"{name} does not apply to a mix: leave it out")
        return dataset.sampler(**{name: options[name] for name in ("seed", "rank", "world_size", "tail")})
    given += [name for name, default in (("seed", 0), ("tail", "pad")) if options[name] != default]
    if given:
        raise ValueError(
            f"{' and '.join(given)} {'belong' if len(given) > 1 else 'belongs'} to the sampler: "
            f"give {'them' if len(given) > 1 else 'it'} to dataset.sampler(...), or give no sampler"
        )
    if isinstance(sampler, (str, bytes, bool)) or not (hasattr(sampler, "__iter__") or hasattr(sampler, "__getitem__")):
        raise TypeError(
            f"sampler={shown(sampler)}: expected ds.sampler(...) or record numbers, not {type(sampler).__name__}\n"
            "leave it out for a shuffle by `seed`"
        )
    if not isinstance(sampler, (Sampler, MixSampler)):
        return SamplerAdapter(dataset, sampler)
    owner: object = sampler._dataset
    if owner is not dataset and owner != dataset:
        raise ValueError(f"the sampler is of {owner!r}, not of {dataset!r}: use dataset.sampler(...)")
    return sampler


def _checked_size(
    batch_size: int, drop_last: bool, length_batches: LengthBatches | None, pack: Pack | None
) -> int | None:
    """Return the number of records per batch, or of rows with `pack`; None if `length_batches` determines it."""
    if length_batches is None:
        return batch_size
    if not isinstance(length_batches, LengthBatches):
        said = f"length_batches is an ofindex.LengthBatches(...), not {type(length_batches).__name__}"
        number = isinstance(length_batches, int)
        raise TypeError(f"{said}\nwrite ofindex.LengthBatches({length_batches})" if number else said)
    if pack is not None:
        return batch_size
    if batch_size != _BATCH_SIZE or drop_last:
        given = "batch_size" if batch_size != _BATCH_SIZE else "drop_last"
        raise ValueError(f"{given} does not apply to length_batches, which determines the batches: leave it out")
    return None


@explained_methods
class Loader(Generic[ResultT]):
    """Decoded batches of an epoch, prefetched and decoded by C++ threads in this process: dicts of numpy arrays.

    Iterating yields the batches of an epoch; each iteration is the next epoch, unless `set_epoch` (its own or the
    sampler's) or `load_state_dict` was called in between. Every rank gets the same number of batches, unless `tail` is
    "exact". `state_dict` counts the batches that were returned, not the prefetched ones, and can be resumed with any
    number of ranks, by this Loader or by `ofindex.torch.Loader`. Each thread that iterates it gets an epoch of its own,
    and the state is that of the epoch begun last; one iterator is used by one thread at a time, and not after a fork.
    Pickles as its arguments and the position of its last iteration::

        loader = ofindex.Loader(ds, {"label": ofindex.fixed("int64")}, batch_size=256, seed=1)
        for epoch in range(3):
            for batch in loader:
                step(batch["label"])  # int64, shape (256,)
    """

    def __init__(
        self,
        dataset: Dataset | Mix,
        features: Features,
        batch_size: int = _BATCH_SIZE,
        sampler: Sampler | MixSampler | Iterable[int] | None = None,
        seed: int = 0,
        rank: int | None = None,
        world_size: int | None = None,
        tail: Tail = "pad",
        prefetch: int | None = None,
        threads: int | None = None,
        transform: Callable[[dict[str, Any]], ResultT] | None = None,
        *,
        weights: Weights | None = None,
        balance: str | None = None,
        block: int | Literal["auto"] | None = None,
        drop_last: bool = False,
        length_batches: LengthBatches | None = None,
        pack: Pack | None = None,
        processes: int = 0,
        skip: Iterable[tuple[int, int]] | None = None,
    ) -> None:
        """
        Args:
            dataset: An ofindex.Dataset, a view, or a mix.
            features: Feature name -> ``ofindex.fixed``, ``ragged``, ``raw`` or ``image``. Numbers become arrays of
                shape ``(n, *shape)``, byte strings a `BytesArray`, ragged features a `Ragged`.
            batch_size: Records per batch, or rows with `pack`; the last one of an epoch may have fewer. Not with
                `length_batches` alone.
            sampler: The order: ``dataset.sampler(...)``, or anything that yields record numbers when it is iterated.
                Its method set_epoch, if any, is called before each epoch except the first. None: a global shuffle by
                `seed`, for `rank` of `world_size` with `tail`.
            rank, world_size: Only without `sampler`; give both or neither. None: taken from torch.distributed,
                otherwise from torchrun's environment, otherwise 0 and 1; looked up again when the Loader is unpickled.
            tail: How to treat the records left over after the last whole step of all ranks: see `Dataset.sampler`.
            prefetch: Number of batches to read ahead; None: as many as fit in 256 MiB, at least 4, at most 16 or, if
                that is more, 4 more than `threads`.
            threads: Number of threads that read and decode; None: one per processor.
            transform: Applied to each batch, ahead of the loop: on as many Python threads as `threads`, or in
                `processes`.
            weights, balance, block: Only without `sampler`: another order than a global shuffle; see `Dataset.sampler`.
            drop_last: Omit a last batch of fewer records or, with `pack`, of fewer rows.
            length_batches: Instead of `batch_size`: as many records per batch as fit a budget, for example of tokens.
                Ranks read whole batches. A state of `LengthBatches` with a window is only for the same ones.
            pack: "best_fit": pack sequences into rows of ``length_batches.total`` tokens, without reading them. All
                features must be ragged numbers, and have as many of them as the lengths say. A batch has `batch_size`
                rows: for each feature NAME an array of shape ``(batch_size, total)`` that ends each row with zeros,
                and NAME_segment_ids and NAME_positions of the same shape, int32, the same arrays for all features. A
                token of the k-th record of its row has the segment id k, from 1, and padding has 0; positions count
                from 0 in each record. A record longer than `total` is an error: when its window is packed, which may be
                late in an epoch, or at once from ``len(loader)``, which plans the whole epoch.
            processes: Number of processes that run `transform`, instead of threads; for Python code that holds the GIL
                most of the time. They are spawned by each iteration, which takes as long as their imports, and get
                every batch and return every result as a pickle, a copy each way. `transform` must be a function at the
                top level of a module, and a script must have ``if __name__ == "__main__":``. Random numbers of Python,
                numpy and torch differ from worker to worker and from run to run; those of torch only if the module
                imports it at its top. Decoding stays on `threads` of this process.
            skip: Steps that are not read, on any rank, as pairs of first and end: ``[(4200, 4260)]`` for steps 4200 to
                4259. They keep their numbers: after step 4199, step 4260 is read. At most 32 pairs. The state keeps
                what is still to be skipped, for any number of ranks and any batch size. Steps that have been read
                before a loaded state are not skipped.

        Raises:
            ValueError: arguments are invalid. FeatureError: no record has one of the features. QueryError: a column
            does not exist, or an expression is wrong. TypeError: weights are not numbers.
        """
        if transform is not None and not callable(transform):
            raise TypeError(
                f"transform={shown(transform)}: expected a function of a batch, not {type(transform).__name__}"
            )
        self.processes = whole(processes, "processes", 0, 1024)
        if self.processes:
            if transform is None:
                raise ValueError(
                    f"processes={processes} without a transform: they would have nothing to do\n"
                    "leave it out: `threads` decode"
                )
            from .processes import check_sendable

            check_sendable(transform)
        self.dataset = dataset
        self.pack = checked_pack(pack, length_batches)
        size = _checked_size(batch_size, drop_last, length_batches, pack)
        checked, self.threads, self.prefetch = checked_reading(1 if size is None else size, threads, prefetch)
        self.batch_size = None if size is None else checked
        self.transform = transform
        self.drop_last = drop_last
        self._threads = threads  # as passed, not as resolved: the default differs by host
        self._decoding = decoding_for(dataset, features)
        if self.pack is not None and length_batches is not None:
            self._decoding = packed(self._decoding, length_batches.total)
        options: dict[str, Any] = {"seed": seed, "rank": rank, "world_size": world_size, "tail": tail}
        options |= {"weights": weights, "balance": balance, "block": block}
        self.sampler = _sampler_of(dataset, sampler, options)
        self.length_batches = length_batches
        self._cutter: Cutter | None = None
        if length_batches is not None:
            self._cutter = Cutter(dataset, length_batches, self.batch_size, drop_last)
        self._skip = checked_skip(skip)
        self._origin_step: tuple[int, int | None] = (0, None)  # number of the sampler's origin, and the step there
        self._counted: tuple[int, Steps] | None = None  # number of the sampler's origin, and the steps from there
        self._earlier: tuple[int, Steps] | None = None  # the same, and the steps from epoch 0
        self._next_epoch: int | None = None  # requested by set_epoch()
        self._read_epoch: int | None = None  # epoch of the last iteration; None if there was none since the last load
        self._place: _Place | None = None
        self._beginning = threading.RLock()  # held while an iteration begins, or its place is set
        self._skip_wanted()

    @staticmethod
    def _values(batch: Batch) -> dict[str, Any]:
        """Return the values of a batch, as `transform` receives them; called on any thread, and in worker processes."""
        return batch

    def _finished(self, batches: Batches) -> Batches:
        """Return what iterating yields, from the batches after `transform` or, without one, as they were decoded."""
        return batches

    def _arguments(self) -> dict[str, Any]:
        """Return the arguments beyond dataset, features and batch size, for a pickle."""
        return {
            "sampler": self.sampler._numbers if isinstance(self.sampler, SamplerAdapter) else self.sampler,
            "prefetch": self.prefetch or None,
            "threads": self._threads,
            "transform": self.transform,
            "drop_last": self.drop_last,
            "length_batches": self.length_batches,
            "pack": self.pack,
            "processes": self.processes,
        }

    def __len__(self) -> int:
        """Number of batches in the next epoch, or in the rest of it after `load_state_dict`. With `length_batches`,
        the first call for an epoch looks up the lengths of all its records.

        Raises:
            TypeError: `sampler` has no length.
        """
        next_epoch = self._next_epoch  # which another thread may change
        anew = next_epoch is not None or not self._untouched()
        epoch = self.sampler.epoch + 1 if next_epoch is None else next_epoch
        if self._cutter is not None:
            return self._cutter.count(self.sampler._whole_epoch(epoch if anew else None))
        batches = self._batches(self.sampler._epoch_length(epoch) if anew else self.sampler._length())
        if batches is None:
            raise TypeError("the sampler has no length")
        return batches

    def _batches(self, records: int | None) -> int | None:
        if records is None or self._cutter is not None or self.batch_size is None:
            return None
        return records // self.batch_size if self.drop_last else -(-records // self.batch_size)

    def _untouched(self) -> bool:
        """Whether the next iteration begins where the sampler is: it is new, was loaded, or its epoch was set."""
        return self._read_epoch is None or self.sampler._loaded or self.sampler.epoch != self._read_epoch

    def __iter__(self) -> LoaderIterator[ResultT]:
        with self._beginning:
            if self._next_epoch is not None:
                self.sampler._loaded = False
                self.sampler.set_epoch(self._next_epoch)
            elif not self._untouched():
                self.sampler.set_epoch(self.sampler.epoch + 1)
            iterator: LoaderIterator[ResultT] = LoaderIterator(self)
            # Only now: if the iterator cannot begin, the next one begins at the same place.
            self._next_epoch, self._read_epoch = None, self.sampler.epoch
            self.sampler._loaded = False
            self._place = iterator._place
            return iterator

    def set_epoch(self, epoch: int) -> None:
        """Make the next iteration read `epoch` from its start, or from a state's position if that was just loaded and
        `epoch` is its epoch. Without it, each iteration reads the next epoch::

            loader.set_epoch(7)
            loader.state_dict()["epoch"]  # 7
        """
        wanted = whole(epoch, "epoch")
        with self._beginning:
            if self._next_epoch is None and self._untouched() and wanted == self.sampler.epoch:
                return
            self._next_epoch, self._place = wanted, None

    def _steps(self, epoch: int | None = None) -> Steps | None:
        """Return the steps of the run, in which `epoch` comes next; None if the sampler can be read only once."""
        sampler = self.sampler
        if isinstance(sampler, SamplerAdapter):
            return None
        with self._beginning:
            origin, origins = sampler._origin, sampler._origins
            if epoch is not None and (epoch, 0) < (origin.epoch, origin.position):
                if self._earlier is None or self._earlier[0] != origins:
                    begin = origin.copy()
                    begin.set_epoch(0)
                    self._earlier = origins, self._steps_from(sampler, begin, None)
                return self._earlier[1]
            if self._counted is None or self._counted[0] != origins:
                number, step = self._origin_step
                self._counted = origins, self._steps_from(sampler, origin, step if number == origins else None)
            return self._counted[1]

    def _steps_from(self, sampler: Sampler | MixSampler, origin: Reader, step: int | None) -> Steps:
        if self._cutter is not None:
            return LengthSteps(sampler, self._cutter, origin, step)
        return BatchSteps(origin, sampler._ranks, self.batch_size or 1, self.drop_last, step)

    def _known_steps(self) -> Steps:
        steps = self._steps(self._next_epoch)
        if steps is None:
            raise TypeError("the steps of this Loader cannot be counted: its sampler is not one of ds.sampler(...)")
        return steps

    def _skip_wanted(self) -> None:
        """Skip what was asked for, from where the first iteration begins."""
        sampler = self.sampler
        if isinstance(sampler, SamplerAdapter):
            if self._skip:
                self._known_steps()
            return
        if sampler._skip:
            raise ValueError("the sampler skips steps of one row: give skip= to the Loader instead, in batches")
        # A Loader that used the sampler before has left its own skips there.
        skipped = [one for one in still_skipped(sampler._begin, None) if one[2:] not in sampler._lent]
        if sampler._begin.skipped or self._skip:
            sampler._skip_steps(skipped)
            added = self._known_steps().to_skip(self._skip)
            sampler._skip_steps([*skipped, *added])
            sampler._lent = {one[2:] for one in added}

    @property
    def step(self) -> int:
        """Number of the step whose batch was returned last or, if none was since the epoch was begun, of the step that
        comes next. Steps are batches of each rank and are counted through all epochs, from epoch 0 or from a loaded
        state on. With `length_batches`, the batches of epochs that were not read are counted, which takes time::

            steps = {}
            for batch in loader:
                steps[loader.step] = batch["label"]

        Raises:
            TypeError: the sampler is not one of ofindex.
        """
        place, next_epoch = self._place, self._next_epoch  # which other threads may change
        if place is not None and place.steps is not None:
            steps, epoch, read = place.steps, place.begin["epoch"], max(place.returned - 1, 0)
        else:
            steps, read = self._known_steps(), 0
            epoch = self._begin_state()["epoch"] if next_epoch is None else next_epoch
        return steps.number_of(steps.read_before(epoch) + read)

    def trace(self, step: int, rank: int | None = None) -> npt.NDArray[np.int64]:
        """Return which records a step has read, or will read: their numbers in the dataset, an int64 array of shape
        ``(n,)``, empty if the step is skipped. With `pack`, they are in the order of the rows and of the records in
        each row. It is computed from the seed; no record is read::

            suspects = ds[loader.trace(4211)]

        With `length_batches`, the lengths of the records of the epoch are looked up, up to the step.

        Args:
            step: Number of the step, as `step` counts.
            rank: None: the Loader's own rank.

        Raises:
            IndexError: there is no such step, or it comes before the loaded state: ask a Loader that is made as the run
            was then. ValueError: there is no such rank. TypeError: the sampler is not one of ofindex.
        """
        steps = self._known_steps()
        own, world_size, _ = self.sampler._ranks  # type: ignore[union-attr]
        of_rank = own if rank is None else whole(rank, "rank", 0, world_size - 1)
        return steps.rows(whole(step, "step"), of_rank)

    def when(self, row: int, epoch: int | None = None) -> list[Reading]:
        """Return when record `row` of the dataset is read in an epoch, the inverse of `trace`: step, rank, index in the
        batch, and epoch. An empty list if it is skipped, dropped or not drawn; several places if it is drawn so, or a
        padded tail repeats it::

            for reading in loader.when(17):
                assert loader.trace(reading.step, reading.rank)[reading.index] == 17

        Takes as long as drawing the epoch if there are weights or `balance`, and looks up all lengths of the epoch with
        `length_batches`; otherwise as long as for one batch.

        Args:
            row: Number of a record.
            epoch: None: the epoch of the last iteration or, without one, of the next.

        Raises:
            IndexError: there is no such record, or the epoch lies before the loaded state. TypeError: the sampler is
            not one of ofindex.
        """
        steps, place = self._known_steps(), self._place
        if epoch is None:
            here: int = (self._begin_state() if place is None else place.begin)["epoch"]
        else:
            here = whole(epoch, "epoch")
        return steps.readings(row_of(row, self.sampler), here)  # type: ignore[arg-type]

    def state_dict(self) -> State:
        """Return the position of the last iteration: after the batches that it has returned. Plain values, less
        than 1 KiB, and some 80 bytes more for each range of steps to be skipped::

            loader = ofindex.Loader(ds, features, batch_size=16, seed=1)
            batch = next(iter(loader))
            loader.state_dict()["position"]  # 16
        """
        place, next_epoch = self._place, self._next_epoch  # which other threads may change
        if place is not None:
            return place.state_dict()
        begin = self._begin_state()
        if next_epoch is not None:
            begin = {**begin, "epoch": next_epoch, "position": 0}
        return with_step(begin, self._steps(next_epoch))

    def _begin_state(self) -> State:
        """State of a new iterator."""
        begin = self.sampler._begin_state()
        return begin if self._cutter is None else self._cutter.marked(begin)

    def load_state_dict(self, state: State) -> None:
        """Resume from `state`, which must come from a Loader over the same records in the same order. The number of
        ranks, the batch size and the features may differ::

            state = loader.state_dict()  # saved with a checkpoint
            loader = ofindex.Loader(ds, features, seed=1)
            loader.load_state_dict(state)
            for epoch in range(state["epoch"], 3):
                loader.set_epoch(epoch)  # keeps the position in the epoch of the state
                for batch in loader:
                    step(batch)

        Raises:
            StaleError: the state is of other records, or of another order; the text gives the difference.
        """
        of_sampler = unmarked(state, "" if self._cutter is None else self._cutter.windows)
        with self._beginning:
            if isinstance(self.sampler, SamplerAdapter):
                self.sampler.load_state_dict(of_sampler)
            else:
                self._load(self.sampler, of_sampler)
            self._next_epoch = self._read_epoch = self._place = None

    def _load(self, sampler: Sampler | MixSampler, state: State) -> None:
        begin: Any = sampler._loaded_from(state)
        step = number_of(state, "step") if "step" in state else None
        skipped = still_skipped(begin, step)
        begin.skip(skipped)
        if self._skip:
            begin.skip([*skipped, *self._steps_from(sampler, begin, step).to_skip(self._skip)])
        sampler._resume(begin)
        sampler._lent = {one[2:] for one in begin.skipped}
        self._origin_step = sampler._origins, step
        if isinstance(sampler, Sampler):
            sampler._warn_of_changes(3)

    def __reduce__(self) -> tuple[Any, ...]:
        given = (self.dataset, self._decoding.features, self.batch_size or _BATCH_SIZE, self._arguments())
        return _unpickled, (type(self), *given, self.state_dict(), self._skip)

    def __copy__(self) -> Loader[ResultT]:
        rebuild, (kind, dataset, features, size, arguments, *rest) = self.__reduce__()
        if isinstance(self.sampler, (Sampler, MixSampler)):  # it has a position, so that two Loaders cannot share one
            arguments["sampler"] = copy.copy(self.sampler)
        copied: Loader[ResultT] = rebuild(kind, dataset, features, size, arguments, *rest)
        return copied

    def __repr__(self) -> str:
        features = list(self._decoding.features)
        name = f"{type(self).__module__}.{type(self).__qualname__}"
        budget = self.length_batches
        size = f"length_batches={budget}" if self.batch_size is None else f"batch_size={self.batch_size}"
        if self.pack is not None:
            size = f"{size}, length_batches={budget}, pack={self.pack!r}"
        return f"{name}({self.dataset!r}, {size}, features={features})"


def _unpickled(
    kind: type[_LoaderT],
    dataset: Dataset | Mix,
    features: Features,
    batch_size: int,
    arguments: dict[str, Any],
    state: State,
    skip: list[tuple[int, int]],
) -> _LoaderT:
    """Rebuild a Loader from a pickle."""
    loader = kind(dataset, features, batch_size, **arguments)
    loader._skip = skip
    loader.load_state_dict(state)
    return loader


class LoaderIterator(Generic[ResultT]):
    """One pass of a Loader over the rest of an epoch. Its threads end when the pass ends or the iterator is dropped.

    Used by one thread at a time: `next` raises RuntimeError while another thread runs it.
    """

    def __init__(self, loader: Loader[ResultT]) -> None:
        self._loader = loader
        sampler = loader.sampler
        begin = loader._begin_state()
        self._steps = loader._steps()
        self._place = _Place(begin, self._steps, begin["position"])
        self._left = loader._batches(sampler._length())
        size = loader.batch_size or 1
        # Minimum records per batch, if the number of records is not known in advance.
        self._least = size if loader.drop_last and self._left is None and loader._cutter is None else 0
        reading = (size, loader.threads, loader.prefetch)
        payloads, decoding, cutter = loader.dataset._payloads, loader._decoding, loader._cutter
        self._whole: WholeEpoch | None = None  # what is cut into length batches
        if cutter is None:
            epoch = Epoch(payloads, decoding, sampler._order(), *reading)
        else:
            self._whole = sampler._whole_epoch()
            epoch = Epoch(payloads, decoding, cutter.order(self._whole), *reading, partial(cutter.cut, self._whole))
        batches: Batches = epoch
        if loader.transform is not None:
            workers = (loader.threads, loader.processes, loader.prefetch)
            batches = transformed(epoch, loader._values, loader.transform, *workers)
        self._batches = loader._finished(batches)
        self._done = False
        self._exclusive_use = ExclusiveUse("iterator of a Loader")

    def __iter__(self) -> LoaderIterator[ResultT]:
        return self

    def __len__(self) -> int:
        """Number of batches left.

        Raises:
            TypeError: the sampler has no length.
        """
        if self._whole is not None and self._loader._cutter is not None and not self._done:
            return self._loader._cutter.count(self._whole) - self._place.returned
        if self._left is None:
            raise TypeError("the sampler has no length")
        return self._left

    def __next__(self) -> ResultT:
        with self._exclusive_use:
            return self._next()

    def _next(self) -> ResultT:
        if self._done:
            raise StopIteration
        try:
            if self._left == 0:
                raise StopIteration
            batch, position = next(self._batches)
            if position - self._place.position < self._least:
                raise StopIteration
        except BaseException as reason:
            # If another thread closed the iterator meanwhile, the epoch has not ended.
            self._place.ended = isinstance(reason, StopIteration) and not self._done
            if self._place.ended and self._steps is not None:
                self._note_length(self._steps)
            self.close()
            raise
        self._place.position = position
        self._place.returned += 1
        left = self._left
        if left:
            self._left = 0 if self._done else left - 1  # done: another thread closed the iterator meanwhile
        result: ResultT = batch
        return result

    def _note_length(self, steps: Steps) -> None:
        """Note the number of steps of the epoch, which has been read, so that nobody counts them again."""
        if not isinstance(steps, LengthSteps):
            return
        rank, _, tail = self._loader.sampler._ranks  # type: ignore[union-attr]
        if rank == 0 or tail != "exact":
            steps.note(self._place.begin["epoch"], self._place.begin["position"], self._place.returned)

    def close(self) -> None:
        """Stop the threads. The rest of the epoch is not read; `state_dict` still returns the position. May be called
        while another thread waits in `next`, which then ends."""
        counted = self._left is not None or self._whole is not None
        self._done, self._left = True, 0 if counted else None
        self._batches.close()

    def state_dict(self) -> State:
        """See `Loader.state_dict`."""
        return self._place.state_dict()

    def __reduce__(self) -> NoReturn:
        raise TypeError("an iterator of a Loader cannot be pickled: pickle the Loader, which continues at its position")

    def __repr__(self) -> str:
        place = self.state_dict()
        return f"<ofindex.LoaderIterator: epoch {place['epoch']}, position {place['position']:,}>"


for _public in (Loader, LoaderIterator):
    _public.__module__ = "ofindex"  # their name in pickles and in repr()

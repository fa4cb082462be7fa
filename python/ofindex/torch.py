"""ofindex in PyTorch: a map-style Dataset for its DataLoader, and a Loader that needs no worker processes."""

from __future__ import annotations

import itertools
import operator
import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, Literal, NamedTuple

import numpy as np
import numpy.typing as npt
import torch
import torch.utils.data

from . import _arrays
from ._arrays import BytesArray
from ._batch import Batch, decoding_of, processor_count
from ._dataset import Dataset as Records
from ._features import Features
from ._loader import Epoch, transformed
from ._mix import Mix, MixSampler
from ._sampler import Sampler, State, Tail

__all__ = ["Dataset", "Loader", "LoaderIterator", "Ragged"]


class Ragged(NamedTuple):
    """Rows of different lengths, as tensors: row i is ``values[offsets[i]:offsets[i + 1]]``."""

    values: torch.Tensor | BytesArray
    offsets: torch.Tensor  #: int64, shape ``(n + 1,)``

    def nested(self) -> torch.Tensor:
        """The rows as a nested tensor of jagged layout, which torch 2.4 and later has."""
        return torch.nested.nested_tensor_from_jagged(self.values, self.offsets)  # type: ignore[no-any-return]


def _tensor(value: npt.NDArray[Any] | BytesArray | _arrays.Ragged) -> torch.Tensor | BytesArray | Ragged:
    """`value` as tensors that share its memory; byte strings stay what they are."""
    if isinstance(value, BytesArray):
        return value
    if isinstance(value, _arrays.Ragged):
        values = value.values if isinstance(value.values, BytesArray) else torch.from_numpy(value.values)
        return Ragged(values, torch.from_numpy(value.offsets))
    return torch.from_numpy(value)


def _tensors(batch: Batch) -> dict[str, Any]:
    return {name: _tensor(value) for name, value in batch.items()}


def _pinned(value: Any) -> Any:
    """`value` with all tensors in it in pinned memory."""
    if isinstance(value, torch.Tensor):
        return value.pin_memory()
    if isinstance(value, Mapping):
        return {key: _pinned(one) for key, one in value.items()}
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return type(value)(*map(_pinned, value))
    return type(value)(map(_pinned, value)) if isinstance(value, (list, tuple)) else value


class Dataset(torch.utils.data.Dataset[Any]):
    """Records for torch's DataLoader: map style, with batched reads. Pickles; works in workers of any start method."""

    def __init__(
        self,
        dataset: Records | Mix,
        features: Features | None = None,
        transform: Callable[[Any], Any] | None = None,
    ) -> None:
        """
        Args:
            dataset: An ofindex.Dataset, a view, or a mix.
            features: What to decode: items are then dicts of tensors (of `bytes` for bytes features, of `Ragged` rows
                as one tensor each). None: items are payloads, as `bytes`.
            transform: Applied to each item.
        """
        self.dataset = dataset
        self.features = None if features is None else dict(features)
        self.transform = transform

    def __len__(self) -> int:
        return len(self.dataset)

    def __getitem__(self, number: int) -> Any:
        if self.features is not None:
            return self.__getitems__([operator.index(number)])[0]
        item = self.dataset[operator.index(number)]
        return item if self.transform is None else self.transform(item)

    def __getitems__(self, numbers: list[int]) -> list[Any]:
        """Items of many records, read at once; torch's DataLoader calls this."""
        items: list[Any]
        if self.features is None:
            items = self.dataset.__getitems__(numbers)
        else:
            columns = self.dataset.batch(numbers, self.features, threads=1)
            rows = [self._items(column) for column in columns.values()]
            items = [dict(zip(columns, values, strict=True)) for values in zip(*rows, strict=True)]
        return items if self.transform is None else [self.transform(item) for item in items]

    @staticmethod
    def _items(column: Any) -> Iterable[Any]:
        if isinstance(column, BytesArray):
            return column.tolist()
        if isinstance(column, _arrays.Ragged):
            return [row if isinstance(row, list) else torch.from_numpy(row) for row in column]
        return torch.from_numpy(column).unbind(0)

    def __repr__(self) -> str:
        features = "" if self.features is None else f", features={list(self.features)}"
        return f"ofindex.torch.Dataset({self.dataset!r}{features})"


def _world() -> tuple[int, int]:
    """Rank and world size of this process: torch.distributed's, else what torchrun sets, else 0 of 1."""
    if torch.distributed.is_available() and torch.distributed.is_initialized():
        return torch.distributed.get_rank(), torch.distributed.get_world_size()
    return int(os.environ.get("RANK", 0)), int(os.environ.get("WORLD_SIZE", 1))


class _Iterated:
    """A sampler of somebody else's: anything that gives numbers of records each time that it is iterated."""

    def __init__(self, dataset: Records | Mix, numbers: Iterable[int]) -> None:
        self._dataset = dataset
        self._numbers = numbers
        self._skipped = 0
        self.epoch = 0

    def __len__(self) -> int:
        return len(self._numbers) - self._skipped  # type: ignore[arg-type]

    def set_epoch(self, epoch: int) -> None:
        self.epoch, self._skipped = epoch, 0
        if hasattr(self._numbers, "set_epoch"):
            self._numbers.set_epoch(epoch)

    def _begin_state(self) -> State:
        return {"schema": "ofindex.iterated_state/1", "epoch": self.epoch, "position": self._skipped}

    def load_state_dict(self, state: State) -> None:
        if state.get("schema") != "ofindex.iterated_state/1":
            raise ValueError("the state is not of a Loader with a sampler like this one")
        self.set_epoch(state["epoch"])
        self._skipped = state["position"]

    def _order(self) -> Callable[[int], tuple[npt.NDArray[np.int64], int]]:
        numbers = iter(self._numbers)
        taken = len(list(itertools.islice(numbers, self._skipped)))

        def take(count: int) -> tuple[npt.NDArray[np.int64], int]:
            nonlocal taken
            some = [operator.index(number) for number in itertools.islice(numbers, count)]
            taken += len(some)
            return self._dataset.ordinals(np.array(some, dtype=np.int64)), taken

        return take


class Loader:
    """Decoded batches of an epoch, read and decoded by threads of C++ in this process, some batches ahead.

    Iterating gives dicts of tensors; each iteration is the next epoch. Every rank gets equally many batches, unless
    `tail` is "exact". `state_dict` counts the batches that were given out, whatever was read ahead, and is resumed under
    any number of ranks. Used by one thread at a time; not after a fork.
    """

    def __init__(
        self,
        dataset: Records | Mix,
        features: Features,
        batch_size: int = 256,
        sampler: Sampler | MixSampler | Iterable[int] | None = None,
        seed: int = 0,
        rank: int | None = None,
        world_size: int | None = None,
        tail: Tail = "pad",
        prefetch: int = 4,
        threads: int | None = None,
        transform: Callable[[dict[str, Any]], Any] | None = None,
        *,
        drop_last: bool = False,
        pin_memory: bool | None = None,
    ) -> None:
        """
        Args:
            dataset: An ofindex.Dataset, a view, or a mix.
            features: Feature name -> ``ofindex.fixed``, ``ragged`` or ``raw``. Numbers become tensors of shape
                ``(n, *shape)``, byte strings a `BytesArray`, ragged features a `Ragged`.
            batch_size: Records of a batch; the last one of an epoch may have fewer.
            sampler: The order: of ``dataset.sampler(...)``, or anything that gives numbers of records when it is
                iterated. None: a global shuffle by `seed`, for `rank` of `world_size` with `tail`.
            rank, world_size: None: those of torch.distributed, or that torchrun sets, else 0 of 1.
            tail: What becomes of the records that do not make a whole step of all ranks: see `Dataset.sampler`.
            prefetch: Batches that are read ahead.
            threads: That read and decode; None: one a processor.
            transform: Applied to each batch, on as many threads of Python.
            drop_last: Leave out a last batch of fewer records.
            pin_memory: Put tensors into pinned memory; None: if there is a CUDA device.
        """
        self.dataset = dataset
        self.batch_size = operator.index(batch_size)
        self.prefetch = operator.index(prefetch)
        if self.batch_size < 1 or self.prefetch < 1:
            raise ValueError(f"batch_size={batch_size}, prefetch={prefetch}: expected 1 and more")
        self.threads = processor_count() if threads is None else operator.index(threads)
        if self.threads < 1:
            raise ValueError(f"threads={threads}: expected 1 and more")
        self.transform = transform
        self.drop_last = drop_last
        self.pin_memory = torch.cuda.is_available() if pin_memory is None else pin_memory
        self._decoding = decoding_of(features)
        self.sampler: Sampler | MixSampler | _Iterated
        if sampler is None:
            own_rank, own_world = _world()
            self.sampler = dataset.sampler(
                seed=seed,
                rank=own_rank if rank is None else rank,
                world_size=own_world if world_size is None else world_size,
                tail=tail,
            )
        elif isinstance(sampler, (Sampler, MixSampler)):
            self.sampler = sampler
        else:
            self.sampler = _Iterated(dataset, sampler)
        self._next_epoch = self.sampler.epoch
        self._fresh = True  # nothing was read since the sampler was made, or a state was loaded
        self._iterator: LoaderIterator | None = None

    def __len__(self) -> int:
        """Batches of the epoch that is next, or of what is left of it after `load_state_dict`."""
        if not self._fresh:
            self.sampler.set_epoch(self._next_epoch)
        return self._batches_left()

    def _batches_left(self) -> int:
        records = len(self.sampler)
        return records // self.batch_size if self.drop_last else -(-records // self.batch_size)

    def __iter__(self) -> LoaderIterator:
        if not self._fresh:
            self.sampler.set_epoch(self._next_epoch)
        self._fresh = False
        self._next_epoch = self.sampler.epoch + 1
        self._iterator = LoaderIterator(self)
        return self._iterator

    def set_epoch(self, epoch: int) -> None:
        """Makes `epoch` the next one. Right after `load_state_dict`, the state's own epoch goes on where it stands."""
        if self._fresh and epoch == self.sampler.epoch:
            return
        self._next_epoch, self._fresh, self._iterator = operator.index(epoch), False, None

    def state_dict(self) -> State:
        """Where the last iteration stands: behind the batches that it has given out. Plain values, less than 1 KiB."""
        if self._iterator is not None:
            return self._iterator.state_dict()
        if self._fresh:
            return self.sampler._begin_state()
        return {**self.sampler._begin_state(), "epoch": self._next_epoch, "position": 0}

    def load_state_dict(self, state: State) -> None:
        """Makes the next iteration go on from `state`, of a Loader over the same records in the same order, with any
        number of ranks, any batch size and any features.

        Raises:
            StaleError: the state is of other records, or of another order; the text says what is different.
        """
        self.sampler.load_state_dict(state)
        self._fresh, self._iterator = True, None

    def __repr__(self) -> str:
        return f"ofindex.torch.Loader({self.dataset!r}, batch_size={self.batch_size}, features={list(self._decoding.features)})"


class LoaderIterator:
    """One pass of a Loader over what is left of an epoch."""

    def __init__(self, loader: Loader) -> None:
        sampler = loader.sampler
        self._begin = sampler._begin_state()
        self._position: int = self._begin["position"]
        self._ended = False
        self._left = loader._batches_left()
        self._pin = loader.pin_memory
        epoch = Epoch(
            loader.dataset._payloads,
            loader._decoding,
            sampler._order(),
            loader.batch_size,
            loader.threads,
            loader.prefetch,
        )
        transform = loader.transform

        def apply(batch: Batch) -> Any:
            tensors = _tensors(batch)
            return tensors if transform is None else transform(tensors)

        self._batches = transformed(epoch, None if transform is None else apply, loader.threads, loader.prefetch)
        self._plain = transform is None

    def __iter__(self) -> Iterator[Any]:
        return self

    def __len__(self) -> int:
        """Batches that are left."""
        return self._left

    def __next__(self) -> Any:
        if self._left == 0:
            self.close()
            self._ended = True
            raise StopIteration
        try:
            batch, position = next(self._batches)
        except StopIteration:
            self._left, self._ended = 0, True
            raise
        self._left -= 1
        self._position = position
        tensors = _tensors(batch) if self._plain else batch
        return _pinned(tensors) if self._pin else tensors

    def close(self) -> None:
        """Stops the threads. What is left is not read; the state stays."""
        self._batches.close()

    def state_dict(self) -> State:
        """See `Loader.state_dict`."""
        if self._ended:
            return {**self._begin, "epoch": self._begin["epoch"] + 1, "position": 0}
        return {**self._begin, "position": self._position}

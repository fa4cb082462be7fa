"""Several datasets in fixed proportions."""

from __future__ import annotations

import bisect
import itertools
import operator
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from . import _ofindex
from ._arguments import whole
from ._arrays import as_numpy_asks, objects_of
from ._batch import Batch, decoding_for, thread_limit
from ._dataset import Dataset
from ._epochs import Tail
from ._features import Features
from ._mix_sampler import MixSampler


class Mix:
    """Several datasets as one sequence of records, one dataset after the other. Its sampler draws from each dataset in
    a fixed proportion. Made by `mix`. Can be pickled."""

    def __init__(self, datasets: Sequence[Dataset], weights: Sequence[float]) -> None:
        self.datasets = tuple(dataset._present() for dataset in datasets)
        self.weights = tuple(float(weight) for weight in weights)
        self._first_rows = list(itertools.accumulate(map(len, self.datasets), initial=0))
        sizes = [dataset._source.ordinals for dataset in self.datasets]
        self._first_ordinals = list(itertools.accumulate(sizes, initial=0))
        self._payloads_made: _ofindex.Payloads | None = None
        _ofindex.make_mixture(self.weights, list(map(len, self.datasets)), 0)  # report errors early

    @property
    def _payloads(self) -> _ofindex.Payloads:
        if self._payloads_made is None:
            self._payloads_made = _ofindex.payloads_of([dataset._source for dataset in self.datasets])
        return self._payloads_made

    @cached_property
    def _fingerprints(self) -> list[str]:
        """What identifies each dataset in a sampler's state."""
        return [f"{dataset._source.id} {dataset.rows.fingerprint()}" for dataset in self.datasets]

    def __len__(self) -> int:
        """Number of records in all datasets together, which is also the length of an epoch."""
        return self._first_rows[-1]

    def place(self, number: int) -> tuple[int, int]:
        """Return the index of the dataset that has record `number`, and the record's number in that dataset."""
        number = operator.index(number)
        if not -len(self) <= number < len(self):
            raise IndexError(f"record {number} does not exist; there are {len(self):,}")
        number %= len(self)
        which = bisect.bisect_right(self._first_rows, number) - 1
        return which, number - self._first_rows[which]

    def __getitem__(self, number: int) -> bytes:
        which, row = self.place(number)
        payload: bytes = self.datasets[which][row]
        return payload

    def __getitems__(self, numbers: Iterable[int]) -> list[bytes]:
        """Return the payloads of the records `numbers`, in that order; torch calls this."""
        wanted = self._wanted(numbers)
        payloads = [b""] * len(wanted)
        for which, places in self._by_dataset(wanted):
            some = self.datasets[which].__getitems__(wanted[places] - self._first_rows[which])
            for place, payload in zip(places.tolist(), some, strict=True):
                payloads[place] = payload
        return payloads

    def _wanted(self, numbers: Iterable[int] | npt.ArrayLike) -> npt.NDArray[np.int64]:
        """Return the record numbers `numbers` counted from the beginning."""
        held = isinstance(numbers, Sequence) or hasattr(numbers, "__array__")
        return _ofindex.indices(numbers if held else list(numbers), len(self))  # type: ignore[arg-type]

    def _by_dataset(self, wanted: npt.NDArray[np.int64]) -> Iterator[tuple[int, npt.NDArray[np.int64]]]:
        """Yield the index of each dataset that has records in `wanted`, with the positions of these records there."""
        owners = np.searchsorted(self._first_rows, wanted, side="right") - 1
        for which in np.unique(owners).tolist():
            yield which, np.flatnonzero(owners == which)

    def _present(self) -> Mix:
        """See `Dataset._present`: a mix numbers only records that are there."""
        return self

    def _known_features(self) -> list[frozenset[str] | None]:
        return [names for dataset in self.datasets for names in dataset._known_features()]

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> npt.NDArray[Any]:
        """Read all payloads into an array of objects, which are `bytes`."""
        return as_numpy_asks(objects_of(list(self)), dtype, copy)

    def __iter__(self) -> Iterator[bytes]:
        return itertools.chain.from_iterable(self.datasets)

    def record(self, number: int) -> dict[str, Any]:
        """Decode all features of one record: see `Dataset.record`."""
        which, row = self.place(number)
        return self.datasets[which].record(row)

    def ordinals(self, rows: Iterable[int] | npt.ArrayLike) -> npt.NDArray[np.int64]:
        """Return the ordinals of the records `rows` as the decoder numbers them: consecutively through all datasets."""
        wanted = self._wanted(rows)
        out = np.empty_like(wanted)
        for which, places in self._by_dataset(wanted):
            inside = self.datasets[which].ordinals(wanted[places] - self._first_rows[which])
            out[places] = inside + self._first_ordinals[which]
        return out

    def batch(self, ids: Iterable[int], features: Features, threads: int | None = None) -> Batch:
        """Decode records into arrays, in the given order: see `Dataset.batch`."""
        decoding = decoding_for(self, features)
        ordinals = self.ordinals(ids)
        arrays = decoding.decoder.decode_joined(self._payloads, ordinals, thread_limit(threads))
        return decoding.batch(len(ordinals), arrays)

    def sampler(
        self,
        seed: int = 0,
        epoch: int = 0,
        rank: int | None = None,
        world_size: int | None = None,
        tail: Tail = "exact",
    ) -> MixSampler:
        """Return the order of a training run. It takes records from all datasets in their proportions, and reshuffles a
        dataset whenever it has been read completely. The arguments are those of `Dataset.sampler`."""
        return MixSampler(self, whole(seed, "seed"), whole(epoch, "epoch"), rank, world_size, tail)

    def __eq__(self, other: object) -> bool:
        """Whether both have the same records of the same indexes, in the same proportions."""
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
        datasets: Two or more datasets or views.
        weights: The share of each dataset, in any unit; None: the sizes of the datasets. A dataset that is read faster
            than the others begins its next epoch earlier.

    Raises:
        ValueError: a weight is invalid, or a dataset with a weight is empty. TypeError: an item is not a dataset.
    """
    for dataset in datasets:
        if not isinstance(dataset, Dataset):
            raise TypeError(f"expected datasets, not {type(dataset).__name__}")
    if not datasets:
        raise ValueError("no datasets to mix")
    if weights is not None and len(weights) != len(datasets):
        raise ValueError(f"{len(weights)} weights for {len(datasets)} datasets")
    return Mix(datasets, [float(len(dataset)) for dataset in datasets] if weights is None else weights)

"""Several datasets in fixed proportions."""

from __future__ import annotations

import bisect
import itertools
import operator
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence, Sized
from functools import cached_property
from typing import TYPE_CHECKING, Any, overload

import numpy as np
import numpy.typing as npt

from . import _ofindex
from ._arguments import whole
from ._arrays import as_numpy_asks, objects_of
from ._batch import decoding_for, thread_limit
from ._dataset import Dataset
from ._epochs import Tail
from ._features import Features
from ._foreign import explained, explained_methods, shown
from ._html import mix_html
from ._mix_sampler import MixSampler
from ._selectors import is_number, mask_of, not_selected
from ._verbs import Verbs

if TYPE_CHECKING:
    import pyarrow

_READ_AT_ONCE = 256


@explained_methods
class Mix(Verbs):
    """Several datasets as one sequence of records, one dataset after the other. Its sampler draws from each dataset in
    a fixed proportion. A view of a mix is a Mix, of views of the datasets, in any order, with the same proportions.
    Made by `mix` and `concat`. Can be pickled."""

    def __init__(
        self, datasets: Sequence[Dataset], weights: Sequence[float], order: npt.NDArray[np.int64] | None = None
    ) -> None:
        """
        Args:
            order: The records of the datasets, counted through all of them, in the order of the mix; None: as they are.
        """
        self.datasets = tuple(dataset._present() for dataset in datasets)
        self.weights = tuple(float(weight) for weight in weights)
        self._first_rows = list(itertools.accumulate(map(len, self.datasets), initial=0))
        sizes = [dataset._source.ordinals for dataset in self.datasets]
        self._first_ordinals = list(itertools.accumulate(sizes, initial=0))
        self._payloads_made: _ofindex.Payloads | None = None
        self._order = order
        if len(self) > 0:
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
        """Return the index of the dataset that has record `number`, and the record's number in that dataset.

        Datasets are counted from 0::

            ofindex.mix([ds, ds[:5]]).place(102)  # (1, 2)
        """
        number = operator.index(number)
        if not -len(self) <= number < len(self):
            raise IndexError(f"record {number} does not exist; there are {len(self):,}")
        number %= len(self)
        if self._order is not None:
            number = int(self._order[number])
        which = bisect.bisect_right(self._first_rows, number) - 1
        return which, number - self._first_rows[which]

    @overload
    def __getitem__(self, index: int | np.integer[Any]) -> bytes: ...
    @overload
    def __getitem__(self, index: slice | Sized) -> Mix: ...
    def __getitem__(self, index: Any) -> bytes | Mix:
        """Return the payload of one record, or the view of a slice, of numbers, or of a mask."""
        if is_number(index):
            which, row = self.place(index)
            return self.datasets[which][row]
        if isinstance(index, slice):
            begin, end, step = index.indices(len(self))
            if step == 1 and self._order is None:
                return self._slice(begin, max(begin, end))
            return self._view(self._wanted(range(begin, end, step)))
        if isinstance(index, (str, bytes)) or not hasattr(index, "__len__"):
            raise not_selected(index)
        mask = mask_of(index, len(self))
        return self._view(self._wanted(index if mask is None else np.flatnonzero(mask)))

    def _slice(self, begin: int, end: int) -> Mix:
        """Return the view of the records from `begin` to before `end`, in no memory."""
        some = [
            (dataset[max(0, begin - first) : max(0, end - first)], weight)
            for dataset, weight, first in zip(self.datasets, self.weights, self._first_rows, strict=False)
        ]
        return self._of(some)

    def _view(self, rows: npt.NDArray[np.int64]) -> Mix:
        """Return the view of `rows`, which count through all datasets, in their order."""
        some, order, first = [], np.empty_like(rows), 0
        for which, places in self._by_dataset(rows):
            some.append((self.datasets[which][rows[places] - self._first_rows[which]], self.weights[which]))
            order[places] = np.arange(first, first + len(places))
            first += len(places)
        return self._of(some, None if np.all(order[1:] > order[:-1]) else order)

    def _of(self, some: list[tuple[Dataset, float]], order: npt.NDArray[np.int64] | None = None) -> Mix:
        """Return the mix of those datasets that are not empty; the first of this mix, empty, if there are none."""
        kept = [(dataset, weight) for dataset, weight in some if len(dataset) > 0]
        if kept and not any(weight > 0 for _, weight in kept):
            kept = [(dataset, float(len(dataset))) for dataset, _ in kept]  # of datasets that the mix never draws from
        datasets, weights = zip(*(kept or [(self.datasets[0][:0], 1.0)]), strict=True)
        return Mix(datasets, weights, order)

    def where(self, expression: str, parameters: Any = None) -> Mix:
        """Select the records for which an SQL expression holds, in every dataset: see `Dataset.where`. Evaluated at
        once."""
        some = [dataset.where(expression, parameters) for dataset in self.datasets]
        if self._order is None:
            return self._of(list(zip(some, self.weights, strict=True)))
        holds = [
            np.isin(dataset.ordinals(range(len(dataset))), chosen.ordinals(range(len(chosen))))
            for dataset, chosen in zip(self.datasets, some, strict=True)
        ]
        chosen_rows: Mix = self[np.concatenate(holds)[self._order]]
        return chosen_rows

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
        """Return the records `numbers` as rows, which count through all datasets."""
        held = isinstance(numbers, Sequence) or hasattr(numbers, "__array__")
        indices = _ofindex.indices(numbers if held else list(numbers), len(self))  # type: ignore[arg-type]
        return indices if self._order is None else self._order[indices]

    @cached_property
    def _numbers(self) -> npt.NDArray[np.int64] | None:
        """The number of each row; None if they are the same."""
        if self._order is None:
            return None
        numbers = np.empty_like(self._order)
        numbers[self._order] = np.arange(len(numbers))
        return numbers

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

    def _schema(self) -> list[dict[str, Any]]:
        return [feature for dataset in self.datasets for feature in dataset._schema()]

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> npt.NDArray[Any]:
        """Read all payloads into an array of objects, which are `bytes`."""
        return as_numpy_asks(objects_of(list(self)), dtype, copy)

    def __iter__(self) -> Iterator[bytes]:
        if self._order is None:
            yield from itertools.chain.from_iterable(self.datasets)
            return
        for begin in range(0, len(self), _READ_AT_ONCE):
            yield from self.__getitems__(range(begin, min(len(self), begin + _READ_AT_ONCE)))

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

    def _table(self, columns: Sequence[str] | None) -> pyarrow.Table:
        import pyarrow

        tables = [dataset._table(columns) for dataset in self.datasets]
        whole = pyarrow.concat_tables(tables, promote_options="permissive")
        return whole if self._order is None else whole.take(self._order)

    def batch(self, ids: Iterable[int], features: Features, threads: int | None = None) -> dict[str, Any]:
        """Decode records into arrays, in the given order: see `Dataset.batch`."""
        decoding = decoding_for(self, features)
        if is_number(ids):
            raise TypeError(f"batch takes a list of numbers: batch([{ids}], ...)")
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
        skip: Iterable[tuple[int, int]] | None = None,
    ) -> MixSampler:
        """Return the order of a training run. It takes records from all datasets in their proportions, and reshuffles a
        dataset whenever it has been read completely. The arguments are those of `Dataset.sampler`.

        Raises:
            ValueError: arguments are invalid, or there are no records.
        """
        if len(self) == 0:
            raise ValueError("the mix has no records to sample")
        return MixSampler(self, whole(seed, "seed"), whole(epoch, "epoch"), rank, world_size, tail, skip=skip)

    def __eq__(self, other: object) -> bool:
        """Whether both have the same records of the same indexes, in the same proportions."""
        if not isinstance(other, Mix):
            return NotImplemented
        same = self.datasets == other.datasets and self.weights == other.weights
        if self._order is None or other._order is None:
            return same and self._order is other._order
        return same and np.array_equal(self._order, other._order)

    def __hash__(self) -> int:
        return hash((self.datasets, self.weights))

    def __reduce__(self) -> tuple[Any, ...]:
        return Mix, (self.datasets, self.weights, self._order)

    def _repr_html_(self) -> str:
        return mix_html(self)

    def __repr__(self) -> str:
        parts = ", ".join(
            f"{weight:g} of {dataset!r}" for dataset, weight in zip(self.datasets, self.weights, strict=True)
        )
        return f"<ofindex.Mix: {parts}{'' if self._order is None else ', reordered'}>"


def _not_a_list(datasets: Any, function: str) -> TypeError:
    """Return the error of a call of `concat` or `mix` without a list."""
    said = f"expected a list of datasets, not {type(datasets).__name__}"
    return TypeError(f"{said}\nwrite {function}([a, b])")


def _not_a_dataset(item: Any) -> TypeError:
    """Return the error for an item of `concat` or `mix`."""
    said = f"expected datasets, not {type(item).__name__}"
    if isinstance(item, (str, bytes, os.PathLike)):
        return TypeError(f"{said}\nwrite ofindex.open({shown(item) if isinstance(item, (str, bytes)) else 'path'})")
    if isinstance(item, tuple) and item and isinstance(item[0], Dataset):
        return TypeError(f"{said}\nwrite mix([a, b], weights=[0.7, 0.3])")
    if isinstance(item, Mix):
        return TypeError(f"{said}\na mix is mixed by its datasets: mix([*some.datasets, ds], weights=[...])")
    return TypeError(said)


@explained
def concat(parts: Sequence[Dataset | Mix]) -> Mix:
    """Put datasets, views and mixes one after the other. A sampler of the result reads every record once per epoch::

        both = ofindex.concat([ds, ds.where("label = 3")])  # also: ds + ds.where("label = 3")
        len(both)  # 110

    Raises:
        ValueError: `parts` is empty. TypeError: an item is not a dataset, a view or a mix.
    """
    if isinstance(parts, (Dataset, Mix, str, bytes)) or not hasattr(parts, "__iter__"):
        raise _not_a_list(parts, "concat")
    datasets: list[Dataset] = []
    order: list[npt.NDArray[np.int64]] = []
    first = 0
    for part in parts:
        if not isinstance(part, (Dataset, Mix)):
            raise _not_a_dataset(part)
        datasets += [part] if isinstance(part, Dataset) else part.datasets
        rows = getattr(part, "_order", None)
        order.append((np.arange(len(part)) if rows is None else rows) + first)
        first += len(part)
    if not datasets:
        raise ValueError("no datasets to concatenate")
    reordered = any(getattr(part, "_order", None) is not None for part in parts)
    sizes = [float(len(dataset)) for dataset in datasets]
    return Mix(datasets, sizes, np.concatenate(order) if reordered else None)


def _of_mappings(datasets: Any, weights: Any) -> tuple[Any, Any]:
    """Return the arguments of `mix` as lists: of dataset -> weight, or name -> dataset and name -> weight."""
    if not isinstance(datasets, Mapping):
        return datasets, weights
    if weights is None and all(isinstance(dataset, Dataset) for dataset in datasets):
        return list(datasets), list(datasets.values())
    for item in datasets.values():
        if not isinstance(item, Dataset):
            names = ", ".join(f"ofindex.open({shown(name)})" for name in list(datasets)[:3])
            weights = ", ".join(shown(weight) for weight in list(datasets.values())[:3])
            raise TypeError(f"expected datasets, not {type(item).__name__}\nwrite mix([{names}], weights=[{weights}])")
    if isinstance(weights, Mapping):
        if set(weights) != set(datasets):
            raise ValueError(f"weights of {list(weights)} for datasets {list(datasets)}: expected the same names")
        weights = [weights[name] for name in datasets]
    return list(datasets.values()), weights


@explained
def mix(
    datasets: Sequence[Dataset] | Mapping[Dataset, float] | Mapping[str, Dataset],
    weights: Sequence[float] | Mapping[str, float] | None = None,
) -> Mix:
    """Mix datasets in fixed proportions::

        mixed = ofindex.mix([ds, ds.where("label = 3")], weights=[0.7, 0.3])
        loader = ofindex.Loader(mixed, features, batch_size=100, seed=1)  # 70 and 30 of 100 records

    Args:
        datasets: Two or more datasets or views: a list, or name -> dataset, or dataset -> weight.
        weights: The share of each dataset, in any unit: a list, or name -> weight; None: the sizes of the datasets. A
            dataset that is read faster than the others begins its next epoch earlier.

    Raises:
        ValueError: a weight is invalid, or a dataset with a weight is empty. TypeError: an item is not a dataset.
    """
    return _mixed(*_of_mappings(datasets, weights))


def _mixed(datasets: Sequence[Dataset], weights: Sequence[float] | None) -> Mix:
    """Implements `mix` for lists."""
    if isinstance(datasets, (Dataset, Mix, str, bytes)) or not hasattr(datasets, "__len__"):
        raise _not_a_list(datasets, "mix")
    for dataset in datasets:
        if not isinstance(dataset, Dataset):
            raise _not_a_dataset(dataset)
    if not datasets:
        raise ValueError("no datasets to mix")
    if weights is not None and (not hasattr(weights, "__len__") or isinstance(weights, (str, bytes, Mapping))):
        raise TypeError(f"weights={shown(weights)}: expected a list, one for each dataset: weights=[0.7, 0.3]")
    if weights is not None and len(weights) != len(datasets):
        raise ValueError(f"{len(weights)} weights for {len(datasets)} datasets")
    return Mix(datasets, [float(len(dataset)) for dataset in datasets] if weights is None else weights)

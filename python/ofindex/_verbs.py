"""Selecting records with the words of other libraries: what Datasets, views and mixes share."""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from . import _ofindex
from ._arguments import whole
from ._foreign import explained_methods, lacks, shown
from ._mapped import Mapped
from ._selectors import is_number, not_selected

if TYPE_CHECKING:
    import datasets
    import pandas
    import polars
    import pyarrow

    from . import torch
    from ._features import Features
    from ._mix import Mix

_RecordsT = TypeVar("_RecordsT", bound="Verbs")
_ValueT = TypeVar("_ValueT")


@explained_methods
class Verbs:
    """Views by the verbs of Hugging Face datasets and tf.data. Each returns a new view, whose records are numbered from
    0, and reads nothing, unless it says so."""

    if TYPE_CHECKING:

        def __len__(self) -> int: ...
        def __getitem__(self, index: Any) -> Any: ...
        def _present(self: _RecordsT) -> _RecordsT: ...
        def _table(self, columns: Sequence[str] | None) -> pyarrow.Table: ...
        def record(self, number: int) -> dict[str, Any]: ...
        def where(self: _RecordsT, expression: str, parameters: Any = None) -> _RecordsT: ...

    else:

        def __getattr__(self, name):
            lacks(self, name)

    def select(self: _RecordsT, numbers: Any) -> _RecordsT:
        """Return the view of the records `numbers`, in that order: a slice, integers, or a boolean mask::

            ds.select([3, 1, 4]).column("label")  # array([3, 1, 4])
            zeros = ds.select(ds.column("label") == 0)

        Raises:
            IndexError: a record does not exist. TypeError: `numbers` is a single number.
        """
        if is_number(numbers):
            raise TypeError(f"select takes a list of numbers: select([{numbers}])")
        selected = isinstance(numbers, slice) or hasattr(numbers, "__len__")
        if not selected and not hasattr(numbers, "__iter__"):
            raise not_selected(numbers)
        view: _RecordsT = self[numbers if selected else list(numbers)]
        return view

    def filter(self: _RecordsT, condition: str | Callable[[dict[str, Any]], Any], parameters: Any = None) -> _RecordsT:
        """Return the view of the records for which a condition holds, in the same order::

            low = ds.filter("label < ?", 5)  # reads the index
            short = ds.filter(lambda record: len(record["tokens"]) < 3)  # reads every record

        Args:
            condition: An SQL expression, answered by the index: see `Dataset.where`. Or a function, which is called
                with each record as `Dataset.record` decodes it: this reads every record, at once.
            parameters: Values of ``?`` or ``:name`` in the expression.
        """
        if isinstance(condition, str):
            return self.where(condition, parameters)
        if not callable(condition):
            raise TypeError(
                f"a condition is an SQL expression or a function, not {type(condition).__name__}\n"
                "for a mask or numbers, write ds[mask]"
            )
        there: _RecordsT = self._present()
        kept: _RecordsT = there[np.array([bool(condition(there.record(i))) for i in range(len(there))], dtype=np.bool_)]
        return kept

    def take(self: _RecordsT, count: int) -> _RecordsT:
        """Return the view of the first `count` records, or of all if there are fewer.

        Ten records to try a program with::

            smoke_test = ds.shuffle(seed=1).take(10)
            len(smoke_test)  # 10
        """
        return self._between(0, whole(count, "count"))

    def skip(self: _RecordsT, count: int) -> _RecordsT:
        """Return the view without the first `count` records.

        Records that a training run never sees::

            held_out, rest = ds.take(20), ds.skip(20)
            len(rest)  # 80
        """
        return self._between(whole(count, "count"), len(self))

    def _between(self: _RecordsT, begin: int, end: int) -> _RecordsT:
        there: _RecordsT = self._present()
        view: _RecordsT = there[begin:end]
        return view

    def shard(self: _RecordsT, num_shards: int, index: int, contiguous: bool = True) -> _RecordsT:
        """Return one of `num_shards` views that divide the records; their sizes differ by at most one::

            len(ds.shard(4, 0))  # 25

        Args:
            index: Which, ``0 <= index < num_shards``.
            contiguous: Neighbours stay together; otherwise every `num_shards`-th record, from record `index` on.
        """
        shards = whole(num_shards, "num_shards", 1)
        which = whole(index, "index", 0, shards - 1)
        there: _RecordsT = self._present()
        if not contiguous:
            strided: _RecordsT = there[which::shards]
            return strided
        size, larger = divmod(len(there), shards)
        begin = which * size + min(which, larger)
        return there._between(begin, begin + size + (which < larger))

    def shuffle(self: _RecordsT, seed: int = 0) -> _RecordsT:
        """Return the view of the same records in an order drawn by `seed`, which stays the same: 8 bytes per record.
        For an epoch in a new order each time, in no memory, use `sampler` or a Loader::

            sample = ds.shuffle(seed=1).take(10)
        """
        there: _RecordsT = self._present()
        shuffled: _RecordsT = there[_ofindex.permutation(len(there), whole(seed, "seed"))]
        return shuffled

    def train_test_split(self: _RecordsT, test_size: float | int = 0.25, seed: int = 0) -> dict[str, _RecordsT]:
        """Return {"train": view, "test": view}: disjoint, in an order drawn by `seed`, of exact sizes::

            parts = ds.train_test_split(0.1, seed=0)
            len(parts["train"]), len(parts["test"])  # (90, 10)

        Args:
            test_size: The test view's fraction of the records, rounded up, or its number of records.

        For parts that stay as they are when records are appended, or that keep groups or proportions, use
        `Dataset.split`.
        """
        there: _RecordsT = self._present()
        if isinstance(test_size, float):
            if not 0 < test_size < 1:
                raise ValueError(f"test_size={test_size}: expected a fraction between 0 and 1, or a number of records")
            count = int(np.ceil(len(there) * test_size))
        else:
            count = _test_count(test_size)
            if not 0 < count < len(there):
                raise ValueError(f"test_size={count}: expected 1 to {len(there) - 1:,} of {len(there):,} records")
        shuffled = there.shuffle(seed)
        return {"train": shuffled._between(count, len(there)), "test": shuffled._between(0, count)}

    def __add__(self, other: Any) -> Mix:
        """Return both, one after the other: see `ofindex.concat`."""
        if not isinstance(other, Verbs):
            return NotImplemented
        import ofindex

        return ofindex.concat([self, other])  # type: ignore[list-item]

    def to_pandas(self, columns: Sequence[str] | None = None) -> pandas.DataFrame:
        """Return columns of the index as a pandas.DataFrame, one row per record; None: all of them. Needs pandas and
        pyarrow. A mix has the columns of all its datasets, NULL where a dataset lacks one::

            frame = ds.to_pandas(["_id", "label"])
            view = ds[frame["_id"][frame["label"] == 3]]  # back to records; `_id` counts in ds, also for a view
        """
        return self._table(columns).to_pandas()

    def to_polars(self, columns: Sequence[str] | None = None) -> polars.DataFrame:
        """Return columns of the index as a polars.DataFrame, one row per record; None: all of them. Needs Polars and
        pyarrow::

            ds.to_polars(["label", "score"]).group_by("label").mean().height  # 10
        """
        import polars

        frame = polars.from_arrow(self._table(columns))
        assert isinstance(frame, polars.DataFrame)
        return frame

    def to_hf(self, features: Features | None = None) -> datasets.Dataset:
        """Return a `datasets.Dataset` of Hugging Face. Needs datasets::

            ds.to_hf(features).column_names  # ['label', 'tokens']

        Args:
            features: Features that are read and decoded from the records, into the cache of datasets. None: the columns
                of the index, in memory; no record is read.
        """
        import datasets

        if features is None:
            return datasets.Dataset(self._table(None))
        return datasets.Dataset.from_generator(Mapped(self, dict, features).__iter__)  # type: ignore[arg-type]

    def to_torch(
        self, features: Features | None = None, transform: Callable[[Any], Any] | None = None
    ) -> torch.Dataset[Any]:
        """Return an `ofindex.torch.Dataset` of these records, for torch's DataLoader.

        Needs torch::

            import torch

            items = ds.to_torch({"label": ofindex.fixed("int64")})
            for batch in torch.utils.data.DataLoader(items, batch_size=32, sampler=ds.sampler(seed=1)):
                step(batch["label"])
        """
        import ofindex.torch

        records: Any = self
        return ofindex.torch.Dataset(records, features, transform)

    def map(self, function: Callable[[dict[str, Any]], _ValueT], features: Features | None = None) -> Mapped[_ValueT]:
        """Return a lazy sequence of ``function(record)``, which is called whenever an item is read::

            texts = ds.map(lambda record: record["text"][0].decode())
            texts[7]  # 'text 7'

        Args:
            function: Gets each record as a dict: see `Dataset.record`. With `features`, feature name -> its decoded
                value: an array of the feature's shape, `bytes`, or the values of a ragged row.
        """
        return Mapped(self, function, features)  # type: ignore[arg-type]


def _test_count(test_size: Any) -> int:
    """Return `test_size` as a number of records.

    Raises:
        TypeError: it is not an integer; fractions of several parts get the argument that was meant.
    """
    if hasattr(test_size, "__index__") and not isinstance(test_size, bool):
        return operator.index(test_size)
    meant = ""
    parts = (
        dict(zip(_part_names(len(test_size)), test_size, strict=True))
        if isinstance(test_size, (list, tuple))
        else test_size
    )
    if isinstance(parts, Mapping) and all(isinstance(part, (int, float)) for part in parts.values()):
        size = parts["test"] if "test" in parts else round(1 - sum(parts.values()), 12)
        named = ", ".join(f'"{name}": {shown(part)}' for name, part in parts.items())
        meant = f"\nwrite train_test_split(test_size={shown(size)}), or split({{{named}}}) for parts of other names"
    raise TypeError(
        f"test_size={shown(test_size)}: expected a fraction, or a number of records, "
        f"not {type(test_size).__name__}{meant}"
    )


def parts_of(parts: Any) -> Mapping[str, float]:
    """Return the argument of `Dataset.split` if it is a mapping.

    Raises:
        TypeError: it is not; a list gets the dict that was meant.
    """
    if isinstance(parts, Mapping):
        return parts
    numbers = isinstance(parts, Sequence) and all(isinstance(part, (int, float)) for part in parts)
    if numbers and len(parts) > 0:
        meant = ", ".join(f'"{name}": {part}' for name, part in zip(_part_names(len(parts)), parts, strict=True))
        raise TypeError(f"parts have names: split({{{meant}}})")
    raise TypeError(
        f'parts are a dict: name -> fraction, not {type(parts).__name__}\nwrite split({{"train": 0.8, "test": 0.2}})'
    )


def _part_names(count: int) -> Sequence[str]:
    """Names for `count` parts that have none."""
    usual = {1: ("train",), 2: ("train", "test"), 3: ("train", "val", "test")}
    return usual.get(count, tuple(f"part{number}" for number in range(count)))

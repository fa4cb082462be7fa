"""ofindex in Grain: a RandomAccessDataSource."""

from __future__ import annotations

import operator
from collections.abc import Iterator, Sequence
from typing import Any

from ._batch import decoding_for, items_of
from ._dataset import Dataset
from ._features import Features
from ._foreign import explained_methods
from ._mix import Mix

__all__ = ["DataSource"]


@explained_methods
class DataSource:
    """Records for Grain's DataLoader and MapDataset: implements grain's RandomAccessDataSource, with batched reads::

        import grain

        source = ofindex.grain.DataSource(ds, {"label": ofindex.fixed("int64")})
        pipeline = grain.MapDataset.source(source).shuffle(seed=1).batch(32)
        pipeline[0]["label"].shape  # (32,)

    Thread-safe, deterministic, and can be pickled. Its repr, which Grain's checkpoints compare, identifies the records
    and contains no memory address. Grain itself need not be installed.
    """

    def __init__(self, dataset: Dataset | Mix, features: Features | None = None) -> None:
        """
        Args:
            dataset: An ofindex.Dataset, a view, or a mix.
            features: Features to decode: items are then dicts of arrays. None: items are payloads, as `bytes`.
        """
        self.dataset = dataset
        self.features = None if features is None else dict(decoding_for(dataset, features).features)

    def __len__(self) -> int:
        return len(self.dataset)

    def __iter__(self) -> Iterator[Any]:
        """Iterate over the items in order. Without this method, Python would stop at the first missing record."""
        there = DataSource(self.dataset._present(), self.features)
        return (there[number] for number in range(len(there)))

    def __getitem__(self, index: int) -> Any:
        if self.features is None:
            return self.dataset[operator.index(index)]
        return self.__getitems__([operator.index(index)])[0]

    def __getitems__(self, numbers: Sequence[int]) -> list[Any]:
        """Return many items, read at once."""
        if self.features is None:
            return self.dataset.__getitems__(numbers)
        return items_of(self.dataset.batch(numbers, self.features, threads=1))

    _getitems = __getitems__  # Grain's own name for it

    def __repr__(self) -> str:
        len(self.dataset)  # evaluates a view, whose repr then identifies its records
        features = "" if self.features is None else f", features={self.features}"
        return f"ofindex.grain.DataSource({self.dataset!r}{features})"

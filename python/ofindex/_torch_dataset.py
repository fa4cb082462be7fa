"""Records as items of torch's own DataLoader."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, Any, overload

import torch
import torch.utils.data

from . import _arrays
from ._arrays import BytesArray
from ._batch import decoding_for
from ._dataset import Dataset as Records
from ._features import Features
from ._foreign import explained_methods
from ._mix import Mix

if TYPE_CHECKING:
    from typing_extensions import TypeVar

    _ItemT = TypeVar("_ItemT", default=Any)
else:
    from typing import TypeVar

    _ItemT = TypeVar("_ItemT")


@explained_methods
class Dataset(torch.utils.data.Dataset[_ItemT]):
    """Records for torch's DataLoader: map style, with batched reads. Can be pickled; works in workers of
    any start method::

        import torch

        items = ofindex.torch.Dataset(ds, {"label": ofindex.fixed("int64")})
        for batch in torch.utils.data.DataLoader(items, batch_size=32, sampler=ds.sampler(seed=1)):
            step(batch["label"])
    """

    @overload
    def __init__(
        self: Dataset[bytes], dataset: Records | Mix, features: None = None, transform: None = None
    ) -> None: ...
    @overload
    def __init__(
        self: Dataset[dict[str, Any]], dataset: Records | Mix, features: Features, transform: None = None
    ) -> None: ...
    @overload
    def __init__(
        self,
        dataset: Records | Mix,
        features: Features | None = None,
        transform: Callable[[Any], _ItemT] | None = None,
    ) -> None: ...
    def __init__(
        self,
        dataset: Records | Mix,
        features: Features | None = None,
        transform: Callable[[Any], Any] | None = None,
    ) -> None:
        """
        Args:
            dataset: An ofindex.Dataset, a view, or a mix.
            features: Features to decode: items are then dicts of tensors (`bytes` for bytes features, one tensor for a
                row of a `Ragged`). None: items are payloads, as `bytes`.
            transform: Applied to each item.
        """
        self.dataset = dataset
        self.features = None if features is None else dict(decoding_for(dataset, features).features)
        self.transform = transform

    def __len__(self) -> int:
        return len(self.dataset)

    def __iter__(self) -> Iterator[_ItemT]:
        """Iterate over the items in order. Without this method, Python would stop at the first missing record."""
        there = Dataset(self.dataset._present(), self.features, self.transform)
        return (there[number] for number in range(len(there)))

    def __getitem__(self, index: int) -> _ItemT:
        if self.features is not None:
            return self.__getitems__([operator.index(index)])[0]
        item: Any = self.dataset[operator.index(index)]
        return item if self.transform is None else self.transform(item)  # type: ignore[no-any-return]

    def __getitems__(self, numbers: list[int]) -> list[_ItemT]:
        """Return many items, read at once; torch's DataLoader calls this."""
        items: Any
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

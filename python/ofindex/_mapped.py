"""A lazy sequence of values made from records."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable, Iterator, Sequence, Sized
from typing import TYPE_CHECKING, Any, TypeVar, overload

from ._batch import decoding_for, items_of
from ._foreign import explained_methods, lacks, shown
from ._selectors import is_number

if TYPE_CHECKING:
    import numpy as np

    from ._dataset import Dataset
    from ._features import Features
    from ._mix import Mix

_READ_AT_ONCE = 256

_ValueT = TypeVar("_ValueT")
_NextT = TypeVar("_NextT")


@explained_methods
class Mapped(Sequence[_ValueT]):
    """Values of a function of each record, computed when they are read: a Sequence, map style for torch's DataLoader
    and Grain. Made by `Dataset.map`. Pickles with the function. Thread-safe if the function is."""

    def __init__(
        self, dataset: Dataset | Mix, function: Callable[[dict[str, Any]], _ValueT], features: Features | None = None
    ) -> None:
        if not callable(function):
            raise TypeError(
                f"function={shown(function)}: a function is callable, not {type(function).__name__}\n"
                "write map(lambda record: ...), and for values of a column, ds.column(name)"
            )
        self.dataset = dataset._present()
        self.function = function
        self.features = None if features is None else dict(decoding_for(self.dataset, features).features)

    if not TYPE_CHECKING:

        def __getattr__(self, name):
            lacks(self, name)

    def __len__(self) -> int:
        return len(self.dataset)

    @overload
    def __getitem__(self, index: int | np.integer[Any]) -> _ValueT: ...
    @overload
    def __getitem__(self, index: slice | Sized) -> Mapped[_ValueT]: ...
    def __getitem__(self, index: Any) -> _ValueT | Mapped[_ValueT]:
        """Return the value of one record; for a slice, numbers or a mask, a Mapped of that view."""
        if is_number(index):
            return self.__getitems__([operator.index(index)])[0]
        return Mapped(self.dataset[index], self.function, self.features)

    def __getitems__(self, numbers: Iterable[int]) -> list[_ValueT]:
        """Return the values of many records, which are read at once if there are features."""
        wanted = list(numbers)
        if self.features is None:
            return [self.function(self.dataset.record(number)) for number in wanted]
        return [self.function(item) for item in items_of(self.dataset.batch(wanted, self.features, threads=1))]

    def __iter__(self) -> Iterator[_ValueT]:
        for begin in range(0, len(self), _READ_AT_ONCE):
            yield from self.__getitems__(range(begin, min(len(self), begin + _READ_AT_ONCE)))

    def map(self, function: Callable[[_ValueT], _NextT]) -> Mapped[_NextT]:
        """Return a lazy sequence of `function` of these values."""
        return Mapped(self.dataset, _Composed(self.function, function), self.features)

    def __repr__(self) -> str:
        name = getattr(self.function, "__qualname__", type(self.function).__name__)
        return f"<ofindex.Mapped by {name}: {self.dataset!r}>"


class _Composed:
    """Two functions, one after the other; picklable if both are."""

    def __init__(self, first: Callable[[Any], Any], second: Callable[[Any], Any]) -> None:
        self.first, self.second = first, second

    def __call__(self, value: Any) -> Any:
        return self.second(self.first(value))

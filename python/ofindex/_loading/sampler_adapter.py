"""An adapter for samplers that are not from ofindex."""

from __future__ import annotations

import itertools
import operator
import sys
from collections.abc import Callable, Iterable, Sized

import numpy as np
import numpy.typing as npt

from .._arguments import whole
from .._dataset import Dataset
from .._epochs import State, WholeEpoch, checked_state
from .._mix import Mix


class SamplerAdapter:
    """Makes a loader's sampler from any iterable of record numbers that can be iterated again for each epoch."""

    def __init__(self, dataset: Dataset | Mix, numbers: Iterable[int]) -> None:
        self._dataset = dataset
        self._numbers = numbers
        self._skipped = 0
        self._epoch = 0
        self._counts = hasattr(numbers, "set_epoch") and isinstance(getattr(numbers, "epoch", None), int)
        self._loaded = False

    @property
    def epoch(self) -> int:
        """The epoch: the wrapped sampler's own if it counts epochs, otherwise the one set last."""
        return self._numbers.epoch if self._counts else self._epoch  # type: ignore[attr-defined]

    def _epoch_length(self, epoch: int | None = None) -> int | None:
        return len(self._numbers) if isinstance(self._numbers, Sized) else None

    def _length(self) -> int | None:
        length = self._epoch_length()
        return None if length is None else max(0, length - self._skipped)

    def set_epoch(self, epoch: int) -> None:
        self._epoch, self._skipped = epoch, 0
        if hasattr(self._numbers, "set_epoch"):
            self._numbers.set_epoch(epoch)
            self._counts = self._counts and self._numbers.epoch == epoch  # type: ignore[attr-defined]

    def _begin_state(self) -> State:
        return {"schema": "ofindex.iterated_state/1", "epoch": self.epoch, "position": self._skipped}

    def load_state_dict(self, state: State) -> None:
        if checked_state(state).get("schema") != "ofindex.iterated_state/1":
            raise ValueError("the state does not belong to a Loader with such a sampler")
        epoch, position = whole(state.get("epoch"), "epoch"), whole(state.get("position"), "position", 0, sys.maxsize)
        self.set_epoch(epoch)
        self._skipped = position

    def _whole_epoch(self, epoch: int | None = None) -> WholeEpoch:
        return WholeEpoch(None, self._skipped, self._order_from, (0, 1, "exact"), [])

    def _order(self) -> Callable[[int], tuple[npt.NDArray[np.int64], int]]:
        return self._order_from(self._skipped)

    def _order_from(self, position: int) -> Callable[[int], tuple[npt.NDArray[np.int64], int]]:
        numbers = iter(self._numbers)
        taken = sum(1 for _ in itertools.islice(numbers, position))

        def take(count: int) -> tuple[npt.NDArray[np.int64], int]:
            nonlocal taken
            some = [operator.index(number) for number in itertools.islice(numbers, count)]
            taken += len(some)
            return self._dataset.ordinals(np.array(some, dtype=np.int64)), taken

        return take

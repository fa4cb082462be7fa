"""Epochs of prefetched tensors."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, Literal

import torch

from ._batch import Batch
from ._dataset import Dataset
from ._epochs import Tail
from ._features import Features
from ._foreign import explained_methods
from ._loading import loader as plain
from ._loading.length_batches import LengthBatches
from ._mix import Mix
from ._mix_sampler import MixSampler
from ._sampler import Sampler
from ._torch_tensors import pinned, tensors_of
from ._weights import Weights


@explained_methods
class Loader(plain.Loader):
    """Decoded batches of an epoch as dicts of tensors: an `ofindex.Loader` whose arrays are tensors, which share their
    memory, or are in pinned memory. Its states are those of an `ofindex.Loader`::

        loader = ofindex.torch.Loader(ds, {"label": ofindex.fixed("int64")}, batch_size=32, seed=1)
        for batch in loader:
            step(batch["label"])  # a tensor of int64, shape (32,)
    """

    def __init__(
        self,
        dataset: Dataset | Mix,
        features: Features,
        batch_size: int = 256,
        sampler: Sampler | MixSampler | Iterable[int] | None = None,
        seed: int = 0,
        rank: int | None = None,
        world_size: int | None = None,
        tail: Tail = "pad",
        prefetch: int | None = None,
        threads: int | None = None,
        transform: Callable[[dict[str, Any]], Any] | None = None,
        *,
        weights: Weights | None = None,
        balance: str | None = None,
        block: int | Literal["auto"] | None = None,
        drop_last: bool = False,
        length_batches: LengthBatches | None = None,
        pin_memory: bool | None = None,
    ) -> None:
        """
        Args:
            pin_memory: Put tensors into pinned memory; None: if there is a CUDA device.

            All others are those of `ofindex.Loader`. Numbers become tensors of shape ``(n, *shape)``.
        """
        super().__init__(
            dataset,
            features,
            batch_size,
            sampler,
            seed,
            rank,
            world_size,
            tail,
            prefetch,
            threads,
            transform,
            weights=weights,
            balance=balance,
            block=block,
            drop_last=drop_last,
            length_batches=length_batches,
        )
        self._pin_memory = pin_memory  # as passed: the default differs by host
        self.pin_memory = torch.cuda.is_available() if pin_memory is None else pin_memory

    def _values(self, batch: Batch) -> dict[str, Any]:
        return tensors_of(batch)

    def _finished(self, values: Any) -> Any:
        return pinned(values) if self.pin_memory else values

    def _arguments(self) -> dict[str, Any]:
        return {**super()._arguments(), "pin_memory": self._pin_memory}

"""Epochs of prefetched tensors."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable
from typing import Any, Literal

import torch

from ._batch import Batch
from ._dataset import Dataset
from ._epochs import Tail
from ._features import Features
from ._foreign import explained_methods
from ._loading import loader as plain
from ._loading.epoch import Batches
from ._loading.length_batches import LengthBatches
from ._loading.loader import ResultT
from ._loading.packing import Pack
from ._mix import Mix
from ._mix_sampler import MixSampler
from ._sampler import Sampler
from ._torch_moving import MovedBatches, TensorBatches, can_pin, pinned_batches
from ._torch_tensors import tensors_of
from ._weights import Weights


@explained_methods
class Loader(plain.Loader[ResultT]):
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
        pin_memory: bool | None = None,
        device: torch.device | str | int | None = None,
    ) -> None:
        """
        Args:
            pin_memory: Put tensors into pinned memory. None: if there is a CUDA device, unless `device` is the CPU.
                True without an accelerator: warns, and does nothing.
            device: Move the tensors of batches, or in the dicts, lists and tuples that `transform` returns, to this
                device. A thread moves one batch while the one before is in use: to a CUDA device on a stream of its
                own, which the current stream waits for; to other devices with copies that block the thread.

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
            pack=pack,
            processes=processes,
            skip=skip,
        )
        self.device = None if device is None else torch.device(device)
        self._pin_memory = pin_memory  # as passed: the default differs by host
        if pin_memory is None:
            pin_memory = torch.cuda.is_available() and (self.device is None or self.device.type != "cpu")
        elif pin_memory and not can_pin():
            warnings.warn("pin_memory=True without an accelerator: batches are not pinned", stacklevel=3)
            pin_memory = False
        self.pin_memory = pin_memory

    @staticmethod
    def _values(batch: Batch) -> dict[str, Any]:
        return tensors_of(batch)

    def _finished(self, batches: Batches) -> Batches:
        values = self._values if self.transform is None else None
        tensors = TensorBatches(batches, values)
        if self.device is None or self.device.type == "cpu":
            return pinned_batches(tensors) if self.pin_memory else tensors
        if self.device.type == "cuda" and not torch.cuda.is_available():
            raise ValueError(f"device={str(self.device)!r}: torch finds no CUDA device\nleave it out, or run elsewhere")
        return MovedBatches(tensors, self.device, self.pin_memory)

    def _arguments(self) -> dict[str, Any]:
        return {**super()._arguments(), "pin_memory": self._pin_memory, "device": self.device}

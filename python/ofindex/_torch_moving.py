"""Batches of tensors, which are put into pinned memory and moved to a device."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import torch

from ._batch import Batch
from ._loading.epoch import Ahead, Batches
from ._loading.workers import ThreadWorkers
from ._torch_tensors import mapped, pinned


def can_pin() -> bool:
    """Whether there is an accelerator that copies from pinned memory."""
    accelerator = getattr(torch, "accelerator", None)  # in torch 2.6 and later
    if accelerator is None:
        return torch.cuda.is_available()
    return bool(accelerator.is_available()) and accelerator.current_accelerator().type != "mps"


class TensorBatches:
    """The batches of an iterator as tensors."""

    def __init__(self, batches: Batches, values: Callable[[Batch], Any] | None) -> None:
        self._batches = batches
        self._values = values

    def __iter__(self) -> Iterator[tuple[Any, int]]:
        return self

    def __next__(self) -> tuple[Any, int]:
        batch, position = next(self._batches)
        return batch if self._values is None else self._values(batch), position

    def close(self) -> None:
        self._batches.close()


def pinned_batches(batches: Batches) -> Ahead:
    """Return `batches` in pinned memory. A thread copies one batch while the one before is used."""
    return Ahead(batches, ThreadWorkers(pinned, 1), prefetch=2)


class _Mover:
    """Moves values to a device: to a CUDA device on a stream of its own, so that the copies overlap with the kernels of
    the stream that uses the values."""

    def __init__(self, device: torch.device, pin: bool) -> None:
        if device.type == "cuda" and device.index is None:  # each thread has a current device of its own
            device = torch.device("cuda", torch.cuda.current_device())
        self._device = device
        self._pin = pin
        self._stream: Any = None
        if device.type == "cuda":
            self._stream = torch.cuda.Stream(device)  # type: ignore[no-untyped-call]

    def _moved(self, value: Any) -> Any:
        return value.to(self._device, non_blocking=self._stream is not None)

    def begin(self, values: Any) -> tuple[Any, Any]:
        """Return the moved values, and an event after which they are there; None: they are there."""
        if self._stream is None:
            return mapped(pinned(values) if self._pin else values, self._moved), None
        with torch.cuda.stream(self._stream):  # also makes its device the current one
            moved = mapped(pinned(values) if self._pin else values, self._moved)
            return moved, self._stream.record_event()

    def end(self, moved: Any, event: Any) -> Any:
        """Make the current stream wait for `event`, and return the values."""
        if event is not None:
            stream = torch.cuda.current_stream(self._device)
            stream.wait_event(event)
            mapped(moved, lambda value: _used_on(stream, value))
        return moved


def _used_on(stream: Any, value: Any) -> Any:
    """Keep the memory of a tensor or a PackedSequence from being reused before `stream` is done with it."""
    for tensor in [value] if isinstance(value, torch.Tensor) else value:
        if tensor is not None and tensor.is_cuda:
            tensor.record_stream(stream)
    return value


class MovedBatches:
    """The batches of an iterator on a device. A thread pins and moves one batch while the one before is used."""

    def __init__(self, batches: Batches, device: torch.device, pin: bool) -> None:
        self._mover = _Mover(device, pin)
        self._ahead = Ahead(batches, ThreadWorkers(self._mover.begin, 1), prefetch=2)

    def __iter__(self) -> Iterator[tuple[Any, int]]:
        return self

    def __next__(self) -> tuple[Any, int]:
        (moved, event), position = next(self._ahead)
        return self._mover.end(moved, event), position

    def close(self) -> None:
        self._ahead.close()

"""Batches as torch tensors."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import torch
from torch.nn.utils.rnn import PackedSequence

from . import _arrays
from ._arrays import BytesArray, bfloat16
from ._batch import Batch


class Ragged(NamedTuple):
    """Rows of different lengths, as tensors: row i is ``values[offsets[i]:offsets[i + 1]]``."""

    values: torch.Tensor | BytesArray
    offsets: torch.Tensor  #: int64, shape ``(n + 1,)``

    @property
    def lengths(self) -> torch.Tensor:
        """Number of values in each row: int64, shape ``(n,)``."""
        return self.offsets.diff()

    def nested(self) -> torch.Tensor:
        """Return the rows as a nested tensor of jagged layout.

        Available in torch 2.5 and later. To pad the rows::

            batch = next(iter(ofindex.torch.Loader(ds, {"tokens": ofindex.ragged("int64")}, batch_size=32)))
            padded = batch["tokens"].nested().to_padded_tensor(0)
            padded.shape[1] <= 10  # True
        """
        if isinstance(self.values, BytesArray):
            raise TypeError("rows of byte strings cannot be a tensor")
        if len(self.offsets) == 1:
            return torch.nested.nested_tensor_from_jagged(self.values, self.offsets)
        # Without a known maximum, torch pads each row to the number of all values.
        lengths = self.lengths
        return torch.nested.nested_tensor_from_jagged(
            self.values, self.offsets, min_seqlen=int(lengths.min()), max_seqlen=int(lengths.max())
        )


def _numbers(array: npt.NDArray[Any]) -> torch.Tensor:
    if array.dtype == bfloat16():
        return torch.from_numpy(array.view(np.int16)).view(torch.bfloat16)
    return torch.from_numpy(array)


def _tensor(value: npt.NDArray[Any] | BytesArray | _arrays.Ragged) -> torch.Tensor | BytesArray | Ragged:
    """Return `value` as tensors that share its memory; byte strings are unchanged."""
    if isinstance(value, BytesArray):
        return value
    if isinstance(value, _arrays.Ragged):
        values = value.values if isinstance(value.values, BytesArray) else _numbers(value.values)
        return Ragged(values, torch.from_numpy(value.offsets))
    return _numbers(value)


def tensors_of(batch: Batch) -> dict[str, Any]:
    """Return `batch` as tensors that share its memory."""
    return {name: _tensor(value) for name, value in batch.items()}


def mapped(value: Any, function: Callable[[Any], Any]) -> Any:
    """Return `value` with `function` applied to the tensors in its dicts, lists and tuples; other objects stay."""
    if isinstance(value, (torch.Tensor, PackedSequence)):
        return function(value)
    if isinstance(value, Mapping):
        return {key: mapped(one, function) for key, one in value.items()}
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return type(value)(*(mapped(one, function) for one in value))
    return type(value)(mapped(one, function) for one in value) if isinstance(value, (list, tuple)) else value


def pinned(value: Any) -> Any:
    """Return `value` with all tensors in it in pinned memory, as well as objects that have a method pin_memory. Tensors
    of devices and sparse ones, which cannot be pinned, stay."""
    if hasattr(value, "pin_memory"):
        tensor = value.data if isinstance(value, PackedSequence) else value
        can = not isinstance(tensor, torch.Tensor) or (
            tensor.device.type == "cpu" and tensor.layout in (torch.strided, torch.jagged)
        )
        return value.pin_memory() if can else value
    if isinstance(value, Mapping):
        return {key: pinned(one) for key, one in value.items()}
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return type(value)(*map(pinned, value))
    return type(value)(map(pinned, value)) if isinstance(value, (list, tuple)) else value

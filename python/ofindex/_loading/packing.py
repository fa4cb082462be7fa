"""Packed batches: rows of several sequences each, as language models are trained on them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal, TypeAlias

from .._batch import Batch, Decoding, Parts
from .._features import HALVES, Features, dtype_of
from .._foreign import shown
from .length_batches import LengthBatches

#: How sequences are packed.
Pack: TypeAlias = Literal["best_fit"]

_PARTS = ("_segment_ids", "_positions")


class PackedDecoding(Decoding):
    """The decoding of ragged features whose batches are packed into rows of one width."""

    def __init__(self, decoding: Decoding, width: int) -> None:
        self.decoder = decoding.decoder
        self.features: Features = decoding.features
        self._width = width

    def batch(self, records: int, arrays: Sequence[Parts]) -> Batch:
        """The batch made from the extension's `arrays`: the values of each feature, and last what applies to all of
        them, the number of each token's record in its row and of each token in its record."""
        rows: list[Any] = [values.reshape(-1, self._width) for values, _, _ in arrays]
        batch: Batch = {}
        for (name, feature), values in zip(self.features.items(), rows, strict=False):
            batch[name] = values.view(dtype_of(feature.dtype)) if feature.dtype in HALVES else values
            for part, numbers in zip(_PARTS, rows[-2:], strict=True):
                batch[_name_of(name, part)] = numbers
        return batch


def _name_of(feature: Any, part: str) -> Any:
    return feature + (part.encode() if isinstance(feature, bytes) else part)


def checked_pack(pack: Pack | None, length_batches: LengthBatches | None) -> Pack | None:
    """Return the argument `pack` of a Loader.

    Raises:
        ValueError: it is not known, or does not go together with `length_batches`.
    """
    if pack is None:
        return None
    if not isinstance(pack, str) or pack != "best_fit":
        raise ValueError(f'pack={shown(pack)}: expected "best_fit" or None')
    if length_batches is None:
        raise ValueError(
            'pack="best_fit" needs the tokens of a row and the lengths of the records\n'
            'write length_batches=ofindex.LengthBatches(8192, "NAME#count")'
        )
    if isinstance(length_batches, LengthBatches) and length_batches.padded:
        raise ValueError("padded does not apply to packed rows, which have no longest record: leave it out")
    return pack


def packed(decoding: Decoding, width: int) -> PackedDecoding:
    """Return `decoding` for packed batches.

    Raises:
        ValueError: a feature cannot be packed, or two arrays of a batch would have one name.
    """
    names = set(decoding.features)
    for name, feature in decoding.features.items():
        if feature.form != "ragged" or feature.dtype == "bytes":
            form = "ragged bytes" if feature.form == "ragged" else feature.form
            raise ValueError(
                f"feature {name!r} is {form}: only ragged numbers can be packed\n"
                f'write {{{name!r}: ofindex.ragged("int64")}}, or leave it out'
            )
        for part in _PARTS:
            if _name_of(name, part) in names:
                raise ValueError(
                    f"feature {_name_of(name, part)!r}: a packed batch has this name for those of {name!r}"
                )
    return PackedDecoding(decoding, width)

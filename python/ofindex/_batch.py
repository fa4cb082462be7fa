"""Batches: dicts of arrays."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Literal, Protocol, TypeAlias

import numpy as np
import numpy.typing as npt

from ._arguments import whole
from ._arrays import BytesArray, Ragged
from ._errors import FeatureError
from ._features import HALVES, Feature, Features, check_known, decoder_of, dtype_of
from ._foreign import explained, frame_advice
from ._selectors import is_number

if TYPE_CHECKING:
    from ._dataset import Dataset

#: Feature name -> its values: see `Dataset.batch`.
Batch: TypeAlias = dict[str, "npt.NDArray[Any] | BytesArray | Ragged"]

#: One feature: its values, offsets of bytes, offsets of rows.
Parts: TypeAlias = tuple[npt.NDArray[Any], "npt.NDArray[np.int64] | None", "npt.NDArray[np.int64] | None"]


def _array(feature: Feature, parts: Parts) -> npt.NDArray[Any] | BytesArray | Ragged:
    values, offsets, rows = parts
    if rows is not None:
        return Ragged(values if offsets is None else BytesArray(values, offsets), rows)
    if offsets is not None:
        count = len(offsets) - 1
        return BytesArray(values, offsets, (count // feature.count if feature.count else count, *feature.shape))
    return values if feature.shape == () else values.reshape((-1, *feature.shape))


def batch_of(features: Features, records: int, arrays: Sequence[Parts]) -> Batch:
    """The batch made from the extension's `arrays` of `records` records."""
    batch: Batch = {}
    for (name, feature), parts in zip(features.items(), arrays, strict=True):
        if feature.dtype in HALVES:
            parts = (parts[0].view(dtype_of(feature.dtype)), *parts[1:])
        if feature.form != "ragged" and feature.count == 0:
            values, offsets, _ = parts
            shape = (records, *feature.shape)
            batch[name] = values.reshape(shape) if offsets is None else BytesArray(values, offsets, shape)
        else:
            batch[name] = _array(feature, parts)
    return batch


def items_of(batch: Batch) -> list[dict[str, Any]]:
    """Return a batch record by record: feature name -> an array, `bytes`, or the values of a ragged row."""
    columns = [column.tolist() if isinstance(column, BytesArray) else list(column) for column in batch.values()]
    return [dict(zip(batch, values, strict=True)) for values in zip(*columns, strict=True)]


class Records(Protocol):
    """A Dataset, or a mix."""

    def _known_features(self) -> list[frozenset[str] | None]:
        """See `check_known`."""

    def _schema(self) -> list[dict[str, Any]]:
        """Return the features of the index, as `_ofindex.features` does."""


class Decoding:
    """Features and their compiled decoder, which is reused for each batch."""

    def __init__(self, features: Features) -> None:
        self.decoder = decoder_of(features)
        self.features: Features = dict(features)

    def batch(self, records: int, arrays: Sequence[Parts]) -> Batch:
        """The batch made from the extension's `arrays`."""
        return batch_of(self.features, records, arrays)


@lru_cache(maxsize=64)
def _cached(items: tuple[tuple[str, Feature], ...]) -> Decoding:
    return Decoding(dict(items))


def decoding_of(features: Features) -> Decoding:
    """Return the `Decoding` of `features`, cached for the next batch of the same features."""
    try:
        return _cached(tuple(features.items()))
    except (AttributeError, TypeError):  # not a mapping of names to features: compile() says so
        return Decoding(features)


def _not_records(records: object) -> TypeError:
    """Return the error for what is neither a Dataset nor a mix."""
    said = f"expected a Dataset, a view or a mix, not {type(records).__name__}"
    if isinstance(records, (str, bytes, os.PathLike)):
        return TypeError(f"{said}\nwrite ofindex.open({records!r})")
    if hasattr(records, "function") and hasattr(records, "dataset"):
        return TypeError(f"{said}\nwrite Loader(ds, features, transform=function): it gets whole batches")
    return TypeError(f"{said}{frame_advice(records)}")


def _names_alone(records: Records, features: Any) -> Exception:
    """Return the error for features without a form: of a misspelt one, or with the dict that was meant."""
    names = [features] if isinstance(features, str) else list(features)
    texts = [name for name in names if isinstance(name, str)]
    try:
        check_known(texts, records._known_features())
    except FeatureError as unknown:
        return unknown
    schema = {feature["name"]: feature for feature in records._schema()}
    forms = ", ".join(f'"{name}": {_form(schema.get(name))}' for name in texts[:3])
    more = ", ..." if len(texts) > 3 else ""
    said = "features are a dict: name -> ofindex.fixed(...), ragged(...), raw(...) or image(...)"
    said += f", not {type(features).__name__}"
    return TypeError(f"{said}\nwrite {{{forms or 'name: ofindex.fixed(...)'}{more}}}")


def _form(feature: dict[str, Any] | None) -> str:
    """How to write a feature of the index that fits all of its records."""
    kinds = {"int64": "int64", "int32": "int32", "float": "float32", "double": "float64", "bytes": "bytes"}
    if feature is None or len(feature["kinds"]) != 1 or feature["kinds"][0] not in kinds:
        return "ofindex.fixed(...)"
    dtype, least, most = kinds[feature["kinds"][0]], feature["values_min"], feature["values_max"]
    if least != most:
        return f'ofindex.ragged("{dtype}")'
    return f'ofindex.fixed("{dtype}")' if most == 1 else f'ofindex.fixed("{dtype}", {most})'


def decoding_for(records: Records, features: Features) -> Decoding:
    """Return the `Decoding` of `features`, after checking that the index has each of them.

    Raises:
        FeatureError: no record has one of the features.
    """
    if not hasattr(records, "_known_features"):
        raise _not_records(records)
    if isinstance(features, (str, list, tuple, set)) and features:
        raise _names_alone(records, features)
    decoding = decoding_of(features)
    check_known(decoding.features, records._known_features())
    return decoding


def decode_rows(dataset: Dataset, numbers: Iterable[int], features: Features, threads: int | None) -> Batch:
    """Implements `Dataset.batch`."""
    decoding = decoding_for(dataset, features)
    if is_number(numbers):
        raise TypeError(f"batch takes a list of numbers: batch([{numbers}], ...)")
    if not isinstance(numbers, Sequence) and not hasattr(numbers, "__array__"):
        numbers = list(numbers)  # allows sets, too
    arrays = decoding.decoder.decode(dataset._payloads, dataset, numbers, thread_limit(threads))
    return decoding.batch(len(numbers), arrays)  # type: ignore[arg-type]


@explained
def decode(
    payloads: Iterable[bytes],
    features: Features,
    payload: Literal["example", "sequence_example", "ofrecord"] = "example",
    threads: int | None = None,
) -> dict[str, Any]:
    """Decode messages that are in memory, as `Dataset.batch` decodes messages in files::

        ofindex.decode([ds[3], ds[1]], {"label": ofindex.fixed("int64")})["label"]  # array([3, 1])

    Args:
        payloads: Serialised messages.
        features: Feature name -> ``ofindex.fixed``, ``ragged``, ``raw`` or ``image``.
        payload: The type of the messages.
        threads: Maximum number of decoding threads; None: one per processor.

    Returns:
        As `Dataset.batch`.

    Raises:
        FeatureError, DamageError: as `Dataset.batch`, but the text gives the message's index in `payloads`.
    """
    decoding = decoding_of(features)
    held = tuple(payloads)
    arrays = decoding.decoder.decode_bytes(held, payload, thread_limit(threads))
    return decoding.batch(len(held), arrays)


def thread_limit(threads: int | None) -> int:
    """Return `threads` as the extension expects it: 0 means one per processor."""
    if threads is None:
        return 0
    return whole(threads, "threads", 1, 1024)


def processor_count() -> int:
    """Processors that this process may run on."""
    return len(os.sched_getaffinity(0))

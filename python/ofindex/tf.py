"""ofindex in TensorFlow: a tf.data.Dataset of decoded batches."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import Any

import tensorflow

from ._arguments import whole
from ._arrays import BytesArray, Ragged
from ._batch import decoding_for
from ._dataset import Dataset
from ._epochs import Tail, rank_and_world_size
from ._features import Feature, Features
from ._foreign import explained
from ._loading.epoch import Epoch, checked_reading
from ._mix import Mix

__all__ = ["dataset"]


def _dtype(feature: Feature) -> Any:
    return tensorflow.string if feature.dtype == "bytes" else tensorflow.as_dtype(feature.dtype)


def _spec(feature: Feature) -> Any:
    if feature.form == "ragged":
        return tensorflow.RaggedTensorSpec([None, None], _dtype(feature), ragged_rank=1, row_splits_dtype="int64")
    return tensorflow.TensorSpec([None, *feature.shape], _dtype(feature))


def _tensor(value: Any, feature: Feature) -> Any:
    if isinstance(value, Ragged):
        values = value.values.tolist() if isinstance(value.values, BytesArray) else value.values
        flat = tensorflow.constant(values, _dtype(feature), shape=[len(values)])
        return tensorflow.RaggedTensor.from_row_splits(flat, value.offsets, validate=False)
    if isinstance(value, BytesArray):
        return tensorflow.constant(value.tolist(), tensorflow.string, shape=value.shape)
    return value


@explained
def dataset(
    ds: Dataset | Mix,
    features: Features,
    batch_size: int = 256,
    seed: int = 0,
    *,
    epoch: int = 0,
    rank: int | None = None,
    world_size: int | None = None,
    tail: Tail = "exact",
    prefetch: int | None = None,
    threads: int | None = None,
) -> Any:
    """Make a tf.data.Dataset of decoded batches::

        for batch in ofindex.tf.dataset(ds, {"label": ofindex.fixed("int64")}, batch_size=32, seed=1):
            step(batch["label"])

    The order is that of ``ds.sampler(seed, epoch, rank, world_size, tail=tail)``.

    Args:
        ds: An ofindex.Dataset, a view, or a mix.
        features: Feature name -> ``ofindex.fixed``, ``ragged``, ``raw`` or ``image``.
        batch_size: Records per batch; the last one may have fewer.
        epoch: The epoch of the first iteration; each later iteration, by ``repeat`` for example, is the next epoch.
        rank, world_size: See `Dataset.sampler`.
        prefetch: Number of batches to read ahead; None: as for `ofindex.Loader`.
        threads: Number of threads that read and decode; None: one per processor.

    Returns:
        A tf.data.Dataset whose elements are dicts: feature name -> tensor of shape ``(n, *shape)``, with byte strings
        as tf.string, or RaggedTensor of n rows.

    Raises:
        ValueError, TypeError: arguments are invalid. Errors while reading are raised as TensorFlow's errors,
        with the text of ofindex's exception.
    """
    decoding = decoding_for(ds, features)
    ahead = checked_reading(batch_size, threads, prefetch)
    place = rank_and_world_size(rank, world_size)
    ds.sampler(seed, epoch, *place, tail=tail)  # report errors early
    epochs = itertools.count(whole(epoch, "epoch"))

    def batches() -> Iterator[dict[str, Any]]:
        sampler = ds.sampler(seed, next(epochs), *place, tail=tail)
        loading = Epoch(ds._payloads, decoding, sampler._order(), *ahead)
        try:
            for batch, _ in loading:
                yield {name: _tensor(value, decoding.features[name]) for name, value in batch.items()}
        finally:
            loading.close()

    signature = {name: _spec(feature) for name, feature in decoding.features.items()}
    return tensorflow.data.Dataset.from_generator(batches, output_signature=signature)

"""A shuffled epoch of small records in batches of 256, all five features decoded."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from functools import partial
from itertools import islice
from typing import Any

import cache
import peers
import records
from settings import BATCH, THREADS, Settings
from side import Missing, Take, Turn
from table import Job, Row, a_second, row_of
from turns import Side, by_turns

Ways = Callable[[Settings], list[Side]]

DALI_BATCHES = 600  # DALI takes a minute for all, at a constant speed


def taking(batches: Iterable[Any], sums: Callable[[Any], tuple[int, int]]) -> Take:
    """A turn iterates over `batches` once. In a check, the result is the number of records, the sum of the labels and
    the bytes of the images; sums(batch) returns the last two."""

    def take(check: bool) -> Turn:
        count, found = 0, [0, 0, 0]
        begin = time.perf_counter()
        for batch in batches:
            count += len(batch["label"])
            if check:
                for which, number in enumerate((len(batch["label"]), *sums(batch))):
                    found[which] += number
        return count, time.perf_counter() - begin, found if check else None

    return take


def ours_tensors(settings: Settings) -> Take:
    import ofindex.torch

    import ours

    data = ours.built(records.small(settings).folder)
    loader = ofindex.torch.Loader(data, ours.features(), batch_size=BATCH, threads=THREADS)
    return taking(loader, lambda batch: (int(batch["label"].sum()), ours.bytes_in(batch["image"])))


def ours_arrays(settings: Settings) -> Take:
    """ds.batch without torch and without prefetching: takes ordinals from the sampler, a batch at a time."""
    import ours

    data = ours.built(records.small(settings).folder)
    features = ours.features()

    def take(check: bool) -> Turn:
        count, ids = 0, iter(data.sampler())
        begin = time.perf_counter()
        while some := list(islice(ids, BATCH)):
            count += len(data.batch(some, features)["label"])
        return count, time.perf_counter() - begin, None

    return take


def tf_dataset(settings: Settings, read_bytes: int | None, in_order: bool) -> Any:
    import tensorflow as tf

    numbers = {"label": tf.int64, "height": tf.int64, "width": tf.int64, "score": tf.float32}
    features = {name: tf.io.FixedLenFeature([], kind) for name, kind in {**numbers, "image": tf.string}.items()}
    options = tf.data.Options()
    options.deterministic = in_order
    return (
        tf.data.TFRecordDataset([str(path) for path in records.small(settings).shards], buffer_size=read_bytes)
        .shuffle(10_000)
        .batch(BATCH)
        .map(lambda batch: tf.io.parse_example(batch, features), num_parallel_calls=tf.data.AUTOTUNE)
        .prefetch(tf.data.AUTOTUNE)
        .with_options(options)
    )


def tf(settings: Settings, read_bytes: int | None, in_order: bool) -> Take:
    import tensorflow as tf

    cache.warm(records.small(settings).folder)
    data = tf_dataset(settings, read_bytes, in_order)
    return taking(
        data,
        lambda batch: (int(tf.reduce_sum(batch["label"])), int(tf.reduce_sum(tf.strings.length(batch["image"])))),
    )


def dali_pipeline(settings: Settings, threads: int) -> Any:
    from nvidia.dali import fn, pipeline_def
    from nvidia.dali import tfrecord as tfr

    data = records.small(settings)
    cache.warm(data.folder)
    numbers = {"label": (tfr.int64, 0), "height": (tfr.int64, 0), "width": (tfr.int64, 0), "score": (tfr.float32, 0.0)}
    features = {
        name: tfr.FixedLenFeature((), kind, default)
        for name, (kind, default) in {**numbers, "image": (tfr.string, "")}.items()
    }

    @pipeline_def(batch_size=BATCH, num_threads=threads, device_id=None)
    def pipeline() -> Any:
        read = fn.readers.tfrecord(
            path=[str(path) for path in data.shards],
            index_path=peers.tfrecord2idx(data),
            features=features,
            random_shuffle=True,
            dont_use_mmap=True,
            device="cpu",
        )
        return tuple(read[name] for name in features)

    built = pipeline()
    built.build()
    return built


def dali(settings: Settings, threads: int) -> Take:
    try:
        pipeline = dali_pipeline(settings, threads)
    except (RuntimeError, OSError) as error:
        raise Missing(f"DALI does not run here: {error}".splitlines()[0]) from error

    def take(check: bool) -> Turn:
        count = 0
        begin = time.perf_counter()
        for _ in range(DALI_BATCHES):
            count += len(pipeline.run()[0])
        return count, time.perf_counter() - begin, None

    return take


def compared(
    settings: Settings, name: str, ours: Callable[[Settings], Take], theirs: Ways, at_least: float | None = None
) -> Row:
    ratio = by_turns(Side.python("ours", ours, settings), theirs(settings))
    return row_of(name, ratio, at_least, a_second("rec"))


def tf_ways(settings: Settings) -> list[Side]:
    """tf.data with its defaults, and with the fastest of all settings that were tried."""
    return [Side.python("tf.data", tf, settings, *words) for words in ((None, True), (1 << 20, False))]


def dali_ways(settings: Settings) -> list[Side]:
    return [Side.python("DALI", dali, settings, threads) for threads in (1, THREADS)]


def bare_ways(settings: Settings) -> list[Side]:
    data = records.small(settings)
    cache.warm(data.folder)
    words = [str(word) for pair in zip(data.shards, data.places) for word in pair]
    return [Side("bare C++", [f"{settings.programs}/bare_epoch", str(THREADS), *words])]


def jobs(settings: Settings) -> list[Job]:
    named = {
        "shuffled epoch, Loader / tf.data, shuffle(10000)": (ours_tensors, tf_ways, 8),
        "shuffled epoch, Loader / DALI on the CPU": (ours_tensors, dali_ways, 20),
        "shuffled epoch, Loader / bare C++": (ours_tensors, bare_ways, 0.5),
        "shuffled epoch, ds.batch / bare C++": (ours_arrays, bare_ways),
    }
    return [Job(name, partial(compared, settings, name, *words)) for name, words in named.items()]

"""Decoding Examples that are already in memory: five features each."""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import partial
from itertools import islice
from typing import Any

import records
from settings import Settings
from side import Take, Turn
from table import Job, Row, a_second, row_of
from turns import Side, by_turns

AT_ONCE = 40_960  # records per turn, some repeatedly
ROUNDS = 5


def batches(settings: Settings, size: int) -> list[list[bytes]]:
    payloads = list(islice(records.small(settings).payloads(), AT_ONCE))
    return [payloads[at : at + size] for at in range(0, AT_ONCE, size)]


def turns_of(given: list[Any], decode: Callable[[Any], Any], find: Callable[[Any], list[int]]) -> Take:
    def take(check: bool) -> Turn:
        found = [sum(sums) for sums in zip(*(find(decode(batch)) for batch in given))] if check else None
        begin = time.perf_counter()
        for _ in range(ROUNDS):
            for batch in given:
                decode(batch)
        return ROUNDS * AT_ONCE, time.perf_counter() - begin, found

    return take


def ours(settings: Settings, size: int, threads: int | None) -> Take:
    import ofindex

    import ours as package

    features = package.features()

    def decode(batch: list[bytes]) -> Any:
        return ofindex.decode(batch, features, payload="example", threads=threads)

    def find(batch: Any) -> list[int]:
        return [int(batch["label"].sum()), package.bytes_in(batch["image"])]

    return turns_of(batches(settings, size), decode, find)


def tf(settings: Settings, size: int, threads: int | None) -> Take:
    """parse_example in a graph function. Its strings are already a tensor, not converted from a list each time."""
    import tensorflow as tf

    if threads is not None:
        tf.config.threading.set_intra_op_parallelism_threads(threads)
        tf.config.threading.set_inter_op_parallelism_threads(threads)
    numbers = {"label": tf.int64, "height": tf.int64, "width": tf.int64, "score": tf.float32}
    features = {name: tf.io.FixedLenFeature([], kind) for name, kind in {**numbers, "image": tf.string}.items()}

    @tf.function(input_signature=[tf.TensorSpec([None], tf.string)])
    def decode(batch: Any) -> Any:
        return tf.io.parse_example(batch, features)

    def find(batch: Any) -> list[int]:
        return [int(tf.reduce_sum(batch["label"])), int(tf.reduce_sum(tf.strings.length(batch["image"])))]

    return turns_of([tf.constant(batch) for batch in batches(settings, size)], decode, find)


def compared(settings: Settings, name: str, size: int, threads: int | None) -> Row:
    sides = [Side.python(label, side, settings, size, threads) for label, side in (("decode", ours), ("tf", tf))]
    return row_of(name, by_turns(sides[0], sides[1:]), 4, a_second("rec"))


def jobs(settings: Settings) -> list[Job]:
    named = {
        f"decode {size} in memory, {how} / tf.io.parse_example": (size, threads)
        for size in (256, 4096)
        for how, threads in (("1 thread", 1), ("default threads", None))
    }
    return [Job(name, partial(compared, settings, name, *words)) for name, words in named.items()]

"""Writing records to one TFRecord shard, until all are passed to the system; closing the file is not timed."""

from __future__ import annotations

import random
import time
import zlib
from collections.abc import Callable
from functools import partial
from itertools import cycle, islice
from pathlib import Path
from typing import Any

from settings import Settings
from side import Take, Turn
from table import Job, Row, a_second, row_of
from turns import Side, by_turns

PAYLOADS = 16  # different ones, repeated


def payloads(size: int) -> list[bytes]:
    """A payload of about `size` bytes, the same for both sides."""
    rng = random.Random(size)
    return [rng.randbytes(size + more) for more in range(PAYLOADS)]


def examples() -> list[dict[str, Any]]:
    """Five features, like those of the small records."""
    rng = random.Random(0)
    return [
        {"label": n, "height": 28, "width": 28, "score": rng.random(), "image": rng.randbytes(270)}
        for n in range(PAYLOADS)
    ]


def turns_of(
    path: Path, given: list[Any], amount: int, begin: Callable[[str], Any], end: Callable[[Any], None]
) -> Take:
    """A turn writes `amount` records by begin(path).write. In a check, the files of both sides must be identical."""

    def take(check: bool) -> Turn:
        writer = begin(str(path))
        write = writer.write
        begun = time.perf_counter()
        for record in islice(cycle(given), amount):
            write(record)
        writer.flush()
        seconds = time.perf_counter() - begun
        end(writer)
        found = zlib.crc32(path.read_bytes()) if check else None
        path.unlink()
        return amount, seconds, found

    return take


def ours(settings: Settings, size: int, amount: int) -> Take:
    import ofindex

    given = payloads(size) if size else examples()
    return turns_of(settings.made("written.tfrecord"), given, amount, ofindex.Writer, ofindex.Writer.close)


class OfExamples:
    """Fills and serializes tf.train.Example in the usual way. Keys are sorted, so that the bytes can be compared."""

    def __init__(self, path: str) -> None:
        import tensorflow as tf

        self.tf = tf.train
        self.writer = tf.io.TFRecordWriter(path)

    def write(self, record: dict[str, Any]) -> None:
        tf = self.tf
        features = {
            name: tf.Feature(int64_list=tf.Int64List(value=[record[name]])) for name in ("label", "height", "width")
        }
        features["score"] = tf.Feature(float_list=tf.FloatList(value=[record["score"]]))
        features["image"] = tf.Feature(bytes_list=tf.BytesList(value=[record["image"]]))
        example = tf.Example(features=tf.Features(feature=features))
        self.writer.write(example.SerializeToString(deterministic=True))

    def flush(self) -> None:
        self.writer.flush()

    def close(self) -> None:
        self.writer.close()


def tf(settings: Settings, size: int, amount: int) -> Take:
    import tensorflow as tf

    path = settings.made("written-tf.tfrecord")
    if not size:
        return turns_of(path, examples(), amount, OfExamples, OfExamples.close)
    return turns_of(path, payloads(size), amount, tf.io.TFRecordWriter, tf.io.TFRecordWriter.close)


def compared(settings: Settings, name: str, size: int, amount: int) -> Row:
    sides = [Side.python(label, side, settings, size, amount) for label, side in (("Writer", ours), ("tf", tf))]
    return row_of(name, by_turns(sides[0], sides[1:]), 2, a_second("rec"))


def jobs(settings: Settings) -> list[Job]:
    named = {
        "Writer.write, 100 B / TFRecordWriter": (100, settings.either(300_000, 1_000_000)),
        "Writer.write, 1 KB / TFRecordWriter": (1000, settings.either(100_000, 300_000)),
        "Writer.write, 110 KB / TFRecordWriter": (110_000, settings.either(2000, 5000)),
        "Writer.write of 5 values / tf.train.Example": (0, settings.either(30_000, 100_000)),
    }
    return [Job(name, partial(compared, settings, name, *words)) for name, words in named.items()]

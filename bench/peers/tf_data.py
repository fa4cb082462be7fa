"""tf.data, the reader that TFRecord was made for."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, ClassVar

from harness.peer import Batch, Peer, no_queries
from harness.settings import BATCH

SEQUENTIAL = "reads TFRecord from the beginning to the end"
BUFFER = 10_000


class TfData(Peer):
    name = "tf.data"
    packages = ("tensorflow-cpu==2.21.0",)
    environment = "tensorflow"
    reads_in_place = True
    decoded_from = ""
    cannot: ClassVar[dict[str, str]] = {
        "make": "needs no index",
        "make_typed": "has no columns",
        "get": SEQUENTIAL,
        "get_many": SEQUENTIAL,
        **no_queries(SEQUENTIAL),
    }

    def load(self) -> None:
        import tensorflow

        del tensorflow

    def shards(self) -> Any:
        import tensorflow as tf

        options = tf.data.Options()
        options.deterministic = False
        paths = [str(shard) for shard in self.data.shards]
        kind = "GZIP" if self.data.is_zipped else None
        at_once = tf.data.AUTOTUNE if len(paths) > 1 else None
        data = tf.data.TFRecordDataset(paths, kind, buffer_size=1 << 20, num_parallel_reads=at_once)
        return data.with_options(options)

    def count(self) -> int:
        """`reduce`, which reads all records: nothing else is known to count them.
        https://github.com/tensorflow/tensorflow/issues/29385"""
        import numpy as np

        return int(self.shards().reduce(np.int64(0), lambda number, _: number + 1))

    def raw_epoch(self, seed: int) -> Iterable[Any]:
        """`shuffle(10000).batch(256).prefetch(AUTOTUNE)`, `deterministic=False`, reads of 1 MiB, and
        `num_parallel_reads=AUTOTUNE` if there are several shards.
        https://www.tensorflow.org/guide/data_performance"""
        import tensorflow as tf

        batches = self.shards().shuffle(BUFFER, seed=seed).batch(BATCH).prefetch(tf.data.AUTOTUNE)
        return (batch.numpy() for batch in batches)

    def features(self) -> dict[str, Any]:
        import tensorflow as tf

        kinds = {**dict.fromkeys(("label", "height", "width", "id"), tf.int64), "score": tf.float32, "image": tf.string}
        return {name: tf.io.FixedLenFeature([], kind) for name, kind in kinds.items()}

    def decoded(self, seed: int) -> Any:
        import tensorflow as tf

        features = self.features()
        return (
            self.shards()
            .shuffle(BUFFER, seed=seed)
            .batch(BATCH)
            .map(lambda batch: tf.io.parse_example(batch, features), num_parallel_calls=tf.data.AUTOTUNE)
            .prefetch(tf.data.AUTOTUNE)
        )

    def decoded_epoch(self, seed: int) -> Iterable[Batch]:
        """The same with `map(parse_example, num_parallel_calls=AUTOTUNE)` of whole batches before prefetch.
        https://www.tensorflow.org/guide/data_performance#vectorizing_mapping"""
        for batch in self.decoded(seed):
            yield batch | {"label": batch["label"].numpy()}

    def stoppable(self, state: Any) -> tuple[Iterable[list[int]], Callable[[], Any]]:
        """`tf.train.Checkpoint` of the iterator, which holds the whole shuffle buffer.
        https://www.tensorflow.org/guide/data#iterator_checkpointing"""
        import tensorflow as tf

        iterator = iter(self.decoded(seed=1))
        checkpoint = tf.train.Checkpoint(iterator=iterator)

        def save() -> dict[str, bytes]:
            with tempfile.TemporaryDirectory() as folder:
                checkpoint.write(f"{folder}/state")
                return {path.name: path.read_bytes() for path in Path(folder).iterdir()}

        if state is not None:
            with tempfile.TemporaryDirectory() as folder:
                for name, content in state.items():
                    (Path(folder) / name).write_bytes(content)
                checkpoint.read(f"{folder}/state").assert_consumed()
        return (batch["id"].numpy().tolist() for batch in iterator), save

    def decoder(self) -> tuple[Callable[[list[bytes]], Any], Callable[[Any], Batch]]:
        """`tf.io.parse_example` in a `tf.function`; making a tensor of strings is not timed."""
        import tensorflow as tf

        features = self.features()
        parse = tf.function(lambda batch: tf.io.parse_example(batch, features), [tf.TensorSpec([None], tf.string)])

        def decode(batch: Any) -> Batch:
            found = parse(batch)
            return found | {"label": found["label"].numpy()}

        return tf.constant, decode

    def writer(self, path: Path) -> tuple[Callable[[bytes], Any], Callable[[], Any], Callable[[], Any]]:
        """`tf.io.TFRecordWriter` with default options."""
        import tensorflow as tf

        out = tf.io.TFRecordWriter(str(path))
        return out.write, out.flush, out.close

    def value_writer(self, path: Path) -> tuple[Callable[[Batch], Any], Callable[[], Any], Callable[[], Any]]:
        """`tf.train.Example`, filled, serialized and written.
        https://www.tensorflow.org/tutorials/load_data/tfrecord"""
        import tensorflow as tf

        put, flush, close = self.writer(path)
        train = tf.train

        def write(sample: Batch) -> None:
            names = ("label", "height", "width", "id")
            values = {name: train.Feature(int64_list=train.Int64List(value=[sample[name]])) for name in names}
            values["score"] = train.Feature(float_list=train.FloatList(value=[sample["score"]]))
            values["image"] = train.Feature(bytes_list=train.BytesList(value=[sample["image"]]))
            put(train.Example(features=train.Features(feature=values)).SerializeToString(deterministic=True))

        return write, flush, close

    def zipped_epoch(self, seed: int) -> Iterable[Batch]:
        """As for shards that are not compressed, with `compression_type="GZIP"`."""
        return self.decoded_epoch(seed)


TOOL = TfData

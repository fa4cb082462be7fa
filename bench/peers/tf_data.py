"""tf.data, the reader that TFRecord was made for."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, ClassVar

from harness.peer import Batch, Peer
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
        "where": SEQUENTIAL,
        "groups": SEQUENTIAL,
        "total": SEQUENTIAL,
    }

    def load(self) -> None:
        import tensorflow

        del tensorflow

    def shards(self) -> Any:
        import tensorflow as tf

        options = tf.data.Options()
        options.deterministic = False
        paths = [str(shard) for shard in self.data.shards]
        return tf.data.TFRecordDataset(paths, buffer_size=1 << 20).with_options(options)

    def count(self) -> int:
        """`reduce`, which reads all records: nothing else is known to count them.
        https://github.com/tensorflow/tensorflow/issues/29385"""
        import numpy as np

        return int(self.shards().reduce(np.int64(0), lambda number, _: number + 1))

    def raw_epoch(self, seed: int) -> Iterable[Any]:
        """`shuffle(10000).batch(256).prefetch(AUTOTUNE)`, `deterministic=False`, reads of 1 MiB.
        https://www.tensorflow.org/guide/data_performance"""
        import tensorflow as tf

        batches = self.shards().shuffle(BUFFER, seed=seed).batch(BATCH).prefetch(tf.data.AUTOTUNE)
        return (batch.numpy() for batch in batches)

    def decoded(self, seed: int) -> Any:
        import tensorflow as tf

        kinds = {**dict.fromkeys(("label", "height", "width", "id"), tf.int64), "score": tf.float32, "image": tf.string}
        features = {name: tf.io.FixedLenFeature([], kind) for name, kind in kinds.items()}
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


TOOL = TfData

"""`ofindex.ray` next to Ray's own reader of TFRecord files, and its build next to one thread of one machine."""

from __future__ import annotations

import numpy as np
import ofindex
import ofindex.ray
import pyarrow as pa
import ray
from turns import ONE_PERCENT, compare, data_of_arguments, share_read

FEATURES = {"label": ofindex.fixed("int64"), "name": ofindex.fixed("bytes"), "boxes": ofindex.ragged("float32")}


def total(dataset: ray.data.Dataset) -> tuple[int, int, float]:
    """The number of records, and sums over the labels and boxes, of Arrow batches."""
    records, labels, boxes = 0, 0, 0.0
    for batch in dataset.select_columns(list(FEATURES)).iter_batches(batch_size=4096, batch_format="pyarrow"):
        records += len(batch)
        labels += int(pa.compute.sum(batch["label"]).as_py())
        for chunk in batch["boxes"].chunks:
            boxes += float(np.sum(chunk.flatten().to_numpy(zero_copy_only=False)))
    return records, labels, boxes


def main() -> None:
    data = data_of_arguments(50_000)
    ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False)
    ray.data.DataContext.get_current().enable_progress_bars = False

    indexed = data.indexed()
    compare(
        "read 3 of 6 features, next to read_tfrecords",
        10,
        lambda: total(ofindex.ray.read(indexed, features=FEATURES)),
        lambda: total(ray.data.read_tfrecords(str(indexed))),
    )

    many, output = data.many(), data.folder / "many.ofidx"

    def built(_: ofindex.Dataset) -> bytes:
        return output.read_bytes()

    compare(
        "build with 2 workers, next to one thread",
        1.5,
        lambda: built(ofindex.ray.build(many, output, 2, force=True)),
        lambda: built(ofindex.build(many, output, threads=1, force=True)),
    )

    large = data.large()
    share_read(
        "a filter that keeps 1 %",
        0.03,
        large,
        lambda: ofindex.ray.read(large, where=ONE_PERCENT, payloads=True).materialize().count(),
    )


if __name__ == "__main__":
    main()

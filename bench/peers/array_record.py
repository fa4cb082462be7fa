"""ArrayRecord, read by Grain."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import islice
from typing import Any, ClassVar

from harness.peer import Batch, Peer, no_queries
from harness.settings import BATCH

NO_COLUMNS = "has no columns"
IN_A_FILE = 500_000


def values_of(payload: bytes) -> dict[str, Any]:
    """The values of an Example, by protobuf's class."""
    from tfrecord import example_pb2

    features = example_pb2.Example.FromString(payload).features.feature
    record: dict[str, Any] = {name: features[name].int64_list.value[0] for name in ("label", "height", "width", "id")}
    return record | {"score": features["score"].float_list.value[0], "image": features["image"].bytes_list.value[0]}


def batch_of(records: Sequence[dict[str, Any]]) -> Batch:
    import numpy as np

    batch: Batch = {name: [record[name] for record in records] for name in records[0]}
    return batch | {name: np.array(batch[name]) for name in batch if name != "image"}


class ArrayRecord(Peer):
    name = "Grain, ArrayRecord"
    packages = ("array_record==0.8.6", "grain==0.2.18", "tfrecord==1.14.6", "numpy==2.4.6")
    decoded_from = "raw"
    cannot: ClassVar[dict[str, str]] = {
        "make_typed": NO_COLUMNS,
        **no_queries(NO_COLUMNS),
    }

    def load(self) -> None:
        import grain
        from array_record.python import array_record_data_source

        del grain, array_record_data_source

    def make(self) -> None:
        """`group_size:1`, which suits random reads, uncompressed, 500,000 records in a file.
        https://github.com/google/array_record/blob/main/docs/performance.md"""
        from array_record.python.array_record_module import ArrayRecordWriter

        self.store.mkdir()
        payloads = self.data.payloads()
        for number, first in enumerate(range(0, self.data.records, IN_A_FILE)):
            out = ArrayRecordWriter(str(self.store / f"{number:03}"), "group_size:1,uncompressed")
            for payload in islice(payloads, min(IN_A_FILE, self.data.records - first)):
                out.write(payload)
            out.close()

    def source(self) -> Any:
        from array_record.python.array_record_data_source import ArrayRecordDataSource

        paths = [str(path) for path in sorted(self.store.iterdir())]
        return ArrayRecordDataSource(paths, {"index_storage_option": "in_memory"})

    def count(self) -> int:
        """`len(ArrayRecordDataSource(paths))`."""
        return len(self.source())

    def get(self) -> Callable[[int], bytes]:
        """`source[i]`, the index in memory.
        https://github.com/google/array_record/blob/main/docs/performance.md"""
        return self.source().__getitem__

    def get_many(self) -> Callable[[list[int]], Sequence[bytes]]:
        """`source.__getitems__(ids)`, the index in memory."""
        return self.source().__getitems__

    def epoch(self, seed: int, read: Callable[[bytes], Any] | None, collate: Callable[[Any], Any]) -> Any:
        import grain

        data = grain.MapDataset.source(self.source()).shuffle(seed=seed)
        if read is not None:
            data = data.map(read)
        return data.to_iter_dataset(grain.ReadOptions()).batch(BATCH, batch_fn=collate)

    def raw_epoch(self, seed: int) -> Iterable[Sequence[bytes]]:
        """`grain.MapDataset.source(...).shuffle(seed).to_iter_dataset().batch(256)`, default options.
        https://google-grain.readthedocs.io/en/latest/tutorials/dataset_basic_tutorial.html"""
        return iter(self.epoch(seed, None, list))

    def decoded_epoch(self, seed: int) -> Iterable[Batch]:
        """The same, with a map that parses each record by protobuf's class for Examples."""
        return iter(self.epoch(seed, values_of, batch_of))

    def stoppable(self, state: Any) -> tuple[Iterable[list[int]], Callable[[], Any]]:
        """`get_state` and `set_state` of the iterator.
        https://google-grain.readthedocs.io/en/latest/tutorials/dataset_advanced_tutorial.html"""
        batches = iter(self.epoch(1, values_of, batch_of))
        if state is not None:
            batches.set_state(state)
        return (batch["id"].tolist() for batch in batches), batches.get_state


TOOL = ArrayRecord

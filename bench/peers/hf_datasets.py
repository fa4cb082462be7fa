"""Hugging Face datasets."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any, ClassVar

from harness import columns
from harness.peer import Batch, Peer
from harness.settings import BATCH
from peers.lance import batch_of

NO_AGGREGATES = "has no aggregates"


class HfDatasets(Peer):
    name = "HF datasets"
    packages = ("datasets==5.2.0", "pyarrow==26.0.1", "numpy==2.4.6")
    typed_note = "id and image too"
    cannot: ClassVar[dict[str, str]] = dict.fromkeys(("groups", "bins", "top", "total"), NO_AGGREGATES)

    def load(self) -> None:
        import datasets

        datasets.disable_caching()
        datasets.disable_progress_bars()

    def write(self, path: Path, reader: Any) -> None:
        import pyarrow as pa

        with pa.OSFile(str(path), "wb") as file, pa.ipc.new_stream(file, reader.schema) as out:
            for batch in reader:
                out.write_batch(batch)

    def make(self) -> None:
        """An Arrow stream with one binary column, in large chunks.
        https://huggingface.co/docs/datasets/about_arrow"""
        self.write(self.store, columns.payload_reader(self.data))

    def make_typed(self) -> None:
        """An Arrow stream with a column for each value."""
        self.write(self.typed_store, columns.value_reader(self.data))

    def open(self, path: Any) -> Any:
        import datasets

        return datasets.Dataset.from_file(str(path))

    def count(self) -> int:
        """`len(Dataset.from_file(path))`, mapped."""
        return len(self.open(self.store))

    def get(self) -> Callable[[int], bytes]:
        """`ds.with_format("arrow")[i]["record"][0].as_py()`: 112 k records/s; the plain format reached 88 k, numpy's
        28 k."""
        data = self.open(self.store).with_format("arrow")
        return lambda ordinal: data[ordinal]["record"][0].as_py()

    def get_many(self) -> Callable[[list[int]], Sequence[bytes]]:
        """`ds.with_format("arrow")[ids]["record"].to_pylist()`: 8 to 11 % faster than the plain format."""
        data = self.open(self.store).with_format("arrow")
        return lambda ordinals: data[ordinals]["record"].to_pylist()

    def raw_epoch(self, seed: int) -> Iterable[Sequence[bytes]]:
        """`ds.with_format("arrow").shuffle(seed).iter(256)`, an index mapping.
        https://huggingface.co/docs/datasets/about_mapstyle_vs_iterable"""
        data = self.open(self.store).with_format("arrow").shuffle(seed=seed)
        return (batch["record"].to_pylist() for batch in data.iter(BATCH))

    def decoded_epoch(self, seed: int) -> Iterable[Batch]:
        """The same over a column for each value, numbers to numpy arrays; images stay in Arrow's buffers."""
        return map(batch_of, self.open(self.typed_store).with_format("arrow").shuffle(seed=seed).iter(BATCH))

    def where(self) -> Callable[[str], Any]:
        """`ds.filter(batched=True)` of numpy arrays, kept in memory, without its cache.
        https://huggingface.co/docs/datasets/process#select-and-filter"""
        data = self.open(self.typed_store).select_columns(["label", "height", "score", "id"]).with_format("numpy")

        def one(label: Any) -> Any:
            return label == 17

        def ranges(height: Any, score: Any) -> Any:
            return (height >= 500) & (height <= 700) & (score > 0.9)

        def ask(condition: str) -> Any:
            holds, names = (one, ["label"]) if condition.startswith("label") else (ranges, ["height", "score"])
            found = data.filter(holds, input_columns=names, batched=True, batch_size=65_536, keep_in_memory=True)
            return found["id"][:]

        return ask

    def stoppable(self, state: Any) -> tuple[Iterable[list[int]], Callable[[], Any]]:
        """`to_iterable_dataset(num_shards=64).shuffle(seed, buffer_size=10000)` with `state_dict`; the buffer is not
        saved. https://huggingface.co/docs/datasets/stream#save-a-dataset-checkpoint-and-resume-iteration"""
        data = self.open(self.typed_store).to_iterable_dataset(num_shards=64)
        shuffled = data.shuffle(seed=1, buffer_size=10_000).batch(BATCH)
        if state is not None:
            shuffled.load_state_dict(state)
        return (list(map(int, batch["id"])) for batch in shuffled), shuffled.state_dict


TOOL = HfDatasets

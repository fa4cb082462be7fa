"""LitData."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, ClassVar

from harness import columns
from harness.data import Data
from harness.peer import Batch, Peer, no_queries
from harness.settings import BATCH

NO_QUERIES = "has no queries"
CHUNK = "64MB"
BYTES = ("image", "record")


def payloads(data: Data) -> Iterator[dict[str, Any]]:
    for payload in data.payloads():
        yield {"record": payload}


def listed(samples: Sequence[dict[str, Any]]) -> Batch:
    """Arrays of the numbers. A worker cannot send a memoryview, which bytes may be read as: it would wait for ever."""
    import numpy as np

    batch: Batch = {name: [sample[name] for sample in samples] for name in samples[0]}
    values = {name: np.array(batch[name]) for name in batch if name not in BYTES}
    return values | {name: list(map(bytes, batch[name])) for name in batch if name in BYTES}


class LitData(Peer):
    name = "LitData"
    packages = ("litdata==0.2.76", "torch==2.13.0")
    typed_note = "id and image too"
    is_slow = True
    cannot: ClassVar[dict[str, str]] = {
        "get_many": "reads one sample at a time",
        **no_queries(NO_QUERIES),
    }

    def load(self) -> None:
        import litdata

        del litdata

    def write(self, folder: Path, samples: Callable[[Data], Iterator[dict[str, Any]]]) -> None:
        import litdata

        litdata.optimize(
            fn=samples, inputs=[self.data], output_dir=str(folder), chunk_bytes=CHUNK, num_workers=1, verbose=False
        )

    def make(self) -> None:
        """`optimize` of a generator, chunks of 64 MB.
        https://github.com/Lightning-AI/litData#speed-up-model-training"""
        self.write(self.store, payloads)

    def make_typed(self) -> None:
        """`optimize` with an entry for each value."""
        self.write(self.typed_store, columns.samples)

    def open(self, folder: Path, seed: int = 0) -> Any:
        from litdata import StreamingDataset

        return StreamingDataset(str(folder), shuffle=seed != 0, seed=seed, drop_last=False)

    def loader(self, data: Any) -> Any:
        from litdata import StreamingDataLoader

        return StreamingDataLoader(data, batch_size=BATCH, collate_fn=listed, num_workers=0, drop_last=False)

    def count(self) -> int:
        """`len(StreamingDataset(path))`."""
        return len(self.open(self.store))

    def get(self) -> Callable[[int], bytes]:
        """`dataset[i]["record"]`."""
        data = self.open(self.store)
        return lambda ordinal: bytes(data[ordinal]["record"])

    def raw_epoch(self, seed: int) -> Iterable[Sequence[bytes]]:
        """`StreamingDataLoader` over a local `StreamingDataset(shuffle=True)`, without workers: with 100,000 records,
        none reached 270 k to 283 k records/s, two workers 11 k. By default, samples move only within windows of a
        chunk.
        https://github.com/Lightning-AI/litData#stream-the-dataset"""
        return (batch["record"] for batch in self.loader(self.open(self.store, seed)))

    def decoded_epoch(self, seed: int) -> Iterable[Batch]:
        """The same over the store with an entry for each value."""
        return self.loader(self.open(self.typed_store, seed))

    def stoppable(self, state: Any) -> tuple[Iterable[list[int]], Callable[[], Any]]:
        """`state_dict` and `load_state_dict` of the loader.
        https://github.com/Lightning-AI/litData#features"""
        loader = self.loader(self.open(self.typed_store, 1))
        if state is not None:
            loader.load_state_dict(state)
        return (batch["id"].tolist() for batch in loader), loader.state_dict


TOOL = LitData

"""MosaicML streaming: the MDS format."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from importlib.machinery import ModuleSpec
from pathlib import Path
from types import ModuleType
from typing import Any, ClassVar

from harness import columns
from harness.peer import Batch, Peer, no_queries
from harness.settings import BATCH

NO_QUERIES = "has no queries"
TYPES = {**dict.fromkeys(("label", "height", "width", "id"), "int64"), "score": "float32", "image": "bytes"}


def replace_torchvision() -> None:
    """Puts an empty package in place of torchvision, whose build on PyPI needs CUDA. Only data sets of images use
    it."""
    has = {
        "": {},
        ".datasets": {"VisionDataset": object},
        ".transforms": {},
        ".transforms.functional": {"to_tensor": None},
    }
    for name, values in has.items():
        module = ModuleType("torchvision" + name)
        module.__spec__ = ModuleSpec(module.__name__, None)
        vars(module).update(values)
        sys.modules[module.__name__] = module


def listed(samples: Sequence[dict[str, Any]]) -> Batch:
    import numpy as np

    batch: Batch = {name: [sample[name] for sample in samples] for name in samples[0]}
    return batch | {name: np.array(batch[name]) for name in batch if name not in ("image", "record")}


class Mosaic(Peer):
    name = "MosaicML streaming"
    packages = ("mosaicml-streaming==0.13.0", "torch==2.13.0")
    typed_note = "id and image too"
    cannot: ClassVar[dict[str, str]] = {
        "get_many": "reads one sample at a time",
        **no_queries(NO_QUERIES),
    }

    def load(self) -> None:
        replace_torchvision()
        import streaming

        del streaming

    def write(self, folder: Path, types: dict[str, str], samples: Iterator[dict[str, Any]]) -> None:
        from streaming import MDSWriter

        with MDSWriter(out=str(folder), columns=types) as out:
            for sample in samples:
                out.write(sample)

    def make(self) -> None:
        """`MDSWriter` with one column of bytes and default shards of 64 MiB.
        https://docs.mosaicml.com/projects/streaming/en/stable/preparing_datasets/basic_dataset_conversion.html"""
        self.write(self.store, {"record": "bytes"}, ({"record": payload} for payload in self.data.payloads()))

    def make_typed(self) -> None:
        """`MDSWriter` with a column for each value."""
        import numpy as np

        samples = columns.samples(self.data)
        self.write(self.typed_store, TYPES, (one | {"score": np.float32(one["score"])} for one in samples))

    def open(self, folder: Path, seed: int = 0) -> Any:
        from streaming import StreamingDataset

        return StreamingDataset(local=str(folder), shuffle=seed != 0, shuffle_seed=seed, batch_size=BATCH)

    def loader(self, data: Any) -> Any:
        from streaming import StreamingDataLoader

        return StreamingDataLoader(data, batch_size=BATCH, collate_fn=listed, num_workers=0)

    def count(self) -> int:
        """`len(StreamingDataset(local=path))`."""
        return len(self.open(self.store))

    def get(self) -> Callable[[int], bytes]:
        """`dataset[i]["record"]`.
        https://docs.mosaicml.com/projects/streaming/en/stable/dataset_configuration/shard_retrieval.html"""
        data = self.open(self.store)
        return lambda ordinal: data[ordinal]["record"]

    def raw_epoch(self, seed: int) -> Iterable[Sequence[bytes]]:
        """`StreamingDataLoader` over a local dataset, `shuffle=True` with py1e, without worker processes.
        https://docs.mosaicml.com/projects/streaming/en/stable/dataset_configuration/shuffling.html"""
        return (batch["record"] for batch in self.loader(self.open(self.store, seed)))

    def decoded_epoch(self, seed: int) -> Iterable[Batch]:
        """The same over the store with a column for each value."""
        return self.loader(self.open(self.typed_store, seed))

    def stoppable(self, state: Any) -> tuple[Iterable[list[int]], Callable[[], Any]]:
        """`state_dict` and `load_state_dict` of the loader.
        https://docs.mosaicml.com/projects/streaming/en/stable/distributed_training/fast_resumption.html"""
        loader = self.loader(self.open(self.typed_store, 1))
        if state is not None:
            loader.load_state_dict(state)
        return (batch["id"].tolist() for batch in loader), loader.state_dict


TOOL = Mosaic

"""WebDataset: tar files."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, ClassVar

from harness import columns
from harness.peer import Batch, Peer, no_queries
from harness.settings import BATCH

SEQUENTIAL = "reads tar files from the beginning to the end"


def listed(samples: Sequence[dict[str, Any]]) -> Batch:
    import numpy as np

    values = [json.loads(sample["json"]) for sample in samples]
    batch: Batch = {name: np.array([value[name] for value in values]) for name in values[0]}
    return batch | {"image": [sample["image"] for sample in samples]}


class WebDataset(Peer):
    name = "WebDataset"
    packages = ("webdataset==1.0.2", "numpy==2.4.6")
    typed_note = "id and image too"
    is_slow = True
    cannot: ClassVar[dict[str, str]] = {
        "count": "does not know the number of samples",
        "get": SEQUENTIAL,
        "get_many": SEQUENTIAL,
        **no_queries(SEQUENTIAL),
        "stoppable": "by design; its FAQ recommends sampling with replacement",
    }

    def load(self) -> None:
        import webdataset

        del webdataset

    def write(self, folder: Path, samples: Iterator[dict[str, Any]]) -> None:
        import webdataset as wds

        folder.mkdir()
        with wds.ShardWriter(f"{folder}/%05d.tar", maxcount=10_000, verbose=0) as out:
            for number, sample in enumerate(samples):
                out.write({"__key__": f"{number:09}", **sample})

    def make(self) -> None:
        """`ShardWriter`, 10,000 samples in a tar file.
        https://webdataset.github.io/webdataset/creating/"""
        self.write(self.store, ({"record": payload} for payload in self.data.payloads()))

    def make_typed(self) -> None:
        """`ShardWriter`: the numbers as JSON, and the image."""
        samples = columns.samples(self.data)
        self.write(self.typed_store, ({"image": one.pop("image"), "json": json.dumps(one).encode()} for one in samples))

    def epoch(self, folder: Path, seed: int) -> Any:
        import webdataset as wds

        urls = [str(path) for path in sorted(folder.iterdir())]
        return wds.WebDataset(urls, shardshuffle=len(urls), seed=seed).shuffle(1000)

    def raw_epoch(self, seed: int) -> Iterable[Sequence[bytes]]:
        """`WebDataset(urls, shardshuffle=N).shuffle(1000)`, in batches of 256.
        https://webdataset.github.io/webdataset/gettingstarted/"""
        return self.epoch(self.store, seed).batched(BATCH, collation_fn=lambda some: [one["record"] for one in some])

    def decoded_epoch(self, seed: int) -> Iterable[Batch]:
        """The same over the tar files with JSON and image."""
        return self.epoch(self.typed_store, seed).batched(BATCH, collation_fn=listed)


TOOL = WebDataset

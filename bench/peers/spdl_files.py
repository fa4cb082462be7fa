"""SPDL over a file for each record."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, ClassVar

from harness.order import shuffled
from harness.peer import Peer
from harness.settings import BATCH, Missing

FILES = "a file for each record has neither columns nor decoded values"
MOST = 200_000
THREADS = 8  # they wait for the disk


class SpdlFiles(Peer):
    name = "SPDL over files"
    packages = ("spdl==0.8.0", "numpy==2.4.6")
    cannot: ClassVar[dict[str, str]] = {
        **dict.fromkeys(("make_typed", "decoded_epoch", "where", "groups", "bins", "top", "total"), FILES),
        "count": "the program must list the files",
        "get": "opens a file: no library is needed",
        "get_many": "opens files: no library is needed",
        "stoppable": "saves no state",
    }

    def load(self) -> None:
        import spdl.pipeline

        del spdl

    def make(self) -> None:
        """A file for each record, 1,000 in a folder; not for more than 200,000 records."""
        if self.data.records > MOST:
            raise Missing(f"{self.data.records:,} files are too many")
        for number, payload in enumerate(self.data.payloads()):
            path = self.path(number)
            if number % 1000 == 0:
                path.parent.mkdir(parents=True)
            path.write_bytes(payload)

    def path(self, number: int) -> Path:
        return self.store / f"{number // 1000:05}" / f"{number % 1000:03}"

    def raw_epoch(self, seed: int) -> Iterable[Sequence[bytes]]:
        """`PipelineBuilder` with a source of shuffled batches of paths, read by 8 threads.
        https://facebookresearch.github.io/spdl/0.8.0/generated/spdl.pipeline.PipelineBuilder.html"""
        from spdl.pipeline import PipelineBuilder

        def read(ordinals: Any) -> list[bytes]:
            return [self.path(ordinal).read_bytes() for ordinal in ordinals.tolist()]

        builder: Any = PipelineBuilder().add_source(shuffled(self.data.records, seed))
        pipeline = builder.pipe(read, concurrency=THREADS).add_sink(BATCH // 64).build(num_threads=THREADS)
        with pipeline.auto_stop():
            yield from pipeline.get_iterator(timeout=60)


TOOL = SpdlFiles

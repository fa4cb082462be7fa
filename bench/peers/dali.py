"""NVIDIA DALI on the CPU."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any, ClassVar

from harness.peer import Batch, Peer, no_queries
from harness.settings import BATCH, THREADS, Missing

SEQUENTIAL = "reads in sequence, through a buffer"


class Dali(Peer):
    name = "DALI, CPU"
    packages = ("nvidia-dali-cuda120==2.4.0", "numpy==2.4.6")
    reads_in_place = True
    decoded_from = "raw"
    ends_exactly = False  # its last batch goes on with the next epoch
    cannot: ClassVar[dict[str, str]] = {
        "make_typed": "has no columns",
        "count": "builds a pipeline first: see the first batch",
        "get": SEQUENTIAL,
        "get_many": SEQUENTIAL,
        "raw_epoch": "gives decoded records",
        **no_queries(SEQUENTIAL),
        "stoppable": "saves the state of a pipeline only at the end of an epoch",
    }

    def load(self) -> None:
        try:
            import nvidia.dali
        except (ImportError, OSError, RuntimeError) as error:
            raise Missing(f"does not run here: {error}".splitlines()[0]) from error
        del nvidia

    def make(self) -> None:
        """The `tfrecord2idx` script of the package, a process for each shard, as its page has it: offset and size as
        text.
        https://docs.nvidia.com/deeplearning/dali/user-guide/docs/examples/general/data_loading/dataloading_tfrecord.html"""

        script = Path(sys.executable).with_name("tfrecord2idx")
        self.store.mkdir()
        for shard in self.data.shards:
            subprocess.run([sys.executable, script, shard, self.store / shard.stem], check=True)

    def pipeline(self, seed: int) -> Any:
        from nvidia.dali import fn, pipeline_def
        from nvidia.dali import tfrecord as tfr

        kinds = {**dict.fromkeys(("label", "height", "width", "id"), (tfr.int64, 0)), "score": (tfr.float32, 0.0)}
        features = {name: tfr.FixedLenFeature((), *kind) for name, kind in {**kinds, "image": (tfr.string, "")}.items()}

        @pipeline_def(batch_size=BATCH, num_threads=THREADS, device_id=None, seed=seed)
        def reading() -> Any:
            read = fn.readers.tfrecord(
                name="reader",
                path=[str(shard) for shard in self.data.shards],
                index_path=[str(self.store / shard.stem) for shard in self.data.shards],
                features=features,
                random_shuffle=True,
                dont_use_mmap=True,
                device="cpu",
            )
            return tuple(read[name] for name in features)

        built = reading()
        built.build()
        return built, list(features)

    def decoded_epoch(self, seed: int) -> Iterable[Batch]:
        """`fn.readers.tfrecord(random_shuffle=True, dont_use_mmap=True)`, the default buffer of 1,024 records, a
        thread per processor. Its page expects maps to be faster for local files; in two turns each, they reached 80 k
        records/s, and reads 82 k and 104 k.
        https://docs.nvidia.com/deeplearning/dali/user-guide/docs/operations/nvidia.dali.fn.readers.tfrecord.html"""
        pipeline, names = self.pipeline(seed)
        for _ in range(self.data.records // BATCH):
            batch = dict(zip(names, pipeline.run(), strict=True))
            yield batch | {"label": batch["label"].as_array().reshape(-1)}


TOOL = Dali

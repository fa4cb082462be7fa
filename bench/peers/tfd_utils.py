"""tfd-utils: records by key, with an index of Python objects."""

from __future__ import annotations

import contextlib
import io
from collections.abc import Callable, Iterable
from typing import Any, ClassVar

from harness.order import shuffled
from harness.peer import Batch, Peer, no_queries
from harness.settings import THREADS

NO_COLUMNS = "has no columns"


class TfdUtils(Peer):
    name = "tfd-utils"
    packages = ("tfd-utils==1.3.0", "numpy==2.4.6")
    reads_in_place = True
    decoded_from = "raw"
    cannot: ClassVar[dict[str, str]] = {
        "make_typed": NO_COLUMNS,
        "get_many": "reads one record at a time",
        "raw_epoch": "gives decoded records",
        **no_queries(NO_COLUMNS),
        "stoppable": "an epoch is a list of keys that the program must keep",
    }

    def load(self) -> None:
        import numpy
        import tfd_utils

        del numpy, tfd_utils

    def open(self) -> Any:
        from tfd_utils import TFRecordRandomAccess

        shards = [str(shard) for shard in self.data.shards]
        options = {"key_feature_name": "id", "index_file": str(self.store), "max_workers": THREADS}
        return TFRecordRandomAccess(shards, **options, use_pread=True)

    def make(self) -> None:
        """`TFRecordRandomAccess(paths, key_feature_name="id")`, a process per processor, which divide the shards.
        https://pypi.org/project/tfd-utils/"""
        with contextlib.redirect_stdout(io.StringIO()):
            self.open()

    def count(self) -> int:
        """`len(TFRecordRandomAccess(...))`."""
        return len(self.open())

    def get(self) -> Callable[[int], Any]:
        """`reader[key]` with `use_pread=True`, which decodes the record too."""
        read = self.open().__getitem__
        return lambda ordinal: read(str(ordinal))

    def decoded_epoch(self, seed: int) -> Iterable[Batch]:
        """`reader[key]`, in the order of a numpy permutation."""
        import numpy as np

        read = self.open().__getitem__
        for ordinals in shuffled(self.data.records, seed):
            records = [read(str(ordinal)).features.feature for ordinal in ordinals.tolist()]
            names = ("label", "height", "width", "id")
            batch: Batch = {name: np.array([one[name].int64_list.value[0] for one in records]) for name in names}
            batch["score"] = np.array([one["score"].float_list.value[0] for one in records], np.float32)
            yield batch | {"image": [one["image"].bytes_list.value[0] for one in records]}


TOOL = TfdUtils

"""tfr-reader: random access to TFRecord files by a Parquet index."""

from __future__ import annotations

import contextlib
import io
import logging
import warnings
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any, ClassVar

from harness.order import shuffled
from harness.peer import Batch, GroupRows, Peer
from harness.settings import THREADS

COLUMNS = ("label", "height", "width", "score")


def row(feature: Any) -> dict[str, Any]:
    """The columns of a record."""
    return {name: feature[name].value[0] for name in COLUMNS}


class TfrReader(Peer):
    name = "tfr-reader"
    packages = ("tfr-reader==1.1.0", "polars<2", "numpy==2.4.6", "protobuf==6.33.5")
    built_with = ("cython<3.3",)  # 3.3 refuses its indexer: "Signature not compatible with previous declaration"
    reads_in_place = True
    decoded_from = "raw"
    cannot: ClassVar[dict[str, str]] = {
        "raw_epoch": "gives decoded records",
        "stoppable": "an epoch is a list of ordinals that the program must keep",
    }

    def load(self) -> None:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            import tfr_reader
        logging.disable(logging.INFO)
        del tfr_reader

    def build(self, folder: Path, columns: Any) -> None:
        import tfr_reader

        folder.mkdir()  # the index goes into the folder of the shards
        for shard in self.data.shards:
            (folder / shard.name).symlink_to(shard)
        with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
            tfr_reader.TFRecordDatasetReader.build_index_from_dataset_dir(folder, columns, processes=THREADS)

    def open(self, folder: Path) -> Any:
        import tfr_reader

        return tfr_reader.TFRecordDatasetReader(str(folder), verbose=False)

    def make(self) -> None:
        """`build_index_from_dataset_dir`, a process per processor; it divides the work by shards.
        https://pypi.org/project/tfr-reader/"""
        self.build(self.store, None)

    def make_typed(self) -> None:
        """The same with an `index_fn` that returns the four columns."""
        self.build(self.typed_store, row)

    def count(self) -> int:
        """`len(TFRecordDatasetReader(path))`."""
        return len(self.open(self.store))

    def get(self) -> Callable[[int], Any]:
        """`ds[i]`, which decodes the record too."""
        return self.open(self.store).__getitem__

    def get_many(self) -> Callable[[list[int]], Sequence[Any]]:
        """`ds[ids]`, which decodes the records too; `load_records`, with its pool of threads, was three times
        slower."""
        return self.open(self.store).__getitem__

    def decoded_epoch(self, seed: int) -> Iterable[Batch]:
        """`ds[ids]` of 256 records at a time, in the order of a numpy permutation."""
        import numpy as np

        read = self.get_many()
        names = (*COLUMNS, "id")
        for ordinals in shuffled(self.data.records, seed):
            records = read(ordinals.tolist())
            batch: Batch = {name: np.array([record[name].value[0] for record in records]) for name in names}
            yield batch | {"image": [record["image"].value[0] for record in records]}

    def where(self) -> Callable[[str], Any]:
        """`query`, Polars SQL over the index."""
        query = self.open(self.typed_store).query
        return lambda condition: query(f"SELECT _row_id FROM index WHERE {condition}")["_row_id"].to_numpy()

    def groups(self) -> Callable[[], GroupRows]:
        """`query` with GROUP BY."""
        query = self.open(self.typed_store).query

        def ask() -> GroupRows:
            found = query("SELECT label, count(*) AS records, avg(score) AS mean FROM index GROUP BY label")
            return found["label"], found["records"], found["mean"]

        return ask

    def bins(self) -> Callable[[], GroupRows]:
        """`query` with GROUP BY of two expressions."""
        query = self.open(self.typed_store).query

        def ask() -> GroupRows:
            found = query(
                "SELECT height // 100 AS h, width // 100 AS w, count(*) AS records FROM index "
                "GROUP BY height // 100, width // 100"
            )
            return found["h"], found["w"], found["records"]

        return ask

    def top(self) -> Callable[[], Any]:
        """`query` with ORDER BY and LIMIT."""
        query = self.open(self.typed_store).query
        return lambda: query("SELECT score FROM index ORDER BY score DESC LIMIT 10")["score"]

    def total(self) -> Callable[[], tuple[int, int]]:
        """`query` with count and sum."""
        query = self.open(self.typed_store).query
        return lambda: query("SELECT count(*) AS records, sum(height) AS total FROM index").row(0)


TOOL = TfrReader

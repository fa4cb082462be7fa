"""Lance, by pylance."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any, ClassVar

from harness import columns
from harness.order import shuffled
from harness.peer import Batch, Peer

ROWS_IN_FILE = 1 << 20  # the default
NO_AGGREGATES = "has no aggregates; its docs use DuckDB"


def batch_of(table: Any) -> Batch:
    """Arrays of the numbers, and a sequence of images."""
    batch: Batch = {name: table[name].to_numpy() for name in table.column_names if name != "image"}
    return batch | {"image": table["image"]}


class Lance(Peer):
    name = "Lance, take"
    packages = ("pylance==14.0.2", "numpy==2.4.6")
    typed_note = "id and image too, and two indexes"
    environment = "lance"
    cannot: ClassVar[dict[str, str]] = {
        "groups": NO_AGGREGATES,
        "bins": NO_AGGREGATES,
        "top": NO_AGGREGATES,
        "total": NO_AGGREGATES,
        "stoppable": "its samplers save no state",
    }

    def load(self) -> None:
        import lance

        del lance

    def write(self, reader: Any, path: Path) -> Any:
        import lance

        return lance.write_dataset(reader, str(path), max_rows_per_file=max(ROWS_IN_FILE, self.data.records))

    def make(self) -> None:
        """`write_dataset` with default options, one binary column, one file.
        https://lancedb.github.io/lance-python-doc/basic-io.html"""
        self.write(columns.payload_reader(self.data), self.store)

    def make_typed(self) -> None:
        """`write_dataset` with a column for each value, and a BITMAP index on label, a BTREE index on score.
        https://lancedb.github.io/lance/guide/performance/"""
        out = self.write(columns.value_reader(self.data), self.typed_store)
        out.create_scalar_index("label", "BITMAP")
        out.create_scalar_index("score", "BTREE")

    def open(self, path: Any) -> Any:
        import lance

        return lance.dataset(str(path))

    def count(self) -> int:
        """`dataset.count_rows()`."""
        return self.open(self.store).count_rows()

    def get(self) -> Callable[[int], bytes]:
        """`dataset.take([i])`.
        https://lancedb.github.io/lance-python-doc/random-access.html"""
        take = self.open(self.store).take
        return lambda ordinal: take([ordinal])["record"][0].as_py()

    def get_many(self) -> Callable[[list[int]], Sequence[bytes]]:
        """`dataset.take(ids)`, to Python's bytes."""
        take = self.open(self.store).take
        return lambda ordinals: take(ordinals)["record"].to_pylist()

    def raw_epoch(self, seed: int) -> Iterable[Sequence[bytes]]:
        """`take` of 256 rows at a time, in the order of a numpy permutation."""
        return map(self.get_many(), (some.tolist() for some in shuffled(self.data.records, seed)))

    def decoded_epoch(self, seed: int) -> Iterable[Batch]:
        """The same of all columns, numbers to numpy arrays; images stay in Arrow's buffers."""
        take = self.open(self.typed_store).take
        return (batch_of(take(ordinals.tolist())) for ordinals in shuffled(self.data.records, seed))

    def where(self) -> Callable[[str], Any]:
        """`to_table(columns=[], filter=condition, with_row_id=True)`: row ids of one file are ordinals.
        https://lancedb.github.io/lance-python-doc/basic-io.html"""
        data = self.open(self.typed_store)
        return lambda condition: data.to_table(columns=[], filter=condition, with_row_id=True)["_rowid"].to_numpy()


TOOL = Lance

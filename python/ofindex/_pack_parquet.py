"""Reads records of Parquet files. Needs pyarrow."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ._pack_source import AT_ONCE, Kinds, reading

try:
    import pyarrow.parquet

    from ._pack_arrow import kinds_of, records_of
except ImportError as error:
    raise ImportError("reading Parquet needs pyarrow: pip install pyarrow") from error

_BATCH_BYTES = 16 << 20  # per batch of rows
_BUFFER_BYTES = 1 << 20  # per column


class Parquet:
    """One Parquet file, read some rows at a time."""

    def __init__(self, path: str) -> None:
        self.name = path
        self.size = os.path.getsize(path)

    def kinds(self, wide: bool) -> Kinds:
        with reading(self.name, "Parquet"):
            schema = pyarrow.parquet.read_schema(self.name)
        return kinds_of(schema, wide)

    def count(self) -> int:
        with reading(self.name, "Parquet"):
            rows = int(pyarrow.parquet.read_metadata(self.name).num_rows)
            if rows < 0:
                raise ValueError(f"{rows} rows")
        return rows

    def batches(self) -> Iterator[tuple[Sequence[Mapping[Any, Any]], int]]:
        # pyarrow's own readers prefetch up to the whole file.
        with (
            reading(self.name, "Parquet"),
            pyarrow.parquet.ParquetFile(self.name, buffer_size=_BUFFER_BYTES, pre_buffer=False) as file,
        ):
            rows, done = max(1, file.metadata.num_rows), 0
            stored = sum(file.metadata.row_group(group).total_byte_size for group in range(file.num_row_groups))
            at_once = max(1, min(AT_ONCE, _BATCH_BYTES * rows // max(1, stored)))
            for batch in file.iter_batches(batch_size=at_once):
                records = records_of(batch)
                done += batch.num_rows
                yield records, self.size * done // rows

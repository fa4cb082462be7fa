"""DuckDB over a Parquet file."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import islice
from pathlib import Path
from typing import Any, ClassVar

from harness import columns
from harness.data import Data
from peers.duckdb import EPOCH, DuckDb

ROW_GROUP_BYTES = 1 << 20


def write_for_random_access(data: Data, path: Path) -> None:
    """Writes a Parquet file of ids and payloads with small pages and row groups."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    rows = max(8, ROW_GROUP_BYTES * data.records // data.bytes)
    schema = pa.schema([("id", pa.int64()), ("record", pa.binary())])
    options = {"data_page_size": 8192, "write_page_index": True, "use_dictionary": False, "compression": "none"}
    payloads = data.payloads()
    with pq.ParquetWriter(path, schema, **options) as out:
        for first in range(0, data.records, rows):
            some = list(islice(payloads, rows))
            out.write(pa.table([pa.array(range(first, first + len(some))), pa.array(some)], schema=schema))


class DuckDbParquet(DuckDb):
    name = "DuckDB over Parquet"
    advantages: ClassVar[dict[str, str]] = {}
    cannot: ClassVar[dict[str, str]] = {"raw_epoch": EPOCH, "decoded_epoch": EPOCH, "stoppable": EPOCH}

    @property
    def source(self) -> str:
        return f"read_parquet('{self.typed_store}')"

    def make(self) -> None:
        """Tuned for random access: pages of 8 KiB with an index, row groups of about 1 MiB, neither dictionary nor
        compression. https://arxiv.org/abs/2504.15247"""
        write_for_random_access(self.data, self.store)

    def make_typed(self) -> None:
        """`COPY ... TO` with default options, which DuckDB reads fastest; the values are not read from the shards.
        https://duckdb.org/docs/stable/sql/statements/copy.html"""
        import duckdb

        with duckdb.connect() as database:
            database.register("columns", columns.number_reader(self.data))
            sql = f"COPY (SELECT label, height, width, score FROM columns) TO '{self.typed_store}' (FORMAT parquet)"
            database.execute(sql)

    def connection(self) -> Any:
        import duckdb

        return duckdb.connect()

    def count(self) -> int:
        """`SELECT count(*) FROM read_parquet(...)`: the footer's numbers."""
        return self.connection().execute(f"SELECT count(*) FROM read_parquet('{self.store}')").fetchone()[0]

    def get(self) -> Callable[[int], bytes]:
        """`SELECT record ... WHERE id = ?`: the ids ascend, so statistics
        leave one row group.
        https://duckdb.org/docs/stable/data/parquet/tips.html"""
        database = self.connection()
        sql = f"SELECT record FROM read_parquet('{self.store}') WHERE id = ?"
        return lambda ordinal: database.execute(sql, [ordinal]).fetchone()[0]

    def get_many(self) -> Callable[[list[int]], Sequence[bytes]]:
        """A join of the ids with the file, and `fetchall`, in the order asked for."""
        database = self.connection()
        sql = f"SELECT id, record FROM read_parquet('{self.store}') JOIN (SELECT unnest(?::BIGINT[]) AS id) USING (id)"

        def read(ordinals: list[int]) -> list[bytes]:
            found = dict(database.execute(sql, [ordinals]).fetchall())
            return [found[ordinal] for ordinal in ordinals]

        return read

    def where(self) -> Callable[[str], Any]:
        """`SELECT file_row_number ... WHERE`, and `fetchnumpy`.
        https://duckdb.org/docs/stable/data/parquet/overview.html#parameters"""
        database = self.connection()
        source = f"read_parquet('{self.typed_store}', file_row_number = true)"

        def ask(condition: str) -> Any:
            found = database.execute(f"SELECT file_row_number FROM {source} WHERE {condition}").fetchnumpy()
            return found["file_row_number"]

        return ask


TOOL = DuckDbParquet

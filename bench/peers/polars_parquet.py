"""Polars over a Parquet file."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, ClassVar

from peers.duckdb_parquet import write_for_random_access
from peers.polars import EPOCH, Polars


class PolarsParquet(Polars):
    name = "Polars over Parquet"
    environment = "polars"
    cannot: ClassVar[dict[str, str]] = {"raw_epoch": EPOCH, "decoded_epoch": EPOCH, "stoppable": EPOCH}
    advantages: ClassVar[dict[str, str]] = {}

    def make(self) -> None:
        """Tuned for random access, as for DuckDB over Parquet."""
        write_for_random_access(self.data, self.store)

    def frame(self) -> Any:
        import polars as pl

        return pl.scan_parquet(self.typed_store)

    def count(self) -> int:
        """`scan_parquet(path).select(pl.len())`."""
        import polars as pl

        return pl.scan_parquet(self.store).select(pl.len()).collect().item()

    def get(self) -> Callable[[int], bytes]:
        """`scan_parquet(path).slice(i, 1)`.
        https://docs.pola.rs/api/python/stable/reference/lazyframe/api/polars.LazyFrame.slice.html"""
        import polars as pl

        records = pl.scan_parquet(self.store).select("record")
        return lambda ordinal: records.slice(ordinal, 1).collect().item()

    def get_many(self) -> Callable[[list[int]], Sequence[bytes]]:
        """A filter of the ids by `is_in`: statistics and pages leave the row groups that have one of them; in the
        order asked for.
        https://docs.pola.rs/user-guide/io/parquet/"""
        import polars as pl

        records = pl.scan_parquet(self.store)

        def read(ordinals: list[int]) -> list[bytes]:
            rows = records.filter(pl.col("id").is_in(ordinals)).select("id", "record").collect()
            found = dict(zip(*(rows[name].to_list() for name in ("id", "record")), strict=True))
            return [found[ordinal] for ordinal in ordinals]

        return read

    def where(self) -> Callable[[str], Any]:
        """`scan_parquet(path, row_index_name=...)` and a filter by `pl.sql_expr(condition)`."""
        import polars as pl

        rows = pl.scan_parquet(self.typed_store, row_index_name="row")
        return lambda condition: rows.filter(pl.sql_expr(condition)).select("row").collect()["row"].to_numpy()

    def total(self) -> Callable[[], tuple[int, int]]:
        """`scan_parquet(path).select(pl.len(), pl.sum("height"))`."""
        import polars as pl

        query = self.frame().select(pl.len(), pl.sum("height"))
        return lambda: query.collect().row(0)


TOOL = PolarsParquet

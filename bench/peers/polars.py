"""Polars, with a frame in memory that was read from Parquet."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, ClassVar

from harness import columns
from harness.peer import GroupRows, Peer

EPOCH = "has no loader"


class Polars(Peer):
    name = "Polars, in memory"
    advantages: ClassVar[dict[str, str]] = dict.fromkeys(("get", "get-many"), "has all data in memory")
    packages = ("polars==2.1.0", "pyarrow==26.0.1", "numpy==2.4.6")
    is_light = True
    cannot: ClassVar[dict[str, str]] = {
        "count": "a frame in memory is not on disk: see Parquet",
        "raw_epoch": EPOCH,
        "decoded_epoch": EPOCH,
        "stoppable": EPOCH,
    }

    def load(self) -> None:
        import polars

        del polars

    def make(self) -> None:
        """`DataFrame.write_parquet` of one binary column.
        https://docs.pola.rs/user-guide/io/parquet/"""
        import polars as pl

        pl.concat([pl.DataFrame({"record": payloads}) for _, payloads in self.data.slices()]).write_parquet(self.store)

    def make_typed(self) -> None:
        """`DataFrame.write_parquet` of the four columns; the values are not read from the shards."""
        import polars as pl

        frame = pl.from_arrow(columns.number_reader(self.data).read_all())
        frame.select("label", "height", "width", "score").write_parquet(self.typed_store)

    def frame(self) -> Any:
        import polars as pl

        return pl.read_parquet(self.typed_store).rechunk()

    def get(self) -> Callable[[int], bytes]:
        """`Series[i]`, in memory."""
        import polars as pl

        return pl.read_parquet(self.store).rechunk()["record"].__getitem__

    def get_many(self) -> Callable[[list[int]], Sequence[bytes]]:
        """`Series.gather(ids).to_list()`, in memory.
        https://docs.pola.rs/api/python/stable/reference/series/api/polars.Series.gather.html"""
        import polars as pl

        gather = pl.read_parquet(self.store).rechunk()["record"].gather
        return lambda ordinals: gather(ordinals).to_list()

    def where(self) -> Callable[[str], Any]:
        """`frame.select(pl.arg_where(pl.sql_expr(condition)))`.
        https://docs.pola.rs/api/python/stable/reference/expressions/api/polars.arg_where.html"""
        import polars as pl

        frame = self.frame()
        return lambda condition: frame.select(pl.arg_where(pl.sql_expr(condition))).to_series().to_numpy()

    def groups(self) -> Callable[[], GroupRows]:
        """`group_by("label").agg(pl.len(), pl.mean("score"))`, lazy.
        https://docs.pola.rs/user-guide/expressions/aggregation/"""
        import polars as pl

        frame = self.frame()
        query = frame.lazy().group_by("label").agg(pl.len().alias("records"), pl.mean("score"))

        def ask() -> GroupRows:
            found = query.collect()
            return found["label"], found["records"], found["score"]

        return ask

    def bins(self) -> Callable[[], GroupRows]:
        """`group_by` of two expressions with `//`, lazy."""
        import polars as pl

        keys = (pl.col("height") // 100, pl.col("width") // 100)
        query = self.frame().lazy().group_by(*keys).agg(pl.len().alias("records"))

        def ask() -> GroupRows:
            found = query.collect()
            return found["height"], found["width"], found["records"]

        return ask

    def top(self) -> Callable[[], Any]:
        """`top_k`, lazy.
        https://docs.pola.rs/api/python/stable/reference/lazyframe/api/polars.LazyFrame.top_k.html"""
        query = self.frame().lazy().select("score").top_k(10, by="score").sort("score", descending=True)
        return lambda: query.collect()["score"]

    def total(self) -> Callable[[], tuple[int, int]]:
        """`frame.select(pl.len(), pl.sum("height"))`."""
        import polars as pl

        frame = self.frame()
        return lambda: frame.select(pl.len(), pl.sum("height")).row(0)


TOOL = Polars

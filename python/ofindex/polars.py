"""ofindex in Polars: a LazyFrame over the columns of an index."""

from __future__ import annotations

from collections.abc import Iterator

import polars as pl
from polars.io.plugins import register_io_source

from ._dataset import Dataset
from ._engines.polars_conditions import condition_of
from ._engines.scanning import selected, steps
from ._opening import opened
from ._source import Path

__all__ = ["scan"]


def scan(data: Dataset | Path) -> pl.LazyFrame:
    """Return a LazyFrame of the columns of a dataset, from the index alone: no record file is read::

        import polars as pl

        ofindex.polars.scan("data/train").filter(pl.col("label") == 3).select(pl.len()).collect().item()  # 10

    Only the columns that a query needs are read. Filters run in the index where SQL has the same: comparisons of a
    column with a literal, ``is_in``, ``is_between``, ``is_null``, ``str.starts_with``, combined by ``&``, ``|`` and
    ``~``; Polars does the rest. ``head`` stops early. Rows are in the order of the dataset.

    Args:
        data: A Dataset or a view, or the name of an index or of its data. The LazyFrame refers to the index that is
            open now, even if that is updated later.

    Returns:
        A frame with the columns of `Dataset.arrow`: integers are Int64, floats Float32, doubles Float64, bytes String
        or Binary, lists List; NaN is null.

    Raises:
        FileNotFoundError: there is no index. QueryError (on collect): a column holds both numbers and bytes.
    """
    dataset = opened(data)
    columns = pl.DataFrame(dataset[:0]).schema

    def read(
        names: list[str] | None, predicate: pl.Expr | None, rows: int | None, batch_rows: int | None
    ) -> Iterator[pl.DataFrame]:
        condition = None if predicate is None else condition_of(predicate, columns)
        kept = list(columns) if names is None else names
        needed = kept if predicate is None else list(dict.fromkeys([*kept, *predicate.meta.root_names()]))
        left = rows
        for step in steps(selected(dataset, condition), rows if predicate is None else None):
            frame = pl.DataFrame(step.arrow(needed or ["_id"]))
            if predicate is not None:
                frame = frame.filter(predicate)
            if left is not None:
                frame = frame.head(left)
                left -= len(frame)
            yield frame.select(kept)
            if left == 0:
                return

    return register_io_source(read, schema=columns, is_pure=True)

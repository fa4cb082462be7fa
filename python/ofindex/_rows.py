"""The result of an SQL statement."""

from __future__ import annotations

import inspect
import warnings
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np

from . import _ofindex
from ._arrays import fits_float, objects_of

if TYPE_CHECKING:
    import pandas
    import pyarrow

    from ._dataset import Dataset

_FETCHED_AT_ONCE = 1024


def _fits_float(values: Iterable[Any]) -> bool:
    """Whether float64 represents all integers among `values`."""
    integers = [value for value in values if isinstance(value, int)]
    return not integers or fits_float(min(integers), max(integers))


class Rows:
    """The rows of one statement. Made by `Dataset.sql`::

        for label, count in ds.sql("SELECT label, count(*) FROM records GROUP BY 1"):
            step(label, count)
        frame = ds.sql("SELECT label, score FROM records").df()  # pandas

    Iterating, or `fetchall`, returns each row once, read on demand, as a tuple of None, int, float, str and bytes. Any
    consumer of Arrow (DuckDB, Polars, pyarrow, pandas) accepts the object itself, any number of times; the rows are
    then kept in memory. One object allows only one of these two ways. Not thread-safe; must not be used after a fork.
    """

    def __init__(self, cursor: _ofindex.Cursor) -> None:
        self._cursor = cursor
        self._fetched: list[tuple[Any, ...]] = []

    @property
    def columns(self) -> list[str]:
        """Names of the columns."""
        return list(self._cursor.columns)

    @property
    def description(self) -> list[tuple[str, None, None, None, None, None, None]]:
        """The columns as in DB-API 2.0: seven items per column, of which only the name is set."""
        return [(name, None, None, None, None, None, None) for name in self._cursor.columns]

    def fetchone(self) -> tuple[Any, ...] | None:
        """Return the next row; None after the last."""
        if not self._fetched:
            self._fetched = self._cursor.fetch(_FETCHED_AT_ONCE)[::-1]
        return self._fetched.pop() if self._fetched else None

    def fetchmany(self, size: int = 1) -> list[tuple[Any, ...]]:
        """Return the next rows, at most `size`."""
        rows: list[tuple[Any, ...]] = []
        while len(rows) < size and (row := self.fetchone()) is not None:
            rows.append(row)
        return rows

    def fetchall(self) -> list[tuple[Any, ...]]:
        """Return all remaining rows.

        As a list of tuples of Python's own values::

            ds.sql("SELECT label, count(*) FROM records GROUP BY label LIMIT 2").fetchall()  # [(0, 10), (1, 10)]
        """
        return list(self)

    def __iter__(self) -> Iterator[tuple[Any, ...]]:
        return self

    def __next__(self) -> tuple[Any, ...]:
        row = self.fetchone()
        if row is None:
            raise StopIteration
        return row

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        """Return the rows as an Arrow stream. Each column has the one type that fits all of its values.

        Raises:
            QueryError: a column holds both numbers and texts. ValueError: rows were already fetched.
        """
        return self._cursor.stream()

    def arrow(self) -> pyarrow.Table:
        """Return the rows as a pyarrow.Table. Needs pyarrow."""
        import pyarrow

        return pyarrow.table(self)

    def df(self) -> pandas.DataFrame:
        """Return the rows as a pandas.DataFrame. In a column with NULLs or reals, integers become float64 or, if one is
        beyond 2**53, the values are objects with None for NULL. Needs pandas::

            ds.sql("SELECT label, score FROM records").df().shape  # (100, 2)
        """
        import pandas

        rows = self.fetchall()
        frame = pandas.DataFrame.from_records(rows, columns=self.columns)
        for place, column in enumerate(zip(*rows, strict=True)):
            if frame.dtypes.iloc[place] == np.float64 and not _fits_float(column):
                frame.isetitem(place, pandas.Series(objects_of(list(column)), index=frame.index, dtype=object))
        return frame

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NoReturn:
        raise TypeError("columns of different types cannot form an array: use fetchall(), df() or arrow()")

    def __repr__(self) -> str:
        return f"<ofindex.Rows of {', '.join(self._cursor.columns)}>"


def _level_of_caller() -> int:
    """Return the `stacklevel` with which the function that calls this one warns at the nearest line outside of the
    package."""
    frame, level = inspect.currentframe(), 0
    while frame is not None and frame.f_globals.get("__name__", "").partition(".")[0] == "ofindex":
        frame, level = frame.f_back, level + 1
    return level


def _warn_of_lists(names: list[str]) -> None:
    """Warn that a table of all columns lacks those of the features `names`, at the line that requests the stream."""
    more = f" and {len(names) - 3:,} more" if len(names) > 3 else ""
    warnings.warn(
        f"left out {', '.join(map(repr, names[:3]))}{more}: the index does not store the lists that some records have; "
        f"store them with build(..., columns={['auto', *names[:3]]!r}, force=True)",
        UserWarning,
        stacklevel=_level_of_caller(),
    )


class Table:
    """Columns of a Dataset, for any consumer of Arrow, any number of times. Made by `Dataset.arrow`; pickles
    like the Dataset."""

    def __init__(self, dataset: Dataset, names: list[str] | None) -> None:
        self._dataset = dataset
        self._names = names

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        source = self._dataset._source
        if self._names is None and (lists := _ofindex.lists_not_stored(source)):
            _warn_of_lists(lists)
        return _ofindex.stream(source, self._dataset.rows, self._names)

    def __len__(self) -> int:
        return len(self._dataset)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NoReturn:
        raise TypeError("columns of different types cannot form an array: use Dataset.column(name) for one of them")

    def __eq__(self, other: object) -> bool:
        """Whether both have the same columns of the same records."""
        if not isinstance(other, Table):
            return NotImplemented
        return self._dataset == other._dataset and self._names == other._names

    def __hash__(self) -> int:
        return hash((self._dataset, None if self._names is None else tuple(self._names)))

    def __repr__(self) -> str:
        names = "all columns" if self._names is None else ", ".join(self._names)
        return f"<ofindex.Table of {len(self):,} rows: {names}>"

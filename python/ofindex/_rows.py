"""The answer to an SQL statement."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from . import _ofindex

if TYPE_CHECKING:
    import pandas
    import pyarrow

    from ._source import Shared

_FETCHED_AT_ONCE = 1024


class Rows:
    """The rows of one statement, as they are asked for; each can be had once. Made by `Dataset.sql`.

    Iterating, or `fetchall`, gives tuples of None, int, float, str and bytes. Any consumer of Arrow (DuckDB, Polars,
    pyarrow, pandas) takes the object itself. Not thread-safe; must not cross a fork.
    """

    def __init__(self, cursor: _ofindex.Cursor) -> None:
        self._cursor = cursor
        self._fetched: list[tuple[Any, ...]] = []
        self._begun = False

    @property
    def columns(self) -> list[str]:
        """Names of the columns."""
        return list(self._cursor.columns)

    @property
    def description(self) -> list[tuple[str, None, None, None, None, None, None]]:
        """The columns as DB-API 2.0 describes them; of seven items each, the name alone is known."""
        return [(name, None, None, None, None, None, None) for name in self._cursor.columns]

    def fetchone(self) -> tuple[Any, ...] | None:
        """The next row; None after the last."""
        self._begun = True
        if not self._fetched:
            self._fetched = self._cursor.fetch(_FETCHED_AT_ONCE)[::-1]
        return self._fetched.pop() if self._fetched else None

    def fetchmany(self, size: int = 1) -> list[tuple[Any, ...]]:
        """The next rows, `size` at most."""
        rows: list[tuple[Any, ...]] = []
        while len(rows) < size and (row := self.fetchone()) is not None:
            rows.append(row)
        return rows

    def fetchall(self) -> list[tuple[Any, ...]]:
        """All rows that are left."""
        return list(self)

    def __iter__(self) -> Iterator[tuple[Any, ...]]:
        return self

    def __next__(self) -> tuple[Any, ...]:
        row = self.fetchone()
        if row is None:
            raise StopIteration
        return row

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        """The rows as an Arrow stream. A column has the one type that takes all of its values.

        Raises:
            QueryError: a column holds both numbers and texts.
        """
        if self._begun:
            raise ValueError("rows were fetched already; run the statement again for an Arrow stream")
        self._begun = True
        return self._cursor.stream()

    def arrow(self) -> pyarrow.Table:
        """The rows as a pyarrow.Table. Needs pyarrow."""
        import pyarrow

        return pyarrow.table(self)

    def df(self) -> pandas.DataFrame:
        """The rows as a pandas.DataFrame. Needs pandas."""
        import pandas

        return pandas.DataFrame.from_records(self.fetchall(), columns=self.columns)

    def __repr__(self) -> str:
        return f"<ofindex.Rows of {', '.join(self._cursor.columns)}>"


class Table:
    """Columns of a Dataset, for any consumer of Arrow. Made by `Dataset.arrow`; can be read any number of times."""

    def __init__(self, shared: Shared, rows: _ofindex.Rows, names: list[str] | None) -> None:
        self._shared = shared
        self._rows = rows
        self._names = names

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        return self._shared.columns.stream(self._rows, self._names)

    def __len__(self) -> int:
        return len(self._rows)

    def __repr__(self) -> str:
        names = "all columns" if self._names is None else ", ".join(self._names)
        return f"<ofindex.Table of {len(self._rows):,} rows: {names}>"

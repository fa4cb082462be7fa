"""DuckDB, with its own table in memory."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar

from harness import columns
from harness.peer import GroupRows, Peer

EPOCH = "has no loader"
IN_MEMORY = "a table in memory is not on disk: see DuckDB over Parquet"


class DuckDb(Peer):
    name = "DuckDB, in memory"
    packages = ("duckdb==2.0.0", "pyarrow==26.0.1", "numpy==2.4.6")
    environment = "duckdb"
    is_light = True
    cannot: ClassVar[dict[str, str]] = {
        "make": IN_MEMORY,
        "count": IN_MEMORY,
        "get": IN_MEMORY,
        "get_many": IN_MEMORY,
        "raw_epoch": EPOCH,
        "decoded_epoch": EPOCH,
        "stoppable": EPOCH,
    }
    source = "records"

    def load(self) -> None:
        import duckdb
        import pyarrow

        del duckdb, pyarrow

    def make_typed(self) -> None:
        """A table of a database file, filled from Arrow; the values are not read from the shards."""
        import duckdb

        with duckdb.connect(str(self.typed_store)) as database:
            database.register("columns", columns.number_reader(self.data))
            database.execute("CREATE TABLE records AS SELECT label, height, width, score FROM columns")

    def connection(self) -> Any:
        import duckdb

        database = duckdb.connect()
        database.execute(f"ATTACH '{self.typed_store}' AS file (READ_ONLY)")
        database.execute("CREATE TABLE records AS SELECT * FROM file.records")
        return database

    def where(self) -> Callable[[str], Any]:
        """`SELECT rowid ... WHERE`, and `fetchnumpy`.
        https://duckdb.org/docs/stable/clients/python/conversion.html"""
        database = self.connection()
        return lambda condition: database.execute(f"SELECT rowid FROM records WHERE {condition}").fetchnumpy()["rowid"]

    def groups(self) -> Callable[[], GroupRows]:
        """`SELECT label, count(*), avg(score) ... GROUP BY label`, and `fetchnumpy`."""
        database = self.connection()

        def ask() -> GroupRows:
            sql = f"SELECT label, count(*) AS records, avg(score) AS mean FROM {self.source} GROUP BY label"
            found = database.execute(sql).fetchnumpy()
            return found["label"], found["records"], found["mean"]

        return ask

    def bins(self) -> Callable[[], GroupRows]:
        """`GROUP BY` of two expressions with `//`, and `fetchnumpy`."""
        database = self.connection()
        sql = f"SELECT height // 100 AS h, width // 100 AS w, count(*) AS records FROM {self.source} GROUP BY h, w"

        def ask() -> GroupRows:
            found = database.execute(sql).fetchnumpy()
            return found["h"], found["w"], found["records"]

        return ask

    def top(self) -> Callable[[], Any]:
        """`ORDER BY score DESC LIMIT 10`, and `fetchnumpy`."""
        database = self.connection()
        sql = f"SELECT score FROM {self.source} ORDER BY score DESC LIMIT 10"
        return lambda: database.execute(sql).fetchnumpy()["score"]

    def total(self) -> Callable[[], tuple[int, int]]:
        """`SELECT count(*), sum(height)`."""
        database = self.connection()
        return lambda: database.execute(f"SELECT count(*), sum(height) FROM {self.source}").fetchone()


TOOL = DuckDb

"""Random queries over stored, derived and attached columns, next to SQLite's own tables joined by key.

OFINDEX_ATTACH_QUERIES is the number of queries (default: 300).
"""

from __future__ import annotations

import os
import random
import sqlite3
import struct
import unittest
import zlib
from typing import Any

import ofindex
import pyarrow
import xxhash
from oracle import messages
from python.work import WorkTest

QUERIES = int(os.environ.get("OFINDEX_ATTACH_QUERIES", "300"))
QUERIES_OF_A_DATASET = 100
WORDS = ("", "a", "cat", "Cat", "dog", "zebra", "ä", "7")
FORMAT = '"picture#format"'
DERIVED = ('"key#length"', '"key#hash"', '"picture#width"', '"picture#height"', '"picture#channels"', FORMAT)


def png(width: int, height: int, channels: int) -> bytes:
    """The beginning of a PNG up to its pixels."""
    header = b"IHDR" + struct.pack(">IIBBBBB", width, height, 8, {1: 0, 2: 4, 3: 2, 4: 6}[channels], 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + struct.pack(">I", 13) + header + struct.pack(">I", zlib.crc32(header))


def signed_hash(value: bytes) -> int:
    """XXH3 as a column of int64 has it."""
    return int.from_bytes(xxhash.xxh3_64_digest(value), "big", signed=True)


class Draws:
    """Random values, tables and queries."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)

    def value(self, kind: str) -> Any:
        if self.random.random() < 0.2:
            return None
        if kind == "integer":
            return self.random.choice((0, 1, -1, 2**40, self.random.randrange(-20, 20)))
        if kind == "real":
            return self.random.choice((0.0, -0.5, 1e300, self.random.randrange(-40, 40) / 8))
        if kind == "bytes":
            return self.random.choice((b"\xff", b"\x00a", b"\xff" + self.random.randbytes(2)))
        return self.random.choice(WORDS)

    def picture(self) -> tuple[bytes, int | None, int | None, int | None, str | None] | None:
        """Bytes, and the width, height, channels and format that they tell. Sometimes they are no picture."""
        if self.random.random() < 0.3:
            return None
        if self.random.random() < 0.2:
            return (self.random.randbytes(self.random.randrange(40)), None, None, None, None)
        size = (self.random.randrange(1, 20), self.random.choice((1, 20, 2**31 - 1)), self.random.randrange(1, 5))
        return (png(*size), *size, "png")

    def literal(self) -> str:
        value = self.value(self.random.choice(("integer", "real", "text")))
        if value is None:
            return "NULL"
        return f"'{value}'" if isinstance(value, str) else repr(value)

    def condition(self, columns: list[str], depth: int = 2) -> str:
        if depth and self.random.random() < 0.5:
            left, right = self.condition(columns, depth - 1), self.condition(columns, depth - 1)
            return f"({left} {self.random.choice(('AND', 'OR'))} {right})"
        column = self.random.choice(columns)
        return self.random.choice(
            (
                f"{column} {self.random.choice(('<', '<=', '=', '<>', '>=', '>', 'IS', 'IS NOT'))} {self.literal()}",
                f"{column} IS {self.random.choice(('', 'NOT '))}NULL",
                f"{column} IN ({self.literal()}, {self.literal()}, {self.literal()})",
                f"{column} BETWEEN {self.literal()} AND {self.literal()}",
                f"{column} LIKE '{self.random.choice(('%', 'c%', '%a%', '_'))}'",
                f"{column} < {self.random.choice(columns)}",
                f"NOT {column}",
            )
        )

    def query(self, columns: list[str]) -> str:
        where = f"WHERE {self.condition(columns)}"
        some = ", ".join(self.random.sample(columns, self.random.randrange(1, len(columns))))
        column, group = self.random.choice(columns), self.random.choice(columns)
        return self.random.choice(
            (
                f"SELECT id, {some} FROM records {where}",
                f"SELECT count(*), count({column}), min({column}), max({column}) FROM records {where}",
                f"SELECT {group}, count(*), count(DISTINCT {column}), max({column}) FROM records {where} GROUP BY 1",
                f"SELECT {column} FROM records {where} ORDER BY {column}, id LIMIT 5",
                f"SELECT DISTINCT {some} FROM records {where}",
            )
        )


class OracleTest(WorkTest):
    def test_attached_columns_answer_as_a_join_does(self) -> None:
        for seed in range(max(1, QUERIES // QUERIES_OF_A_DATASET)):
            with self.subTest(seed):
                self.compare(seed, QUERIES if QUERIES < QUERIES_OF_A_DATASET else QUERIES_OF_A_DATASET)

    def compare(self, seed: int, queries: int) -> None:
        draws = Draws(seed)
        rows = draws.random.randrange(1, 400)
        keys = [f"k{draws.random.randrange(rows)}" for _ in range(rows)]
        stored = [draws.value("integer") for _ in range(rows)]
        pictures = [draws.picture() for _ in range(rows)]
        payloads = []
        for number in range(rows):
            features: dict[str, Any] = {"id": ("int64", [number]), "key": ("bytes", [keys[number].encode()])}
            if stored[number] is not None:
                features["stored"] = ("int64", [stored[number]])
            if pictures[number] is not None:
                features["picture"] = ("bytes", [pictures[number][0]])
            payloads.append(messages.encode("example", features))
        derive = ["key:hash", "key:length"] + ["picture:image"] * any(picture is not None for picture in pictures)
        ds = ofindex.build(self.write(f"d{seed}/", payloads), verify=False, format="tfrecord", derive=derive)
        oracle = sqlite3.connect(":memory:")
        self.addCleanup(oracle.close)
        columns = ["id", "key", "stored", *DERIVED]
        types = [f"{name} {'TEXT' if name in ('key', FORMAT) else 'INTEGER'}" for name in columns]
        oracle.execute(f"CREATE TABLE own({', '.join(types)})")
        own = (
            (number, key, value, len(key), signed_hash(key.encode()), *(picture[1:] if picture else (None,) * 4))
            for number, (key, value, picture) in enumerate(zip(keys, stored, pictures, strict=True))
        )
        oracle.executemany(f"INSERT INTO own VALUES ({', '.join('?' * len(columns))})", own)
        joins = ""
        tables = [(kind, by) for kind in ("integer", "real", "text", "bytes") for by in ("key", "_id", "id")]
        for number, (kind, by) in enumerate(draws.random.sample(tables, draws.random.randrange(1, 5))):
            joins += self.attach(ds, oracle, draws, number, kind, by, rows)
            columns.append(f"c{number}")
        oracle.execute(f"CREATE TABLE records AS SELECT {', '.join(columns)} FROM own {joins}")
        there = {column for feature in ds.schema.values() for column in feature["columns"]}
        columns = [name for name in columns if name.strip('"') in there]
        for _ in range(queries):
            query = draws.query(columns)
            got, expected = ds.sql(query).fetchall(), oracle.execute(query).fetchall()
            if "ORDER BY" not in query:
                got, expected = sorted(got, key=repr), sorted(expected, key=repr)
            self.assertEqual(got, expected, (seed, query))

    def attach(
        self, ds: ofindex.Dataset, oracle: sqlite3.Connection, draws: Draws, number: int, kind: str, by: str, rows: int
    ) -> str:
        """Attaches a column to both, and returns the JOIN of the oracle's table. Columns come and go meanwhile."""
        known = [f"k{n}" for n in range(rows + 5)] if by == "key" else list(range(rows + 5))
        taken = draws.random.sample(known, draws.random.randrange(1, len(known) + 1))
        values = [draws.value(kind) for _ in taken]
        declared = {"integer": "INTEGER", "real": "REAL", "text": "TEXT", "bytes": "TEXT"}[kind]
        oracle.execute(f"CREATE TABLE t{number}(k, c{number} {declared})")
        oracle.executemany(f"INSERT INTO t{number} VALUES (?, ?)", zip(taken, values, strict=True))
        own = "id" if by == "_id" else by
        join = f" LEFT JOIN t{number} ON t{number}.k = own.{own}"
        types = {
            "integer": pyarrow.int64(),
            "real": pyarrow.float64(),
            "text": pyarrow.string(),
            "bytes": pyarrow.binary(),
        }
        table = pyarrow.table({by: taken, f"c{number}": pyarrow.array(values, types[kind])})
        matched = set(taken) & set(ds.column("key") if by == "key" else range(rows))
        if not matched:
            with self.assertRaises(ValueError):
                ds.attach(table, key=by)
            oracle.execute(f"DELETE FROM t{number}")
            return join
        if draws.random.random() < 0.3:
            ds.attach(table, key=by, prefix="gone_")
            ds.detach(f"gone_c{number}")
        found = ds.attach(table, key=by, replace=draws.random.random() < 0.3)
        self.assertEqual(found["rows"], len(taken))
        return join


class HistoryTest(WorkTest):
    """Columns are attached at any time while shards come, go, change and move, with updates, prunes and merges."""

    def test_columns_follow_their_records_whatever_happens_to_the_shards(self) -> None:
        for seed in range(max(4, QUERIES // 100)):
            with self.subTest(seed):
                self.live(seed)

    def live(self, seed: int) -> None:
        self.draws = random.Random(seed)
        self.keys = 0
        self.folder = f"h{seed}"
        self.shards: dict[str, list[str]] = {}
        self.expected: dict[str, dict[str, int]] = {}  # column -> key -> value
        self.put("part-1000")  # which stays: an update of an index all of whose shards are gone is refused
        for _ in range(self.draws.randrange(1, 5)):
            self.write_new()
        ofindex.build(self.dir / self.folder, verify=False, progress=False)
        for _ in range(self.draws.randrange(3, 12)):
            self.draws.choice((self.write_new, self.rewrite, self.remove, self.rename, self.attach))()
            if self.draws.random() < 0.6:
                self.update()
        self.update()
        self.compare()
        self.merge(seed)

    def merge(self, seed: int) -> None:
        """Merges the index with that of other shards, in any order, some of whose columns have the same names."""
        first, self.folder = self.folder, f"g{seed}"
        there = {key for keys in self.shards.values() for key in keys}
        own = {name: {key: values[key] for key in values.keys() & there} for name, values in self.expected.items()}
        self.shards, self.expected = {}, {}
        self.write_new()
        ofindex.build(self.dir / self.folder, verify=False, progress=False)
        for _ in range(self.draws.randrange(3)):
            self.attach()
        inputs = [self.dir / f"{folder}.ofidx" for folder in (first, self.folder)]
        self.draws.shuffle(inputs)
        ds = ofindex.merge(inputs, self.dir / f"m{seed}.ofidx", progress=False)
        rows = sum(len(ofindex.open(index)) for index in inputs)
        for column in own.keys() | self.expected.keys():
            values = own.get(column, {}) | self.expected.get(column, {})
            self.compare_column(ds, column, values, rows)

    def write_new(self) -> None:
        name = f"part-{self.draws.randrange(1000)}"
        if name not in self.shards:
            self.put(name)

    def put(self, name: str) -> None:
        count = self.draws.randrange(1, 30)
        keys = [f"key {number}" for number in range(self.keys, self.keys + count)]
        self.keys += count
        self.shards[name] = keys
        self.write(
            f"{self.folder}/{name}", [messages.encode("example", {"key": ("bytes", [k.encode()])}) for k in keys]
        )

    def some_shard(self) -> str | None:
        names = sorted(self.shards.keys() - {"part-1000"})
        return self.draws.choice(names) if names else None

    def rewrite(self) -> None:
        if name := self.some_shard():
            self.put(name)

    def remove(self) -> None:
        if name := self.some_shard():
            del self.shards[name]
            (self.dir / self.folder / name).unlink()

    def rename(self) -> None:
        name, other = self.some_shard(), f"part-{self.draws.randrange(1000)}"
        if name and other not in self.shards:
            self.shards[other] = self.shards.pop(name)
            (self.dir / self.folder / name).rename(self.dir / self.folder / other)

    def update(self) -> None:
        ofindex.update(self.dir / self.folder, prune=self.draws.random() < 0.4, progress=False)

    def attach(self) -> None:
        self.update()
        there = [key for keys in self.shards.values() for key in keys]
        some = self.draws.sample(there, self.draws.randrange(1, len(there) + 1))
        column = f"c{self.draws.randrange(4)}"
        values = {key: self.draws.randrange(1000) for key in some}
        ds = ofindex.open(self.dir / self.folder)
        ds.attach(pyarrow.table({"key": some, column: list(values.values())}), key="key", replace=True)
        self.expected[column] = values
        self.compare()

    def compare(self) -> None:
        ds = ofindex.open(self.dir / self.folder)
        there = {key for keys in self.shards.values() for key in keys}
        for column, values in self.expected.items():
            self.compare_column(ds, column, {key: value for key, value in values.items() if key in there}, len(there))

    def compare_column(self, ds: ofindex.Dataset, column: str, expected: dict[str, int], records: int) -> None:
        if column not in ds.schema:  # all its records are gone
            self.assertEqual(expected, {}, column)
            return
        rows = ds.sql(f"SELECT key, {column} FROM records").fetchall()
        self.assertEqual(len(rows), records)
        self.assertEqual({key: value for key, value in rows if value is not None}, expected, column)


if __name__ == "__main__":
    unittest.main()

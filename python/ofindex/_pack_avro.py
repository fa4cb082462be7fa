"""Reads records of Avro files. Needs fastavro."""

from __future__ import annotations

import io
import os
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ._pack_source import AT_ONCE, Kinds, reading

try:
    import fastavro
except ImportError as error:
    raise ImportError("reading Avro needs fastavro: pip install fastavro") from error

# Logical types of Avro's specification whose kind differs from their stored type. All others have the stored type's
# kind, including unknown ones, which readers must ignore. https://avro.apache.org/docs/1.12.0/specification/
_LOGICAL = {
    ("int", "date"): "int64",
    ("int", "time-millis"): "int64",
    ("bytes", "decimal"): "double",
    ("fixed", "decimal"): "double",
}
_NANOSECONDS = ("timestamp-nanos", "local-timestamp-nanos")  # of a long; fastavro returns the number
_TYPES = {
    "boolean": "int64",
    "int": "int32",
    "long": "int64",
    "float": "float",
    "double": "double",
    "bytes": "bytes",
    "string": "bytes",
    "enum": "bytes",
    "fixed": "bytes",
}
_NARROW = {"int32": "int64", "double": "float"}


class _Reading:
    """Finds the features of one Avro schema."""

    def __init__(self, wide: bool) -> None:
        self._wide = wide
        self._named: dict[str, Any] = {}
        self._within: list[str] = []  # the enclosing records, because schemas may be recursive
        self.found = Kinds()

    def describe(self, name: str, schema: Any) -> None:
        if isinstance(schema, list):
            branches = [branch for branch in schema if branch != "null"]
            if len(branches) == 1:
                self.describe(name, branches[0])
            return  # a choice: the values determine the kind
        if isinstance(schema, str):
            schema = self._named.get(schema, {"type": schema})
        kind = schema["type"]
        if not isinstance(kind, str):
            self.describe(name, kind)
            return
        if "name" in schema:
            self._named[schema["name"]] = schema
        if kind in ("record", "error"):
            self._describe_record(name, schema)
        elif kind == "array":
            self.describe(name, schema["items"])
        elif kind != "map":
            self._put(name, _LOGICAL.get((kind, schema.get("logicalType")), _TYPES.get(kind, "")))
            if kind == "long" and schema.get("logicalType") in _NANOSECONDS:
                self.found.nanoseconds.add(name)

    def _describe_record(self, name: str, schema: Any) -> None:
        if schema["name"] in self._within:
            return
        self._within.append(schema["name"])
        for inner in schema["fields"]:
            self.describe(f"{name}.{inner['name']}" if name else inner["name"], inner["type"])
        self._within.pop()

    def _put(self, name: str, kind: str) -> None:
        self.found.kinds[name] = kind if self._wide else _NARROW.get(kind, kind)


class _File(io.BufferedReader):
    """A file to read, of which a damaged length takes no more memory than the file's size."""

    def __init__(self, path: str) -> None:
        super().__init__(io.FileIO(path))
        self._size = os.fstat(self.fileno()).st_size

    def read(self, size: int | None = -1, /) -> bytes:
        return super().read(size if size is None else min(size, self._size))


class Avro:
    """One Avro file, read a block at a time."""

    def __init__(self, path: str) -> None:
        self.name = path
        self.size = os.path.getsize(path)

    def kinds(self, wide: bool) -> Kinds:
        with _File(self.name) as file, reading(self.name, "Avro"):
            schema = fastavro.reader(file).writer_schema
        if not isinstance(schema, dict) or schema.get("type") != "record":
            raise ValueError(f"{self.name}: its schema is not a record, and features need names")
        described = _Reading(wide)
        with reading(self.name, "Avro"):
            described.describe("", schema)
        return described.found

    def count(self) -> int:
        with _File(self.name) as file, reading(self.name, "Avro"):
            counts = [block.num_records for block in fastavro.block_reader(file)]
            if min(counts, default=0) < 0 or sum(counts) >= 2**63:
                raise ValueError(f"{min(counts):,} to {max(counts):,} records in a block")
        return sum(counts)

    def batches(self) -> Iterator[tuple[Sequence[Mapping[Any, Any]], int]]:
        with _File(self.name) as file, reading(self.name, "Avro"):
            batch: list[Any] = []
            for record in fastavro.reader(file):
                batch.append(record)
                if len(batch) == AT_ONCE:
                    yield batch, file.tell()
                    batch = []
            yield batch, self.size

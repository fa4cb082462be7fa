"""Reads records of Parquet files. Needs pyarrow."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ._errors import FeatureError
from ._pack_source import AT_ONCE, Kinds, reading
from ._pack_values import Unreadable

try:
    import pyarrow
    import pyarrow.parquet
    import pyarrow.types as types
except ImportError as error:
    raise ImportError("reading Parquet needs pyarrow: pip install pyarrow") from error

_BATCH_BYTES = 16 << 20  # per batch of rows
_BUFFER_BYTES = 1 << 20  # per column


def _inner(kind: Any) -> Any:
    """Return the item type if `kind` is any kind of list."""
    if types.is_list(kind) or types.is_large_list(kind) or types.is_fixed_size_list(kind):
        return kind.value_type
    return None


def _kind_of(kind: Any, wide: bool) -> str:
    """Return the feature kind for values of the Arrow type `kind`; empty if the values determine the feature kind."""
    if types.is_dictionary(kind):
        return _kind_of(kind.value_type, wide)
    if types.is_int32(kind):
        return "int32" if wide else "int64"
    if types.is_boolean(kind) or types.is_integer(kind) or types.is_temporal(kind):
        return "int64"
    if types.is_float16(kind) or types.is_float32(kind):
        return "float"
    if types.is_float64(kind) or types.is_decimal(kind):
        return "double" if wide else "float"
    texts = (types.is_string, types.is_large_string, types.is_binary, types.is_large_binary)
    return "bytes" if any(test(kind) for test in texts) or types.is_fixed_size_binary(kind) else ""


def _describe(kinds: Kinds, name: str, kind: Any, wide: bool) -> None:
    if types.is_struct(kind):
        for number in range(kind.num_fields):
            inner = kind.field(number)
            _describe(kinds, f"{name}.{inner.name}", inner.type, wide)
        return
    item = _inner(kind)
    if item is None:
        kinds.kinds[name] = _kind_of(kind, wide)
    elif types.is_uint8(item) or types.is_int8(item):
        kinds.byte_lists.add(name)
        kinds.kinds[name] = "bytes"
    else:
        _describe(kinds, name, item, wide)


def _has_maps(kind: Any) -> bool:
    if types.is_map(kind):
        return True
    item = _inner(kind)
    if item is not None:
        return _has_maps(item)
    return types.is_struct(kind) and any(_has_maps(kind.field(i).type) for i in range(kind.num_fields))


def _with_maps(value: Any, kind: Any) -> Any:
    """Return `value` with each of its maps, which pyarrow returns as lists of pairs, as a dict."""
    if value is None or isinstance(value, Unreadable):
        return value
    if types.is_map(kind):
        made = {key: _with_maps(inner, kind.item_type) for key, inner in value}
        if len(made) < len(value):
            twice = next(key for key, count in Counter(key for key, _ in value).items() if count > 1)
            return Unreadable(f"a map with the key {twice!r} twice")
        return made
    if types.is_struct(kind):
        return {
            kind.field(i).name: _with_maps(value[kind.field(i).name], kind.field(i).type)
            for i in range(kind.num_fields)
        }
    item = _inner(kind)
    return value if item is None else [_with_maps(inner, item) for inner in value]


def _in_nanoseconds(kind: Any) -> bool:
    return types.is_temporal(kind) and getattr(kind, "unit", None) == "ns"


def _value(item: Any) -> Any:
    try:
        return item.as_py()
    except (ValueError, OverflowError) as error:  # a time outside Python's range, or text that is not UTF-8
        return Unreadable(str(error))


def _values(column: Any) -> list[Any]:
    kind = column.type
    if _in_nanoseconds(kind):  # which Python's own times cannot represent
        column = column.cast(pyarrow.int64())
    try:
        values: list[Any] = column.to_pylist()
    except (ValueError, OverflowError):
        values = [_value(item) for item in column]
    return [_with_maps(value, kind) for value in values] if _has_maps(kind) else values


class Parquet:
    """One Parquet file, read some rows at a time."""

    def __init__(self, path: str) -> None:
        self.name = path
        self.size = os.path.getsize(path)

    def kinds(self, wide: bool) -> Kinds:
        kinds = Kinds()
        with reading(self.name, "Parquet"):
            schema = pyarrow.parquet.read_schema(self.name)
        for column in schema:
            _describe(kinds, column.name, column.type, wide)
            if _in_nanoseconds(column.type):
                kinds.nanoseconds.add(column.name)
        return kinds

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
                names = batch.schema.names
                if len(set(names)) < len(names):
                    raise FeatureError("two columns have the same name")
                columns = [_values(column) for column in batch.columns]
                done += batch.num_rows
                records = [dict(zip(names, row, strict=True)) for row in zip(*columns, strict=True)]
                yield records or [{}] * batch.num_rows, self.size * done // rows

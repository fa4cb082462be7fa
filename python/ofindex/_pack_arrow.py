"""Features and records of Arrow tables, as Parquet files and data frames hold them. Needs pyarrow."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any

import pyarrow
import pyarrow.types as types

from ._errors import FeatureError
from ._pack_source import Kinds
from ._pack_values import Unreadable


def kinds_of(schema: pyarrow.Schema, wide: bool) -> Kinds:
    """Return what a schema says about features. `wide` is true for payloads that have double and int32, too."""
    kinds = Kinds()
    for column in schema:
        _describe(kinds, column.name, column.type, wide)
        if _in_nanoseconds(column.type):
            kinds.nanoseconds.add(column.name)
    return kinds


def records_of(batch: pyarrow.RecordBatch) -> list[Mapping[Any, Any]]:
    """Return the rows of a batch, as `Flattener` takes them.

    Raises:
        FeatureError: two columns have the same name.
    """
    names = batch.schema.names
    if len(set(names)) < len(names):
        raise FeatureError("two columns have the same name")
    columns = [_values(column) for column in batch.columns]
    records: list[Mapping[Any, Any]] = [dict(zip(names, row, strict=True)) for row in zip(*columns, strict=True)]
    return records or [{}] * batch.num_rows


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

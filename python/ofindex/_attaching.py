"""Attaches columns of tables to the records of an index, and detaches them."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from . import _ofindex
from ._foreign import frame_advice
from ._progress import Report, reporting
from ._source import Path

Table: TypeAlias = Any
"""An object with ``__arrow_c_stream__``, a mapping of arrays, or the path of a Parquet file."""

_BATCH_ROWS = 65536


def attach_table(
    source: _ofindex.Source,
    ordinals: npt.NDArray[Any] | None,
    table: Table,
    *,
    key: str | bytes,
    table_key: str | None,
    columns: str | Sequence[str] | None,
    prefix: str | None,
    replace: bool,
    output: Path | None,
    wait: bool,
    progress: bool | Report | None,
) -> dict[str, Any]:
    """Attach columns of `table`; `ordinals` are those of the records, by which arrays without a key are matched."""
    names = [columns] if isinstance(columns, str) else list(columns or ())
    target = b"" if output is None else os.path.abspath(os.fspath(output))
    request = (key, table_key or "", names, prefix or "", bool(replace), target, bool(wait))
    with reporting(progress, "attach") as report:
        if isinstance(table, Mapping):
            arrays, rows = _arrays_of(table, ordinals if key in ("_id", b"_id") else None, table_key)
            return _ofindex.attach_arrays(source, arrays, rows, "arrays", *request, report)
        wanted = [table_key or key, *names] if names else None
        stream, name = _stream_of(table, wanted)
        return _ofindex.attach_stream(source, stream.__arrow_c_stream__(), name, *request, report)


def _stream_of(table: Table, wanted: list[Any] | None) -> tuple[Any, str]:
    """Return an object with ``__arrow_c_stream__``, and the name of the table; `wanted` are the columns that are read,
    if not all."""
    if hasattr(table, "__arrow_c_stream__"):
        return table, f"{type(table).__module__.split('.')[0]}.{type(table).__qualname__}"
    if not isinstance(table, (str, bytes, os.PathLike)):
        raise TypeError(
            f"a table is a data frame, a mapping of arrays or the path of a Parquet file, not {type(table).__name__}"
            f"{frame_advice(table)}"
        )
    path = os.fsdecode(table)
    if not path.lower().endswith((".parquet", ".pq")):
        raise ValueError(
            f"{path}: expected a Parquet file\nread it with polars or pandas, or attach it with `ofindex attach`"
        )
    return _parquet(path, wanted), path


def _parquet(path: str, wanted: list[Any] | None) -> Any:
    """Return a stream of a Parquet file, read some rows at a time."""
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError as error:
        raise ImportError("attaching Parquet needs pyarrow: pip install pyarrow") from error
    file = pyarrow.parquet.ParquetFile(path, pre_buffer=False)
    known = [name for name in wanted or () if name in file.schema_arrow.names]
    names = known if wanted is not None and len(known) == len(wanted) else None  # a missing one is told with the others
    schema = file.schema_arrow if names is None else pyarrow.schema([file.schema_arrow.field(name) for name in names])
    batches = file.iter_batches(batch_size=_BATCH_ROWS, columns=names)
    return pyarrow.RecordBatchReader.from_batches(schema, (batch.select(schema.names) for batch in batches))


def _arrays_of(
    table: Mapping[Any, Any], ordinals: npt.NDArray[Any] | None, table_key: str | None
) -> tuple[list[_ofindex.ArrayColumn], int]:
    """Return the columns of a mapping, and the number of its rows. Without a column of ordinals, the rows are those of
    `ordinals`."""
    arrays = {name: np.ma.asanyarray(values) for name, values in table.items()}
    if ordinals is not None and (table_key or "_id") not in arrays:
        for name, values in arrays.items():
            if values.ndim == 1 and len(values) != len(ordinals):
                raise ValueError(
                    f"array {name!r} has {len(values):,} values; expected {len(ordinals):,}, one for each record\n"
                    "for some of the records, add an array '_id' with their numbers"
                )
        arrays = {table_key or "_id": np.ma.asanyarray(ordinals), **arrays}
    if not arrays:
        raise ValueError("the table has no columns")
    sizes = {len(values) if values.ndim else -1 for values in arrays.values()}
    if len(sizes) > 1 or -1 in sizes:
        raise ValueError(f"arrays of different lengths: {', '.join(f'{name!r}' for name in arrays)}")
    return [_array(name, values) for name, values in arrays.items()], sizes.pop()


def _array(name: Any, values: Any) -> _ofindex.ArrayColumn:
    """Return one array as the extension takes it."""
    if values.ndim != 1:
        raise ValueError(f"array {name!r} has the shape {values.shape}; expected one value for each record")
    data = np.asarray(np.ma.getdata(values))
    mask = np.ma.getmaskarray(values)
    nulls = mask.view(np.uint8) if bool(mask.any()) else None
    if data.dtype.kind in "biu":
        if data.dtype == np.uint64 and data.size and int(data.max()) > np.iinfo(np.int64).max:
            raise ValueError(
                f"array {name!r}: {int(data.max())} does not fit int64\nconvert it to float64, or to texts"
            )
        return _ofindex.ArrayColumn(name, "int64", _bytes_of(data.astype(np.int64)), None, nulls)
    if data.dtype.kind == "f":
        short = data.dtype.itemsize <= 4
        kind = "float32" if short else "float64"
        return _ofindex.ArrayColumn(name, kind, _bytes_of(data.astype(kind)), None, nulls)
    if data.dtype.kind in "SUO":
        return _texts(name, data.tolist(), mask)
    raise TypeError(
        f"array {name!r} has the type {data.dtype}; expected numbers, truth values, str or bytes\nuse its astype()"
    )


def _texts(name: Any, items: list[Any], mask: npt.NDArray[np.bool_]) -> _ofindex.ArrayColumn:
    """Return a column of str or bytes; None is NULL."""
    encoded: list[bytes] = []
    nulls = mask.copy()
    for at, item in enumerate(items):
        if item is None or nulls[at]:
            nulls[at] = True
            encoded.append(b"")
        elif isinstance(item, str):
            encoded.append(item.encode("utf-8", "surrogateescape"))
        elif isinstance(item, (bytes, bytearray)):
            encoded.append(bytes(item))
        else:
            raise TypeError(f"array {name!r}: item {at} is {type(item).__name__}; expected str, bytes or None")
    offsets = np.zeros(len(encoded) + 1, np.int64)
    np.cumsum([len(text) for text in encoded], out=offsets[1:])
    data = np.frombuffer(b"".join(encoded), np.uint8)
    return _ofindex.ArrayColumn(name, "bytes", data, offsets, nulls.view(np.uint8) if bool(nulls.any()) else None)


def _bytes_of(values: npt.NDArray[Any]) -> npt.NDArray[np.uint8]:
    return np.ascontiguousarray(values).view(np.uint8)

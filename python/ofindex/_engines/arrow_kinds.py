"""The columns that conditions may name, by their Arrow types."""

from __future__ import annotations

import pyarrow as pa

from .conditions import Columns, Kind

_KINDS: dict[pa.DataType, Kind] = {
    pa.int64(): "integer",
    pa.float32(): "float",
    pa.float64(): "double",
    pa.large_string(): "text",
    pa.large_binary(): "bytes",
}


def columns_of(schema: pa.Schema) -> Columns:
    """Return the columns of `schema`, which has the types of `Dataset.arrow`."""
    return Columns({field.name: _KINDS.get(field.type, "other") for field in schema})

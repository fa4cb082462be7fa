"""A Selection as a reader of Spark: partitions, filters and Arrow batches."""

from __future__ import annotations

import contextlib
import os
import uuid
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import pyarrow as pa
from pyspark.sql.datasource import (
    DataSourceReader,
    EqualNullSafe,
    EqualTo,
    Filter,
    GreaterThan,
    GreaterThanOrEqual,
    In,
    InputPartition,
    IsNotNull,
    IsNull,
    LessThan,
    LessThanOrEqual,
    Not,
    StringStartsWith,
)
from pyspark.sql.pandas.types import from_arrow_schema, to_arrow_schema
from pyspark.sql.types import StructType

from .arrow_kinds import columns_of
from .conditions import Columns, Comparison, Condition, all_of, negated
from .scanning import selected
from .selection import Selection

_COMPARISONS: dict[type[Filter], Comparison] = {
    EqualTo: "=",
    EqualNullSafe: "=",
    GreaterThan: ">",
    GreaterThanOrEqual: ">=",
    LessThan: "<",
    LessThanOrEqual: "<=",
}
_WIDER = {
    pa.uint8(): pa.int16(), pa.uint16(): pa.int32(), pa.uint32(): pa.int64(), pa.uint64(): pa.int64(),
    pa.float16(): pa.float32(),
}  # fmt: skip
_TASK_BYTES = 128 << 20  # a task costs Spark some 70 ms beyond its rows
_LEAST_TASK_BYTES = 4 << 20
_MAX_TASKS = 10_000  # more would only keep the driver busy


def spark_schema(selection: Selection) -> StructType:
    """Return the columns of a selection for Spark: unsigned integers and float16 wider, tensors nested arrays."""
    known = pa.schema([(field.name, _known(field.type)) for field in selection.schema])
    return from_arrow_schema(known)


def _known(kind: pa.DataType) -> pa.DataType:
    if pa.types.is_large_list(kind) or pa.types.is_fixed_size_list(kind):
        return pa.list_(_known(kind.value_type))
    if kind == pa.large_string():
        return pa.string()
    return pa.binary() if kind == pa.large_binary() else _WIDER.get(kind, kind)


def task_count(selection: Selection, cores: int) -> int:
    """Return into how many tasks to divide a selection, on a cluster that runs `cores` at once."""
    size = len(selection.view) * selection.mean_bytes()
    return min(int(max(size / _TASK_BYTES, min(cores, size / _LEAST_TASK_BYTES))) + 1, _MAX_TASKS)


def condition_of(filter: Filter, columns: Columns) -> Condition | None:
    """Return a condition that holds for all rows for which `filter` does; None if there is none."""
    if isinstance(filter, Not):
        inner = filter.child
        if isinstance(inner, EqualNullSafe) or (isinstance(inner, In) and None in inner.value):
            return None  # their negations treat NULL differently from SQL's NOT
        return negated(condition_of(inner, columns))
    path: tuple[str, ...] = getattr(filter, "attribute", ())
    if len(path) != 1:
        return None
    column = path[0]
    if isinstance(filter, IsNull):
        return columns.is_null(column)
    if isinstance(filter, IsNotNull):
        return negated(columns.is_null(column))
    if isinstance(filter, In):
        return columns.among(column, [value for value in filter.value if value is not None])
    if isinstance(filter, StringStartsWith):
        return columns.starts_with(column, filter.value)
    if isinstance(filter, EqualNullSafe) and filter.value is None:
        return columns.is_null(column)
    operator = _COMPARISONS.get(type(filter))
    return None if operator is None else columns.compare(column, operator, filter.value)


class SelectionReader(DataSourceReader):  # type: ignore[misc]
    """Reads a selection. Leaves all filters to Spark."""

    def __init__(self, selection: Selection, schema: StructType, tasks: int) -> None:
        """
        Args:
            schema: Columns of the selection, with the types that Spark wants.
            tasks: Into how many to divide the rows.
        """
        self._selection = selection.with_names(schema.fieldNames())
        self._schema = schema
        self._tasks = tasks
        # A feature that is decoded from the records may have the name of a column, but not its values.
        self._columns = columns_of(selection.stored)

    def partitions(self) -> Sequence[InputPartition]:
        return [InputPartition(view) for view in self._selection.parts(self._tasks)]

    def __getstate__(self) -> dict[str, Any]:
        # Each task gets its rows with its partition, and need not get all of them with the reader.
        return {**self.__dict__, "_selection": self._selection.with_view(self._selection.view[:0])}

    def read(self, partition: InputPartition) -> Iterator[Any]:
        selection = self._selection.with_view(partition.value)
        wanted = to_arrow_schema(self._schema, timezone="UTC")
        for table in selection.tables(mean_bytes=selection.mean_bytes()):
            yield from table.cast(wanted).combine_chunks().to_batches()


class PushingReader(SelectionReader):
    """Also takes the filters of one query.

    Spark 4.3 keeps what a reader has planned with the data frame it was made for, and gives it to every later query
    and to both sides of a union: the rows of the filters that were pushed last. So other filters are refused.
    """

    def __init__(self, selection: Selection, schema: StructType, tasks: int, mark: str) -> None:
        """
        Args:
            mark: The path of an empty file, on the driver; beside it, the filters of the data frame are kept.
        """
        super().__init__(selection, schema, tasks)
        self._mark = mark

    def pushFilters(self, filters: list[Filter]) -> Iterable[Filter]:
        if not os.path.exists(self._mark):
            raise ValueError("the session that made this data frame is gone, or its temporary files: read() it again")
        said = "\n".join(sorted(map(repr, filters)))
        if _first_said(self._mark + ".filters", said) != said:
            raise ValueError(
                "a data frame with push_filters=True is for one query: Spark would give it the rows of another\n"
                "read() it again for each query and each side of a union or join, or give it where="
            )
        conditions = [(filter, condition_of(filter, self._columns)) for filter in filters]
        pushed = all_of(condition for _, condition in conditions if condition is not None)
        self._selection = self._selection.with_view(selected(self._selection.view, pushed))
        return [filter for filter, condition in conditions if condition is None or not condition.exact]


def _first_said(path: str, text: str) -> str:
    """Write `text` to a new file, and return what it holds if it is there."""
    temporary = f"{path}.{uuid.uuid4().hex}"
    with open(temporary, "w", encoding="utf-8") as file:
        file.write(text)
    with contextlib.suppress(FileExistsError):
        os.link(temporary, path)
    os.unlink(temporary)
    with open(path, encoding="utf-8") as file:
        return file.read()

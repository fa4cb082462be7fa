"""A Dataset as a pyarrow.dataset.Dataset, for all that reads those: DuckDB, Polars, pyarrow itself."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, NoReturn

import pyarrow as pa
import pyarrow.dataset as pads

from .scanning import selected, steps
from .substrait import Filter

if TYPE_CHECKING:
    from .._dataset import Dataset


class ArrowDataset(pads.Dataset):  # type: ignore[misc]
    """The columns of a dataset. A scan reads those that are asked for, of the rows that the index finds by the filter,
    and pyarrow applies the rest of the filter. Made by `Dataset.to_arrow_dataset`; pickles like the Dataset.
    Thread-safe."""

    def __init__(self, dataset: Dataset) -> None:
        # The C++ object of the base class does not exist, and nothing that would use it is left.
        self._dataset = dataset
        self._columns = pa.schema(pa.RecordBatchReader.from_stream(dataset[:0].arrow()).schema)

    @property
    def schema(self) -> pa.Schema:
        return self._columns

    def scanner(
        self,
        columns: Sequence[str] | dict[str, Any] | None = None,
        filter: Any = None,
        **options: Any,
    ) -> pads.Scanner:
        """Return a scanner of some rows and columns.

        Args:
            columns: Names, or names and the expressions that compute them; None: all columns.
            filter: A pyarrow.compute.Expression; None: all rows.
            options: As in pyarrow: of these, `batch_size` and `use_threads` have an effect on the rest of the filter
                and on expressions.
        """
        pushed = None if filter is None else Filter(filter, self._columns)
        names = self._columns.names
        if columns is not None and not isinstance(columns, dict) and (pushed is None or pushed.columns is not None):
            wanted = list(dict.fromkeys([*columns, *(pushed.columns or [] if pushed else [])]))
            unknown = [name for name in wanted if name not in names]
            if unknown:
                raise pa.ArrowInvalid(f"no column is called {unknown[0]!r}")
            names = wanted or names[:1]
        view = selected(self._dataset, pushed.condition if pushed else None)
        used = {name: options[name] for name in ("batch_size", "use_threads", "memory_pool") if name in options}
        return pads.Scanner.from_batches(
            self._batches(view, names),
            schema=pa.schema([self._columns.field(name) for name in names]),
            columns=columns,
            filter=filter,
            **used,
        )

    @staticmethod
    def _batches(view: Dataset, names: list[str]) -> Iterator[pa.RecordBatch]:
        for step in steps(view):
            yield from pa.RecordBatchReader.from_stream(step.arrow(names))

    def count_rows(self, filter: Any = None, **options: Any) -> int:
        """Return the number of rows; without a filter, no column is read."""
        return len(self._dataset[:]) if filter is None else super().count_rows(filter=filter, **options)

    def __reduce__(self) -> tuple[Any, ...]:
        return ArrowDataset, (self._dataset,)

    def __repr__(self) -> str:
        return f"<ofindex ArrowDataset of {self._dataset!r}>"

    def _refuse(self, *_: Any, **__: Any) -> NoReturn:
        raise NotImplementedError("not for an ofindex dataset: read it with scanner(), to_table() or to_batches()")

    get_fragments = replace_schema = filter = sort_by = join = join_asof = _refuse
    partition_expression = property(_refuse)

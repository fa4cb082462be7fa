"""The records and values that a distributed engine reads, block by block. It pickles, so that any worker can read any
block."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from typing import Any

import pyarrow as pa

from .._dataset import Dataset
from .._features import Feature, Features
from .decoded import Tensors, nested_lists, to_arrow, type_of

BLOCK_BYTES = 32 << 20
"""Of payloads that are read at once."""

_PAYLOAD = "payload"


class Selection:
    """Columns, features and payloads of a view of a dataset."""

    def __init__(
        self,
        view: Dataset,
        columns: Sequence[str] | None = None,
        features: Features | None = None,
        payloads: bool = False,
        tensors: Tensors = nested_lists,
    ) -> None:
        """
        Args:
            columns: Columns of the index; None: all that it stores, or none if features or payloads are read.
            features: Features to decode from the records; one replaces a column of the same name.
            payloads: Also give the payloads, as a column "payload".
            tensors: Makes the arrays of features with a shape.
        """
        if isinstance(columns, (str, bytes)):
            raise TypeError(f"columns are a list, not {type(columns).__name__}: columns=[{columns!r}]")
        self.view = view
        self._features: dict[str, Feature] = dict(features or {})
        self._payloads = payloads
        self._tensors = tensors
        wanted = [] if columns is None and (self._features or payloads) else columns
        stored = pa.RecordBatchReader.from_stream(view[:0].arrow(None if wanted is None else list(wanted) or ["_id"]))
        fields = {} if wanted is not None and not wanted else {field.name: field for field in stored.schema}
        for name, feature in self._features.items():
            if feature.dtype == "bfloat16":
                raise TypeError(f'feature {name!r}: Arrow has no bfloat16\nask for "float32" or "float16"')
            fields[name] = pa.field(name, type_of(feature, tensors))
        if payloads:
            fields[_PAYLOAD] = pa.field(_PAYLOAD, pa.large_binary())
        if not fields:
            raise ValueError("nothing to read: expected columns, features or payloads=True")
        self.schema = pa.schema(list(fields.values()))

    @property
    def stored(self) -> pa.Schema:
        """The columns that come from the index."""
        own = {*self._features, *([_PAYLOAD] if self._payloads else [])}
        return pa.schema([field for field in self.schema if field.name not in own])

    @property
    def reads_records(self) -> bool:
        """Whether record files are read, and not the index alone."""
        return self._payloads or bool(self._features)

    def with_view(self, view: Dataset) -> Selection:
        """Return the same values of other records."""
        other = object.__new__(Selection)
        other.__dict__ = {**self.__dict__, "view": view}
        return other

    def with_names(self, names: Sequence[str]) -> Selection:
        """Return some of the values of the same records."""
        other = self.with_view(self.view)
        other.schema = pa.schema([self.schema.field(name) for name in names])
        other._features = {name: feature for name, feature in self._features.items() if name in names}
        other._payloads = self._payloads and _PAYLOAD in names
        return other

    def mean_bytes(self) -> float:
        """Estimate the bytes of a row in memory."""
        numbers = 12.0 * len(self.schema)
        if not self.reads_records or len(self.view) == 0:
            return numbers
        return numbers + float(self.view.stats("_length", top=0, bins=1)["mean"])

    def parts(self, count: int) -> list[Dataset]:
        """Return the view in at most `count` pieces of about equal numbers of records, in order."""
        size = len(self.view)
        count = max(1, min(count, size))
        bounds = [size * part // count for part in range(count + 1)]
        return [self.view[begin:end] for begin, end in itertools.pairwise(bounds)]

    def tables(self, view: Dataset | None = None, mean_bytes: float = 1.0) -> Iterator[pa.Table]:
        """Yield the rows, some at a time, in order; an empty table if there are none."""
        view = self.view if view is None else view
        rows = max(1, min(65_536, int(BLOCK_BYTES / max(mean_bytes, 1.0))))
        for begin in range(0, max(len(view), 1), rows):
            yield self._table(view[begin : begin + rows])

    def _table(self, view: Dataset) -> pa.Table:
        stored = self.stored.names
        arrays: dict[str, Any] = {}
        if stored:
            table = pa.table(view.arrow(stored))
            arrays = {name: table.column(name) for name in stored}
        if self._features:
            batch = view.batch(range(len(view)), self._features)
            arrays |= {name: to_arrow(values, self._tensors) for name, values in batch.items()}
        if self._payloads:
            arrays[_PAYLOAD] = pa.array(view.__getitems__(range(len(view))), pa.large_binary())
        return pa.table([arrays[name] for name in self.schema.names], schema=self.schema)

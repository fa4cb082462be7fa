"""Data frames of Spark, written as one set of shards."""

from __future__ import annotations

import contextlib
import os
import shutil
import uuid
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import pyarrow as pa
from pyspark import TaskContext
from pyspark.sql.datasource import DataSourceArrowWriter, WriterCommitMessage

from .. import _ofindex
from .._errors import FeatureError
from .._pack_arrow import kinds_of, records_of
from .._pack_values import Flattener, TimeUnit
from .._writer import Format, Payload, Writer, gzipped, payload_for

_PAYLOAD = "payload"


@dataclass
class _Written(WriterCommitMessage):  # type: ignore[misc]
    """The shard of a task; no path if it would be empty."""

    partition: int
    path: str | None


@dataclass(frozen=True)
class SetOptions:
    """How to write the shards; the fields are as in `ofindex.pack`."""

    to: Format = "tfrecord"
    payload: Payload | None = None
    compress: Any = None
    time_unit: TimeUnit = "us"
    allow_nan: bool = False
    schema: Any = None


class SetWriter(DataSourceArrowWriter):  # type: ignore[misc]
    """Writes a shard for each task, in a hidden folder next to the output, where nobody takes them for data. The last
    step makes a set of one shard of each task, all at once; what other attempts have left is removed with the folder.

    Rows become records as in `ofindex.pack`; a binary column "payload", if it is the only one, has whole records.
    """

    def __init__(self, output: str, schema: pa.Schema, overwrite: bool, options: SetOptions) -> None:
        """
        Raises:
            ValueError: options are wrong, or a set that cannot be replaced or continued is there.
        """
        self._output = output
        self._overwrite = overwrite
        self._options = options
        self._gzip = gzipped(output, options.compress)
        self._message = payload_for(options.to, options.payload)
        if _PAYLOAD in schema.names and (len(schema) > 1 or schema.field(_PAYLOAD).type != pa.binary()):
            raise ValueError(
                "a column 'payload' has whole records: expected it to be binary, and the only column\n"
                "select('payload') to write records as they are, or rename it"
            )
        self._whole = _PAYLOAD in schema.names
        self._kinds = kinds_of(schema, self._message == "ofrecord")
        _ofindex.plan_shards(output, options.to, self._gzip, 1, True)
        folder, name = os.path.split(output.rstrip("/"))
        self._staging = os.path.join(folder, f".{name}.{uuid.uuid4().hex}.ofindex-draft")
        os.makedirs(self._staging)

    def write(self, iterator: Iterator[pa.RecordBatch]) -> WriterCommitMessage:
        context = TaskContext.get()
        partition, attempt = (context.partitionId(), context.taskAttemptId()) if context is not None else (0, 0)
        path = os.path.join(self._staging, f"{partition:05}-{attempt}.shard")
        with self._begun(path) as writer:
            try:
                for record in self._records(iterator):
                    writer.write(record)
            except FeatureError as error:
                raise FeatureError(f"partition {partition}: {error}") from None
            if writer.records == 0:
                writer.abandon()
                return _Written(partition, None)
        return _Written(partition, path)

    def commit(self, messages: Sequence[WriterCommitMessage | None]) -> None:
        written = sorted((each for each in messages if isinstance(each, _Written)), key=lambda each: each.partition)
        shards = [each.path for each in written if each.path is not None]
        try:
            if not shards:
                shards = [os.path.join(self._staging, "empty.shard")]
                self._begun(shards[0]).close()
            _ofindex.adopt_shards(
                self._output, self._options.to, self._gzip, shards, self._overwrite, not self._overwrite
            )
        finally:
            self.abort([])

    def abort(self, messages: Sequence[WriterCommitMessage | None]) -> None:
        # Tasks that still run begin nothing new in a folder that has lost its name.
        with contextlib.suppress(FileNotFoundError):
            gone = self._staging + ".gone"
            os.rename(self._staging, gone)
            shutil.rmtree(gone, ignore_errors=True)

    def _begun(self, path: str) -> Writer:
        options = self._options
        kinds = {**{name: kind for name, kind in self._kinds.kinds.items() if kind}, **(options.schema or {})}
        return Writer(path, options.to, payload=self._message, schema=None if self._whole else kinds,
                      compress="gzip" if self._gzip else None, allow_nan=options.allow_nan)  # fmt: skip

    def _records(self, batches: Iterator[pa.RecordBatch]) -> Iterator[Any]:
        if self._whole:
            for batch in batches:
                yield from batch.column(0).to_pylist()
            return
        kinds = self._kinds
        steps = self._message == "sequence_example"
        flattener = Flattener(self._options.time_unit, steps, kinds.byte_lists, kinds.nanoseconds)
        number = 0
        for batch in batches:
            for record in records_of(batch):
                yield flattener.features(record, number)
                number += 1

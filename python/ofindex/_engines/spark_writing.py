"""Data frames of Spark, written as one set of shards."""

from __future__ import annotations

import contextlib
import os
import shutil
import time
import uuid
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, get_args

import pyarrow as pa
from pyspark import TaskContext
from pyspark.sql.datasource import DataSourceArrowWriter, WriterCommitMessage

from .. import _ofindex
from .._errors import FeatureError, LockError
from .._pack_arrow import kinds_of, records_of
from .._pack_values import Flattener, TimeUnit
from .._writer import Format, Kind, Payload, Writer, gzipped, payload_for

_PAYLOAD = "payload"
_LOCKED_SECONDS = 60


def _missing(folder: str) -> list[str]:
    """Return `folder` and the folders above it that do not exist, innermost first."""
    return [] if os.path.lexists(folder) else [folder, *_missing(os.path.dirname(folder))]


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
    """Writes a shard for each task, in a hidden folder next to the output or in it, which readers ignore. `commit`
    publishes one shard of each task, all at once; what other attempts have left is removed with the folder.

    Rows become records as in `ofindex.pack`; a binary column "payload", if it is the only one, has whole records.
    """

    def __init__(self, output: str, schema: pa.Schema, overwrite: bool, options: SetOptions) -> None:
        """
        Raises:
            ValueError: options are wrong, or there is a set that cannot be replaced or continued.
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
        self._flattener()
        unknown = set((options.schema or {}).values()) - set(get_args(Kind))
        if unknown:
            raise ValueError(f"schema: unknown kinds {sorted(unknown)}: expected some of {', '.join(get_args(Kind))}")
        if self._message not in get_args(Payload):
            raise ValueError(f"payload={self._message!r}: expected one of {', '.join(get_args(Payload))}")
        _ofindex.plan_shards(output, options.to, self._gzip, 1, True)
        if not overwrite:
            _ofindex.check_append(output, options.to, self._gzip)
        target = os.path.realpath(output)
        folder, name = os.path.split(target)
        if name.startswith("."):
            raise ValueError(f"{output}: readers ignore hidden folders: expected a name that does not begin with a dot")
        if os.path.ismount(target) or (os.path.isdir(target) and not os.access(folder, os.W_OK)):
            folder = target  # which stays, and its files are exchanged
        self._staging = os.path.join(folder, f".{name}.{uuid.uuid4().hex}.ofindex-draft")
        self._made = _missing(folder)
        os.makedirs(self._staging)

    def write(self, iterator: Iterator[pa.RecordBatch]) -> WriterCommitMessage:
        context = TaskContext.get()
        partition = context.partitionId()
        path = os.path.join(self._staging, f"{partition:05}-{context.taskAttemptId()}.shard")
        with self._begun(path) as writer:
            try:
                for record in self._records(iterator):
                    writer.write(record)
            except FeatureError as error:
                placed = FeatureError(f"partition {partition}: {error}")
                placed.hint = error.hint
                raise placed from None
            if writer.records == 0:
                writer.abandon()
                return _Written(partition, None)
        return _Written(partition, path)

    def commit(self, messages: Sequence[WriterCommitMessage | None]) -> None:
        written = sorted((each for each in messages if isinstance(each, _Written)), key=lambda each: each.partition)
        if [each.partition for each in written] != list(range(len(messages))):
            raise RuntimeError(f"{len(written)} of {len(messages)} tasks said what they wrote; nothing is published")
        shards = [each.path for each in written if each.path is not None]
        continues = not self._overwrite and os.path.isdir(self._output)
        if not shards and not continues:
            shards = [os.path.join(self._staging, "empty.shard")]
            self._begun(shards[0]).close()
        if shards:
            self._publish(shards)
        self.abort([])

    def _publish(self, shards: list[str]) -> None:
        """Make the set, when no other writer is at it: what the tasks have written must not be lost to that."""
        end = time.monotonic() + _LOCKED_SECONDS
        while True:
            try:
                _ofindex.adopt_shards(
                    self._output, self._options.to, self._gzip, shards, self._overwrite, not self._overwrite
                )
                return
            except LockError:
                if time.monotonic() > end:
                    raise
                time.sleep(0.2)

    def abort(self, messages: Sequence[WriterCommitMessage | None]) -> None:
        # Tasks that still run begin nothing new in a folder that has lost its name. What cannot be removed is hidden,
        # and must not make Spark write a set again that has been published.
        gone = self._staging + ".gone"
        with contextlib.suppress(OSError):
            os.rename(self._staging, gone)
        shutil.rmtree(gone, ignore_errors=True)
        for folder in self._made:
            with contextlib.suppress(OSError):  # it holds the set, or another one
                os.rmdir(folder)

    def _begun(self, path: str) -> Writer:
        options = self._options
        kinds = {**{name: kind for name, kind in self._kinds.kinds.items() if kind}, **(options.schema or {})}
        return Writer(path, options.to, payload=self._message, schema=None if self._whole else kinds,
                      compress="gzip" if self._gzip else None, allow_nan=options.allow_nan)  # fmt: skip

    def _flattener(self) -> Flattener:
        kinds = self._kinds
        steps = self._message == "sequence_example"
        return Flattener(self._options.time_unit, steps, kinds.byte_lists, kinds.nanoseconds)

    def _records(self, batches: Iterator[pa.RecordBatch]) -> Iterator[Any]:
        flattener = self._flattener()
        number = 0
        for batch in batches:
            for record in batch.column(0).to_pylist() if self._whole else records_of(batch):
                if record is None:
                    raise FeatureError(f"record {number:,}: the payload is null")
                yield record if self._whole else flattener.features(record, number)
                number += 1

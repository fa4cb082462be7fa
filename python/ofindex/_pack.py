"""Writes shards from other data."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Any, Literal

from . import _ofindex
from ._arguments import whole
from ._errors import FeatureError
from ._foreign import explained
from ._opening import build
from ._pack_source import Kinds, Source
from ._pack_sources import sources_of
from ._pack_spool import SPOOL, spool_folder
from ._pack_values import Flattener, TimeUnit
from ._progress import Report, reporting
from ._source import Path
from ._writer import Format, Kind, Payload, Writer, gzipped, payload_for

_MAX_SHARDS = 99_999  # the maximum for the five digits in their names
_READ_AT_ONCE = 16 << 20  # bytes of shuffled records


@explained
def pack(
    source: Path | Sequence[Path] | Iterable[Mapping[Any, Any]],
    output: Path,
    to: Format,
    *,
    payload: Payload | None = None,
    shards: int | None = None,
    seed: int | None = None,
    schema: Mapping[str, Kind] | None = None,
    compress: Literal["gzip"] | None = None,
    time_unit: TimeUnit = "us",
    allow_nan: bool = False,
    force: bool = False,
    progress: bool | Report | None = None,
) -> list[str]:
    """Write the records of Parquet and Avro files, or of an iterable of mappings, into new shards::

        rows = ({"label": number % 10, "text": f"text {number}"} for number in range(1000))
        shards = ofindex.pack(rows, "data/packed", "tfrecord", shards=4, seed=1)  # `seed` shuffles the records
        len(ofindex.build("data/packed"))  # 1000

    All shards appear at once, when the last one is complete; until then, and after an error, `output` is unchanged.
    Memory holds a few thousand records, whatever the size. docs/python_details.md has the table of type conversions.

    Args:
        source: A file, a folder, a glob, a list of these, or mappings of names to values. Parquet needs pyarrow, Avro
            needs fastavro. CSV, JSON lines and folders of other files are packed by the command ``ofindex pack``.
        output: A file, if it ends in ``.tfrecord``, ``.tfrecord.gz`` or ``.ofrecord`` or is called ``part-N``, and
            `shards` is None; otherwise a folder of ``part-0``, ``part-1``, ... for OFRecords, or of
            ``NAME-00000-of-00008.tfrecord``, ... for TFRecords, where NAME is the folder's own name.
        to: "tfrecord" or "ofrecord".
        payload: "example" or "sequence_example" in TFRecords, "ofrecord" in OFRecords; None: Example or OFRecord.
            Arrays of arrays become feature lists in a SequenceExample, and a single list in other payloads.
        shards: Number of shards, at most 99,999, filled in order with equal shares. None: 1.
        seed: Shuffle all records, across shards: the same order for the same seed and number of records. Meanwhile,
            a temporary copy of all records next to `output` takes as much disk space again.
        schema: Feature name -> kind, as for `Writer`; overrides the source's own schema.
        compress: "gzip", for TFRecords; None: implied by the name of `output`.
        time_unit: "s", "ms", "us" or "ns", for times, timestamps and durations. Dates are days since 1970.
        allow_nan: Also accept NaN.
        force: Replace an earlier set of shards of the same format. Other files, and inputs, are never replaced.
        progress: As for `build`; a callable gets (bytes_read, bytes_total, records).

    Returns:
        The paths of the shards, in order.

    Raises:
        FeatureError: a value cannot be stored in the payload; the text names file, record and feature. FormatError: a
        Parquet or Avro file is truncated or damaged. ValueError: output exists and cannot be replaced, or arguments are
        invalid. LockError: another process packs into output. ImportError: pyarrow, fastavro or one of its codecs is
        not installed. OSError: files cannot be read or written.
    """
    if to not in ("tfrecord", "ofrecord"):
        raise ValueError(f"to={to!r}: expected 'tfrecord' or 'ofrecord'")
    wanted = payload_for(to, payload)
    count = None if shards is None else whole(shards, "shards", 1, _MAX_SHARDS)
    number = None if seed is None else whole(seed, "seed")
    plan = _ofindex.plan_shards(os.fspath(output), to, gzipped(output, compress), count, bool(force))
    sources = sources_of(source)
    plan.check([one.name for one in sources if one.name], bool(force))
    said = _joined(sources, wanted == "ofrecord")
    kinds = {**{name: kind for name, kind in said.kinds.items() if kind}, **(schema or {})}
    flattener = Flattener(time_unit, wanted == "sequence_example", said.byte_lists, said.nanoseconds)
    with reporting(progress, "pack") as report:
        records = _records(sources, flattener, report)
        total = _total(sources) if number is None else None
        if number is None and (total is not None or len(plan.paths) == 1):
            with _published(_ofindex.ShardSet(plan, total, wanted, kinds, allow_nan)) as written:
                _write(written, records, total)
        else:
            with _spool(output, to, wanted, kinds, allow_nan) as spool:
                _write(spool, records, None)
                spool.close()
                with _published(_ofindex.ShardSet(plan, spool.records, wanted, None, allow_nan)) as written:
                    for batch in _payloads(spool, to, number):
                        for one in batch:
                            written.write(one)
    return list(plan.paths)


def _joined(sources: list[Source], wide: bool) -> Kinds:
    said = Kinds()
    for source in sources:
        said.join(source.kinds(wide))
    return said


def _total(sources: list[Source]) -> int | None:
    total = 0
    for source in sources:
        count = source.count()
        if count is None:
            return None
        total += count
    return total


def _records(
    sources: list[Source], flattener: Flattener, report: Report | None
) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield the features of every record, with its origin."""
    size, done, number = sum(source.size for source in sources), 0, 0
    for source in sources:
        try:
            for batch, read in source.batches():
                for record in batch:
                    yield source.name, flattener.features(record, number)
                    number += 1
                if report is not None:
                    report(done + read, size, number)
        except FeatureError as error:
            raise _at(source.name, error) from None
        done += source.size


def _at(name: str, error: FeatureError) -> FeatureError:
    if not name or str(error).startswith(name):
        return error
    placed = FeatureError(f"{name}: {error}")
    placed.hint = error.hint
    return placed


def _write(
    target: Writer | _ofindex.ShardSet, records: Iterable[tuple[str, dict[str, Any]]], total: int | None
) -> None:
    for name, features in records:
        if total is not None and target.records == total:
            raise ValueError(f"{name or 'the records'}: more than the {total:,} records that were counted")
        try:
            target.write(features)
        except FeatureError as error:
            raise _at(name, error) from None
    if total is not None and target.records < total:
        raise ValueError(f"{target.records:,} records instead of the {total:,} that were counted")


@contextlib.contextmanager
def _published(written: _ofindex.ShardSet) -> Iterator[_ofindex.ShardSet]:
    """Rename the shards into place at the end of the block, or discard them if it fails."""
    try:
        yield written
        written.publish()
    finally:
        written.abandon()


@contextlib.contextmanager
def _spool(output: Path, to: Format, payload: Payload, kinds: Mapping[str, Any], allow_nan: bool) -> Iterator[Writer]:
    """A temporary shard, on the same disk as the output."""
    with (
        spool_folder(output) as folder,
        Writer(os.path.join(folder, SPOOL), to, payload=payload, schema=kinds, allow_nan=allow_nan) as spool,
    ):
        yield spool


def _payloads(spool: Writer, to: Format, seed: int | None) -> Iterator[list[bytes]]:
    if spool.records == 0:
        return
    data = build(spool.path, verify=False, columns="none", progress=False, format=to, payload="opaque")
    order = iter(range(len(data)) if seed is None else data.sampler(seed, rank=0, world_size=1))
    at_once = max(1, min(4096, _READ_AT_ONCE * spool.records // spool.size))
    while numbers := list(islice(order, at_once)):
        yield data.__getitems__(numbers)

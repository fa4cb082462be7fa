"""Datasets are opened, or built and opened."""

from __future__ import annotations

import os
import warnings
from collections.abc import Sequence
from typing import Literal

from . import _ofindex
from ._arguments import whole
from ._batch import thread_limit
from ._dataset import Dataset
from ._progress import Report, reporting
from ._source import Path, open_source

CACHE_BYTES = 320 << 20
"""Room for the spans of all runs that block="auto" has in flight."""


def open(
    path: Path,
    root: Path | None = None,
    io: Literal["auto", "mmap", "pread"] = "auto",
    *,
    allow_bad: bool = False,
    cache_bytes: int = CACHE_BYTES,
) -> Dataset:
    """Open a dataset, in no time whatever its size.

    Args:
        path: The index, or the data that it was built of: ``data/train`` finds ``data/train.ofidx``.
        root: Folder that holds a copy of the data; None: where the index says.
        io: How bytes are read: "mmap", "pread", or "auto", which maps except on network file systems.
        allow_bad: Give the payloads of records that are marked bad, too.
        cache_bytes: What is kept of compressed shards, inflated, by this process.

    Raises:
        FileNotFoundError: there is no index; the text says how to build it. Error: the index is corrupt or of another
        version.
    """
    options = {
        "root": None if root is None else os.path.abspath(os.fspath(root)),
        "io": io,
        "allow_bad": bool(allow_bad),
        "cache_bytes": whole(cache_bytes, "cache_bytes", 1, 1 << 60),
    }
    source = open_source(path, options)
    return Dataset(source, source.all_rows(), options)


def build(
    data: Path | Sequence[Path],
    output: Path | None = None,
    verify: bool = True,
    columns: str | Sequence[str] = "auto",
    threads: int | None = None,
    force: bool = False,
    progress: bool | Report | None = None,
    *,
    columns_optional: bool = False,
    format: Literal["auto", "tfrecord", "ofrecord"] = "auto",
    payload: Literal["auto", "example", "sequence_example", "ofrecord", "opaque"] = "auto",
    compression: Literal["auto", "none", "gzip", "zlib", "deflate"] = "auto",
    checkpoint_bytes: int = 2 << 20,
    max_ratio: int = 200,
    max_inflated_bytes: int = 1 << 40,
) -> Dataset:
    """Read shards once, in place, and write their index; one that is up to date is left alone.

    Args:
        data: A file, a folder, a quoted glob, ``@LIST``, or several.
        output: The index; None: called after `data`, beside it.
        verify: Look at every payload byte, too: CRC32C of TFRecords, and a hash of every payload in the index.
        columns: "auto", "none", or the names of the features that become columns, lists whole. "auto" before names adds
            them to the automatic columns: ``["auto", "boxes"]``, or ``"auto,boxes"`` as on the command line.
        threads: That compute; None: one a processor.
        force: Replace an index that is stale.
        progress: None shows a bar by tqdm where it is installed and there is a terminal or notebook; True, False; or a
            callable ``(bytes_done, bytes_total, records_done)``.
        columns_optional: Build although no record has a feature that `columns` names.
        format, payload, compression: What the files and their payloads are, instead of finding out. A bare deflate
            stream is never found out.
        checkpoint_bytes: Of what a compressed shard inflates to, between the places at which it can be entered: 1 MiB
            to 1 GiB. More makes a smaller index and slower reads.
        max_ratio, max_inflated_bytes: A shard that inflates to more bytes for each of its own, or to more in all, is a
            bomb.

    Returns:
        The dataset, open. Damage does not stop a build: ``ds.info["damage"]`` and ``ds.info["bad"]`` have it. Neither
        does a file below `data` that cannot be read: a RuntimeWarning names it, and ``ds.info["skipped"]`` has it.

    Raises:
        StaleError: there is an index, and it is not of these shards and options. LockError: another process builds it.
        ValueError: no record has a feature that `columns` names; the old index stays.
        FormatError, ValueError, OSError: the data are no record files, or cannot be read. LimitError: a bomb.
    """
    paths = [data] if isinstance(data, (str, bytes, os.PathLike)) else list(data)
    names = [] if isinstance(columns, str) else list(columns)
    if not isinstance(columns, str) and not names:
        columns = "none"
    with reporting(progress, "build") as report:
        built = _ofindex.build(
            [os.fspath(path) for path in paths],
            b"" if output is None else os.fspath(output),
            verify,
            columns if isinstance(columns, str) else "auto",
            names,
            bool(columns_optional),
            thread_limit(threads),
            force,
            format,
            payload,
            compression,
            whole(checkpoint_bytes, "checkpoint_bytes", 1 << 20, 1 << 30),
            whole(max_ratio, "max_ratio", 1, 2000),
            whole(max_inflated_bytes, "max_inflated_bytes", 1, 1 << 62),
            report,
        )
    for unreadable in built["unreadable"]:
        warnings.warn(f"{unreadable}; everything else is in the index", RuntimeWarning, stacklevel=2)
    return open(built["index"])

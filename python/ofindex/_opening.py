"""Functions that open datasets, or build and open them."""

from __future__ import annotations

import glob
import os
from collections.abc import Sequence
from typing import Any, Literal

from . import _ofindex
from ._arguments import whole
from ._batch import thread_limit
from ._building import inflate_limits, paths_of, run_build, warn_of
from ._dataset import Dataset
from ._foreign import explained, frame_advice
from ._progress import Report, reporting
from ._source import Path, open_source
from ._verbs import Verbs

CACHE_BYTES = 320 << 20
"""Enough for the spans of all runs that block="auto" has in flight."""


@explained
def open(
    path: Path,
    root: Path | None = None,
    io: Literal["auto", "mmap", "pread"] = "auto",
    *,
    allow_bad: bool = False,
    cache_bytes: int = CACHE_BYTES,
    attach: Path | Sequence[Path] = (),
) -> Dataset:
    """Open a dataset. Takes no time, whatever its size::

        ds = ofindex.open("data/train")  # or its index, "data/train.ofidx"

    Args:
        path: The index, or the data that it was built from: ``data/train`` finds ``data/train.ofidx``.
        root: Folder with a copy of the data; None: the location that the index records.
        io: How to read: "mmap", "pread", or "auto", which uses mmap except on network file systems.
        allow_bad: Also return the payloads of records that are marked bad.
        cache_bytes: Memory for inflated data of compressed shards, per process.
        attach: Files of attached columns that lie over the index, besides those next to it: what `Dataset.attach` wrote
            with `output`.

    Raises:
        FileNotFoundError: there is no index; the text says how to build it. Error: the index is corrupt or of another
        version.
    """
    options = {
        "root": None if root is None else os.path.abspath(os.fspath(root)),
        "io": io,
        "allow_bad": bool(allow_bad),
        "cache_bytes": whole(cache_bytes, "cache_bytes", 1, 1 << 60),
        "attach": [os.path.abspath(file) for file in paths_of(attach)],
    }
    if not isinstance(path, (str, bytes, os.PathLike)):
        raise _not_a_path(path)
    try:
        source = open_source(path, options)
    except FileNotFoundError:
        if glob.has_magic(os.fspath(path)) and not os.path.exists(path):
            raise _a_glob(os.fsdecode(path)) from None
        raise
    return Dataset(source, source.all_rows(), options)


def _not_a_path(path: Any) -> TypeError:
    """Return the error of `open` for what is not a path."""
    said = f"path is a str, bytes or os.PathLike, not {type(path).__name__}"
    if isinstance(path, Verbs):
        return TypeError(f"{said}: it is open already")
    if isinstance(path, (list, tuple, set)):
        return TypeError(
            f"{said}\nwrite ofindex.concat([ofindex.open(path) for path in paths]), "
            'or ofindex.build(paths, "all.ofidx") for one index of all'
        )
    return TypeError(f"{said}{frame_advice(path)}")


def _a_glob(pattern: str) -> FileNotFoundError:
    """Return the error of `open` for a pattern that is not the name of an index."""
    found = sorted(glob.glob(pattern, recursive=True))
    matches = f"it matches {len(found):,} file{'' if len(found) == 1 else 's'}" if found else "no file matches it"
    said = f"{pattern}: there is no index of this name; {matches}"
    if len(found) == 1:
        return FileNotFoundError(f"{said}\nwrite ofindex.open({found[0]!r})")
    if not found:
        return FileNotFoundError(f"{said}\nname an index, or the data that it is named after")
    return FileNotFoundError(f'{said}\nwrite ofindex.build({pattern!r}, "all.ofidx"), and then open "all.ofidx"')


def opened(data: Dataset | Path) -> Dataset:
    """Return `data` if it is a Dataset, and otherwise open it."""
    if isinstance(data, Dataset):
        return data
    if isinstance(data, (str, bytes, os.PathLike)):
        return open(data)
    raise TypeError(f"expected a Dataset or a path, not {type(data).__name__}")


@explained
def build(
    data: Path | Sequence[Path],
    output: Path | None = None,
    verify: bool = True,
    columns: str | Sequence[str] = "auto",
    threads: int | None = None,
    force: bool = False,
    progress: bool | Report | None = None,
    *,
    derive: str | Sequence[str] = (),
    wait: bool = False,
    keys: Sequence[str] = (),
    columns_optional: bool = False,
    format: Literal["auto", "tfrecord", "ofrecord"] = "auto",
    payload: Literal["auto", "example", "sequence_example", "ofrecord", "opaque"] = "auto",
    compression: Literal["auto", "none", "gzip", "zlib", "deflate"] = "auto",
    checkpoint_bytes: int = 2 << 20,
    max_ratio: int = 200,
    max_inflated_bytes: int = 1 << 40,
) -> Dataset:
    """Read shards once, in place, and write their index. An up-to-date index is left unchanged, unless `verify`,
    `columns` or `derive` asks for something that it lacks: then it is rebuilt::

        ds = ofindex.build("data/train")
        lists = ofindex.build("data/train", "lists.ofidx", columns=["auto", "tokens"])  # with lists as a column
        lists.column("tokens")[2]  # array([2, 2, 2])

    Args:
        data: A file, a folder, a quoted glob, ``@LIST``, or several of these.
        output: The index; None: named after `data` and next to it.
        verify: Also read every payload byte: check the CRC32C of TFRecords, and store a hash of every payload.
        columns: "auto", "none", or the names of the features that become columns, lists included. "auto" followed by
            names adds them to the automatic columns: ``["auto", "boxes"]``, or ``"auto,boxes"`` as on the command line.
        threads: Computing threads; None: one per processor.
        force: Build even if there is an index, and replace it.
        progress: None shows progress if there is a terminal or notebook, by tqdm if it is installed; True, False; or a
            callable ``(bytes_done, bytes_total, records_done)``.
        derive: Columns made of the bytes of a feature, as ``"NAME:image"`` (``NAME#width``, ``NAME#height``,
            ``NAME#channels`` and ``NAME#format``, from the header of the first value), ``"NAME:hash"`` (``NAME#hash``)
            or ``"NAME:length"`` (``NAME#length``); one or several.
        wait: Wait for another process that is building the same index, and use its result.
        keys: Features by whose values records are found: see `Dataset.key`.
        columns_optional: Build even if no record has a feature that `columns` or `derive` names.
        format, payload, compression: The type of the files and of their payloads, instead of detecting it. A bare
            deflate stream is never detected.
        checkpoint_bytes: Inflated bytes between the access points of a compressed shard: 1 MiB to 1 GiB. A greater
            distance makes the index smaller and reads slower.
        max_ratio, max_inflated_bytes: Limits on the inflated size of a compressed shard, per byte of the file and in
            total; a shard beyond either is refused as a decompression bomb.

    Returns:
        The dataset, open. Neither damage nor an unreadable file below `data` stops a build: a RuntimeWarning names the
        first damage and each such file. ``ds.info["damage"]``, ``ds.info["bad"]`` and ``ds.info["skipped"]`` list them.

    Raises:
        StaleError: there is an index, but of other or changed shards, or of files taken for another type. LockError:
        another process is building it, and `wait` is not set. ValueError: no record has a feature that `columns` names,
        or bytes in one that `derive` names; the old index stays. FormatError, ValueError, OSError: the data are not
        record files, or cannot be read. LimitError: a shard is a decompression bomb.
    """
    built = run_build(
        data,
        output,
        verify=verify,
        columns=columns,
        derive=derive,
        threads=threads,
        force=force,
        progress=progress,
        wait=wait,
        keys=keys,
        columns_optional=columns_optional,
        format=format,
        payload=payload,
        compression=compression,
        checkpoint_bytes=checkpoint_bytes,
        max_ratio=max_ratio,
        max_inflated_bytes=max_inflated_bytes,
    )
    warn_of(built)
    return open(built["index"])


@explained
def update(
    path: Path,
    data: Path | Sequence[Path] = (),
    verify: bool = False,
    prune: bool = False,
    threads: int | None = None,
    progress: bool | Report | None = None,
    *,
    wait: bool = False,
    checkpoint_bytes: int = 2 << 20,
    max_ratio: int = 200,
    max_inflated_bytes: int = 1 << 40,
) -> dict[str, Any]:
    """Bring an index up to date with its data: read what is new, and no more. Ordinals never move, except by `prune`;
    what is missing leaves a gap. Datasets that are open keep the old index: open it again::

        found = ofindex.update("data/train")
        found["new_records"], found["gone_records"]  # (0, 0)
        ds = ofindex.open("data/train")

    Args:
        path: The index, or the data that it was built from.
        data: More files, folders, quoted globs or ``@LIST``, which belong to the data of the index from now on.
        verify: Also read every payload byte of what is read, even if the index was built without it.
        prune: Also drop what is gone, and put all shards in the order of a new build. Ordinals move: states of samplers
            from before are refused.
        threads, progress: As in `build`.
        wait: Wait for another process that is writing the same index.
        checkpoint_bytes, max_ratio, max_inflated_bytes: As in `build`, for compressed shards that are read; the index
            does not remember those of its build.

    Returns:
        What was found, with the keys of ``ofindex update --json``: "new", "grown", "changed", "moved", "restored",
        "missing" and "unreadable" list shards, "new_records" and "gone_records" count, "up_to_date" is true if nothing
        was done, "generation" counts the versions of the index. A RuntimeWarning names the first damage in what was
        read, and each unreadable file.

    Raises:
        FileNotFoundError: there is no index. StaleError: all shards, or a folder or a list of the data, are missing; or
        a file changed while it was read. LockError: another process writes the index, and `wait` is not set.
        FormatError: a new shard is of another format. LimitError: a shard is a decompression bomb. ValueError: the
        index was built with a message type. OSError: the folder of the index cannot be written.
    """
    with reporting(progress, "update") as report:
        updated = _ofindex.update(
            os.fspath(path),
            paths_of(data),
            bool(verify),
            bool(prune),
            thread_limit(threads),
            bool(wait),
            *inflate_limits(checkpoint_bytes, max_ratio, max_inflated_bytes),
            report,
        )
    warn_of(updated)
    return updated

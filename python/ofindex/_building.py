"""What building a whole index and a part of one have in common."""

from __future__ import annotations

import os
import warnings
from collections.abc import Sequence
from typing import Any, Literal, TypedDict

from . import _ofindex
from ._arguments import whole
from ._batch import thread_limit
from ._foreign import frame_advice
from ._progress import Report, reporting
from ._source import Path


class BuildOptions(TypedDict, total=False):
    """The options of `ofindex.build`, which has their meanings and defaults."""

    verify: bool
    columns: str | Sequence[str]
    derive: str | Sequence[str]
    keys: Sequence[str]
    threads: int | None
    force: bool
    progress: bool | Report | None
    wait: bool
    columns_optional: bool
    format: Literal["auto", "tfrecord", "ofrecord"]
    payload: Literal["auto", "example", "sequence_example", "ofrecord", "opaque"]
    compression: Literal["auto", "none", "gzip", "zlib", "deflate"]
    checkpoint_bytes: int
    max_ratio: int
    max_inflated_bytes: int


def paths_of(data: Path | Sequence[Path]) -> list[str | bytes]:
    """Return one path or several as a list."""
    if isinstance(data, (str, bytes, os.PathLike)):
        return [os.fspath(data)]
    advice = frame_advice(data)
    paths = [] if advice or not hasattr(data, "__iter__") else list(data)
    if advice or not hasattr(data, "__iter__") or hasattr(data, "_present"):
        raise TypeError(f"data are paths of record files, not {type(data).__name__}{advice}")
    for path in paths:
        if not isinstance(path, (str, bytes, os.PathLike)):
            raise TypeError(f"data are paths of record files, not {type(path).__name__}{frame_advice(path)}")
    return [os.fspath(path) for path in paths]


def run_build(
    data: Path | Sequence[Path],
    output: Path | None,
    *,
    part: str = "",
    verify: bool = True,
    columns: str | Sequence[str] = "auto",
    derive: str | Sequence[str] = (),
    keys: Sequence[str] = (),
    threads: int | None = None,
    force: bool = False,
    progress: bool | Report | None = None,
    wait: bool = False,
    columns_optional: bool = False,
    format: str = "auto",
    payload: str = "auto",
    compression: str = "auto",
    checkpoint_bytes: int = 2 << 20,
    max_ratio: int = 200,
    max_inflated_bytes: int = 1 << 40,
) -> dict[str, Any]:
    """Build an index, or its part "K/N"; return what was found, for `warn_of`."""
    names = [] if isinstance(columns, str) else list(columns)
    if not isinstance(columns, str) and not names:
        columns = "none"
    with reporting(progress, "build") as report:
        return _ofindex.build(
            paths_of(data),
            b"" if output is None else os.fspath(output),
            verify,
            columns if isinstance(columns, str) else "auto",
            names,
            [derive] if isinstance(derive, str) else list(derive),
            [keys] if isinstance(keys, (str, bytes)) else list(keys),
            bool(columns_optional),
            thread_limit(threads),
            force,
            bool(wait),
            format,
            payload,
            compression,
            *inflate_limits(checkpoint_bytes, max_ratio, max_inflated_bytes),
            part,
            report,
        )


def inflate_limits(checkpoint_bytes: int, max_ratio: int, max_inflated_bytes: int) -> tuple[int, int, int]:
    """Return what `build` and `update` pass on for compressed shards."""
    return (
        whole(checkpoint_bytes, "checkpoint_bytes", 1 << 20, 1 << 30),
        whole(max_ratio, "max_ratio", 1, 2000),
        whole(max_inflated_bytes, "max_inflated_bytes", 1, 1 << 62),
    )


def warn_of(written: dict[str, Any]) -> None:
    """Warn the caller of an `explained` function of what a build or an update could not read, or found wrong."""
    for unreadable in written.pop("unreadable_files"):
        warnings.warn(f"{unreadable}; everything else is in the index", RuntimeWarning, stacklevel=4)
    for fault in _faults(written):
        warnings.warn(f"{fault}; every intact record is in the index", RuntimeWarning, stacklevel=4)


def _faults(built: dict[str, Any]) -> list[str]:
    """What a build found wrong in the shards: the first damage and the first bad record, with their numbers."""
    faults = []
    for damage in built["damage"][:1]:
        size = damage["end"] - damage["begin"]
        where = f"{damage['shard']!r}@{damage['begin']}: {size:,} byte{'' if size == 1 else 's'} without a record"
        faults.append(f"{where}: {damage['reason']}, the first of {len(built['damage']):,} in ds.info['damage']")
    for bad in built["bad"][:1]:
        where = f"record {bad['record']} in {bad['shard']!r}@{bad['offset']}: {bad['reason']}"
        faults.append(f"{where}, the first of {len(built['bad']):,} in ds.info['bad']")
    return faults

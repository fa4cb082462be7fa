"""Indexes that are built in parts: by many processes, on any number of machines."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING

from . import _ofindex
from ._batch import thread_limit
from ._building import BuildOptions, paths_of, run_build, warn_of
from ._dataset import Dataset
from ._foreign import explained
from ._opening import open
from ._progress import Report, reporting
from ._source import Path

if TYPE_CHECKING:
    from typing_extensions import Unpack


@explained
def build_part(
    data: Path | Sequence[Path],
    part: int,
    parts: int,
    output: Path | None = None,
    **options: Unpack[BuildOptions],
) -> str:
    """Build one part of an index; `merge` then makes the index of all parts, byte for byte as one `build` makes it::

        parts = [ofindex.build_part("data/train", part, 3) for part in (1, 2, 3)]  # each in a process of its own
        ds = ofindex.merge(parts, "data/merged.ofidx")

    The parts have equally many bytes of the data: large files are divided. Each may be built anywhere, in any order, as
    long as all see the same data under the same paths, relative to the index, and are given the same options. Building
    an up-to-date part again does nothing, so a task may be repeated.

    Args:
        data: As in `build`.
        part, parts: Which part, ``1 <= part <= parts``, of how many, at most a million.
        output: The path of the part; None: named after `data`, as ``train.part-2-of-8.ofidx``.
        options: As in `build`; `columns_optional` is given to `merge` instead.

    Returns:
        The path of the part, for `merge`. It cannot be opened.

    Raises:
        As `build`.
    """
    built = run_build(data, output, part=f"{int(part)}/{int(parts)}", **options)
    warn_of(built)
    return str(built["index"])


@explained
def merge(
    inputs: Sequence[Path],
    output: Path,
    force: bool = False,
    threads: int | None = None,
    progress: bool | Report | None = None,
    *,
    columns_optional: bool = False,
    wait: bool = False,
) -> Dataset | None:
    """Make one index of the parts of one job, in any order, or of whole indexes. Reads no record file, except that a
    part is built again if it began inside of a file at bytes that only look like a record: see `build_part`::

        parts = [ofindex.build_part("data/train", part, 2) for part in (1, 2)]
        len(ofindex.merge(parts, "data/train-of-two.ofidx"))  # 100

    Args:
        inputs: The paths of parts, or of whole indexes.
        output: The index to write. Parts must lie in its folder, or have been built for paths relative to it.
        force: Replace an index that is there; a part never replaces a whole index.
        threads: Computing threads, if a part must be built again; None: one per processor.
        progress: As in `build`.
        columns_optional: Merge even if no record has a feature that `columns` of the parts names.
        wait: Wait for another process that writes the same index.

    Returns:
        The dataset, open; None if only some parts of the job were merged: the result is a larger part. Merging whole
        indexes gives their records new ordinals.

    Raises:
        ValueError: the inputs do not fit together: parts are missing, overlap, or are of another job; indexes of other
        options, or with a shard in common. StaleError: a shard was not the same for two parts. LockError: another
        process writes the index, and `wait` is not set. Error: an input is damaged or of another version.
    """
    with reporting(progress, "merge") as report:
        merged = _ofindex.merge(
            paths_of(inputs),
            os.fspath(output),
            bool(columns_optional),
            thread_limit(threads),
            bool(force),
            bool(wait),
            report,
        )
    warn_of(merged)
    return None if merged["is_part"] else open(merged["index"])

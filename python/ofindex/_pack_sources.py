"""The sources of packed records: Parquet and Avro files, and iterables of mappings."""

from __future__ import annotations

import glob
import os
import re
import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence, Sized
from itertools import islice
from typing import Any

from ._errors import FormatError
from ._foreign import rows_of
from ._pack_source import AT_ONCE, Kinds, Source, broken


class Mappings:
    """Records given by a program."""

    name = ""
    size = 0

    def __init__(self, records: Iterable[Mapping[Any, Any]]) -> None:
        self._records = records

    def kinds(self, wide: bool) -> Kinds:
        return Kinds()

    def count(self) -> int | None:
        return len(self._records) if isinstance(self._records, Sized) else None

    def batches(self) -> Iterator[tuple[Sequence[Mapping[Any, Any]], int]]:
        records = iter(self._records)
        while batch := list(islice(records, AT_ONCE)):
            for record in batch:
                if not isinstance(record, Mapping):
                    raise TypeError(f"a record is a mapping of feature names to values, not {type(record).__name__}")
            yield batch, 0


def _natural(path: str) -> list[tuple[int, int, str]]:
    """Return a sort key that puts part-2 before part-10."""
    pieces = re.split(r"([0-9]+)", path)
    return [(0, int(piece), piece) if piece.isdigit() else (1, 0, piece) for piece in pieces]


def _files_in(folder: str) -> Iterator[str]:
    for parent, folders, files in os.walk(folder):
        folders[:] = [name for name in folders if name[0] not in "._"]
        yield from (os.path.join(parent, name) for name in files if name[0] not in "._")


def _source_of(path: str) -> Source | None:
    """Return the source for the file `path`, detected by its first bytes; None if the format is not supported."""
    with open(path, "rb") as file:
        magic = file.read(4)
    if magic == b"PAR1":
        from ._pack_parquet import Parquet

        return Parquet(path)
    if magic == b"Obj\x01":
        from ._pack_avro import Avro

        return Avro(path)
    return None


def _wrong(path: str) -> ValueError | FormatError:
    for ending, format in ((".parquet", "Parquet"), (".avro", "Avro")):
        if path.endswith(ending):
            return broken(path, f"does not begin as {format} does: the extension is wrong, or the file is damaged")
    return ValueError(
        f"{path}: neither Parquet nor Avro; CSV, JSON lines and folders of files are packed by the command"
        " `ofindex pack`"
    )


def _sources_in(folder: str) -> list[Source]:
    found = [(path, _source_of(path)) for path in sorted(_files_in(folder), key=_natural)]
    sources = [source for _, source in found if source is not None]
    if not sources:
        raise _wrong(folder)
    if len(sources) < len(found):
        first = next(path for path, source in found if source is None)
        warnings.warn(
            f"{first}: left out, like all files in {folder} that are not Parquet or Avro", UserWarning, stacklevel=5
        )
    return sources


def _sources_at(path: str) -> list[Source]:
    if os.path.isdir(path):
        return _sources_in(path)
    paths = [path]
    if not os.path.exists(path) and glob.has_magic(path):
        paths = sorted(glob.glob(path, recursive=True), key=_natural)
        if not paths:
            raise FileNotFoundError(f"{path}: no file has such a name")
    sources = []
    for one in paths:
        source = _source_of(one)
        if source is None:
            raise _wrong(one)
        sources.append(source)
    return sources


def sources_of(source: Any) -> list[Source]:
    """Return the sources for the argument of `pack`: a path, a glob, a folder, a list of these, or an
    iterable of mappings."""
    path_types = (str, bytes, os.PathLike)
    if isinstance(source, path_types):
        return _sources_at(os.fsdecode(source))
    if isinstance(source, (list, tuple)) and source and all(isinstance(item, path_types) for item in source):
        return [found for item in source for found in _sources_at(os.fsdecode(item))]
    rows = rows_of(source)
    if rows is not None:
        raise TypeError(
            f"records come from paths or an iterable of mappings, not from {type(source).__name__}\n"
            f"write pack({rows}, ...)"
        )
    if isinstance(source, Mapping) or not isinstance(source, Iterable):
        raise TypeError(f"records come from paths or an iterable of mappings, not from {type(source).__name__}")
    return [Mappings(source)]

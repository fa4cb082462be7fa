"""Where packed records come from: Parquet and Avro files, and iterables of mappings."""

from __future__ import annotations

import contextlib
import glob
import os
import re
import textwrap
import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence, Sized
from dataclasses import dataclass, field
from itertools import islice
from typing import Any, Protocol

from ._errors import Error, FormatError

AT_ONCE = 1024  # records


@dataclass
class Kinds:
    """What the schema of a source says about its features, by their dotted names."""

    kinds: dict[str, str] = field(default_factory=dict)
    byte_lists: set[str] = field(default_factory=set)
    nanoseconds: set[str] = field(default_factory=set)

    def join(self, other: Kinds) -> None:
        """Takes in what another file says. Where they differ, the wider kind wins; without one, values say it."""
        for name, kind in other.kinds.items():
            mine = self.kinds.setdefault(name, kind)
            if mine != kind:
                wider = {("int32", "int64"): "int64", ("double", "float"): "double"}
                self.kinds[name] = wider.get((min(mine, kind), max(mine, kind)), "")
        self.byte_lists |= other.byte_lists
        self.nanoseconds |= other.nanoseconds


class Source(Protocol):
    """Some records, in order."""

    name: str  #: for people; empty where there is none
    size: int  #: bytes, for progress

    def kinds(self, wide: bool) -> Kinds:
        """What its schema says; `wide` if the payload has double and int32, too."""

    def count(self) -> int | None:
        """Records; None where that is not known before they are read."""

    def batches(self) -> Iterator[tuple[Sequence[Mapping[Any, Any]], int]]:
        """The records, some at a time, and how many bytes have been read by then."""


def _broken(path: str, what: str) -> FormatError:
    hint = "copy it again from where it comes, have it written anew, or leave it out"
    error = FormatError(f"{path}: {what}\n{hint}")
    error.hint = hint
    return error


@contextlib.contextmanager
def reading(path: str, format: str) -> Iterator[None]:
    """Within it, whatever the reader of `format` raises says that the file `path` is not whole, or not of the format.

    What is no fault of the file goes through: memory, a disk that cannot be read, a codec that is not installed.
    """
    try:
        yield
    except (Error, MemoryError, ImportError):
        raise
    except Exception as error:
        if isinstance(error, OSError) and error.errno is not None:
            raise
        if "need to install" in str(error):  # fastavro, of codecs
            raise ImportError(f"{path}: {error}") from error
        reason = textwrap.shorten(f"{type(error).__name__}: {error}".removesuffix(": "), 300)
        raise _broken(path, f"{format} that is cut or damaged: {reason}") from error


class Mappings:
    """Records that a program gives."""

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
    """A key by which part-2 comes before part-10."""
    pieces = re.split(r"([0-9]+)", path)
    return [(0, int(piece), piece) if piece.isdigit() else (1, 0, piece) for piece in pieces]


def _files_in(folder: str) -> Iterator[str]:
    for parent, folders, files in os.walk(folder):
        folders[:] = [name for name in folders if name[0] not in "._"]
        yield from (os.path.join(parent, name) for name in files if name[0] not in "._")


def _source_of(path: str) -> Source | None:
    """The file `path`, by its first bytes; None if it is of no format that is read here."""
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
            return _broken(path, f"does not begin as {format} does, which its name says it is")
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
            f"{first}: left out, with all in {folder} that is neither Parquet nor Avro", UserWarning, stacklevel=4
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
    """What `pack` was given: a path, a glob, a folder, a list of these, or an iterable of mappings."""
    path_types = (str, bytes, os.PathLike)
    if isinstance(source, path_types):
        return _sources_at(os.fsdecode(source))
    if isinstance(source, (list, tuple)) and source and all(isinstance(item, path_types) for item in source):
        return [found for item in source for found in _sources_at(os.fsdecode(item))]
    if isinstance(source, Mapping) or not isinstance(source, Iterable):
        raise TypeError(f"records come from paths or an iterable of mappings, not from {type(source).__name__}")
    return [Mappings(source)]

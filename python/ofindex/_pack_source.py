"""One source of records to pack: its schema, its reader, and its errors for damaged files."""

from __future__ import annotations

import contextlib
import textwrap
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from ._errors import Error, FormatError

AT_ONCE = 1024  # records


@dataclass
class Kinds:
    """What a source's schema says about its features, by their dotted names."""

    kinds: dict[str, str] = field(default_factory=dict)
    byte_lists: set[str] = field(default_factory=set)
    nanoseconds: set[str] = field(default_factory=set)

    def join(self, other: Kinds) -> None:
        """Merge another file's schema. If the kinds of a feature differ, the wider one wins; if neither is wider, the
        values determine the kind."""
        for name, kind in other.kinds.items():
            mine = self.kinds.setdefault(name, kind)
            if mine != kind:
                wider = {("int32", "int64"): "int64", ("double", "float"): "double"}
                self.kinds[name] = wider.get((min(mine, kind), max(mine, kind)), "")
        self.byte_lists |= other.byte_lists
        self.nanoseconds |= other.nanoseconds


class Source(Protocol):
    """Some records, in order."""

    name: str  #: for messages; empty if there is none
    size: int  #: bytes, for progress

    def kinds(self, wide: bool) -> Kinds:
        """Return the features in the source's schema. `wide` is true for payloads that have double and int32, too."""

    def count(self) -> int | None:
        """Return the number of records; None if it is not known before reading."""

    def batches(self) -> Iterator[tuple[Sequence[Mapping[Any, Any]], int]]:
        """Yield the records in batches, each with the number of bytes read so far."""


def broken(path: str, what: str) -> FormatError:
    hint = "copy it again from its source, write it again, or leave it out"
    error = FormatError(f"{path}: {what}\n{hint}")
    error.hint = hint
    return error


@contextlib.contextmanager
def reading(path: str, format: str) -> Iterator[None]:
    """A context that converts exceptions of the library that reads `format` to the error that `path` is damaged.

    Exceptions that are not the file's fault pass through: no memory, an unreadable disk, a codec that is not installed.
    """
    try:
        yield
    except (Error, MemoryError, ImportError):
        raise
    except Exception as error:
        if isinstance(error, OSError) and error.errno is not None:
            raise
        if "need to install" in str(error):  # fastavro, about codecs
            raise ImportError(f"{path}: {error}") from error
        reason = textwrap.shorten(f"{type(error).__name__}: {error}".removesuffix(": "), 300)
        raise broken(path, f"truncated or damaged {format}: {reason}") from error

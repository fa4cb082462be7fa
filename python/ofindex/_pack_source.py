"""One source of records to pack: what it says of itself, how it is read, and what is said if it is damaged."""

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


def broken(path: str, what: str) -> FormatError:
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
        raise broken(path, f"{format} that is cut or damaged: {reason}") from error

"""Writes shards, record by record."""

from __future__ import annotations

import os
import re
import warnings
from collections.abc import Mapping
from types import TracebackType
from typing import Any, Literal, TypeAlias

from . import _ofindex
from ._foreign import explained_methods
from ._source import Path

Format: TypeAlias = Literal["tfrecord", "ofrecord"]
Payload: TypeAlias = Literal["example", "sequence_example", "ofrecord"]
Kind: TypeAlias = Literal["bytes", "float", "double", "int32", "int64"]

_PART = re.compile(r"part-[0-9]+")


def format_of_name(path: Path) -> Format | None:
    """Return the format that the name of a shard implies, if any."""
    name = os.path.basename(os.fsdecode(path))
    if name.removesuffix(".gz").endswith(".tfrecord"):
        return "tfrecord"
    return "ofrecord" if name.endswith(".ofrecord") or _PART.fullmatch(name) else None


def payload_for(format: str, payload: Payload | None) -> Payload:
    """Return the payload for records of `format`: the requested one, if the format allows it, or its default."""
    if payload is not None and format in ("tfrecord", "ofrecord") and (payload == "ofrecord") != (format == "ofrecord"):
        raise ValueError(
            f"payload={payload!r} is not what {format} files hold\n"
            "TFRecords hold example or sequence_example, OFRecord files ofrecord"
        )
    return payload or ("ofrecord" if format == "ofrecord" else "example")


def gzipped(path: Path, compress: str | None) -> bool:
    """Return whether the shard `path` is compressed: as `compress` says, otherwise as its name implies."""
    if compress not in (None, "gzip"):
        raise ValueError(f"compress={compress!r}: expected 'gzip' or None")
    return compress is not None or os.fsdecode(path).endswith(".gz")


@explained_methods
class Writer(_ofindex.RecordFile):
    """A shard being written. The file appears under its name, or changes, only when the writer is closed::

        with ofindex.Writer("data/part-0") as writer:
            writer.write({"label": 3, "image": jpeg, "box": np.zeros(4, np.float32)})

    If the block ends with an exception, the shard is discarded, and an existing file is unchanged. The same holds if
    the writer is garbage collected without having been closed, or if the process dies.

    Thread-safe: records are written whole, in the order in which threads get to write them. In a forked child every
    method raises ValueError, and the parent's shard is unaffected.
    """

    def __init__(
        self,
        path: Path,
        format: Format | None = None,
        *,
        payload: Payload | None = None,
        schema: Mapping[str, Kind] | None = None,
        compress: Literal["gzip"] | None = None,
        append: bool = False,
        force: bool = False,
        sort: bool = True,
        allow_nan: bool = False,
    ) -> None:
        """Begin a shard.

        Args:
            path: The shard's name once the writer is closed. It must not exist, unless `append` or `force` is given.
            format: "tfrecord" or "ofrecord"; None: implied by the name, which ends in ``.tfrecord``, ``.tfrecord.gz``
                or ``.ofrecord``, or is ``part-N``, for OFRecords.
            payload: The message made from mappings: "example" or "sequence_example" in a TFRecord, "ofrecord" in an
                OFRecord; None: Example or OFRecord. Payloads given as bytes are not checked.
            schema: Feature name -> "bytes", "float", "double", "int32" or "int64": the kind of the feature's values,
                and of its empty lists. For other features the values determine the kind. float and double also accept
                ints; only OFRecord has double and int32.
            compress: "gzip", for TFRecords; None: implied by the name.
            append: Keep the records of an existing file, and append to them.
            force: Replace a shard of that name and format. A file that is not such a shard is never replaced.
            sort: Write features sorted by name, so that the same values give the same bytes; otherwise in
                the mapping's order.
            allow_nan: Also accept NaN.

        Raises:
            ValueError: arguments are inconsistent, or a file of that name exists. LockError: another writer has locked
            the file. DamageError: the file to append to does not end with a whole record. OSError: the folder does not
            exist, or another file error.
        """
        said = format_of_name(path)
        if format is None and said is None:
            hint = "give format='tfrecord' or format='ofrecord'"
            raise ValueError(f"{os.fsdecode(path)}: its name does not say its format: {hint}")
        wanted = format or said or "tfrecord"
        part = _PART.fullmatch(os.path.basename(os.fsdecode(path)))  # a name that Spark gives to TFRecords, too
        if said not in (None, wanted) and not part:
            raise ValueError(f"{os.fsdecode(path)}: the name says {said}, but format={wanted!r}: choose another name")
        if not (schema is None or isinstance(schema, Mapping)):
            raise TypeError(f"a schema is a mapping of feature names to kinds, not {type(schema).__name__}")
        gzip = gzipped(path, compress)
        if append and gzip:
            raise ValueError(f"{os.fsdecode(path)}: a compressed shard cannot be appended to: write another one")
        self._path = path
        self._format: Format = wanted
        self._payload = payload_for(wanted, payload)
        super().__init__(os.fspath(path), wanted, self._payload, schema, gzip, append, bool(force), sort, allow_nan)
        self._process = os.getpid()

    @property
    def path(self) -> str:
        """The shard's final path."""
        return os.fsdecode(self._path)

    @property
    def format(self) -> Format:
        """The shard's framing."""
        return self._format

    @property
    def payload(self) -> Payload:
        """The message made from mappings."""
        return self._payload

    def __enter__(self) -> Writer:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if kind is None:
            self.close()
        else:
            self.abandon()

    def __del__(self) -> None:
        # A writer whose constructor failed, or that belongs to the parent process, must not be abandoned here.
        if self.__dict__.get("_process") != os.getpid() or self.closed:
            return
        self.abandon()
        warnings.warn(f"{self!r} was not closed: the shard is discarded", ResourceWarning, stacklevel=2, source=self)

    def __reduce__(self) -> Any:
        raise TypeError("a Writer belongs to one process: open another Writer, for another shard, in each process")

    def __repr__(self) -> str:
        closed = ", closed" if self.closed else ""
        return f"<ofindex.Writer {self.path!r}: {self.format}, {self.records:,} records{closed}>"

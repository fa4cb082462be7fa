"""What tools that seek in gzip files have in common: the places of records tell where to seek."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar

from harness.peer import Peer
from harness.task import Task

OTHER = "seeks in gzip files, and knows no records"


class GzipFiles(Peer):
    """The base of these tools."""

    reads_in_place = True
    cannot: ClassVar[dict[str, str]] = dict.fromkeys(
        (
            "make",
            "make_typed",
            "count",
            "get",
            "get_many",
            "raw_epoch",
            "decoded_epoch",
            "where",
            "groups",
            "bins",
            "top",
            "total",
        ),
        OTHER,
    ) | {"stoppable": OTHER}

    @classmethod
    def can(cls, task: Task) -> bool:
        return bool({"make_zipped", "get_zipped"} & {*task.needs}) and super().can(task)

    def reading(self, file: Any) -> Callable[[int], bytes]:
        """A function that seeks to a payload and reads it."""
        places = list(self.data.places(self.data.shards[0]))
        seek, take = file.seek, file.read

        def read(ordinal: int) -> bytes:
            begin, size = places[ordinal]
            seek(begin)
            return take(size)

        return read

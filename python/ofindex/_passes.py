"""The position of one iterator of a sampler. It does not refer to the sampler, which keeps the newest one."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ._epochs import Reader, State

_CHUNK_ROWS = 1024


class Pass:
    """A pass over the rest of an epoch, and the position in it. Belongs to one thread.

    Args:
        reader: What it reads, from where it stands.
        number: Passes of a sampler are numbered in the order in which they begin.
    """

    __slots__ = ("__weakref__", "ended", "handed", "number", "reader", "taken")

    def __init__(self, reader: Reader, number: int) -> None:
        self.restart(reader, number)

    def restart(self, reader: Reader, number: int) -> None:
        """Become a new pass."""
        self.number = number
        self.read_from(reader)

    def read_from(self, reader: Reader) -> None:
        """Continue from where `reader` stands."""
        self.reader = reader
        self.taken: list[int] = []  # rows taken but not yet returned, in reverse order
        self.handed = 0
        self.ended = False

    def take_more(self) -> bool:
        """Take the next rows; at the end of the epoch, return False."""
        self.taken = self.reader.take(_CHUNK_ROWS)[::-1].tolist()
        self.ended = not self.taken
        return not self.ended

    @property
    def left(self) -> int:
        """Number of rows left."""
        return self.reader.left + len(self.taken)

    @property
    def touched(self) -> bool:
        """Whether something was read, so that the next pass reads the next epoch."""
        return self.ended or self.handed > 0

    @property
    def position(self) -> int:
        """Position in the epoch, over all ranks."""
        return self.reader.epoch_size if self.ended else self.reader.position_after(self.handed)

    def state(self) -> State:
        """Return the position, and what identifies the rows and their order."""
        return {**json.loads(self.reader.state()), "position": self.position}

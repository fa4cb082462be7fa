"""The base of all tools. Each tool is a class in bench/peers/, and each thing that it can do is a method."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any, ClassVar

from harness.data import Data
from harness.settings import Settings
from harness.task import Measured, Task

Batch = dict[str, Any]
GroupRows = tuple[Any, Any, Any]
Writer = tuple[Callable[[Any], Any], Callable[[], Any], Callable[[], Any]]  # write one record; flush; close


def no_queries(why: str) -> dict[str, str]:
    """The part of `cannot` of a tool that answers no queries."""
    return dict.fromkeys(("where", "groups", "bins", "top", "total"), why)


class Peer:
    """A tool, for one data set, in a process of its own.

    A subclass overrides the methods for what the tool can do, and says in `cannot` why it does not do the others. The
    docstring of a method names the settings and the page that recommends them; the report shows it. Methods import the
    tool, so that the module can be imported without it.
    """

    name = ""
    packages: tuple[str, ...] = ()  # from PyPI, with versions
    built_with: tuple[str, ...] = ()  # bounds for versions of what builds the packages, if they come as source
    environment = ""  # the tools with the same environment share it; the default is the tool's own
    is_slow = False  # converts so slowly that it has a quarter of the records of each size
    is_light = False  # takes part in --quick
    reads_in_place = False  # reads the TFRecord shards themselves
    decoded_from = "typed"  # the store that decoded epochs read: "raw", "typed", or nothing
    ends_exactly = True  # an epoch has each record once
    cannot: ClassVar[dict[str, str]] = {}  # by method
    typed_note: ClassVar[str] = ""  # what make_typed() writes besides the four columns
    advantages: ClassVar[dict[str, str]] = {}  # why it may be better than ofindex, by task: only what is known

    def __init__(self, data: Data, settings: Settings) -> None:
        self.data = data
        self.settings = settings

    @property
    def store(self) -> Path:
        """What make() makes: a file or a folder."""
        return self.data.store(self.slug())

    @property
    def typed_store(self) -> Path:
        """What make_typed() makes: a file or a folder."""
        return self.data.store(self.slug() + "-typed")

    @classmethod
    def slug(cls) -> str:
        return cls.__module__.rpartition(".")[2]

    @classmethod
    def can(cls, task: Task) -> bool:
        """True if the tool has every method that the task needs."""
        return task.suits(cls) and all(getattr(cls, need) is not getattr(Peer, need) for need in task.needs)

    def measure(self, task: Task) -> Measured:
        return task.measure(self)

    def store_for(self, task: Task) -> str:
        """The store that the task reads: "raw", "typed", or nothing."""
        return self.decoded_from if task.store == "decoded" else task.store

    def stores(self) -> dict[str, tuple[Path, str]]:
        """Path of each store, and the method that makes it."""
        return {
            "raw": (self.store, "make"),
            "typed": (self.typed_store, "make_typed"),
            "zipped": (self.store, "make_zipped"),
        }

    def files(self, task: Task) -> list[Path]:
        """What the tool reads for this task."""
        path, _ = self.stores().get(self.store_for(task), (None, ""))
        return [*([path] if path else []), *([self.data.folder] if self.reads_in_place or not path else [])]

    def load(self) -> None:
        """Imports the tool, untimed."""

    def first_batch(self) -> Batch:
        """The first batch of a decoded epoch."""
        return next(iter(self.decoded_epoch(seed=1)))

    def load_loader(self) -> None:
        """Imports what only epochs need, untimed."""

    def make(self) -> None:
        """Makes `store` from the shards: an index, or a converted copy of the payloads."""
        raise NotImplementedError

    def make_typed(self) -> None:
        """Makes `typed_store`: label, height, width and score as columns or, for decoded epochs, all values of each
        record."""
        raise NotImplementedError

    def make_zipped(self) -> None:
        """Makes `store` from gzip shards."""
        raise NotImplementedError

    def count(self) -> int:
        """The number of records, from the names of files alone."""
        raise NotImplementedError

    def get(self) -> Callable[[int], bytes]:
        """A function that reads one payload."""
        raise NotImplementedError

    def get_many(self) -> Callable[[list[int]], Sequence[bytes]]:
        """A function that reads some payloads: in the order asked for, a payload twice if its ordinal comes twice."""
        raise NotImplementedError

    def raw_epoch(self, seed: int) -> Iterable[Sequence[bytes]]:
        """Batches of payloads, shuffled as well as the tool can."""
        raise NotImplementedError

    def decoded_epoch(self, seed: int) -> Iterable[Batch]:
        """Batches of 256 records, shuffled as well as the tool can: arrays of label, height, width, score and id, and a
        sequence of images."""
        raise NotImplementedError

    def where(self) -> Callable[[str], Any]:
        """A function that finds the ordinals for an SQL condition, as an array."""
        raise NotImplementedError

    def groups(self) -> Callable[[], GroupRows]:
        """A function that returns the labels, and number and mean score of the records of each, in any order."""
        raise NotImplementedError

    def bins(self) -> Callable[[], GroupRows]:
        """A function that returns height / 100 and width / 100, without remainder, and the number of records of each
        pair, in any order."""
        raise NotImplementedError

    def top(self) -> Callable[[], Any]:
        """A function that returns the ten greatest scores, descending."""
        raise NotImplementedError

    def total(self) -> Callable[[], tuple[int, int]]:
        """A function that returns the number of records, and the sum of height."""
        raise NotImplementedError

    def stoppable(self, state: Any) -> tuple[Iterable[list[int]], Callable[[], Any]]:
        """The ids of a shuffled epoch, in batches, from a saved state if there is one; and a function that saves it."""
        raise NotImplementedError

    def decoder(self) -> tuple[Callable[[list[bytes]], Any], Callable[[Any], Batch]]:
        """Functions that put payloads into the form that the tool takes, and that decode them."""
        raise NotImplementedError

    def writer(self, path: Path) -> Writer:
        """The methods of a writer of TFRecords: write a payload, flush, close."""
        raise NotImplementedError

    def value_writer(self, path: Path) -> Writer:
        """The methods of a writer of Examples: write a mapping of values, flush, close."""
        raise NotImplementedError

    def get_zipped(self) -> Callable[[int], bytes]:
        """A function that reads one payload from a gzip shard."""
        raise NotImplementedError

    def zipped_epoch(self, seed: int) -> Iterable[Batch]:
        """Batches of 256 records from gzip shards, like those of decoded_epoch()."""
        raise NotImplementedError

    def pairs(self) -> None:
        """Does nothing: bench/pairs measures the C++ library itself."""
        raise NotImplementedError

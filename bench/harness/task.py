"""The base of all tasks: what is measured."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from harness.data import Data, Grid

if TYPE_CHECKING:
    from harness.peer import Peer


@dataclass(frozen=True)
class Figure:
    """A number of a result: its name in results, its title in tables, and its unit."""

    name: str
    title: str
    unit: str
    more_is_better: bool = False
    goal: str = ""  # what a row of ofindex should show


@dataclass(frozen=True)
class Measured:
    """Numbers by the names of figures, and what the tool found, which must be the same for all tools."""

    figures: dict[str, float]
    answer: Any = None
    note: str = ""  # what the tool's row must say about this measurement


class Task(ABC):
    """A question that is put to every tool."""

    name: ClassVar[str]
    title: ClassVar[str]
    figures: ClassVar[tuple[Figure, ...]]
    needs: ClassVar[tuple[str, ...]]  # methods of a Peer
    store: ClassVar[str] = "raw"  # what must be made first: "raw", "typed", "decoded" (which the tool
    # chooses), or nothing
    is_cold: ClassVar[bool] = False  # the files are evicted from the page cache before each turn
    warms_up: ClassVar[bool] = False  # a first turn is not counted
    most_turns: ClassVar[int] = 0  # if not 0: more turns show nothing new
    typical: ClassVar[float] = 1.5  # seconds of a turn in a full run, on average, once the tool has started
    is_light: ClassVar[bool] = True  # takes part in --quick
    advantages: ClassVar[dict[str, str]] = {}  # why a tool may be better than ofindex: by "FIGURE TOOL", or by "FIGURE"
    is_check: ClassVar[bool] = False  # only the answer counts: one turn, and no table
    is_for_all: ClassVar[bool] = True  # a tool that cannot do it says why

    def suits(self, tool: type[Peer]) -> bool:
        """True if the task means something for this tool."""
        return True

    def suits_data(self, tool: type[Peer], data: Data, grid: Grid) -> bool:
        """True if the tool takes part on this data set. The number of shards matters only to tools that read them."""
        return tool.reads_in_place or data.shard_count == grid.shard_counts[0]

    @abstractmethod
    def data(self, grid: Grid) -> list[Data]:
        """The data sets that the task is measured on."""

    @abstractmethod
    def measure(self, peer: Peer) -> Measured:
        """Measures one turn. The answer covers little or comes from untimed work."""

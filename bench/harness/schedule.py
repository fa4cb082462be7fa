"""Which tool measures what, how often, and how long that will take."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from harness.data import Data, Grid
from harness.peer import Peer
from harness.task import Task

SLOW_PART = 4  # a slow converter has this part of the records
START = {True: 0.3, False: 1.5}  # seconds until a tool has started, on average, by whether it is light
CONVERTED = 50_000  # records of a tool that converts, each second, on average


@dataclass(frozen=True)
class Schedule:
    """The measurements of a run."""

    grid: Grid
    tools: dict[str, type[Peer]]
    turns: int
    seconds: float

    def by_data(self, tasks: Sequence[Task]) -> dict[Data, list[Task]]:
        """The tasks of each data set."""
        found: dict[Data, list[Task]] = {}
        for task in tasks:
            for data in dict.fromkeys(task.data(self.grid)):  # little data may be the same
                found.setdefault(data, []).append(task)
        return found

    def tools_of(self, task: Task, data: Data) -> list[str]:
        return [name for name, tool in self.tools.items() if tool.can(task) and task.suits_data(tool, data, self.grid)]

    def turns_of(self, task: Task) -> range:
        """The numbers of the turns; turn 0 warms up."""
        return range(0 if task.warms_up else 1, min(self.turns, task.most_turns or self.turns) + 1)

    def data_of(self, name: str, data: Data) -> Data:
        """The data that a tool reads: a slow converter has only a part of whole data sets."""
        whole = self.grid.data(data.size)
        is_part = self.tools[name].is_slow and data.records >= whole.records
        return replace(data, records=data.records // SLOW_PART) if is_part else data

    def plan(self, tasks: Sequence[Task]) -> str:
        """The number of measurements, and about how long they take."""
        counted = [(len(self.turns_of(task)), task, name) for task, name in self.rounds(tasks)]
        share = (self.seconds * self.grid.scale) ** 0.5  # some tasks take a fixed time, others work on all records
        starts = sum(turns * START[self.tools[name].is_light] for turns, _, name in counted)
        seconds = starts + share * sum(turns * task.typical for turns, task, _ in counted)
        converted = sum(data.records for _, data, _ in self.stores(tasks))
        minutes = (seconds + converted / CONVERTED) / 60
        return f"{sum(turns for turns, _, _ in counted)} measurements, about {max(1, round(minutes))} min."

    def stores(self, tasks: Sequence[Task]) -> set[tuple[str, Data, str]]:
        """Tool, data and kind of each copy that is made before a turn: an Index task leaves its own, and an index is
        made at once."""
        found = set()
        for data, several in self.by_data(tasks).items():
            made = {"raw"} if any(task.name == "index" for task in several) else set()
            for task in several:
                for name in self.tools_of(task, data):
                    tool = self.tools[name]
                    kind = tool.decoded_from if task.store == "decoded" else task.store
                    if kind and kind not in made and not tool.reads_in_place:
                        found.add((name, self.data_of(name, data), kind))
        return found

    def rounds(self, tasks: Sequence[Task]) -> Iterator[tuple[Task, str]]:
        """Each task with each of its tools, for each data set."""
        for data, several in self.by_data(tasks).items():
            for task in several:
                yield from ((task, name) for name in self.tools_of(task, data))

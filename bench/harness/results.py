"""The results of a run, as JSON lines: one line for each measurement, so that a run can be continued."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any


@dataclass(frozen=True)
class Result:
    """One turn of a tool at a task. If `why` is not empty, it says why there are no figures."""

    task: str
    data: str
    tool: str
    turn: int
    figures: dict[str, float] = field(default_factory=dict)
    answer: Any = None
    wall: float = 0  # seconds that the measurement took in all
    why: str = ""
    note: str = ""  # what else the row must say
    failed: bool = False  # as opposed to a tool that cannot be installed or run here

    @property
    def key(self) -> tuple[str, str, str, int]:
        return (self.task, self.data, self.tool, self.turn)


@dataclass
class Results:
    """All results of a run, and what its tables say about it. Every result is appended to the file at once."""

    path: Path
    facts: dict[str, Any] = field(default_factory=dict)
    results: list[Result] = field(default_factory=list)

    @staticmethod
    def read(path: Path) -> Results:
        """The results in a file. A line that a killed run did not complete is removed from it."""
        found = Results(path)
        if not path.exists():
            return found
        text = path.read_text(encoding="utf-8")
        whole = text[: text.rfind("\n") + 1]
        if whole != text:
            path.write_text(whole, encoding="utf-8")
        for line in whole.splitlines():
            read = json.loads(line)
            if "facts" in read:
                found.facts.update(read["facts"])
            else:
                found.results.append(Result(**read))
        return found

    def write(self, line: dict[str, Any]) -> None:
        with self.path.open("a", encoding="utf-8") as out:
            out.write(json.dumps(line) + "\n")

    def tell(self, facts: dict[str, Any]) -> None:
        self.facts.update(facts)
        self.write({"facts": facts})

    def add(self, result: Result) -> None:
        self.results.append(result)
        self.write(asdict(result))

    def forget_failures(self) -> None:
        """Removes what should be measured again."""
        self.results = [one for one in self.results if not one.failed]
        self.path.unlink(missing_ok=True)
        self.write({"facts": self.facts})
        for one in self.results:
            self.write(asdict(one))

    def missing(self, task: str, data: str) -> set[str]:
        """The tools that cannot do a task here."""
        return {one.tool for one in self.results if (one.task, one.data) == (task, data) and one.why}

    def keys(self) -> set[tuple[str, str, str, int]]:
        """What need not be measured again."""
        return {result.key for result in self.results}


def differing(results: Iterable[Result]) -> dict[str, Any]:
    """The answers of the tools, if they are not all the same."""
    answers = {result.tool: result.answer for result in results if result.answer is not None}
    first = next(iter(answers.values()), None)
    return answers if not all(same(first, answer) for answer in answers.values()) else {}


def same(a: Any, b: Any) -> bool:
    """True if two answers are equal, floats up to rounding."""
    if isinstance(a, list) and isinstance(b, list):
        return len(a) == len(b) and all(map(same, a, b))
    return math.isclose(a, b, rel_tol=1e-5) if isinstance(a, float) or isinstance(b, float) else a == b

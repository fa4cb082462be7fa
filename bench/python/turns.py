"""Two sides in turns: how the ratios are measured."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any

import side
from settings import Settings

PAIRS = 5
HERE = Path(__file__).resolve().parent

Rates = list[list[float]]  # per side, turn by turn


class Failed(Exception):
    """A side ended, or two sides had different results."""


class Side:
    """A side in a process of its own, so that libraries and threads do not interfere. It takes one turn on request."""

    def __init__(self, label: str, words: list[str]) -> None:
        self.label = label
        self.found: Any = None  # the result of its last turn
        self.errors = tempfile.TemporaryFile("w+")
        path = os.pathsep.join(filter(None, [str(HERE), os.environ.get("PYTHONPATH")]))
        environment = {**os.environ, "PYTHONPATH": path, "TF_CPP_MIN_LOG_LEVEL": "3", "CUDA_VISIBLE_DEVICES": ""}
        self.process = subprocess.Popen(
            words, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self.errors, text=True
        )
        self.read()  # "ready"

    @staticmethod
    def python(label: str, prepare: Callable[..., side.Take], settings: Settings, *words: object) -> Side:
        """The side prepared by prepare(settings, *words), in its own process."""
        told = [prepare.__module__, prepare.__name__, settings.dumps(), json.dumps(words)]
        return Side(label, [sys.executable, str(HERE / "side.py"), *told])

    def __enter__(self) -> Side:
        return self

    def __exit__(self, *_: object) -> None:
        self.process.stdin.close()
        self.process.stdout.close()
        self.process.wait()
        self.errors.close()

    def read(self) -> str:
        line = self.process.stdout.readline()
        if line:
            return line
        code = self.process.wait()
        self.errors.seek(0)
        said = [text for text in self.errors.read().splitlines() if text.strip()] or [f"exit code {code}"]
        self.__exit__()
        if code == side.MISSING:
            raise side.Missing(f"{self.label}: {said[-1]}")
        print(*said[-20:], sep="\n", file=sys.stderr)
        raise Failed(f"{self.label}: {said[-1]}")

    def turn(self, check: bool) -> tuple[float, Any]:
        """Work per second, and the result."""
        self.process.stdin.write("check\n" if check else "\n")
        self.process.stdin.flush()
        amount, seconds, found = json.loads(self.read())
        return amount / seconds, found


@dataclass(frozen=True)
class Ratio:
    """The median rate of each side, and the median and the range of their ratio."""

    ours: float
    theirs: float
    ratio: float
    least: float
    most: float


def ratio_of(ours: list[float], theirs: list[float]) -> Ratio:
    ratios = [a / b for a, b in zip(ours, theirs)]
    return Ratio(median(ours), median(theirs), median(ratios), min(ratios), max(ratios))


def check_agreement(sides: list[Side]) -> None:
    found = {one.label: one.found for one in sides if one.found is not None}
    if len({json.dumps(answer) for answer in found.values()}) > 1:
        raise Failed(f"the results of the sides differ: {found}")


def rates_by_turns(sides: list[Side], before: Callable[[], None] = lambda: None) -> Rates:
    """The rates of each side, turn by turn. The order of the sides is reversed each time.

    The first two turns warm up; in the first of them, the sides also report their results. `before` is called before
    each turn of each side.
    """
    rates: Rates = [[] for _ in sides]
    with ExitStack() as stack:
        for one in sides:
            stack.enter_context(one)
        for pair in range(-2, PAIRS):
            for i in range(len(sides)) if pair % 2 == 0 else reversed(range(len(sides))):
                before()
                rate, sides[i].found = sides[i].turn(check=pair == -2)
                if pair >= 0:
                    rates[i].append(rate)
            check_agreement(sides)
    return rates


def by_turns(ours: Side, theirs: list[Side], before: Callable[[], None] = lambda: None) -> Ratio:
    """The ratio of our rate to that of the peer. In each turn, the fastest of the peer's sides counts."""
    rates = rates_by_turns([ours, *theirs], before)
    return ratio_of(rates[0], [max(several) for several in zip(*rates[1:])])

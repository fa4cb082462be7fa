"""The lines of bench/pairs: the C++ library and bare loops, alternately in one process."""

from __future__ import annotations

import os
import re
import subprocess

from harness.data import Data, Grid
from harness.peer import Peer
from harness.task import Measured, Task

LINE = re.compile(r"(?P<name>.+): got (?P<got>[^ ,]+)(?P<unit>[^,]*), asked (?P<asked>.+?)(  SHORT)?")


def numbers_of(told: str) -> tuple[dict[str, float], dict[str, str]]:
    """The numbers in the output of bench/pairs, and their bounds, by the names of the lines."""
    found = [match for line in told.splitlines() if (match := LINE.fullmatch(line))]
    names = [f"{line['name']},{line['unit']}" if line["unit"] else line["name"] for line in found]
    numbers = [float(line["got"]) for line in found]
    return dict(zip(names, numbers, strict=True)), {
        name: line["asked"] for name, line in zip(names, found, strict=True)
    }


class Pairs(Task):
    """Parts of the C++ library, each measured alternately with a bare loop that does the same work in the same process.
    A ratio is the speed of the library divided by that of the loop."""

    name = "pairs"
    title = "The C++ library and bare loops"
    is_for_all = False
    figures = ()
    needs = ("pairs",)
    store = ""
    most_turns = 1
    typical = 600
    is_light = False

    def data(self, grid: Grid) -> list[Data]:
        return [grid.smallest()]

    def measure(self, peer: Peer) -> Measured:
        environment = {**os.environ, "OFINDEX_BENCH_DATA": f"{peer.data.root}/pairs"}
        told = subprocess.run([peer.settings.pairs], stdout=subprocess.PIPE, env=environment, text=True, check=True)
        return Measured(*numbers_of(told.stdout))

"""Which lines of the parsers the fuzz targets reach, and why they cannot reach others.

`unreached.txt` explains the latter. A line of it without indentation is a reason; below, indented, are the lines of
sources that it holds for:

    Why no input reaches them.
      path/of/a/source.cc: the text of a line
      path/of/a/source.cc +1: the text of a line before it
      path/of/a/source.cc +1-3: the same, for the first to the third line after it

The text stands in the source once, so a changed line needs to be explained again. A line that is reached must not be
explained.
"""

from __future__ import annotations

import os
import re
import subprocess
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
TABLE = ROOT / "fuzz" / "unreached.txt"


@dataclass
class Lines:
    """Numbers of the lines of a source that have code."""

    reached: set[int] = field(default_factory=set)
    missed: set[int] = field(default_factory=set)
    explained: set[int] = field(default_factory=set)  # those of `missed` that cannot be reached

    @property
    def count(self) -> int:
        return len(self.reached) + len(self.missed)


@dataclass
class Explanation:
    source: str
    text: str
    first: int  # lines after the one with the text
    last: int
    reason: str

    def numbers(self, lines: list[str]) -> range:
        """Returns the numbers of the lines that are explained; empty unless the text stands there once."""
        at = [number for number, line in enumerate(lines, 1) if line.strip() == self.text]
        return range(at[0] + self.first, at[0] + self.last + 1) if len(at) == 1 else range(0)


def read_table(text: str) -> list[Explanation]:
    table, reason = [], ""
    for line in text.splitlines():
        if not line.startswith(" "):
            reason = line
            continue
        found = re.fullmatch(r"  (\S+?)(?: \+(\d+)(?:-(\d+))?)?: (\S.*)", line)
        if not found or not reason:
            raise ValueError(f"{TABLE.name}: expected `  path: text` below a reason, got {line!r}")
        source, first, last, anchor = found.groups()
        table.append(Explanation(source, anchor, int(first or 0), int(last or first or 0), reason))
    return table


def parse_lcov(text: str) -> dict[str, Lines]:
    """Reads what `llvm-cov export -format=lcov` writes."""
    sources: dict[str, Lines] = {}
    for line in text.splitlines():
        key, _, value = line.partition(":")
        if key == "SF":
            lines = sources.setdefault(os.path.relpath(os.path.realpath(value), ROOT), Lines())
        elif key == "DA":
            number, times = map(int, value.split(",")[:2])
            (lines.reached if times else lines.missed).add(number)
    return sources


def covered_lines(program: Path, raw: Path, sources: list[str]) -> dict[str, Lines]:
    """Returns the lines of `sources` that a run of `program`, with the profile `raw`, has reached and missed."""
    merged = raw.with_suffix(".merged")
    subprocess.run(["llvm-profdata-14", "merge", "-sparse", raw, "-o", merged], check=True)
    export = ["llvm-cov-14", "export", "-format=lcov", f"-instr-profile={merged}", str(program.resolve())]
    paths = [str(ROOT / source) for source in sources]
    return parse_lcov(subprocess.run([*export, *paths], capture_output=True, text=True, check=True).stdout)


def explain(table: list[Explanation], source: str, lines: Lines, text: list[str]) -> list[str]:
    """Sets which of the missed lines are explained, and returns what is wrong with the table."""
    wrong = []
    for each in table:
        if each.source != source:
            continue
        numbers = set(each.numbers(text))
        if not numbers:
            wrong.append(f"{TABLE.name}: {source} does not have this line once: {each.text}")
        for number in sorted(numbers & lines.reached):
            wrong.append(f"{TABLE.name}: {source}:{number} is reached, but explained: {text[number - 1].strip()}")
        lines.explained |= numbers & lines.missed
    return wrong

"""The table of mutants: plausible faults, each a small change of one file that some test must notice.

A row of tests/mutants/*.toml:

    [[mutant]]
    name = "packed offsets round their line up"   what is wrong, as one would report it
    file = "mmap/offsets/packed_offsets.h"        the file that is changed
    old = 'a text that the file has once'
    new = 'the text that takes its place'
    by = ["mmap/offsets/packed_offsets_test.cc"]  test files that must notice, the cheapest first, relative to tests/
"""

from __future__ import annotations

import dataclasses
import pathlib
from collections.abc import Iterable

import tomllib

TABLE = pathlib.Path("tests/mutants")


@dataclasses.dataclass(frozen=True)
class Mutant:
    """One row of the table."""

    name: str
    file: str
    old: str
    new: str
    by: tuple[str, ...]

    def applied_to(self, text: str) -> str:
        return text.replace(self.old, self.new)


class TableError(Exception):
    """A row that cannot be read."""


def rows_of(text: str) -> list[Mutant]:
    """The rows in the text of a table."""
    mutants = []
    fields = {field.name for field in dataclasses.fields(Mutant)}
    for row in tomllib.loads(text).get("mutant", []):
        if set(row) != fields:
            raise TableError(f"{row.get('name', row)}: expected the fields {', '.join(sorted(fields))}")
        mutants.append(Mutant(**{**row, "by": tuple(row["by"])}))
    return mutants


def read_table(root: pathlib.Path) -> list[Mutant]:
    """The rows of all tables below `root`, which is a tree of the project."""
    return [mutant for path in sorted((root / TABLE).glob("*.toml")) for mutant in rows_of(path.read_text())]


def problems_of(mutant: Mutant, root: pathlib.Path) -> list[str]:
    """Why a mutant cannot be tried on the tree at `root`; nothing if it can."""
    path = root / mutant.file
    if not path.is_file():
        return [f"there is no {mutant.file}"]
    count = path.read_text().count(mutant.old) if mutant.old else 0
    found = [] if count == 1 else [f"{mutant.file} has the old text {count} times; expected once"]
    if mutant.old == mutant.new:
        found.append("the new text is the old one")
    if not mutant.by:
        found.append("no test is named")
    return found + [f"there is no tests/{test}" for test in mutant.by if not (root / "tests" / test).is_file()]


def problems(mutants: Iterable[Mutant], root: pathlib.Path) -> list[str]:
    """Everything that is wrong with a table, as lines."""
    found = []
    names = set()
    for mutant in mutants:
        if mutant.name in names:
            found.append(f"{mutant.name}: another mutant has this name")
        names.add(mutant.name)
        found += [f"{mutant.name}: {problem}" for problem in problems_of(mutant, root)]
    return found

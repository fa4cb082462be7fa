"""Reads and changes one dataset at once for a while, and prints whether all answers were right: see README.md.

build/python/bin/python tests/load/run.py [SECONDS] [--processes N] [--records N] [--seed N] [--folder DIR]
"""

from __future__ import annotations

import argparse
import contextlib
import importlib.util
import json
import os
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

TESTS = Path(__file__).resolve().parents[1]
if str(TESTS) not in sys.path:
    sys.path.insert(0, str(TESTS))

from load.changes import Changes  # noqa: E402
from load.watch import Use, use_of  # noqa: E402

#: When memory is looked at, as parts of the whole time.
MOMENTS = (0.1, 0.5, 1.0)
MIB = 1 << 20

#: How much a process may use at the end beyond what it used at a tenth of the time.
MORE_BYTES = 32 * MIB
MORE_DESCRIPTORS = 24
MORE_THREADS = 4

PAUSE_SECONDS = 0.05
#: How long a process may take for what it is in when the time is over. Other work may slow it down.
END_SECONDS = 300


@dataclass
class Report:
    """Counts of the answers of the readers and of the changes, and the use of each process at each of MOMENTS."""

    readers: list[dict[str, Any]]
    uses: list[list[Use]]  # of the readers, and then of the writer
    changes: Counter[str]
    changed_wrongly: list[str]
    checked_by_writer: int
    dead: list[str] = field(default_factory=list)

    def total(self, name: str) -> int:
        return sum(reader[name] for reader in self.readers)

    def errors(self) -> Counter[str]:
        return sum((Counter(reader["errors"]) for reader in self.readers), Counter())

    def faults(self) -> list[str]:
        """Everything that must not be, as sentences; empty if all is well."""
        faults = [f"{self.total('wrong')} wrong answers"] * (self.total("wrong") > 0)
        faults += [message for reader in self.readers for message in reader["unexpected"]]
        faults += self.changed_wrongly + self.dead
        names = [*(f"reader {number}" for number in range(len(self.uses) - 1)), "the writer"]
        for process, (first, *_, last) in zip(names, self.uses, strict=True):
            for name, more in (("anonymous", MORE_BYTES), ("descriptors", MORE_DESCRIPTORS), ("threads", MORE_THREADS)):
                before, after = getattr(first, name), getattr(last, name)
                if after > before + more:
                    faults.append(f"{process}: {name} grew from {before:,} to {after:,}")
        return faults

    def lines(self) -> list[str]:
        """The table."""
        lines = [f"{'role':8}  {'epochs':>8}  {'checked':>12}  {'wrong':>6}  errors"]
        for reader in self.readers:
            errors = ", ".join(f"{count:,} {kind}" for kind, count in sorted(reader["errors"].items()))
            lines.append(
                f"{reader['role']:8}  {reader['epochs']:8,}  {reader['checked']:12,}  {reader['wrong']:6,}  {errors}"
            )
        lines.append(f"{'all':8}  {self.total('epochs'):8,}  {self.total('checked'):12,}  {self.total('wrong'):6,}")
        made = ", ".join(f"{count:,} {kind}" for kind, count in self.changes.most_common())
        lines.append(
            f"changes: {made}; {self.checked_by_writer:,} records found again, {len(self.changed_wrongly)} wrong"
        )
        lines.append(f"{'of all processes':18}" + "".join(f"  {f'at {moment:.0%}':>9}" for moment in MOMENTS))
        for name, unit in (
            ("resident", MIB),
            ("proportional", MIB),
            ("anonymous", MIB),
            ("descriptors", 1),
            ("threads", 1),
        ):
            sums = [sum(getattr(use[at], name) for use in self.uses) // unit for at in range(len(MOMENTS))]
            lines.append(f"{name + (', MiB' if unit == MIB else ''):18}" + "".join(f"  {one:9,}" for one in sums))
        lines.append(f"{'of the writer':18}")
        for name, unit in (("anonymous", MIB), ("descriptors", 1), ("threads", 1)):
            values = [getattr(use, name) // unit for use in self.uses[-1]]
            lines.append(f"{name + (', MiB' if unit == MIB else ''):18}" + "".join(f"  {one:9,}" for one in values))
        return lines


def roles(processes: int) -> list[str]:
    """A role for each process. Without PyTorch, there are no loaders."""
    known = ["loader", "batches", "records", "sql"]
    if importlib.util.find_spec("torch") is None:
        known.remove("loader")
    return [known[number % len(known)] for number in range(processes)]


def start(role: str, index: Path, seed: int) -> subprocess.Popen[str]:
    # With several malloc arenas, memory also grows when one of them is used for the first time.
    environment = {**os.environ, "PYTHONPATH": str(TESTS), "MALLOC_ARENA_MAX": "1"}
    command = [sys.executable, str(TESTS / "load" / "reader.py"), role, str(index), str(seed)]
    return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment)


def let_go(running: Sequence[subprocess.Popen[str]], seconds: float) -> float:
    """Waits until all processes are ready, and lets them read for `seconds`. Returns when they began."""
    for process in running:
        assert process.stdout is not None
        process.stdout.readline()
    begin = time.time()
    for process in running:
        assert process.stdin is not None
        with contextlib.suppress(BrokenPipeError):  # one that died is noticed at the end
            process.stdin.write(f"{begin + seconds}\n")
            process.stdin.flush()
    return begin


def output_of(process: subprocess.Popen[str]) -> str:
    """Returns what a process prints, when it has ended. One that does not end is killed."""
    try:
        return process.communicate(timeout=END_SECONDS)[0]
    except subprocess.TimeoutExpired:
        process.kill()
        return process.communicate()[0]


def load(folder: Path, seconds: float, processes: int = 8, records: int = 400, seed: int = 1) -> Report:
    """Lets `processes` read a dataset in `folder` for `seconds` while it is changed."""
    changes = Changes(folder / "data", seed, records)
    running = [start(role, changes.index, number) for number, role in enumerate(roles(processes))]
    uses: list[list[Use]] = [[] for _ in range(len(running) + 1)]
    try:
        begin = let_go(running, seconds)
        for moment in MOMENTS:
            # The last look is a little earlier than the end, while all processes still read.
            while time.time() < begin + seconds * min(moment, 0.97):
                changes.change()
                time.sleep(PAUSE_SECONDS)
            for process, use in zip(running, uses[:-1], strict=True):
                use.append(use_of(process.pid) if process.poll() is None else Use())
            uses[-1].append(use_of(os.getpid()))  # which builds, updates and prunes
        outputs = [output_of(process) for process in running]
    finally:
        for process in running:
            process.kill()
    dead = [f"a reader ended with exit code {one.returncode}" for one in running if one.returncode != 0]
    readers = [json.loads(output) for output, one in zip(outputs, running, strict=True) if one.returncode == 0]
    return Report(readers, uses, changes.made, changes.wrong, changes.checked_records, dead)


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description="Read and change one dataset at once, and check every answer.")
    parser.add_argument("seconds", nargs="?", type=float, default=3600, metavar="SECONDS", help="default: an hour")
    parser.add_argument("--processes", type=int, default=8, metavar="N", help="that read (default: 8)")
    parser.add_argument("--records", type=int, default=400, metavar="N", help="in a new shard, about (default: 400)")
    parser.add_argument("--seed", type=int, default=1, metavar="N", help="of the changes (default: 1)")
    parser.add_argument("--folder", type=Path, metavar="DIR", help="for the dataset (default: a temporary one)")
    chosen = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory(prefix="ofindex-load-", dir=chosen.folder) as folder:
        report = load(Path(folder), chosen.seconds, chosen.processes, chosen.records, chosen.seed)
    print(*report.lines(), *report.faults(), sep="\n")
    return 1 if report.faults() else 0


if __name__ == "__main__":
    sys.exit(main())

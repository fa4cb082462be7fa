"""Runs the fuzz targets on all cores, and prints what came of it as a table.

Run it by tools/fuzz, which builds the programs. The last column has the number of findings; each is in a file whose
path is printed. The exit code is 1 if there are findings, if a process ended for another reason, or if the inputs reach
too few lines of a parser.
"""

from __future__ import annotations

import argparse
import os
import platform
import re
import signal
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

from parser_lines import ROOT, TABLE, Lines, covered_lines, explain, read_table

CORPUS = ROOT / "fuzz" / "corpus"
SECONDS = 60
INPUT_SECONDS = 10  # for one input; longer is a finding
MEMORY_MIB = 2560
LEAST_SHARE = 95  # percent of the lines of a parser that are reached or explained


@dataclass
class Target:
    name: str
    max_bytes: int
    reads: str
    parser: list[str]


@dataclass
class Outcome:
    """Inputs, findings and covered lines of one target."""

    inputs: int = 0
    seconds: float = 0
    findings: list[Path] = field(default_factory=list)
    troubles: list[str] = field(default_factory=list)
    by_file: dict[str, Lines] = field(default_factory=dict)

    @property
    def lines(self) -> int:
        return sum(lines.count for lines in self.by_file.values())

    @property
    def reached(self) -> int:
        return sum(len(lines.reached) for lines in self.by_file.values())

    @property
    def explained(self) -> int:
        return sum(len(lines.explained) for lines in self.by_file.values())

    @property
    def share(self) -> float:
        """Percent of the lines that are reached or explained; 0 if no lines were measured."""
        return 100 * (self.reached + self.explained) / self.lines if self.lines else 0


@dataclass
class Ending:
    """The end of one libFuzzer process."""

    inputs: int
    said: str
    code: int  # the exit code, or minus the number of the signal that ended it

    @property
    def trouble(self) -> str:
        """Why the process ended early, in one line; empty if it did not, or if the input that ended it was saved."""
        known = re.search(r"^(?:broken: |.*ERROR: |.*runtime error: |the fuzzer ).*", self.said, re.MULTILINE)
        if known:
            return known[0].strip()
        if self.code == 0 or "Test unit written to" in self.said:
            return ""
        by = f"signal {-self.code} ({signal.strsignal(-self.code)})" if self.code < 0 else f"exit code {self.code}"
        return f"a process of the fuzzer ended with {by} and saved no input: {' '.join(self.said[-400:].split())}"


def targets_of(program: Path) -> list[Target]:
    table = subprocess.run([*without_randomisation(), program], capture_output=True, text=True, check=True).stdout
    rows = [line.split("\t") for line in table.splitlines()]
    return [Target(name, int(size), reads, parser.split()) for name, size, reads, parser in rows]


def without_randomisation() -> list[str]:
    """The sanitizers of clang 14 fail at random if the kernel randomises mappings with 32 bits."""
    launcher = ["setarch", platform.machine(), "-R"]
    try:
        return launcher if subprocess.run([*launcher, "true"], capture_output=True, check=False).returncode == 0 else []
    except OSError:
        return []


def environment(target: Target, temporary: str) -> dict[str, str]:
    options = {
        "OFINDEX_FUZZ_TARGET": target.name,
        "TMPDIR": temporary,
        "ASAN_OPTIONS": "quarantine_size_mb=16:malloc_context_size=8:allocator_may_return_null=1",
        "UBSAN_OPTIONS": "halt_on_error=1:print_stacktrace=1",
    }
    return os.environ | options


def run_worker(command: list[str], variables: dict[str, str], seconds: float) -> Ending:
    """Runs one libFuzzer process to its end."""
    with tempfile.TemporaryFile("w+", errors="replace") as log:
        try:
            done = subprocess.run(command, env=variables, stdout=log, stderr=log, timeout=seconds + 120, check=False)
        except subprocess.TimeoutExpired:
            return Ending(0, "the fuzzer does not end", 0)
        log.seek(0)
        text = log.read()
    counted = re.search(r"number_of_executed_units: (\d+)", text)
    return Ending(int(counted[1]) if counted else 0, text, done.returncode)


def fuzz(options: argparse.Namespace, target: Target, seconds: float) -> Outcome:
    """Runs processes that share a corpus, one for each job."""
    work = options.work.resolve()
    grown = work / "corpus" / target.name
    found = work / "findings"
    grown.mkdir(parents=True, exist_ok=True)
    found.mkdir(parents=True, exist_ok=True)
    before = set(found.glob(f"{target.name}-*"))
    began = time.monotonic()
    shared = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
    with tempfile.TemporaryDirectory(dir=shared, prefix="ofindex-fuzz-") as temporary:
        command = [
            *without_randomisation(),
            str(options.program.resolve()),
            f"-max_total_time={max(1, round(seconds))}",
            f"-max_len={target.max_bytes}",
            f"-timeout={INPUT_SECONDS}",
            f"-rss_limit_mb={MEMORY_MIB}",
            f"-artifact_prefix={found}/{target.name}-",
            "-print_final_stats=1",
            "-entropic=0",  # weighing all inputs again would take half of the time
            "-reload=10",
            str(grown),
            str(CORPUS / target.name),
        ]
        with ThreadPoolExecutor(options.jobs) as pool:
            variables = environment(target, temporary)
            seeds = [options.seed and options.seed + job for job in range(options.jobs)]
            workers = [pool.submit(run_worker, [*command, f"-seed={seed}"], variables, seconds) for seed in seeds]
            endings = [worker.result() for worker in workers]
    findings = sorted(set(found.glob(f"{target.name}-*")) - before)
    outcome = Outcome(sum(ending.inputs for ending in endings), time.monotonic() - began, findings)
    outcome.troubles = [ending.trouble for ending in endings if ending.trouble]
    if not outcome.inputs and not outcome.troubles:
        outcome.troubles.append("no input was tried: " + endings[0].said[-400:].strip())
    return outcome


def measure(program: Path, target: Target, work: Path, outcome: Outcome) -> None:
    """Sets which lines of the parser the grown corpus reaches."""
    with tempfile.TemporaryDirectory(prefix="ofindex-coverage-") as temporary:
        raw = Path(temporary) / "profile"
        variables = environment(target, temporary) | {"LLVM_PROFILE_FILE": str(raw)}
        inputs = [folder for folder in (work / "corpus" / target.name, CORPUS / target.name) if folder.is_dir()]
        command = [
            str(program.resolve()),
            "-runs=0",
            f"-max_len={target.max_bytes}",
            "-rss_limit_mb=0",
            *map(str, inputs),
        ]
        subprocess.run(command, env=variables, capture_output=True, check=False)
        if raw.is_file():
            outcome.by_file = covered_lines(program, raw, target.parser)
    if not outcome.lines:
        outcome.troubles.append("its coverage could not be measured")
    reasons = read_table(TABLE.read_text())
    for source, lines in outcome.by_file.items():
        outcome.troubles += explain(reasons, source, lines, (ROOT / source).read_text().splitlines())


def table(outcomes: dict[str, Outcome]) -> str:
    rows = [("target", "inputs", "per second", "lines", "explained", "of parser", "findings")]
    for name, outcome in outcomes.items():
        speed = f"{outcome.inputs / outcome.seconds:,.0f}" if outcome.seconds else "-"
        lines, explained, share = "-", "-", "-"
        if outcome.lines:
            lines, explained = f"{outcome.reached}/{outcome.lines}", str(outcome.explained)
            share = f"{outcome.share:.1f} %"
        rows.append((name, f"{outcome.inputs:,}", speed, lines, explained, share, str(len(outcome.findings))))
    total = sum(outcome.inputs for outcome in outcomes.values())
    found = sum(len(outcome.findings) for outcome in outcomes.values())
    rows.append(("all", f"{total:,}", "", "", "", "", str(found)))
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    return "\n".join(
        "  ".join(
            cell.ljust(width) if i == 0 else cell.rjust(width)
            for i, (cell, width) in enumerate(zip(row, widths, strict=True))
        )
        for row in rows
    )


def parsed(arguments: list[str] | None = None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="tools/fuzz", description="Fuzz the parsers of untrusted bytes.")
    parser.add_argument(
        "words", nargs="*", metavar="TARGET|SECONDS", help="targets (default: all), and seconds for each (60)"
    )
    parser.add_argument("--program", type=Path, required=True, help=argparse.SUPPRESS)
    parser.add_argument("--covered", type=Path, help=argparse.SUPPRESS)
    parser.add_argument("--work", type=Path, required=True, help=argparse.SUPPRESS)
    parser.add_argument(
        "--jobs", type=int, default=os.cpu_count() or 1, help="processes for each target (default: one per core)"
    )
    parser.add_argument("--seed", type=int, default=0, help="of random numbers (default: another one in each process)")
    parser.add_argument("--no-coverage", action="store_true", help="do not measure which lines are reached")
    parser.add_argument("--files", action="store_true", help="print the lines reached in each source")
    parser.epilog = "targets: " + ", ".join(target.name for target in targets_of(known_program(arguments)))
    return parser.parse_args(arguments)


def known_program(arguments: list[str] | None) -> Path:
    words = sys.argv[1:] if arguments is None else arguments
    return Path(words[words.index("--program") + 1])


def main() -> int:
    options = parsed()
    targets = {target.name: target for target in targets_of(options.program)}
    seconds = [float(word) for word in options.words if re.fullmatch(r"\d+(\.\d+)?", word)]
    names = [word for word in options.words if not re.fullmatch(r"\d+(\.\d+)?", word)]
    for name in names:
        if name not in targets:
            sys.exit(f"tools/fuzz: no target is called {name}; expected one of {', '.join(targets)}")
    outcomes: dict[str, Outcome] = {}
    for name in names or targets:
        outcome = fuzz(options, targets[name], seconds[0] if seconds else SECONDS)
        if options.covered and options.covered.is_file() and not options.no_coverage:
            measure(options.covered, targets[name], options.work.resolve(), outcome)
            if outcome.lines and outcome.share < LEAST_SHARE:
                share = f"{outcome.share:.1f} % of the lines of its parser are reached or explained"
                outcome.troubles.append(f"{share}; expected {LEAST_SHARE} %")
        outcomes[name] = outcome
        print(
            f"{name}: {outcome.inputs:,} inputs in {outcome.seconds:.0f} s, {len(outcome.findings)} findings",
            flush=True,
        )
        for trouble in outcome.troubles:
            print(f"  {trouble}")
        for finding in outcome.findings:
            print(f"  {finding}")
        for source, lines in sorted(outcome.by_file.items()) if options.files else ():
            print(f"  {len(lines.reached)}/{lines.count}, {len(lines.explained)} explained {source}")
            for number in sorted(lines.missed - lines.explained):
                print(f"    {number}")
    print("\n" + table(outcomes))
    return 1 if any(outcome.findings or outcome.troubles for outcome in outcomes.values()) else 0


if __name__ == "__main__":
    sys.exit(main())

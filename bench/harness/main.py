"""Measures ofindex and other tools in one run, and writes the tables. Run by tools/bench.

Exit code: 0 if every tool that runs here could be measured, and all answers agree, whatever the speeds; otherwise 1.
"""

from __future__ import annotations

import argparse
import shlex
import sys
from collections.abc import Callable, Iterable
from pathlib import Path

if __name__ == "__main__":
    sys.path[0] = str(Path(__file__).resolve().parent.parent)

from harness import machine
from harness.data import SIZES, Grid
from harness.environments import Environments
from harness.process import end_by_exception
from harness.report import Report
from harness.results import Results
from harness.runner import Runner
from harness.schedule import Schedule
from harness.settings import Settings
from harness.summary import LIMIT, OURS
from harness.task import Task
from peers import PEERS
from tasks import TASKS

QUICK_SCALE = 0.01


def one_of(known: Iterable[str]) -> Callable[[str], list[str]]:
    """Reads a list of names that are separated by commas."""

    def names(text: str) -> list[str]:
        found = text.split(",")
        if unknown := [name for name in found if name not in known]:
            raise argparse.ArgumentTypeError(f"no such name: {unknown[0]}; there are {', '.join(known)}")
        return found

    return names


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="tools/bench", description=(__doc__ or "").split("\n")[0])
    add = parser.add_argument
    add("--quick", action="store_true", help="little data, light tools, fewer turns: does it work?")
    add("--only", type=one_of(TASKS), metavar="TASK,...", help=", ".join(TASKS))
    add(
        "--peers",
        type=one_of(PEERS),
        metavar="TOOL,...",
        help="ofindex and limit always take part: " + ", ".join(PEERS),
    )
    add("--sizes", type=one_of(SIZES), metavar="SIZE,...", help=", ".join(SIZES))
    add("--shards", type=lambda text: [int(word) for word in text.split(",")], metavar="N,...", help="default: 1,256")
    add("--scale", type=float, help="part of the records: at 1, 1,000,000 of 350 B")
    add("--turns", type=int, help="turns that count: default 3, or 2 with --quick")
    add("--seconds", type=float, help="how long a speed is measured: default 1, or 0.3 with --quick")
    add("--resume", action="store_true", help="measure only what the results do not have yet")
    add("--render", action="store_true", help="measure nothing: write the tables from the results")
    add("--plan", action="store_true", help="measure nothing: tell the number of measurements, and about how long")
    add("--data", required=True, help="folder for data and results, kept for the next run")
    add("--write", required=True, metavar="FILE", help="the document to write")
    for hidden in ("--programs", "--environments", "--wheel", "--python"):
        add(hidden, default="", help=argparse.SUPPRESS)
    return parser.parse_args()


def runner_of(words: argparse.Namespace, results: Results) -> Runner:
    quick = words.quick
    seconds = words.seconds or (0.3 if quick else 1)
    programs = Path(words.programs).resolve()
    settings = Settings(
        words.data, str(programs / "limits" / "ofindex_limits"), str(programs / "pairs" / "ofindex_bench"), seconds
    )
    sizes = words.sizes or (["350B"] if quick else list(SIZES))
    shards = words.shards or ([1, 8] if quick else [1, 256])
    grid = Grid(words.data, tuple(sizes), tuple(shards), words.scale or (QUICK_SCALE if quick else 1))
    tools = {
        name: tool
        for name, tool in PEERS.items()
        if name in (words.peers or PEERS) or name in (OURS, LIMIT)
        if tool.is_light or not quick
    }
    with_ofindex = () if quick else ("torch==2.13.0",)
    environments = Environments(Path(words.environments), words.wheel, with_ofindex, words.python)
    schedule = Schedule(grid, tools, words.turns or (2 if quick else 3), seconds)
    return Runner(settings, schedule, environments, results)


def is_part(words: argparse.Namespace) -> bool:
    """True if the options leave out some of a full run, so that its results and tables must be kept."""
    return not words.quick and any((words.only, words.peers, words.sizes, words.shards, words.scale))


def path_of(words: argparse.Namespace) -> Path:
    """The results: those of a full run, of its parts, and of quick runs have files of their own."""
    name = "quick" if words.quick else "part" if is_part(words) else "results"
    return Path(words.data) / f"{name}.jsonl"


def main() -> int:
    end_by_exception()
    words = arguments()
    words.data = str(Path(words.data).resolve())
    Path(words.data).mkdir(parents=True, exist_ok=True)
    path = path_of(words)
    if not (words.resume or words.render or words.plan):
        path.unlink(missing_ok=True)
    results = Results.read(path)
    if words.render and not results.results:
        print(f"{path} has no results; the tables are left as they are.", file=sys.stderr)
        return 1
    if not words.render:
        runner = runner_of(words, results)
        tasks = [TASKS[name] for name in words.only or TASKS if TASKS[name].is_light or not words.quick]
        print(runner.schedule.plan(tasks), flush=True)
        if words.plan:
            return 0
        measure(words, runner, tasks)
    if is_part(words):
        document = path.with_suffix(".md")
        if not words.render:
            print(f"Wrote {path}; the same options with --render write the tables, {document}.")
            return failures(results)
        words.write = str(document)
    Report(results, TASKS, PEERS).write(Path(words.write))
    print(f"Wrote {words.write}.")
    return failures(results)


def measure(words: argparse.Namespace, runner: Runner, tasks: list[Task]) -> None:
    """Runs the tasks, and notes what the tables must say about the run."""
    results, grid = runner.results, runner.schedule.grid
    if words.resume:
        results.forget_failures()
    if not results.facts:
        results.tell({**machine.facts(), "scale": grid.scale})
    if (first := results.facts.get("commit")) != (now := machine.commit()):
        raise SystemExit(f"{results.path} has results of commit {first}, not of {now}: run without --resume.")
    command = shlex.join(["tools/bench", *shown(sys.argv[1:])])
    results.tell({"command": "\n".join(filter(None, [results.facts.get("command", ""), command]))})
    titles = {data.name: data.title for task in tasks for data in task.data(grid)}
    results.tell({"titles": {**results.facts.get("titles", {}), **titles}})
    runner.run(tasks)


def failures(results: Results) -> int:
    return 1 if any(result.failed for result in results.results) else 0


def shown(words: list[str]) -> list[str]:
    """The arguments without those that tools/bench adds."""
    added = ("--data", "--write", "--programs", "--environments", "--wheel", "--python")
    return [word for i, word in enumerate(words) if word not in added and (i == 0 or words[i - 1] not in added)]


if __name__ == "__main__":
    sys.exit(main())

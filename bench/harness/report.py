"""docs/benchmarks.md and its plots, from the results of a run."""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from pathlib import Path
from statistics import median

from harness.figures import plain, with_spread
from harness.peer import Peer
from harness.plot import svg
from harness.results import Result, Results
from harness.summary import LIMIT, OURS, Row, rows
from harness.task import Figure, Task

HEAD = """\
# Benchmarks

<!-- Written by tools/bench from the results of one run. Do not edit; docs/benchmarking.md explains everything. -->

How fast ofindex and other tools answer the same questions over the same files, measured in turns in one run.
[benchmarking.md](benchmarking.md) explains how, and what profiling showed.
"""


class Report:
    """The tables of a run."""

    def __init__(self, results: Results, tasks: dict[str, Task], tools: dict[str, type[Peer]]) -> None:
        self.results = results
        self.tasks = tasks
        self.tools = tools
        self.names = {name: tool.name for name, tool in tools.items()} | {OURS: "ofindex", LIMIT: "physical limit"}

    def measured(self, task: Task) -> dict[str, list[Result]]:
        """The results of a task, by data set, in the order of the run."""
        found: dict[str, list[Result]] = {}
        for one in self.results.results:
            if one.task == task.name:
                found.setdefault(one.data, []).append(one)
        return found

    def titles(self) -> dict[str, str]:
        return self.results.facts.get("titles", {})

    def lines(self, plots: str) -> Iterator[str]:
        yield HEAD
        yield from self.machine()
        for task in self.tasks.values():
            if not task.is_check and (measured := self.measured(task)):
                yield from self.section(task, measured, plots)
        yield from self.settings()
        yield from self.unable()
        yield from self.problems()

    def machine(self) -> Iterator[str]:
        facts = self.results.facts
        yield "## The run\n"
        if "processor" in facts:
            yield (
                f"{facts['processors']} processors ({facts['processor']}), {facts['memory']} of memory, "
                f"{facts['system']}, Linux {facts['kernel']}; load {facts['load']} at the start.\n"
            )
            if facts.get("commit"):
                yield f"ofindex at {facts['commit']}, {facts['date']}.\n"
            yield f"```text\n{facts.get('command', 'tools/bench')}\n```\n"
        if facts.get("scale", 1) < 1:
            yield (
                f"**This run used {plain(100 * facts['scale'])} % of the data.** It shows that everything works; do "
                "not compare speeds by it, since fixed costs outweigh the work.\n"
            )
        yield (
            "A cell has the median of all turns, and their range in parentheses. *ofindex is* tells how many times "
            "better ofindex is than this tool, by the median of the turns; below 1, the tool is better. *of the limit* "
            "tells which part of the physical limit the tool reaches.\n"
        )

    def section(self, task: Task, measured: dict[str, list[Result]], plots: str) -> Iterator[str]:
        yield f"## {task.title}\n"
        yield " ".join((inspect.getdoc(task) or "").split()) + "\n"
        for figure in task.figures:
            yield from self.table(task, figure, measured)
        if not task.figures:
            yield from self.lines_of(measured)
        name = f"{task.name}.svg"
        if plots and self.plot(task, measured):
            yield f"![{task.title}]({plots}/{name})\n"

    def table(self, task: Task, figure: Figure, measured: dict[str, list[Result]]) -> Iterator[str]:
        if not any(
            one.figures.get(figure.name) is not None or one.why for several in measured.values() for one in several
        ):
            return
        goal = f" Goal: {figure.goal}." if figure.goal else ""
        best = "more is better" if figure.more_is_better else "less is better"
        yield f"{figure.title.capitalize()}, {figure.unit}; {best}.{goal}\n"
        yield "| data | tool | measured | ofindex is | of the limit | why it is better |\n|---|---|---|---|---|---|"
        for data, several in measured.items():
            for i, row in enumerate(rows(several, figure)):
                yield self.line(self.titles().get(data, data) if i == 0 else "", row, self.advantage(task, figure, row))
        yield ""

    def advantage(self, task: Task, figure: Figure, row: Row) -> str:
        """Why the tool of a row is better than ofindex, if it is."""
        if not row.times or row.tool == LIMIT or median(row.times) >= 1:
            return ""
        known = (task.advantages.get(f"{figure.name} {row.tool}"), task.advantages.get(figure.name))
        return next(filter(None, known), self.tools[row.tool].advantages.get(task.name)) or "not known yet"

    def lines_of(self, measured: dict[str, list[Result]]) -> Iterator[str]:
        """A task without figures of its own names them in its results, and their bounds in its answer."""
        yield "| line | measured | asked |\n|---|---|---|"
        for results in measured.values():
            for name, asked in (results[0].answer or {}).items():
                yield f"| {name} | {with_spread([one.figures[name] for one in results])} | {asked} |"
        yield ""

    def line(self, data: str, row: Row, advantage: str) -> str:
        name = ", ".join(filter(None, [self.names.get(row.tool, row.tool), row.note]))
        if not row.values:
            return f"| {data} | {name} | {cell(row.why)} | | | |"
        if row.tool == OURS:
            name = f"**{name}**"
        of_limit = plain(median(row.of_limit)) if row.of_limit else ""
        times = with_spread(row.times) if row.times and row.tool != LIMIT else ""
        return f"| {data} | {name} | {with_spread(row.values)} | {times} | {of_limit} | {advantage} |"

    def plot(self, task: Task, measured: dict[str, list[Result]]) -> str:
        """The plot of a task: its first figure, for the first data set."""
        data, results = next(iter(measured.items()))
        if not task.figures:
            return ""
        figure = task.figures[0]
        return svg(f"{task.title}: {self.titles().get(data, data)}", figure.unit, rows(results, figure), self.names)

    def settings(self) -> Iterator[str]:
        yield "## What each tool does\n"
        yield "| tool | from PyPI |\n|---|---|"
        for tool in self.tools.values():
            if tool.packages:
                yield f"| {tool.name} | {', '.join(tool.packages)} |"
        yield ""
        yield "| tool | method | settings |\n|---|---|---|"
        for tool in self.tools.values():
            for method, text in settings_of(tool):
                yield f"| {tool.name} | {method.replace('_', ' ')} | {text} |"
        yield ""

    def unable(self) -> Iterator[str]:
        yield "## What a tool cannot do\n"
        yield "| tool | task | why |\n|---|---|---|"
        for tool in self.tools.values():
            for why, tasks in reasons(tool, self.tasks).items():
                yield f"| {tool.name} | {', '.join(tasks)} | {why} |"
        yield ""

    def problems(self) -> Iterator[str]:
        found = {(one.task, one.tool, one.why): one for one in self.results.results if one.why}
        if not found:
            return
        yield "## What was not measured\n"
        yield "| task | tool | why |\n|---|---|---|"
        for one in found.values():
            yield f"| {one.task} | {self.names.get(one.tool, one.tool)} | {cell(one.why)} |"
        yield ""

    def write(self, path: Path) -> None:
        """Writes the document, and its plots into a folder of the same name."""
        folder = path.with_suffix("")
        folder.mkdir(parents=True, exist_ok=True)
        for old in folder.glob("*.svg"):
            old.unlink()
        for task in self.tasks.values():
            if (measured := self.measured(task)) and (drawn := self.plot(task, measured)):
                (folder / f"{task.name}.svg").write_text(drawn, encoding="utf-8")
        path.write_text("\n".join(self.lines(folder.name)).rstrip() + "\n", encoding="utf-8")


def cell(text: str) -> str:
    """Text that does not end a cell of a table."""
    return text.replace("|", "/")


def settings_of(tool: type[Peer]) -> Iterator[tuple[str, str]]:
    """The methods of a tool, and what their docstrings say."""
    measuring = getattr(tool, "measuring", {})
    methods = measuring or {name: value for name, value in vars(tool).items() if hasattr(Peer, name)}
    for name, value in methods.items():
        base = getattr(Peer, name, None)
        text = inspect.getdoc(value) if inspect.isfunction(value) else None
        if text and text != inspect.getdoc(base) and not name.startswith("_"):
            yield name, " ".join(text.split())


def reasons(tool: type[Peer], tasks: dict[str, Task]) -> dict[str, list[str]]:
    """The tasks that a tool cannot do, by the reason."""
    found: dict[str, list[str]] = {}
    if tool.slug() == LIMIT:
        return found
    for task in tasks.values():
        if task.is_for_all and not tool.can(task):
            lacks = [need for need in task.needs if getattr(tool, need) is getattr(Peer, need)]
            found.setdefault(tool.cannot.get((lacks or task.needs)[0], ""), []).append(task.name)
    return found

"""The commands that tests of faulty disks, power cuts and failing allocations run, and what may come of each."""

from __future__ import annotations

import collections
import os
import re
import subprocess
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from e2e.command import CommandTest, Finished
from e2e.fault_shim import LIBRARY, Fault, Shim
from e2e.folder_state import FolderState, State
from e2e.samples import write_parts

MOMENTS = os.environ.get("OFINDEX_MOMENTS", "25")
CODES = range(8)
DRAFT = ".ofindex-draft"
MARK = "_ofindex_unfinished"
SETTLED_SECONDS = 0.1  # above kClockTickNs of base/file_watch.cc
# No file goes, and none is replaced: what happened is that a call failed.
WRONG_REASONS = (": there is no index", "no such file or folder, and no index", "was replaced since it was opened")

Item = TypeVar("Item")


def spread(items: list[Item], number: str = MOMENTS) -> list[Item]:
    """`number` of the items, evenly spread, with the first and the last; all of them if it is "all"."""
    if number == "all" or len(items) <= int(number):
        return items
    step = (len(items) - 1) / (int(number) - 1)
    return [items[round(i * step)] for i in range(int(number))]


@dataclass(frozen=True)
class Attempt:
    """A command, the commands that prepare its folder, and how its output may be asked for (`ask`).

    `whole`: the files of its output are replaced together. `reads_shards`: without a shard that could not be read, it
    goes on, and ends with exit code 5. `tells`: what it says if its output lacks something.
    """

    name: str
    args: str
    before: tuple[str, ...] = ()
    ask: str = ""
    whole: bool = False
    reads_shards: bool = False
    writes: bool = True
    tells: str = "everything else is in the index"
    changes: Callable[[Path], None] | None = None


def grow(folder: Path) -> None:
    """One shard grows, one goes, one comes."""
    write_parts(folder / "new", (6,))
    (folder / "data/part-0").write_bytes((folder / "new/part-0").read_bytes())
    (folder / "data/part-1").unlink()
    (folder / "new/part-0").rename(folder / "data/part-3")
    (folder / "new").rmdir()


def add_readme(folder: Path) -> None:
    """A file that is no output lies in the folder of the set."""
    (folder / "set/README").write_text("mine")


def name_map(folder: Path) -> None:
    """A table has the name of the map of an index."""
    (folder / "rows.csv").rename(folder / "new.ofidx-map")


def mark_unfinished(folder: Path) -> None:
    """A writer of the set was stopped."""
    (folder / "set" / MARK).touch()


FORCEFUL = ("build", "merge", "audit", "report", "split", "cat", "pack", "convert", "export")  # have --force
BUILT = ("build data -j 1",)
ATTACHED = (*BUILT, "attach data table.csv --key label")
PARTS = ("build data --part 1/2 -j 1", "build data --part 2/2 -j 1")
ATTEMPTS = (
    Attempt("build", "build data -j 1", ask="get data -1", reads_shards=True),
    Attempt("build_again", "build data --force --verify --derive image:hash --key label -j 1",
            (*BUILT, "key data label -j 1"), "get data -1", reads_shards=True),
    # Not the last record: a shard that cannot be read at first gets later numbers.
    Attempt("update", "update data -j 1", (*BUILT, "key data label -j 1"),
            "sql data select(sum(label)),count(*)from(records)", reads_shards=True, changes=grow),
    Attempt("part", "build data --part 2/2 -j 1", ask="info data.part-2-of-2.ofidx", reads_shards=True),
    Attempt("merge", "merge data.part-1-of-2.ofidx data.part-2-of-2.ofidx -o data.ofidx --force -j 1",
            (*PARTS, "build data/part-0 -o data.ofidx"), "get data.ofidx 2"),
    Attempt("key", "key data label -j 1", BUILT, "get data --key label=3"),
    Attempt("attach", "attach data table.csv --key label", BUILT, "where data score>0 --count"),
    Attempt("attach_more", "attach data table.csv --key label --as b_",
            ATTACHED, "where data score>0 --count"),
    Attempt("detach", "detach data score", ATTACHED, "info data"),
    Attempt("pack", "pack few -o out/new --to ofrecord --shards 2", ask="build out/new --force", whole=True),
    Attempt("pack_rows", "pack rows.csv -o rows --to tfrecord --shards 2", ask="build rows --force", whole=True),
    Attempt("pack_again", "pack few -o set --to ofrecord --shards 2 --force",
            ("pack more -o set --to ofrecord --shards 3",), "build set --force", whole=True, changes=add_readme),
    Attempt("pack_in_place", "pack few -o set --to ofrecord --shards 2 --force",
            (*BUILT, "pack more -o set --to ofrecord --shards 3", "export data --to tfrecord2idx -o set/notes"),
            "build set --force", whole=True, changes=add_readme),
    Attempt("pack_file", "pack few -o set/x.tfrecord --to tfrecord --force",
            ("pack more -o set/x.tfrecord --to tfrecord",), "build set --force", whole=True),
    Attempt("convert", "convert data -o converted --to ofrecord --shards 2", ask="build converted --force", whole=True),
    Attempt("convert_again", "convert data -o converted --to tfrecord --compress gzip --shards 2 --force",
            ("convert data -o converted --to tfrecord --compress gzip --shards 3",), "build converted --force",
            whole=True),
    Attempt("cat_file", "cat data --to csv -o out.csv --force",
            (*BUILT, "cat data --ids one --to csv -o out.csv")),
    Attempt("cat_arrow", "cat data --to arrow -o out.arrow", BUILT, reads_shards=True),
    Attempt("cat_records", "cat data --to tfrecord -o out.tfrecord", BUILT, "build out.tfrecord --force",
            reads_shards=True),
    Attempt("split", "split data train=0.7,val=0.3 -o parts", BUILT),
    Attempt("export", "export data --to tfrecord2idx -o indexes", BUILT),
    Attempt("report", "report data -o page.html", BUILT, reads_shards=True, tells="could not be read"),
    Attempt("audit", "audit data --label label -o equal.csv", BUILT),
    Attempt("info", "info data", BUILT, writes=False),
    Attempt("get", "get data 0 3", BUILT, writes=False),
    Attempt("get_key", "get data --key label=3", (*BUILT, "key data label -j 1"), writes=False),
    Attempt("get_last", "get data -1", BUILT, writes=False),
    Attempt("cat", "cat data --to raw", BUILT, writes=False),
    Attempt("sql", "sql data select(sum(label)),count(*)from(records)where(label>2)", BUILT, writes=False),
    Attempt("where", "where data label>3", ATTACHED, writes=False),
    Attempt("info_attached", "info data", ATTACHED, writes=False),
    Attempt("schema_attached", "schema data", ATTACHED, writes=False),
    Attempt("sql_attached", "sql data select*from(records)", ATTACHED, writes=False),
    Attempt("detach_all", "detach data --all", ATTACHED, "schema data"),
    Attempt("sample", "sample data --seed 1 --weights label", BUILT, writes=False),
    Attempt("verify", "verify data -j 1", BUILT, writes=False),
)  # fmt: skip

# Commands that would replace what they must not.
REFUSED = (
    Attempt("ids", "cat data --to csv --ids ids.csv -o ids.csv --force", (*BUILT, "cat data --to csv -o ids.csv")),
    Attempt("into_input", "convert data -o data/set --to tfrecord", BUILT),
    Attempt("beside_input", "convert data/part-0 data/part-1 -o data/new.tfrecord --to tfrecord"),
    Attempt("around_input", "convert data -o . --to tfrecord --force", BUILT),
    Attempt("among_shards", "cat data --to tfrecord -o data/part-9", BUILT),
    Attempt("among_indexed", "cat data --to tfrecord -o few/new-7.tfrecord",
            (*BUILT, "cat data --to tfrecord -o few/new-6.tfrecord", "build few")),
    Attempt("shard", "build data/part-0 -o data/part-1 --force -j 1"),
    Attempt("foreign", "build data -o rows.csv --force -j 1"),
    Attempt("foreign_map", "build data -o new.ofidx --force -j 1", changes=name_map),
    Attempt("foreign_merged", "merge data.part-1-of-2.ofidx data.part-2-of-2.ofidx -o rows.csv --force -j 1", PARTS),
    Attempt("one_part", "merge data.part-1-of-2.ofidx -o data.ofidx --force -j 1", (*PARTS, "build data -j 1")),
    Attempt("own_part", "merge data.part-1-of-2.ofidx data.part-2-of-2.ofidx -o data.part-2-of-2.ofidx --force -j 1",
            PARTS),
    Attempt("labels", "pack more -o set/y.tfrecord --to tfrecord", ("pack few -o set/x.tfrecord --to tfrecord",)),
    Attempt("set", "pack few -o set --to ofrecord --shards 2", ("pack few -o set --to ofrecord --shards 2",)),
    Attempt("split", "split data a=0.5,b=0.5 -o parts", (*BUILT, "split data a=0.6,b=0.4 -o parts")),
    Attempt("export", "export data --to tfrecord2idx -o indexes", (*BUILT, "export data --to tfrecord2idx -o indexes")),
    Attempt("page", "report data -o data.ofidx --force", BUILT),
    Attempt("table", "audit data --label label -o table.csv --force", BUILT),
    Attempt("unfinished", "build set -j 1", ("pack few -o set --to ofrecord --shards 2",), changes=mark_unfinished),
    Attempt("column", "attach data table.csv --key label", ATTACHED),
)  # fmt: skip


class AttemptCase(CommandTest):
    """Runs one of the ATTEMPTS in `self.dir`; `self.old` and `self.new` are the states before it and after it."""

    def setUp(self) -> None:
        super().setUp()
        if not LIBRARY.is_file():
            self.assertNotIn("OFINDEX_FAULT_LIBRARY", os.environ, f"no {LIBRARY}")
            self.skipTest(f"no {LIBRARY}: it is built for Linux without sanitizers")
        self.environment = {**self.environment, "LD_PRELOAD": str(LIBRARY), "FAULTS_CLOCK": str(int(time.time()))}
        self.folder = FolderState(self.dir)
        self.shim = Shim(self.dir, self.dir.parent, self.environment)

    def prepare(self, attempt: Attempt) -> None:
        """Makes the folder in which the attempt runs."""
        for path in self.dir.iterdir():
            self.folder.remove(path)
        write_parts(self.dir / "data", (3, 4, 5))
        for source, classes in {"few": ("cat", "dog"), "more": ("ant", "bee", "cat")}.items():
            for label in classes:
                (self.dir / source / label).mkdir(parents=True)
                for number in range(3):
                    (self.dir / source / label / f"{number}.png").write_bytes(f"{source}{label}{number}".encode())
        (self.dir / "rows.csv").write_text("a,b\n" + "".join(f"{n},row {n}\n" for n in range(9)))
        (self.dir / "table.csv").write_text("label,score\n" + "".join(f"{n},0.{n}\n" for n in range(8)))
        (self.dir / "one").write_text("3\n")
        self.attempt = attempt
        self.args = attempt.args.split()
        for line in attempt.before:
            self.expect(0, *line.split())
        if attempt.changes is not None:
            attempt.changes(self.dir)
        self.old = self.folder.read()
        # A command checks a file again that changed just now: from here on, only those that the command changes are so.
        time.sleep(SETTLED_SECONDS)

    def begin(self, attempt: Attempt) -> None:
        self.prepare(attempt)
        self.done = self.expect(0, *self.args)
        self.new = self.folder.read()
        self.answers = {self.answer(state) for state in (self.old, self.new)}
        self.folder.put_back(self.old)
        self.verdicts: dict[tuple[frozenset[tuple[str, bytes | None]], bool], str] = {}

    def attack_all(self, faults: Callable[[], list[Fault]], attempts: Iterable[Attempt] = ATTEMPTS) -> None:
        """Makes one call after another fail in each attempt; `faults` returns all that the attempt may meet."""
        totals = collections.Counter[str]()
        for attempt in attempts:
            with self.subTest(attempt.name):
                self.begin(attempt)
                found = collections.Counter[str]()
                tried = spread(faults())
                for fault in tried:
                    with self.subTest(attempt.name, fault=str(fault)):
                        complaint = self.complaint_about(fault, found)
                        found[complaint.partition(":")[0] or "fine"] += 1
                        self.assertEqual(complaint, "")
                self.assertGreater(2 * found["met"], len(tried), "most faults are met")
                totals += found
                if MOMENTS == "all":
                    print(attempt.name, dict(found), flush=True)
        if MOMENTS == "all":
            print("all", dict(totals))

    def complaint_about(self, fault: Fault, found: collections.Counter[str]) -> str:
        """Returns the fault of the command, or of the files that it leaves, if this call fails; empty if there is none.

        Counts exit codes in `found`.
        """
        self.folder.put_back(self.old)
        try:
            run = self.shim.run(*self.args, fault=fault)
        except subprocess.TimeoutExpired:
            return "hang"
        done = run.finished
        if run.struck == 0:
            return ""
        found["met"] += 1
        if done.code not in CODES:
            return f"crash: {done}"
        found[f"exit code {done.code}"] += 1
        if done.code != 0 and "ofindex: " not in done.stderr and b"not clean" not in done.stdout:
            return f"no reason: {done}"
        if any(reason in done.stderr for reason in WRONG_REASONS):
            return f"wrong reason: {done}"
        complaint = self.complaint_about_files(done)
        return f"{complaint}: {done}" if complaint else ""

    def complaint_about_files(self, done: Finished) -> str:
        state = self.folder.read()
        if not self.attempt.writes:
            if done.code == 0 and done.stdout != self.done.stdout:
                return "loss: another answer"
            changed = self.difference(state, self.old)
            return f"changed: {changed}" if changed else ""
        fault = self.fault_of_state(state, done.code == 0)
        is_partial = self.attempt.reads_shards and (done.code == 5 or self.attempt.tells in done.stderr)
        if fault and not is_partial:
            return f"{'loss' if done.code == 0 else 'half'}: {fault}"
        fault = self.fault_of_rerun(state, asks=not fault)
        return f"not repaired: {fault}" if fault else ""

    def answer(self, state: State) -> tuple[int, bytes]:
        """Returns the exit code and output of the command that asks about the output in this state."""
        if not self.attempt.ask:
            return 0, b""
        self.folder.put_back(state)
        asked = self.run_command(*self.attempt.ask.split())
        return asked.code, re.sub(rb"; [0-9.]+ s, [0-9,]+ records/s", b"", asked.stdout)

    def fault_of_state(self, state: State, ended_well: bool) -> str:
        """Returns the fault of the folder after a command that failed or was stopped; empty if there is none."""
        if ended_well:
            return self.difference(without_temporaries(state), self.new)
        old, new, seen = (files_of(one) for one in (self.old, self.new, without_temporaries(state)))
        news = set()
        for path in {*seen, *old, *new}:
            if seen.get(path) not in (old.get(path), new.get(path)):
                return f"{path}: neither the old file nor the new one"
            if seen.get(path) == new.get(path) != old.get(path):
                news.add(path)
        is_marked = any(os.path.basename(path) == MARK for path in state)
        if self.attempt.whole and not is_marked and news and seen != new:
            return f"a set of which only {sorted(news)} are new"
        return ""

    def fault_of_rerun(self, state: State, asks: bool = True) -> str:
        """Returns the fault of the output after a run without faults; with `asks`, also of the output before it."""
        key = frozenset(state.items()), asks
        if key not in self.verdicts:
            self.verdicts[key] = (self.fault_of_answer(state) if asks else "") or self._fault_of_rerun(state, asks)
        return self.verdicts[key]

    def fault_of_answer(self, state: State) -> str:
        is_marked = any(os.path.basename(path) == MARK for path in state)
        if not self.attempt.ask or is_marked or self.answer(state) in self.answers:
            return ""
        return f"asked for {self.attempt.ask}: neither the old answer nor the new one"

    def _fault_of_rerun(self, state: State, is_complete: bool) -> str:
        forceful = self.args[0] in FORCEFUL
        if not forceful and without_temporaries(state) == self.new:
            return ""  # what is done cannot be done again
        self.folder.put_back(state)
        again = self.run_command(*self.args, *(["--force"] if forceful and "--force" not in self.args else []))
        if again.code != 0:
            return f"run again: {again}"
        if (
            self.args[0] == "update" and not is_complete
        ):  # then, what was updated and what comes now are two generations
            return "" if self.answer(self.folder.read()) == self.answer(self.new) else "another answer than the new one"
        return self.difference(self.folder.read(), self.new)

    @staticmethod
    def difference(found: State, wanted: State) -> str:
        missing = sorted(set(wanted) - set(found))
        more = sorted(set(found) - set(wanted))
        changed = sorted(path for path in set(found) & set(wanted) if found[path] != wanted[path])
        return "" if found == wanted else f"not the new state: missing {missing}, also there {more}, changed {changed}"


def files_of(state: State) -> dict[str, bytes]:
    return {path: data for path, data in state.items() if data is not None}


def without_temporaries(state: State) -> State:
    """The files that are outputs: not those that a later run removes."""
    return {path: data for path, data in state.items() if DRAFT not in path and os.path.basename(path) != MARK}

"""pack and convert fail or are killed at a system call: the old set or the new one is in place, never a mix.

OFINDEX_FAULTS is the number of system calls at which each scenario fails, and the number at which it is killed
(default: 25; "all": each one). Calls that publish come first. Needs strace.
"""

from __future__ import annotations

import collections
import os
import re
import shutil
from collections.abc import Iterator
from pathlib import Path

from e2e.samples import write_parts
from e2e.tracing import TracedTest
from oracle import records

FAULTS = os.environ.get("OFINDEX_FAULTS", "25")

# The system calls that publish a set. They are tried before all other calls.
PUBLISHING = ("renameat2", "renameat", "rename", "linkat", "unlinkat", "unlink", "rmdir", "mkdir", "fsync", "fchmod",
              "fchown", "flock", "openat", "pwrite64", "getdents64", "close", "fcntl")  # fmt: skip

Files = dict[str, bytes]


def files_in(folder: Path) -> Files:
    """The set in `folder`: its shards and labels."""
    return {
        path.name: path.read_bytes()
        for path in folder.iterdir()
        if re.search(r"part-\d+$|\.tfrecord$|^_labels\.tsv$", path.name) and path.is_file()
    }


class FaultsTest(TracedTest):
    """A set of 3 shards, with labels and a foreign file, to be replaced by a set of 2 shards."""

    def setUp(self) -> None:
        super().setUp()
        for source, folders in {"few": ("cat", "dog"), "more": ("ant", "bee", "cat")}.items():
            for folder in folders:
                for number in range(3):
                    path = self.dir / source / folder / f"{number}.png"
                    path.parent.mkdir(parents=True, exist_ok=True)
                    path.write_bytes(f"{source}{folder}{number}".encode())
        write_parts(self.dir / "data", (3, 4))

    def moments(self, *args: str) -> Iterator[tuple[str, int]]:
        """The system calls at which to stop the command: the name of a call, and which one of that name, from 1."""
        self.restore()
        self.assertEqual(self.trace(*args).code, 0)
        counts = collections.Counter(self.calls())
        counts.pop("execve", None)
        names = sorted(counts, key=lambda name: PUBLISHING.index(name) if name in PUBLISHING else len(PUBLISHING))
        moments = [(name, number) for name in names for number in range(1, counts[name] + 1)]
        yield from moments if FAULTS == "all" else moments[: int(FAULTS)]

    def restore(self) -> None:
        """Restores the old set and removes everything else."""
        for path in self.dir.glob("out*"):
            shutil.rmtree(path) if path.is_dir() else path.unlink()
        shutil.copytree(self.dir / "old", self.dir / "out", symlinks=True)

    def attack(self, *args: str, in_place: bool = False) -> None:
        """Makes one system call after another fail, or kills the command there. With `in_place`, a marked mix of both
        sets may be left."""
        old = files_in(self.dir / "old")
        self.restore()
        self.expect(0, *args)
        new = files_in(self.dir / "out")
        self.assertNotEqual(old, new)
        counts = {len(self.payloads(files)): name for name, files in {"old": old, "new": new}.items()}
        found = collections.Counter[str]()
        for fault in ("error=EIO", "signal=KILL"):
            for name, number in self.moments(*args):
                with self.subTest(args=args, fault=fault, call=name, number=number):
                    self.restore()
                    done = self.trace(*args, inject=f"{name}:{fault}:when={number}")
                    if fault == "error=EIO" and "(INJECTED)" not in (self.dir.parent / "calls").read_text():
                        found["not reached"] += 1
                        continue
                    which = {"old": old, "new": new}
                    state = next((one for one, files in which.items() if files_in(self.dir / "out") == files), "mix")
                    found[f"{fault}: {state}"] += 1
                    built = self.run_command("build", "out", "-o", "built.ofidx", "--force", "--json")
                    if in_place and built.code == 3:
                        self.assertIn("_ofindex_unfinished", built.stderr)
                        found["marked"] += 1
                    else:
                        self.assertNotEqual(state, "mix", done)
                        self.assertEqual(built.code, 0, built)
                        self.assertEqual(counts[built.json["records"]], state, built)
                        left = [path.name for path in self.dir.iterdir() if path.name.endswith("-draft")]
                        skipped = [file["path"] for file in built.json["skipped"]]
                        self.assertEqual([path for path in skipped if "/" not in path], left)
                        if done.code == 0:
                            self.assertEqual(state, "new")
                    self.assertEqual((self.dir / "out" / "README").read_bytes(), b"mine")
                    self.expect(0, *args)
                    self.assert_same(files_in(self.dir / "out"), new, "the set after the command is run again")
                    self.assertEqual((self.dir / "out" / "README").read_bytes(), b"mine")
                    temporaries = [str(path) for path in self.dir.rglob("*-draft")]
                    self.assertEqual((temporaries, (self.dir / "out" / "_ofindex_unfinished").exists()), ([], False))
        if FAULTS == "all":
            print(args, dict(found))
        self.assertGreater(found["error=EIO: old"], 0, "no failed call left the old set in place")
        self.assertGreater(found["signal=KILL: old"], 0)

    def payloads(self, files: Files) -> list[bytes]:
        found = []
        for name, data in sorted(files.items()):
            if name != "_labels.tsv":
                framing = records.OFRECORD if name.startswith("part-") else records.TFRECORD
                found += records.WALK[framing](data).payloads
        return found

    def make_old(self, *args: str) -> None:
        self.expect(0, *args, "-o", "out")
        (self.dir / "out" / "README").write_bytes(b"mine")
        (self.dir / "out").rename(self.dir / "old")

    def test_pack_replaces_a_larger_set_with_other_labels(self) -> None:
        self.make_old("pack", "more", "--to", "ofrecord", "--shards", "3")
        self.attack("pack", "few", "--to", "ofrecord", "-o", "out", "--shards", "2", "--force")

    def test_convert_replaces_a_larger_set(self) -> None:
        self.make_old("convert", "data", "--to", "tfrecord", "--shards", "3", "--where", "label > 3")
        self.attack("convert", "data", "--to", "tfrecord", "-o", "out", "--shards", "2", "--force")

    def test_a_file_is_published_with_its_labels(self) -> None:
        self.make_old("pack", "more", "--to", "tfrecord", "--shards", "1")
        (shard,) = (self.dir / "old").glob("*.tfrecord")
        shard.rename(shard.with_name("x.tfrecord"))
        self.attack("pack", "few", "--to", "tfrecord", "-o", "out/x.tfrecord", "--force", in_place=True)

    def test_a_folder_that_cannot_be_exchanged_is_filled_in_place(self) -> None:
        self.make_old("pack", "more", "--to", "ofrecord", "--shards", "3")
        (self.dir / "old" / "notes").mkdir()
        (self.dir / "old" / "notes" / "day").write_text("a day")
        self.attack("pack", "few", "--to", "ofrecord", "-o", "out", "--shards", "2", "--force", in_place=True)

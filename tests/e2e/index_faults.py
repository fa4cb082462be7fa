"""A command that replaces an index fails, finds the disk full, or is killed, at one system call after another.

OFINDEX_FAULTS is the number of system calls at which it fails, and is killed (default: 25; "all": each one). Calls that
write and publish come first.
"""

from __future__ import annotations

import collections
import os

from e2e.bounded import is_address_sanitized
from e2e.tracing import TracedTest

FAULTS = os.environ.get("OFINDEX_FAULTS", "25")
PUBLISHING = ("rename", "renameat2", "fsync", "pwrite64", "write", "ftruncate", "openat", "unlink", "fchmod", "close")


class IndexFaultsTest(TracedTest):
    def attack(self, index: str, counts: dict[str, int], *args: str, reads_shards: bool = False) -> None:
        """Runs a command that replaces `index`, with faults: the old one or the new one is in place, with the number of
        records that `counts` has for "old" and "new", and the next run repairs everything. If the command reads shards,
        the index may also lack one that could not be read."""
        old = self.bytes_of(index)
        self.expect(0, *args)
        new = self.bytes_of(index)
        names = self.names()
        found = collections.Counter[str]()
        for fault in ("error=ENOSPC", "error=EIO", "signal=KILL"):
            self.put_back(index, old)
            for name, number in self.moments(*args):
                with self.subTest(fault=fault, call=name, number=number):
                    self.put_back(index, old)
                    done = self.trace(*args, inject=f"{name}:{fault}:when={number}")
                    state = {old[0]: "old", new[0]: "new"}.get((self.dir / index).read_bytes(), "neither")
                    found[f"{fault}: {state}"] += 1
                    if state == "neither" and reads_shards:
                        self.assertEqual(done.code, 5, done)
                        self.expect(0, *args)
                        self.assertEqual(self.expect(0, "info", index, "--json").json["records"], counts["new"])
                        continue
                    self.assertIn(state, ("old", "new"), done)
                    if done.code == 0:
                        self.assertEqual(state, "new", done)
                    opened = self.expect(0, "info", index, "--json").json
                    self.assertEqual(opened["records"], counts[state])
                    self.expect(0, *args)
                    self.expect(0, "get", index, str(counts["new"] - 1))  # a missing map is built when it is needed
                    self.assert_same(self.bytes_of(index), new, "index and map of the next run")
                    self.assertEqual(self.names(), names)
        for fault in ("error=ENOSPC", "error=EIO", "signal=KILL"):
            self.assertGreater(found[f"{fault}: old"], 0)

    def moments(self, *args: str) -> list[tuple[str, int]]:
        """The system calls at which to stop the command: the name of a call, and which one of that name, from 1."""
        self.assertEqual(self.trace(*args).code, 0)
        counts = collections.Counter(self.calls())
        counts.pop("execve", None)
        if is_address_sanitized():  # it checks addresses by calls of write(), and hangs if one fails
            counts.pop("write", None)
        calls = sorted(counts, key=lambda name: PUBLISHING.index(name) if name in PUBLISHING else len(PUBLISHING))
        moments = [(name, number) for name in calls for number in range(1, counts[name] + 1)]
        if FAULTS == "all":
            return moments
        # Some calls of each name: an index has many pages.
        first = [(name, number) for name, number in moments if number in (1, 2, counts[name] // 2, counts[name])]
        return first[: int(FAULTS)]

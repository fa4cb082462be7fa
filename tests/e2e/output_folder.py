"""A folder with data, for tests of verbs that write. Its content is compared before and after a refused command."""

from __future__ import annotations

import os
import stat
from typing import Any

from e2e.command import CommandTest, Finished
from e2e.samples import write_parts
from oracle import records

NOBODY = 65534
ROWS = "rows.jsonl"


class OutputFolderTest(CommandTest):
    """Two TFRecord shards in data/ and one OFRecord shard in of/, both indexed; rows.jsonl; an empty folder, set/."""

    def setUp(self) -> None:
        super().setUp()
        write_parts(self.dir / "data", (5, 3))
        write_parts(self.dir / "of", (4,), records.OFRECORD)
        (self.dir / ROWS).write_text('{"a":1}\n{"a":2}\n')
        for data in ("data", "of"):
            self.expect(0, "build", data)
        (self.dir / "set").mkdir()

    def contents(self) -> dict[str, tuple[Any, ...]]:
        """The content of the folder, except set/ itself. For each path: its mode, inode, and bytes or link target."""
        found: dict[str, tuple[Any, ...]] = {}
        for path in sorted(self.dir.rglob("*")):
            info = path.lstat()
            inside: Any = path.read_bytes() if stat.S_ISREG(info.st_mode) else None
            if path.is_symlink():
                inside = os.readlink(path)
            if path.name != "set":  # set/ is exchanged as a whole
                found[str(path.relative_to(self.dir))] = (info.st_mode, info.st_ino, inside)
        return found

    def assert_refused(self, code: int, *args: str) -> Finished:
        """The command fails, with and without --force, and all files are unchanged."""
        before = self.contents()
        failed = self.expect_error(code, *args)
        self.expect_error(code, *args, "--force")
        self.assertEqual(self.contents(), before)
        return failed

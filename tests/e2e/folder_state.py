"""The contents of a folder, to be compared and put back."""

from __future__ import annotations

import os
import shutil
from collections.abc import Mapping
from pathlib import Path

#: Relative paths and the bytes of their files; None for a folder. Names of one file have one object of bytes.
State = Mapping[str, bytes | None]

Facts = tuple[int, ...]


class FolderState:
    """Reads and writes the state of `folder`. A file that has the bytes wanted is never written: shards that an index
    knows stay the files that they are."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._known: dict[Facts, bytes] = {}  # of the files read last

    def read(self) -> dict[str, bytes | None]:
        state: dict[str, bytes | None] = {}
        known: dict[Facts, bytes] = {}
        for entry in self._entries(self._folder):
            path = os.path.relpath(entry.path, self._folder)
            if entry.is_dir(follow_symlinks=False):
                state[path] = None
                continue
            info = entry.stat(follow_symlinks=False)
            facts = (info.st_ino, info.st_size, info.st_mtime_ns, info.st_ctime_ns)
            if facts not in known:
                known[facts] = self._known[facts] if facts in self._known else Path(entry.path).read_bytes()
            state[path] = known[facts]
        self._known = known
        return state

    def put_back(self, wanted: State) -> None:
        there = self.read()
        for path in sorted(there, reverse=True):
            if path not in wanted or (there[path] is None) != (wanted[path] is None):
                self.remove(self._folder / path)
        first: dict[int, Path] = {}  # the first name of each file
        for path in sorted(wanted):
            data, place = wanted[path], self._folder / path
            if data is None:
                place.mkdir(exist_ok=True)
            elif data and id(data) in first:
                if not place.exists() or not place.samefile(first[id(data)]):
                    place.unlink(missing_ok=True)
                    place.hardlink_to(first[id(data)])
            else:
                first[id(data)] = place
                if there.get(path) != data:
                    place.unlink(missing_ok=True)
                    place.write_bytes(data)

    def _entries(self, folder: Path) -> list[os.DirEntry[str]]:
        found = []
        for entry in os.scandir(folder):
            found.append(entry)
            if entry.is_dir(follow_symlinks=False):
                found += self._entries(Path(entry.path))
        return found

    @staticmethod
    def remove(path: Path) -> None:
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path)
        else:
            path.unlink(missing_ok=True)

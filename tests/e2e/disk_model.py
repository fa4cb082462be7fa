"""The files that a power cut leaves in a folder, by the record that tests/faults/ makes of a command.

A file keeps the bytes that it had when it was last synced, and a folder the names that it had then: nothing else is
promised. A change of two folders, such as a rename between them, is kept as a whole once one of them is synced.
Changes that are not synced may be kept, too, in any order.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from e2e.folder_state import State

RENAME_EXCHANGE = 2


@dataclass(eq=False)
class File:
    now: bytes
    kept: bytes


@dataclass(eq=False)
class Folder:
    now: dict[str, Node] = field(default_factory=dict)
    kept: dict[str, Node] = field(default_factory=dict)


Node = File | Folder
Naming = tuple[Folder, str, Node | None]  # this name in this folder now means this; None: nothing


@dataclass(frozen=True)
class Event:
    """A line of the record: its words, and the bytes that were written."""

    words: tuple[str, ...]
    data: bytes = b""

    @property
    def name(self) -> str:
        return self.words[0]


def events_in(journal: Path) -> list[Event]:
    data = journal.read_bytes() if journal.exists() else b""
    found, at = [], 0
    while at < len(data):
        end = data.index(b"\n", at)
        words = tuple(data[at:end].decode().split("\t"))
        at = end + 1
        size = int(words[3]) if words[0] == "write" else 0
        found.append(Event(words, data[at : at + size]))
        at += size + 1 if words[0] == "write" else 0
    return found


class Disk:
    """The files below `root`, all of them synced at first; play() changes them."""

    def __init__(self, root: Path) -> None:
        self._root_path = str(root)
        self._nodes: dict[str, Node] = {}  # by inode
        self._pending: list[list[Naming]] = []
        self.root = self._load(root)

    def play(self, event: Event, syncs: bool = True) -> None:
        """Changes the files as the event says. Unless it `syncs`, an event that syncs does nothing."""
        name, *words = event.words
        if name == "write":
            file, offset = self._file(words[0]), int(words[1])
            before = file.now[:offset].ljust(offset, b"\0")
            file.now = before + event.data + file.now[offset + len(event.data) :]
        elif name == "truncate":
            file = self._file(words[0])
            file.now = file.now[: int(words[1])].ljust(int(words[1]), b"\0")
        elif name == "sync":
            if syncs:
                self._sync(self._nodes[words[0]])
        elif name in ("create", "mkdir"):
            node = self._nodes[words[0]] = File(b"", b"") if name == "create" else Folder()
            self._rename([(*self._place(words[1]), node)])
        elif name == "link":
            self._rename([(*self._place(words[1]), self._at(words[0]))])
        elif name in ("unlink", "rmdir"):
            self._rename([(*self._place(words[0]), None)])
        elif name == "rename":
            exchanged = self._at(words[1]) if int(words[2]) == RENAME_EXCHANGE else None
            self._rename([(*self._place(words[1]), self._at(words[0])), (*self._place(words[0]), exchanged)])
        else:
            raise ValueError(f"the model of the disk has no {event.words}")

    def after_cut(self) -> State:
        """The files that are left if nothing is kept but what was synced."""
        return dict(_walk(self.root, "kept", "kept"))

    def names_after_cut(self) -> State:
        """The files that are left if all names are kept, as by file systems that write names before bytes."""
        return dict(_walk(self.root, "now", "kept"))

    def one_name_early(self) -> Iterator[State]:
        """The files that are left if one change of names is kept that was not synced, and no other."""
        for namings in self._pending:
            before = [(folder, dict(folder.kept)) for folder, _, _ in namings]
            for folder, name, node in namings:
                _name(folder.kept, name, node)
            yield self.after_cut()
            for folder, kept in reversed(before):
                folder.kept = kept

    def is_synced(self, inode: str) -> bool:
        """Whether nothing of the file or folder is to be synced."""
        node = self._nodes[inode]
        if isinstance(node, File):
            return node.now == node.kept
        return not any(folder is node for namings in self._pending for folder, _, _ in namings)

    def now(self) -> State:
        """The files that are left if the process is killed, and the power stays."""
        return dict(_walk(self.root, "now", "now"))

    def _load(self, folder: Path) -> Folder:
        node = Folder()
        self._nodes[str(folder.stat().st_ino)] = node
        for entry in os.scandir(folder):
            if entry.is_dir(follow_symlinks=False):
                node.now[entry.name] = self._load(Path(entry.path))
                continue
            inode = str(entry.inode())
            data = Path(entry.path).read_bytes()
            node.now[entry.name] = self._nodes.setdefault(inode, File(data, data))
        node.kept = dict(node.now)
        return node

    def _file(self, inode: str) -> File:
        file = self._nodes[inode]
        assert isinstance(file, File)
        return file

    def _place(self, path: str) -> tuple[Folder, str]:
        folder: Node = self.root
        *parents, name = os.path.relpath(path, self._root_path).split("/")
        for parent in parents:
            assert isinstance(folder, Folder)
            folder = folder.now[parent]
        assert isinstance(folder, Folder)
        return folder, name

    def _at(self, path: str) -> Node:
        folder, name = self._place(path)
        return folder.now[name]

    def _rename(self, namings: list[Naming]) -> None:
        for folder, name, node in namings:
            _name(folder.now, name, node)
        self._pending.append(namings)

    def _sync(self, node: Node) -> None:
        if isinstance(node, File):
            node.kept = node.now
            return
        for namings in [one for one in self._pending if any(folder is node for folder, _, _ in one)]:
            for folder, name, named in namings:
                _name(folder.kept, name, named)
            self._pending.remove(namings)


def _name(names: dict[str, Node], name: str, node: Node | None) -> None:
    if node is None:
        names.pop(name, None)
    else:
        names[name] = node


def _walk(folder: Folder, names: str, data: str, prefix: str = "") -> Iterator[tuple[str, bytes | None]]:
    entries: Mapping[str, Node] = getattr(folder, names)
    for name, node in entries.items():
        if isinstance(node, Folder):
            yield prefix + name, None
            yield from _walk(node, names, data, f"{prefix}{name}/")
        else:
            yield prefix + name, getattr(node, data)

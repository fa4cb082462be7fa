"""What tools make of the data: a store is complete once its mark exists."""

from __future__ import annotations

import shutil
from pathlib import Path

SIDES = ("-map", "-lock", ".wal")  # what tools write next to a store


def mark_of(store: Path) -> Path:
    return store.with_name(store.name + ".made")


def is_complete(store: Path) -> bool:
    return mark_of(store).exists()


def complete(store: Path) -> None:
    mark_of(store).touch()


def parts_of(store: Path) -> list[Path]:
    """The store, and what its tool has written next to it."""
    paths = [store, *(store.with_name(store.name + side) for side in SIDES)]
    return [path for path in paths if path.exists() or path.is_symlink()]


def remove(store: Path) -> None:
    """Removes a store, its mark first."""
    mark_of(store).unlink(missing_ok=True)
    for path in parts_of(store):
        remove_path(path)


def remove_path(path: Path) -> None:
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    else:
        path.unlink()

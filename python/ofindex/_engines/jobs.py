"""The build of one index by the tasks of a cluster, whatever runs them."""

from __future__ import annotations

import contextlib
import fcntl
import os
import shutil
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from .._arguments import whole
from .._building import BuildOptions, paths_of
from .._dataset import Dataset
from .._errors import LockError, StaleError
from .._opening import open
from .._parts import build_part, merge
from .._source import Path

PARTS_PER_CPU = 4
"""So that workers which have finished do not wait long for the last one."""


@dataclass(frozen=True)
class BuildJob:
    """What the tasks of a build need; it pickles. First `build_part(k)` for each of the `parts`, on any worker, and
    again if one is lost; then `merge` on one worker; then `finish` on the driver, all of it while `alone`."""

    index: str
    parts: int
    _data: list[str]
    _folder: str
    _options: dict[str, Any]
    _working: str | None
    _columns_optional: bool

    @classmethod
    def begin(cls, data: Path | Sequence[Path], output: Path, parts: int, options: BuildOptions) -> BuildJob:
        """Plan the build, on the driver.

        Raises:
            ValueError: there is an index, and `force` is not set; `parts` is out of range.
        """
        parts = whole(parts, "parts", 1, 1_000_000)
        index = os.path.abspath(os.fsdecode(os.fspath(output)))
        force = bool(options.get("force", False))
        if os.path.lexists(index) and not force:
            raise ValueError(f"{index}: already exists; expected a new name\nreplace it with force=True, or update it")
        paths = [_absolute(path) for path in paths_of(data)]
        folder = index + ".parts"
        settings: dict[str, Any] = {"threads": 1, **options, "progress": False, "wait": True}
        columns_optional = bool(settings.pop("columns_optional", False))
        settings.pop("force", None)
        working = os.getcwd() if any(path.startswith("@") for path in paths) else None
        return cls(index, parts, paths, folder, settings, working, columns_optional)

    @contextlib.contextmanager
    def alone(self) -> Iterator[None]:
        """Keep the folder of the parts, on the driver, from other jobs; remove it at the end, if nothing is in it.

        Raises:
            LockError: another job builds the index.
        """
        while True:
            os.makedirs(self._folder, exist_ok=True)
            held = os.open(self._folder, os.O_RDONLY | os.O_DIRECTORY)
            try:
                fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                os.close(held)
                error = LockError(f"{self.index}: another job builds it")
                error.hint = "try again when it is done"
                raise error from None
            with contextlib.suppress(FileNotFoundError):
                if os.path.samestat(os.fstat(held), os.stat(self._folder)):
                    break
            os.close(held)  # another job has just removed it
        try:
            yield
        finally:
            with contextlib.suppress(OSError):  # it has parts, for a job that is started again, or is gone
                os.rmdir(self._folder)
            os.close(held)

    def build_part(self, part: int) -> str:
        """Build one of the parts, from 1 on, unless it is there already; return its path."""
        output = os.path.join(self._folder, f"{part}.ofidx")
        before = os.getcwd()
        os.chdir(self._working or before)
        try:
            return build_part(self._data, part, self.parts, output, **self._options)
        except StaleError:  # a part of a job with other data or options
            return build_part(self._data, part, self.parts, output, force=True, **self._options)
        finally:
            os.chdir(before)

    def merge(self, parts: Sequence[str]) -> None:
        """Make the index of all parts, or make it again if the worker was lost before it could say so."""
        merge(parts, self.index, force=True, progress=False, columns_optional=self._columns_optional, wait=True)

    def finish(self) -> Dataset:
        """Remove the parts, and open the index."""
        shutil.rmtree(self._folder)
        return open(self.index)


def _absolute(path: str | bytes) -> str:
    """Return a path for other working directories; of a list, the list itself."""
    text = os.fsdecode(path)
    return "@" + os.path.abspath(text[1:]) if text.startswith("@") else os.path.abspath(text)

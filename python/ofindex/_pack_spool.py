"""The temporary folder of a shuffled pack, which holds the records until their number is known."""

from __future__ import annotations

import contextlib
import fcntl
import hashlib
import os
import stat
from collections.abc import Iterator

from ._errors import LockError
from ._source import Path

#: The name of every file in such a folder, or the beginning of the name.
SPOOL = "spool"


#: The folder's name contains at most this much of the output's name, to stay below file systems' limit of 255 bytes.
_NAME_BYTES = 200


def _place_for(output: Path) -> str:
    """Return the path of the folder, on the disk of `output`; always the same for the same `output`."""
    whole = os.path.abspath(os.fsencode(output))
    folder, name = os.path.split(whole)
    while not os.path.isdir(folder):
        folder = os.path.dirname(folder)
    missing = os.path.relpath(whole, folder)
    if missing != name or len(name) > _NAME_BYTES:  # the last component alone is not unique
        begin = name[:_NAME_BYTES].decode(errors="ignore")  # no partial characters: some file systems refuse them
        name = f"{begin}-{hashlib.sha256(missing).hexdigest()[:16]}".encode()
    return os.fsdecode(os.path.join(folder, b"." + name + b".ofindex-spool"))


def _locked(path: str) -> int:
    """Create the folder, or take over one left by a killed process, and return a descriptor that locks it."""
    while True:
        with contextlib.suppress(FileExistsError):
            os.mkdir(path, 0o700)
        try:
            fd = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
        except FileNotFoundError:  # the process that locked the folder has just removed it
            continue
        try:
            fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
            if os.path.samestat(os.fstat(fd), os.lstat(path)):
                return fd
        except BlockingIOError:
            os.close(fd)
            error = LockError(f"{path}: another process packs into the same output\ntry again when it is done")
            error.hint = "try again when it is done"
            raise error from None
        except FileNotFoundError:
            pass
        os.close(fd)


def _empty(path: str, fd: int) -> None:
    """Remove the files in the folder, but fail at a file that a pack does not create."""
    if os.fstat(fd).st_uid != os.geteuid():
        raise PermissionError(f"{path}: belongs to another user; expected a folder that you own")
    for entry in os.listdir(fd):
        mode = os.stat(entry, dir_fd=fd, follow_symlinks=False).st_mode
        if not (entry.startswith(SPOOL) and stat.S_ISREG(mode)):
            raise FileExistsError(f"{os.path.join(path, entry)}: not a temporary file of a pack; remove it by hand")
        os.unlink(entry, dir_fd=fd)


@contextlib.contextmanager
def spool_folder(output: Path) -> Iterator[str]:
    """A temporary empty folder next to `output`, locked so that no other process packs into `output` meanwhile.

    A killed process leaves the folder behind, unlocked; the next pack into the same output removes it. The folder's
    name begins with a dot, so that it is not taken for data.

    Raises:
        LockError: another process packs into `output`. OSError: something else has the folder's name.
    """
    path = _place_for(output)
    fd = _locked(path)
    try:
        _empty(path, fd)
        try:
            yield path
        finally:
            _empty(path, fd)
            os.rmdir(path)
    finally:
        os.close(fd)

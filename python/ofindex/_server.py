"""The server of a dataset's page: `ofindex serve`, the command of this installation, as a child process."""

from __future__ import annotations

import json
import os
import reprlib
import subprocess
import threading
import weakref
from collections import deque
from html import escape
from importlib import resources
from types import TracebackType
from typing import IO, TYPE_CHECKING, Any

from ._arguments import whole
from ._errors import Error, LimitError, StaleError
from ._foreign import explained_methods
from ._source import open_source

if TYPE_CHECKING:
    from ._dataset import Dataset

_WAIT_SECONDS = 5.0
"""How long a server that was told to end may take before it is killed."""

_LAST_LINES = 20
"""The lines of a server's messages that are kept."""

_ERRORS: dict[int, type[Exception]] = {2: ValueError, 4: Error, 5: OSError, 7: LimitError}
"""The exceptions for the exit codes of the command."""

#: Pages that may frame the page if they know its token: notebooks have all kinds of origins, that of VS Code included.
_FRAMES = ("*", "vscode-webview:")


def _stop(process: subprocess.Popen[bytes], owner: int) -> None:
    """End the server, unless this is a process that was forked from the one that started it."""
    if os.getpid() != owner:
        return
    for pipe in (process.stdin, process.stdout):
        assert pipe is not None
        pipe.close()
    try:
        process.wait(_WAIT_SECONDS)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


class _Messages:
    """The last messages of a server, read on a thread so that the pipe never fills."""

    def __init__(self, pipe: IO[bytes]) -> None:
        self._lines: deque[bytes] = deque(maxlen=_LAST_LINES)
        self._thread = threading.Thread(target=self._read, args=(pipe,), name="ofindex-serve", daemon=True)
        self._thread.start()

    def _read(self, pipe: IO[bytes]) -> None:
        with pipe:
            while line := pipe.readline(4096):  # a longer line is several
                self._lines.append(line)

    def whole(self) -> str:
        """Return the last messages of a server that ends, once it has."""
        self._thread.join(_WAIT_SECONDS)
        return b"".join(self._lines).decode("utf-8", "backslashreplace").strip()


def _start(arguments: list[str | bytes]) -> tuple[subprocess.Popen[bytes], dict[str, Any]]:
    """Start the command, and return it with what it says once it listens."""
    command = str(resources.files("ofindex") / "bin" / "ofindex")
    process = subprocess.Popen(
        [command, "serve", "--json", "--until-eof", "--color=never", *arguments],
        stdin=subprocess.PIPE,  # which ends with this process, however that ends, and so does the server
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        bufsize=0,  # buffers have locks, which a thread that reads holds when Python ends
        start_new_session=True,  # Ctrl-C is for Python alone
    )
    assert process.stdout is not None
    assert process.stderr is not None
    messages = _Messages(process.stderr)
    line = process.stdout.readline()
    if line:
        said: dict[str, Any] = json.loads(line)
        return process, said
    text = messages.whole().removeprefix("ofindex: ")
    _stop(process, os.getpid())
    raise _ERRORS.get(process.returncode, Error)(text or f"ofindex serve ended with exit code {process.returncode}")


@explained_methods
class Server:
    """A server of one dataset's page. Made by `serve`, and ends with `close`, with its ``with`` block, or with Python.

    It shows the index as it was when the server started. Thread-safe.
    """

    def __init__(self, dataset: Dataset, arguments: list[str | bytes]) -> None:
        self._index_path = dataset._source.index_path
        process, said = _start(arguments)
        self._process = process
        self._url: str = said["url"]
        self._port: int = said["port"]
        self._finalizer = weakref.finalize(self, _stop, process, os.getpid())

    @property
    def url(self) -> str:
        """The URL of the page, with the token: whoever knows it can read all the data."""
        return self._url

    @property
    def port(self) -> int:
        """The port that the server listens at."""
        return self._port

    @property
    def closed(self) -> bool:
        """Whether the server has ended."""
        return not self._finalizer.alive or self._process.poll() is not None

    def close(self) -> None:
        """End the server. Its pages then show that it has gone."""
        self._finalizer()

    def __enter__(self) -> Server:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def __repr__(self) -> str:
        state = "closed" if self.closed else f"port {self._port}"
        return f"<ofindex.Server of {reprlib.repr(self._index_path)}: {state}>"


class Page:
    """The page of a dataset, in a notebook: its display is the page itself, and the server runs as long as this object
    lives. Made by `Dataset.explore`.

    The saved notebook holds the URL with its token, which is worth nothing once the server has ended.
    """

    def __init__(self, server: Server, height: int) -> None:
        self.server = server
        self._height = height

    @property
    def url(self) -> str:
        """The URL of the page, to open it in a tab of its own."""
        return self.server.url

    def _repr_html_(self) -> str:
        url = escape(self.url, quote=True)
        return (
            f'<iframe src="{url}" style="width: 100%; height: {self._height}px; border: 0" title="ofindex" '
            f'allow="clipboard-write" referrerpolicy="no-referrer"></iframe>'
            f'<p><a href="{url}" target="_blank" rel="noopener noreferrer">Open in a tab</a></p>'
        )

    def __repr__(self) -> str:
        return f"<ofindex.Page of {reprlib.repr(self.server._index_path)}: {self.url}>"


def _check(dataset: Dataset) -> None:
    """Raise an error if the command would show something else than `dataset`."""
    if dataset._is_lazy or not dataset._is_all:
        raise ValueError(
            "this is a view: the page shows all records of an index; serve the underlying Dataset, and filter there"
        )
    source = dataset._source
    if open_source(source.place, dataset._options).identity != source.identity:
        raise StaleError(f"{source.index_path}: the index was rebuilt or updated after it was opened: open it again")


def start(dataset: Dataset, host: str, port: int, open_browser: bool, frames: tuple[str, ...] = ()) -> Server:
    """Start a server for `dataset`."""
    _check(dataset)
    options = dataset._options
    arguments: list[str | bytes] = ["--host", host, "--port", str(whole(port, "port", 0, 65535))]
    if open_browser:
        arguments.append("--open")
    for origin in frames:
        arguments += ["--frame", origin]
    for file in options.get("attach", []):
        arguments += ["--attach", file]
    if options["root"] is not None:
        arguments += ["--root", options["root"]]
    return Server(dataset, [*arguments, "--", dataset._source.place])


def explore(dataset: Dataset, height: int) -> Page:
    """Return the page of `dataset`, whose server is started once."""
    checked = whole(height, "height", 100, 10_000)
    server = dataset._shared.server
    if server is None or server.closed:
        server = dataset._shared.server = start(dataset, "127.0.0.1", 0, False, _FRAMES)
    return Page(server, checked)

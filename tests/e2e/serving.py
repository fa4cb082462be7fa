"""Starts `ofindex serve`, and talks to it byte by byte, for the tests of this folder."""

from __future__ import annotations

import json
import re
import signal
import socket
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from e2e.command import CommandTest, Finished
from e2e.samples import write_parts
from oracle import records

WAIT_SECONDS = 30


@dataclass(frozen=True)
class Answer:
    """A response: its status, its fields by lower-case names, and its body."""

    status: int
    fields: dict[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.body)


class Client:
    """A socket to the server. Sends exactly the bytes that it is given."""

    def __init__(self, port: int, receive_bytes: int = 0) -> None:
        self.socket = socket.socket()
        self.socket.settimeout(WAIT_SECONDS)
        if receive_bytes:
            self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive_bytes)
        self.socket.connect(("127.0.0.1", port))
        self._received = b""

    def __enter__(self) -> Client:
        return self

    def __exit__(self, *_: object) -> None:
        self.socket.close()

    def send(self, data: bytes) -> None:
        """Sends all of `data`, or what the server takes before it closes the connection."""
        try:
            self.socket.sendall(data)
        except (BrokenPipeError, ConnectionResetError):
            pass

    def answer(self) -> Answer | None:
        """The next response; None if the connection ends without one."""
        while b"\r\n\r\n" not in self._received:
            if not self._fill():
                return None
        head, _, rest = self._received.partition(b"\r\n\r\n")
        status, *lines = head.decode("latin-1").split("\r\n")
        fields = {name.lower(): value for name, _, value in (line.partition(": ") for line in lines)}
        length = int(fields["content-length"])
        self._received = rest
        while len(self._received) < length and self._fill():
            pass
        body, self._received = self._received[:length], self._received[length:]
        return Answer(int(status.split(" ")[1]), fields, body)

    def rest(self) -> bytes:
        """All bytes until the server closes the connection."""
        while self._fill():
            pass
        rest, self._received = self._received, b""
        return rest

    def _fill(self) -> bool:
        try:
            received = self.socket.recv(1 << 16)
        except ConnectionResetError:
            return False
        self._received += received
        return received != b""


class Serving:
    """A server that runs: its process, port and token."""

    def __init__(self, test: CommandTest, *args: str | Path, **popen: Any) -> None:
        self.test = test
        self.process: subprocess.Popen[bytes] = test.start("serve", *args, **popen)
        assert self.process.stdout is not None
        self.first_line = self.process.stdout.readline().decode()
        found = re.search(r"http://([^:/]+|\[[0-9a-f:]+\]):(\d+)/\?token=([0-9a-f]{64})\b", self.first_line)
        if found is None:
            raise AssertionError(f"no URL: {self.first_line!r} {test.finish(self.process)}")
        self.url, self.host, self.port, self.token = found[0], found[1], int(found[2]), found[3]

    def request(
        self, target: str, *fields: str, method: str = "GET", body: bytes = b"", token: str | None = None
    ) -> bytes:
        """A good request, with further header fields."""
        token = self.token if token is None else token
        lines = [
            f"{method} {target} HTTP/1.1",
            f"Host: 127.0.0.1:{self.port}",
            f"Authorization: Bearer {token}",
            *fields,
        ]
        if body:
            lines.append(f"Content-Length: {len(body)}")
        return "\r\n".join([*lines, "", ""]).encode() + body

    def post_sql(self, statement: str) -> bytes:
        """A request for the rows of a statement."""
        body = json.dumps({"sql": statement}).encode()
        return self.request("/api/sql", "Content-Type: application/json", method="POST", body=body)

    def client(self, **options: Any) -> Client:
        return Client(self.port, **options)

    def ask(self, request: bytes) -> Answer | None:
        """The answer to one request on a connection of its own."""
        with self.client() as client:
            client.send(request)
            return client.answer()

    def get(self, target: str, *fields: str, **options: Any) -> Answer:
        answer = self.ask(self.request(target, *fields, **options))
        assert answer is not None, target
        return answer

    def status(self, name: str) -> int:
        """A number of /proc/PID/status, such as Threads, or VmRSS in kB."""
        text = Path(f"/proc/{self.process.pid}/status").read_text()
        found = re.search(rf"^{name}:\s+(\d+)", text, re.MULTILINE)
        assert found is not None, name
        return int(found[1])

    def open_sockets(self) -> int:
        descriptors = Path(f"/proc/{self.process.pid}/fd")
        return sum(1 for each in descriptors.iterdir() if each.is_symlink() and "socket:" in str(each.readlink()))

    def stop(self, number: int = signal.SIGTERM) -> Finished:
        self.process.send_signal(number)
        return self.test.finish(self.process, timeout=WAIT_SECONDS)


class ServeTest(CommandTest):
    """A test with an index of `self.COUNT` records, `data`, in its folder."""

    COUNT = 100

    def setUp(self) -> None:
        super().setUp()
        write_parts(self.dir / "data", [self.COUNT], records.OFRECORD)
        self.expect(0, "build", "data")

    def serve(self, *args: str | Path, **popen: Any) -> Serving:
        return Serving(self, *(args or ("data",)), **popen)

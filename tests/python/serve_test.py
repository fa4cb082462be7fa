"""`ofindex.serve` and `Dataset.explore`: a server that ends with its object, its block, and its process."""

from __future__ import annotations

import gc
import html
import os
import re
import signal
import subprocess
import sys
import time
import unittest
import urllib.error
import urllib.request
from collections.abc import Callable
from pathlib import Path

import ofindex
from ofindex import _server
from python.work import WorkTest, example

WAIT_SECONDS = 30

SERVES = """
import sys, time, ofindex
server = ofindex.serve(ofindex.open(sys.argv[1]))
print(server._process.pid, flush=True)
"""


def soon(condition: Callable[[], bool]) -> bool:
    deadline = time.monotonic() + WAIT_SECONDS
    while not condition():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.02)
    return True


def has_ended(pid: int) -> bool:
    """Whether the process has gone, or waits for its parent to notice."""
    try:
        return re.search(r"^State:\s+Z", Path(f"/proc/{pid}/status").read_text(), re.MULTILINE) is not None
    except FileNotFoundError:
        return True


def status_of(url: str, **fields: str) -> int:
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}), urllib.request.HTTPCookieProcessor())
    try:
        status: int = opener.open(urllib.request.Request(url, headers=fields), timeout=WAIT_SECONDS).status
    except urllib.error.HTTPError as error:
        status = error.code
        error.close()
    return status


class ServeTest(WorkTest):
    def setUp(self) -> None:
        super().setUp()
        self.ds = self.examples(20)

    def test_a_server_answers_its_url_until_it_is_closed(self) -> None:
        with ofindex.serve(self.ds) as server:
            self.assertRegex(server.url, rf"^http://127\.0\.0\.1:{server.port}/\?token=[0-9a-f]{{64}}$")
            self.assertEqual(status_of(server.url), 200)
            self.assertEqual(status_of(server.url.partition("?")[0]), 401)
            self.assertFalse(server.closed)
            self.assertIn(f"port {server.port}", repr(server))
            self.assertNotIn("token", repr(server))
            pid = server._process.pid
        self.assertTrue(server.closed)
        self.assertTrue(has_ended(pid))
        self.assertIn("closed", repr(server))
        server.close()

    def test_a_server_ends_with_its_object(self) -> None:
        server = ofindex.serve(self.ds)
        pid = server._process.pid
        del server
        gc.collect()
        self.assertTrue(has_ended(pid))

    def test_a_server_ends_with_its_process_however_that_ends(self) -> None:
        for end in (
            "",
            "sys.exit(3)",
            "import os; os._exit(1)",
            "import os; os.kill(os.getpid(), 9)",
            "time.sleep(99)",
        ):
            with self.subTest(end):
                command = [sys.executable, "-c", SERVES + end, self.ds._source.index_path]
                process = subprocess.Popen(command, stdout=subprocess.PIPE)
                self.addCleanup(process.kill)
                assert process.stdout is not None
                pid = int(process.stdout.readline())
                if "sleep" in end:
                    process.send_signal(signal.SIGTERM)
                process.wait(WAIT_SECONDS)
                process.stdout.close()
                self.assertTrue(soon(lambda pid=pid: has_ended(pid)))

    def test_a_forked_process_does_not_end_the_server_of_its_parent(self) -> None:
        with ofindex.serve(self.ds) as server:
            child = os.fork()
            if child == 0:
                server.close()
                os._exit(0)
            self.assertEqual(os.waitpid(child, 0)[1], 0)
            self.assertEqual(status_of(server.url), 200)

    def test_ctrl_c_in_a_terminal_is_for_python_alone(self) -> None:
        with ofindex.serve(self.ds) as server:
            self.assertNotEqual(os.getpgid(server._process.pid), os.getpgid(0))

    def test_messages_of_a_server_are_read_and_the_last_are_kept(self) -> None:
        reading, writing = os.pipe()
        messages = _server._Messages(os.fdopen(reading, "rb", buffering=0))
        with os.fdopen(writing, "wb", buffering=0) as pipe:
            for number in range(3000):  # more than a pipe holds
                pipe.write(b"note %5d: %s\n" % (number, b"x" * 60))
            pipe.write(b"ofindex: the last\n")
        lines = messages.whole().splitlines()
        self.assertEqual(len(lines), _server._LAST_LINES)
        self.assertEqual(lines[-1], "ofindex: the last")

    def test_a_port_that_is_taken_is_an_error(self) -> None:
        with ofindex.serve(self.ds) as server, self.assertRaisesRegex(OSError, "Address already in use"):
            ofindex.serve(self.ds, port=server.port)
        for port, error in ((65536, ValueError), (-1, ValueError), ("x", TypeError)):
            with self.assertRaises(error):
                ofindex.serve(self.ds, port=port)  # type: ignore[arg-type]
        with self.assertRaisesRegex(ValueError, r"no\.such\.host"):
            ofindex.serve(self.ds, host="no.such.host.invalid")

    def test_only_a_whole_dataset_as_it_is_on_disk_is_served(self) -> None:
        for view in (self.ds[:5], self.ds.where("label = 3"), self.ds[::-1]):
            for show in (ofindex.serve, ofindex.Dataset.explore):
                with self.assertRaisesRegex(ValueError, "serve the underlying Dataset"):
                    show(view)
        for other in (ofindex.mix([self.ds, self.ds]), self.ds._source.index_path, None):
            with self.assertRaisesRegex(TypeError, "ds is a Dataset"):
                ofindex.serve(other)  # type: ignore[arg-type]
        path = self.write("again/", [example(number) for number in range(3)])
        old = ofindex.build(path)
        ofindex.build(path, columns="none", force=True)
        with self.assertRaisesRegex(ofindex.StaleError, "open it again"):
            ofindex.serve(old)

    def test_a_page_is_a_frame_and_keeps_its_server(self) -> None:
        page = self.ds.explore(height=500)
        shown = page._repr_html_()
        found = re.search(r'<iframe src="([^"]*)" style="[^"]*height: 500px[^"]*"', shown)
        assert found is not None
        url = html.unescape(found[1])
        self.assertEqual(url, page.url)
        self.assertIn('allow="clipboard-write"', shown)
        frame = {"Sec-Fetch-Dest": "iframe", "Sec-Fetch-Mode": "navigate", "Sec-Fetch-Site": "cross-site"}
        with urllib.request.urlopen(urllib.request.Request(url, headers=frame), timeout=WAIT_SECONDS) as answer:
            policy = answer.headers["Content-Security-Policy"]
        self.assertTrue(policy.endswith("; frame-ancestors * vscode-webview:"), policy)
        self.assertIs(self.ds.explore().server, page.server)
        page.server.close()
        again = self.ds.explore()
        self.assertIsNot(again.server, page.server)
        self.assertEqual(status_of(again.url), 200)
        again.server.close()
        for height in (0, 99, 10_001, 1.5):
            with self.assertRaises((ValueError, TypeError)):
                self.ds.explore(height=height)  # type: ignore[arg-type]


if __name__ == "__main__":
    unittest.main()

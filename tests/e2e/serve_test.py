"""`ofindex serve`: its URL, its token, how it opens a browser, and how it ends."""

from __future__ import annotations

import json
import os
import signal
import socket
import stat
import subprocess
import time
import unittest
from pathlib import Path

from e2e.serving import WAIT_SECONDS, ServeTest

BROWSER = """#!/bin/sh
cp "$1" opened.part && stat -c '%a %n' "$1" > mode && mv opened.part opened
"""

#: Statements that take long: one that can be stopped between two rows, and one call of a function, which cannot.
ENDLESS = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n"
LONG = "hex(zeroblob(2000000))"


class UrlTest(ServeTest):
    def test_the_first_line_is_the_url_with_a_token_that_nobody_else_has(self) -> None:
        first, second = self.serve(), self.serve()
        self.assertEqual(first.first_line, f"http://127.0.0.1:{first.port}/?token={first.token}\n")
        self.assertNotEqual(first.token, second.token)
        self.assertNotEqual(first.port, second.port)
        self.assertEqual(second.get("/api/dataset", token=first.token).status, 401)

    def test_json_is_one_document_with_the_url(self) -> None:
        for option in ("--json", "--jsonl"):
            server = self.serve("data", option)
            document = json.loads(server.first_line)
            self.assertEqual(document["schema"], "ofindex.serve/1")
            self.assertEqual((document["url"], document["port"]), (server.url, server.port))
            self.assertEqual((document["host"], document["indexes"]), ("127.0.0.1", ["data"]))
            self.assertEqual(server.stop().stdout, b"")

    def test_the_token_becomes_a_cookie_and_leaves_the_url(self) -> None:
        server = self.serve()
        answer = server.ask(f"GET /?where=a%3Db&token={server.token} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode())
        assert answer is not None
        self.assertEqual((answer.status, answer.fields["location"]), (303, "/?where=a%3Db"))
        cookie, *flags = answer.fields["set-cookie"].split("; ")
        self.assertEqual(cookie, f"ofindex_{server.port}={server.token}")
        self.assertEqual(sorted(flags), ["HttpOnly", "Path=/", "SameSite=Strict"])
        request = f"GET / HTTP/1.1\r\nHost: localhost\r\nCookie: {cookie}\r\n\r\n".encode()
        answer = server.ask(request)
        assert answer is not None
        self.assertEqual((answer.status, answer.fields["content-type"]), (200, "text/html; charset=utf-8"))
        answer = server.ask(b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")
        assert answer is not None
        self.assertEqual(answer.status, 401)
        self.assertIn(b"open the URL that ofindex serve has printed", answer.body)

    def test_a_frame_needs_the_option_and_the_token(self) -> None:
        in_frame = ("Sec-Fetch-Site: cross-site", "Sec-Fetch-Mode: navigate", "Sec-Fetch-Dest: iframe")
        plain, framed = self.serve(), self.serve("data", "--frame", "http://localhost:8888")
        answer = framed.get(f"/?token={framed.token}", *in_frame)
        self.assertEqual(answer.status, 200)
        self.assertTrue(answer.fields["content-security-policy"].endswith("; frame-ancestors http://localhost:8888"))
        self.assertNotIn("set-cookie", answer.fields)
        self.assertEqual(framed.get(f"/?token={'0' * 64}", *in_frame, token="0").status, 401)
        for server, fields in ((plain, in_frame), (framed, ())):
            for target in ("/", "/api/dataset", f"/?token={server.token}"):
                policy = server.get(target, *fields[: 2 if target == "/api/dataset" else 3]).fields[
                    "content-security-policy"
                ]
                self.assertTrue(policy.endswith("; frame-ancestors 'none'"), policy)
        self.assertIn("'a b' is not an origin", self.expect_error(2, "serve", "data", "--frame", "a b").stderr)


class EndTest(ServeTest):
    def test_signals_end_it_with_exit_code_0(self) -> None:
        for number in (signal.SIGINT, signal.SIGTERM):
            server = self.serve()
            with server.client() as idle, server.client() as used:
                used.send(server.request("/api/dataset"))
                self.assertIsNotNone(used.answer())
                finished = server.stop(number)
                self.assertEqual((finished.code, finished.stdout, finished.stderr), (0, b"", ""))
                self.assertEqual((idle.rest(), used.rest()), (b"", b""))

    def test_an_answer_that_is_being_made_does_not_hold_up_the_end(self) -> None:
        for how in (signal.SIGINT, signal.SIGTERM, None):
            with self.subTest(how):
                server = self.serve("data", "--until-eof", stdin=subprocess.PIPE)
                assert server.process.stdin is not None
                with server.client() as client, server.client() as waiting:
                    client.send(server.post_sql(f"SELECT length({LONG} LIKE upper({LONG}))"))
                    waiting.send(server.post_sql(ENDLESS))
                    time.sleep(0.3)
                    begin = time.monotonic()
                    if how is None:
                        server.process.stdin.close()
                    else:
                        server.process.send_signal(how)
                    self.assertEqual(server.process.wait(WAIT_SECONDS), 0)
                    self.assertLess(time.monotonic() - begin, 5)

    def test_it_ends_with_standard_input_if_asked_to(self) -> None:
        server = self.serve("data", "--until-eof", stdin=subprocess.PIPE)
        assert server.process.stdin is not None
        server.process.stdin.write(b"some words")
        server.process.stdin.flush()
        self.assertEqual(server.get("/api/dataset").status, 200)
        server.process.stdin.close()
        self.assertEqual(server.process.wait(WAIT_SECONDS), 0)
        self.assertEqual(self.expect(0, "serve", "data", "--until-eof").text.count("\n"), 1)

    def test_it_goes_on_without_standard_input(self) -> None:
        server = self.serve()  # whose standard input is /dev/null
        time.sleep(0.3)
        self.assertEqual(server.get("/api/dataset").status, 200)

    def test_a_port_can_be_used_again_at_once(self) -> None:
        first = self.serve()
        with first.client() as client:
            client.send(first.request("/api/dataset"))
            self.assertIsNotNone(client.answer())
            first.stop()
        self.assertEqual(self.serve("data", "--port", str(first.port)).port, first.port)


class PlaceTest(ServeTest):
    def test_only_this_machine_reaches_it_unless_asked(self) -> None:
        server = self.serve()
        listening = Path("/proc/net/tcp").read_text()
        self.assertIn(f"0100007F:{server.port:04X} 00000000:0000 0A", listening)
        with self.assertRaises(OSError):
            socket.create_connection(("127.0.0.2", server.port), 1)

    def test_a_server_for_the_network_says_so(self) -> None:
        server = self.serve("data", "--host", "0.0.0.0")
        self.assertEqual(server.host, socket.gethostname().lower())
        self.assertEqual(server.get("/api/dataset").status, 200)
        finished = server.stop()
        self.assertIn("everyone who reaches this port and knows the URL can read all the data", finished.stderr)
        quiet = self.serve("data", "--host", "0.0.0.0", "--quiet")
        self.assertEqual(quiet.stop().stderr, "")

    def test_a_host_or_port_that_cannot_be_is_refused(self) -> None:
        server = self.serve()
        taken = self.expect_error(5, "serve", "data", "--port", str(server.port)).stderr
        self.assertIn(f"cannot listen on 127.0.0.1 port {server.port}: Address already in use", taken)
        self.assertIn("use another --port", taken)
        if socket.has_ipv6 and Path("/proc/net/if_inet6").exists() and Path("/proc/net/if_inet6").read_text():
            bracketed = self.serve("data", "--host", "[::1]", "--json")
            self.assertEqual(bracketed.host, "[::1]")
        self.assertIn("no.such.host", self.expect_error(2, "serve", "data", "--host", "no.such.host.invalid").stderr)
        for port in ("65536", "-1", "x", ""):
            self.expect_error(2, "serve", "data", "--port", port)
        self.expect_error(5, "serve", "data", "--host", "192.0.2.1")

    def test_an_index_that_is_missing_is_refused_before_it_listens(self) -> None:
        self.expect_error(4, "serve", "none")
        self.expect_error(4, "serve", "data", "none")


class BrowserTest(ServeTest):
    def setUp(self) -> None:
        super().setUp()
        tools = self.dir / "tools"
        tools.mkdir()
        self.temporary = self.dir / "temporary"
        self.temporary.mkdir()
        self.browser = tools / "xdg-open"
        self.environment = {**self.environment, "PATH": f"{tools}:{os.environ['PATH']}", "TMPDIR": str(self.temporary)}
        self.environment.pop("XDG_RUNTIME_DIR", None)

    def test_the_browser_is_led_to_the_url_by_a_file_that_only_its_owner_reads(self) -> None:
        self.browser.write_text(BROWSER)
        self.browser.chmod(0o755)
        server = self.serve("data", "--open")
        deadline = time.monotonic() + WAIT_SECONDS
        while not (self.dir / "opened").exists() and time.monotonic() < deadline:
            time.sleep(0.02)
        self.assertIn(f'content="0; url={server.url}"', (self.dir / "opened").read_text())
        mode, path = (self.dir / "mode").read_text().split()
        self.assertEqual((mode, Path(path).parent), ("600", self.temporary))
        self.assertEqual([each.name for each in self.temporary.iterdir()], [Path(path).name])
        self.assertEqual(stat.S_IMODE(Path(path).stat().st_mode), 0o600)
        with server.client() as client:
            client.send(server.post_sql(ENDLESS))
            time.sleep(0.2)
            self.assertEqual(server.stop().code, 0)
        self.assertEqual(list(self.temporary.iterdir()), [])

    def test_without_a_browser_it_serves_all_the_same(self) -> None:
        self.environment = {**self.environment, "PATH": str(self.browser.parent)}
        server = self.serve("data", "--open")
        self.assertEqual(server.get("/api/dataset").status, 200)
        self.assertIn("--open: cannot start xdg-open: No such file or directory", server.stop().stderr)


if __name__ == "__main__":
    unittest.main()

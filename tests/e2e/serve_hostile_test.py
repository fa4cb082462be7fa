"""Hostile clients of `ofindex serve`: it refuses or bounds them, and goes on to answer its page."""

from __future__ import annotations

import concurrent.futures
import contextlib
import os
import time
import unittest

from e2e.serving import WAIT_SECONDS, Client, Serving, ServeTest

GOOD = "/api/dataset"
MAX_SOCKETS = 256
MAX_HEAD_BYTES = 64 << 10
#: The thread of the sockets, at most eight for handlers, and a watchdog; others belong to the answers.
MAX_THREADS = 10 + 2 * (os.cpu_count() or 1)
MAX_GROWTH_KIB = 160 << 10


class HostileTest(ServeTest):
    """Each test has a server, which must still answer at its end."""

    def setUp(self) -> None:
        super().setUp()
        self.server = self.serve()
        self.assertEqual(self.server.get(GOOD).status, 200)
        self.kib = self.server.status("VmRSS")

    def tearDown(self) -> None:
        self.assert_alive()
        self.assertLessEqual(self.server.status("Threads"), MAX_THREADS)
        self.assertLess(self.server.status("VmRSS") - self.kib, MAX_GROWTH_KIB)
        finished = self.server.stop()
        self.assertEqual((finished.code, finished.stderr), (0, ""), finished)
        super().tearDown()

    def assert_alive(self) -> None:
        self.assertEqual(self.server.get(GOOD).status, 200)

    def assert_statuses(self, expected: dict[bytes, int | None]) -> None:
        """Each request has its answer; None is an end of the connection without one."""
        for request, status in expected.items():
            with self.subTest(request[:200]):
                answer = self.server.ask(request)
                self.assertEqual(None if answer is None else answer.status, status)

    def page_request(self, target: str, *fields: str, method: str = "GET", host: str = "", body: bytes = b"") -> bytes:
        """A request with the page's cookie."""
        port = self.server.port
        lines = [f"{method} {target} HTTP/1.1", f"Host: {host or f'127.0.0.1:{port}'}"]
        lines += [f"Cookie: ofindex_{port}={self.server.token}", *fields, "", ""]
        return "\r\n".join(lines).encode("latin-1") + body


class OriginTest(HostileTest):
    def test_a_host_that_is_not_ours_is_refused_whoever_asks(self) -> None:
        port = self.server.port
        self.assert_statuses(
            {self.page_request(GOOD, host=host): 200 for host in (f"127.0.0.1:{port}", "localhost", f"[::1]:{port}")}
        )
        wrong = (
            "evil.example",
            f"evil.example:{port}",
            f"127.0.0.1.evil.example:{port}",
            "127.0.0.2",
            "0.0.0.0",
            "[::]",
        )
        self.assert_statuses({self.page_request(GOOD, host=host): 421 for host in wrong})
        self.assert_statuses(
            {f"GET {GOOD} HTTP/1.1\r\n\r\n".encode(): 421, f"GET {GOOD} HTTP/1.0\r\n\r\n".encode(): 421}
        )

    def test_nothing_is_answered_without_the_token(self) -> None:
        wrong = "0" * 64
        for target in (GOOD, "/", "/api/no/such/path", f"/?token={wrong}", f"{GOOD}?token={wrong}"):
            with self.subTest(target):
                self.assertEqual(self.server.get(target, token=wrong).status, 401)
        for token in ("", self.server.token[:-1], self.server.token + "0", self.server.token.upper() + "x"):
            self.assertEqual(self.server.get(GOOD, token=token).status, 401)

    def test_pages_of_other_sites_can_neither_read_nor_post(self) -> None:
        json, body = "Content-Type: application/json", b'{"sql": "SELECT 1"}'
        length, ours = f"Content-Length: {len(body)}", f"Origin: http://127.0.0.1:{self.server.port}"

        def post(*fields: str) -> bytes:
            return self.page_request("/api/sql", *fields, length, method="POST", body=body)

        self.assert_statuses(
            {
                post(json, "Origin: http://evil.example"): 403,
                post(json, "Origin: null"): 403,
                post(json, f"Origin: http://127.0.0.1:{self.server.port + 1}"): 403,
                post(json): 403,
                post(json, ours, "Sec-Fetch-Site: cross-site"): 403,
                post("Content-Type: text/plain", ours): 415,
                post("Content-Type: application/x-www-form-urlencoded", ours): 415,
                post(ours): 415,
                self.page_request(GOOD, "Sec-Fetch-Site: cross-site"): 403,
                self.page_request(GOOD, "Sec-Fetch-Site: same-site", "Sec-Fetch-Mode: navigate"): 403,
                self.page_request("/api/sql", ours, method="OPTIONS"): 405,
                self.page_request(GOOD, "Sec-Fetch-Site: same-origin"): 200,
            }
        )
        answer = self.server.ask(self.page_request(GOOD, "Origin: http://evil.example"))
        assert answer is not None
        self.assertEqual([name for name in answer.fields if name.startswith("access-control")], [])


class RequestTest(HostileTest):
    def test_no_path_leads_anywhere_but_to_a_route(self) -> None:
        not_found = ("/..", "/../../etc/passwd", "/%2e%2e/%2e%2e/etc/passwd", "/..%2f..%2fetc/passwd", "/etc/passwd",
                     "/api/dataset/", "/api/../api/dataset", "/.//api/dataset", "/API/dataset", "/page/../../etc/passwd",
                     "/" + "a" * 60_000)  # fmt: skip
        malformed = ("//etc/passwd", "/%2fetc/passwd", "/api%00", "/%", "/%zz", "/api\\dataset", "/..%5c", "*", "api",
                     f"http://127.0.0.1:{self.server.port}{GOOD}", "file:///etc/passwd", "/%0d%0aX:y", "/?a=%")  # fmt: skip
        self.assert_statuses({self.page_request(target): 404 for target in not_found})
        self.assert_statuses({self.page_request(target): 400 for target in malformed})

    def test_bytes_that_are_no_request_are_refused(self) -> None:
        self.assert_statuses(
            {
                b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + bytes(64): 400,  # TLS
                b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n": 505,  # HTTP/2
                b"GET / HTTP/9.9\r\n\r\n": 505,
                b"GET / HTTP/1.2\r\n\r\n": 505,
                b"GET / HTTP/0.9\r\n\r\n": 505,
                b"GET /\r\n\r\n": 400,
                b"\r\n\r\n\r\n": 400,
                b"GET / HTTP/1.1\r\nHost 127.0.0.1\r\n\r\n": 400,
                b"GET / HTTP/1.1\r\nA: b\r\n: c\r\n\r\n": 400,
                b"GET / HTTP/1.1\nHost: 127.0.0.1\n\n": 505,
                self.page_request(GOOD, "X: a\0b"): 400,
                self.page_request(GOOD + "\0"): 400,
                self.page_request(GOOD, "X : y"): 400,
                self.page_request(GOOD, method="get"): 405,
                self.page_request(GOOD, method="DELETE"): 405,
                self.page_request(GOOD, method="A" * 60_000): 405,
            }
        )

    def test_a_head_or_body_beyond_the_limit_is_refused_early(self) -> None:
        long = "x" * (MAX_HEAD_BYTES - 1000)
        self.assert_statuses(
            {
                self.page_request(GOOD, f"X-Long: {long}"): 200,
                self.page_request(GOOD, f"X-Long: {long}", f"Y-Long: {'y' * 2000}"): 431,
                self.page_request(GOOD, *(f"X-{i}: {i}" for i in range(20_000))): 431,
                self.page_request("/" + "a" * (1 << 20)): 431,
                self.page_request("/api/sql", "Content-Length: 65537", method="POST"): 413,
                self.page_request("/api/sql", "Content-Length: 18446744073709551615", method="POST"): 413,
                self.page_request("/api/sql", "Content-Length: 99999999999999999999999", method="POST"): 400,
                self.page_request("/api/sql", "Content-Length: -1", method="POST"): 400,
            }
        )
        with self.server.client() as client:  # a head without end
            for _ in range(4096):
                client.send(b"X: " + b"y" * 1021)
            client.rest()

    def test_no_second_request_is_smuggled_in_a_body(self) -> None:
        second = self.server.request(GOOD)
        chunked = b"0\r\n\r\n" + second
        for fields in (
            (f"Content-Length: {len(second)}", "Content-Length: 0"),
            ("Content-Length: 0", f"Content-Length: {len(second)}"),
            (f"Content-Length: {len(second)}, 0",),
            ("Transfer-Encoding: chunked",),
            (f"Content-Length: {len(chunked)}", "Transfer-Encoding: chunked"),
            ("Content-Length: 5", "Transfer-Encoding: xchunked"),
            ("Transfer-Encoding: chunked", "Transfer-Encoding: identity"),
            (f"Content-Length: +{len(second)}",),
            ("Content-Length: 0x10",),
            (f"Content-Length : {len(second)}",),
        ):
            for method in ("GET", "POST"):
                with self.subTest(fields=fields, method=method), self.server.client() as client:
                    json, origin = "Content-Type: application/json", f"Origin: http://127.0.0.1:{self.server.port}"
                    client.send(self.page_request(GOOD, json, origin, *fields, method=method, body=chunked))
                    answer = client.answer()
                    assert answer is not None
                    self.assertIn(answer.status, (400, 411))
                    self.assertEqual(client.rest(), b"")  # no second answer

    def test_http_1_0_gets_one_answer(self) -> None:
        with self.server.client() as client:
            request = self.server.request(GOOD).replace(b"HTTP/1.1", b"HTTP/1.0")
            client.send(request + request)
            answer = client.answer()
            assert answer is not None
            self.assertEqual((answer.status, answer.fields["connection"]), (200, "close"))
            self.assertEqual(client.rest(), b"")

    def test_a_half_closed_socket_is_closed(self) -> None:
        for sent in (b"", b"GET / HT", self.server.request(GOOD), self.server.request(GOOD) * 20):
            with self.subTest(sent), self.server.client() as client:
                client.send(sent)
                client.socket.shutdown(1)
                client.rest()


class FloodTest(HostileTest):
    def test_clients_that_send_a_byte_a_second_hold_nobody_up(self) -> None:
        with contextlib.ExitStack() as stack:
            slow = [stack.enter_context(self.server.client()) for _ in range(200)]
            begin = time.monotonic()
            for byte in self.server.request(GOOD)[:7]:
                for client in slow:
                    client.send(bytes([byte]))
                self.assert_alive()
                self.assertLessEqual(self.server.status("Threads"), MAX_THREADS)
                time.sleep(1)
            # The deadline for a request is five seconds: all are closed, at the latest now.
            for client in slow:
                self.assertEqual(client.rest(), b"")
            self.assertLess(time.monotonic() - begin, WAIT_SECONDS)
            self.assertLess(self.server.open_sockets(), 20)

    def test_a_thousand_open_sockets_do_not_lock_the_page_out(self) -> None:
        with contextlib.ExitStack() as stack:
            used = stack.enter_context(self.server.client())
            for number in range(1000):
                client = stack.enter_context(self.server.client())
                if number % 2:
                    client.send(b"GET / HTTP/1.1\r\n")
                if number % 100 == 0:
                    used.send(self.server.request(GOOD))  # a connection in use is not the one that makes room
                    answer = used.answer()
                    assert answer is not None
                    self.assertEqual(answer.status, 200)
            self.assert_alive()
            self.assertLessEqual(self.server.open_sockets(), MAX_SOCKETS + 10)

    def test_two_hundred_parallel_requests_are_answered_or_told_to_wait(self) -> None:
        with contextlib.ExitStack() as stack:
            clients = [stack.enter_context(self.server.client()) for _ in range(200)]
            with concurrent.futures.ThreadPoolExecutor(16) as pool:
                list(pool.map(lambda client: client.send(self.server.request(GOOD)), clients))
                answers = list(pool.map(Client.answer, clients))
        statuses = [answer.status for answer in answers if answer is not None]
        self.assertEqual(len(statuses), 200)
        self.assertLessEqual(set(statuses), {200, 503})
        self.assertGreater(statuses.count(200), 100)

    def test_many_requests_at_once_on_one_socket_are_answered_in_order(self) -> None:
        with self.server.client() as client, concurrent.futures.ThreadPoolExecutor(1) as pool:
            sending = pool.submit(client.send, self.server.request(GOOD) * 500 + self.server.request("/none"))
            statuses = [answer.status for answer in iter(client.answer, None)]
            sending.result()
        self.assertEqual(statuses, [200] * 500 + [404])

    def test_clients_that_never_read_hold_little(self) -> None:
        with contextlib.ExitStack() as stack:
            for _ in range(100):
                client = stack.enter_context(self.server.client(receive_bytes=2048))
                client.socket.setblocking(False)
                with contextlib.suppress(BlockingIOError):
                    client.socket.send(self.server.request(GOOD) * 2000)
            self.assert_alive()

    def test_sockets_that_are_reset_at_once_are_forgotten(self) -> None:
        for number in range(300):
            with self.server.client() as client:
                client.socket.setsockopt(1, 13, b"\1\0\0\0\0\0\0\0")  # SO_LINGER: close() resets the connection
                client.send(self.server.request(GOOD)[: None if number % 2 else 40])
        self.assert_alive()
        deadline = time.monotonic() + WAIT_SECONDS
        while self.server.open_sockets() > 20 and time.monotonic() < deadline:
            time.sleep(0.05)
        self.assertLess(self.server.open_sockets(), 20)


if __name__ == "__main__":
    unittest.main()

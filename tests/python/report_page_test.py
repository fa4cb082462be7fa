"""The page of `ofindex report`, as the parser of the HTML standard reads it: without a single parse error."""

from __future__ import annotations

import unittest

import html5lib
from e2e.command import CommandTest
from oracle import messages, records
from oracle.fixtures import FIXTURES, needs_fixtures

HOSTILE = "</bdi></table><svg><script>alert(1)</script>\"' \ufffe \x00 \u202e &amp; &#0; <!-- <![CDATA["


class ReportPageTest(CommandTest):
    def parse_errors(self, index: str) -> list[object]:
        self.expect(0, "report", index, "-o", "page.html", "--force")
        parser = html5lib.HTMLParser()
        document = parser.parse((self.dir / "page.html").read_bytes(), transport_encoding="utf-8")
        self.assertEqual(document.findall(".//{*}script"), [])
        return parser.errors[:5]

    @needs_fixtures
    def test_every_fixture(self) -> None:
        for path in sorted(FIXTURES.glob("*/*")):
            if path.suffix not in (".md", ".tsv"):
                with self.subTest(path.name):
                    self.expect(0, "build", path, "-o", "fixture.ofidx", "-q", "--force")
                    self.assertEqual(self.parse_errors("fixture.ofidx"), [])

    def test_hostile_names_and_values(self) -> None:
        values = [("bytes", [HOSTILE.encode()]), ("bytes", [bytes(range(256))]), ("int64", [1]), ("float", [0.5] * 40)]
        rows = [{HOSTILE + str(n): value, "n": ("int64", [n])} for n, value in enumerate(values)]
        records.write_tfrecord(self.dir / "data", [messages.encode("example", row) for row in rows])
        self.expect(0, "build", "data", "-q")
        self.assertEqual(self.parse_errors("data"), [])


if __name__ == "__main__":
    unittest.main()

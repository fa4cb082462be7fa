#!/usr/bin/env python3
"""The environment variables that the command reads are in its manual pages and in docs/cli.md."""

from __future__ import annotations

import pathlib
import re
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
FOLDERS = ("base", "proto", "mmap", "index", "query", "tools")

#: Variables that are read, but have no line of their own.
UNLISTED = {
    "HOME": "the defaults of XDG_STATE_HOME and XDG_CACHE_HOME",
    "LANG": "the locale, as for any program",
    "LC_ALL": "the locale, as for any program",
    "LC_CTYPE": "the locale, as for any program",
    "LESS": "that of the pager; it gets a value if it has none",
    "OFINDEX_SAVE_AFTER_MS": "for tests only: docs/testing.md",
    "PATH": "finds the pager, as the shell would",
}
NAME = r'"([A-Z][A-Z_]{3,})"'


def read_by(source: str) -> set[str]:
    """The variables that `source` reads. If it reads one whose name is a variable, these are all names in it."""
    code = re.sub(r"//[^\n]*", "", source)
    names = set(re.findall(r"\bgetenv\(" + NAME, code)) | set(re.findall(r"\bk\w+Variable\[\] = " + NAME, code))
    if re.search(r"\bgetenv\([^\"]", code):
        names |= set(re.findall(NAME, code))
    return names | ({"TMPDIR"} if "temp_directory_path(" in code else set())


def of_command() -> list[str]:
    table = (ROOT / "tools/help/command_table.cc").read_text()
    body = table.split("Variables() {")[1].split("\n}\n")[0]
    return re.findall(r'\{"([A-Z_]+)",', body)


def of_document() -> list[str]:
    rows = (ROOT / "docs/cli.md").read_text().split("| variable | meaning |\n|---|---|\n")[1].split("\n\n")[0]
    return re.findall(r"^\| `([A-Z_]+)` \|", rows, re.MULTILINE)


class VariablesTest(unittest.TestCase):
    def test_the_manual_and_the_document_list_the_same_variables_in_the_same_order(self) -> None:
        self.assertGreater(len(of_command()), 5)
        self.assertEqual(of_document(), of_command())

    def test_every_variable_that_is_read_is_listed(self) -> None:
        paths = [path for folder in FOLDERS for path in (ROOT / folder).rglob("*") if path.suffix in {".h", ".cc"}]
        found = {name for path in paths for name in read_by(path.read_text())}
        self.assertEqual(found, set(of_command()) | set(UNLISTED))

    def test_reads_of_variables_are_found(self) -> None:
        for source, expected in (
            ('std::getenv("PAGER")', {"PAGER"}),
            ('std::getenv(name); F("COLUMNS"); F("--help")', {"COLUMNS"}),
            ("fs::temp_directory_path(error)", {"TMPDIR"}),
            ('constexpr char kFolderVariable[] = "PAGER";', {"PAGER"}),
            ('F("PAGER"); std::getenv("TERM")', {"TERM"}),
            ('F("PAGER")', set()),
            ('std::getenv(x);  // "PAGER"', set()),
        ):
            with self.subTest(source):
                self.assertEqual(read_by(source), expected)


if __name__ == "__main__":
    unittest.main()

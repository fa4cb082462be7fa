#!/usr/bin/env python3
"""The checkers of the documents find faults, and the files for their commands are the same every time."""

from __future__ import annotations

import sys
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests"))

from docs.blocks import block_complaints, is_program, matches, too_long  # noqa: E402
from docs.links import link_complaints  # noqa: E402
from docs.sample_data import make_data  # noqa: E402
from docs.work_folder import WorkFolderTest  # noqa: E402


class CheckersTest(WorkFolderTest):
    def complaints(self, *lines: str) -> list[str]:
        return list(block_complaints("\n".join(lines) + "\n", self.dir))

    def test_a_session_that_prints_what_it_shows_passes(self) -> None:
        self.assertEqual(self.complaints("```console", "$ echo one; echo two", "one", "two", "$ true", "```"), [])
        self.assertEqual(self.complaints("```console", "$ echo one \\", "> two", "one two", "```"), [])
        self.assertEqual(self.complaints("```console", "$ false; echo $?", "1", "```"), [])

    def test_a_session_that_prints_something_else_is_found(self) -> None:
        for shown in (["two"], [], ["one", "two"], ["on"], ["one..two"], ["..."] * 2 + ["two"]):
            with self.subTest(shown):
                self.assertEqual(len(self.complaints("```console", "$ echo one", *shown, "```")), 1)

    def test_output_to_standard_error_is_compared_too(self) -> None:
        self.assertEqual(len(self.complaints("```console", "$ echo one >&2", "```")), 1)
        self.assertEqual(self.complaints("```console", "$ echo one >&2", "one", "```"), [])

    def test_three_dots_match_anything_in_a_line_or_alone_any_number_of_lines(self) -> None:
        right = [["a ... d"], ["..."], ["a ...", "..."], ["...", "a b c d"]]
        wrong = [["a ... c"], ["a ... d", "e"], ["... b"]]
        for shown in right:
            self.assertTrue(matches(shown, "a b c d\n"), shown)
        for shown in wrong:
            self.assertFalse(matches(shown, "a b c d\n"), shown)
        self.assertTrue(matches(["1", "...", "4"], "1\n2\n3\n4\n"))
        self.assertFalse(matches(["1", "...", "3"], "1\n2\n3\n4\n"))
        self.assertFalse(matches(["1 ... 2"], "1 x\n2\n"))

    def test_the_commands_of_a_document_share_one_folder(self) -> None:
        text = ("```console", "$ echo one > file", "```", "and", "```sh", "grep -q one file", "```")
        self.assertEqual(self.complaints(*text), [])

    def test_a_script_that_fails_is_found(self) -> None:
        self.assertEqual(self.complaints("```sh", "true", "test -d .", "```"), [])
        for line in ("false", "false\ntrue", "ofindex-of-old build"):
            with self.subTest(line):
                self.assertEqual(len(self.complaints("```sh", line, "```")), 1)

    def test_a_long_command_is_not_run_but_its_program_must_exist(self) -> None:
        self.assertEqual(self.complaints("```sh", "tools/quickstart     # a comment that isn't run", "```"), [])
        self.assertFalse(is_program("tools/README.md"))
        self.assertFalse(is_program("tools/no-such-script"))
        self.assertIsNone(too_long("echo tools/test"))

    def test_a_block_without_a_language_or_end_is_found(self) -> None:
        for text in (["```", "$ false", "```"], ["```bash", "false", "```"], ["```console", "$ true"]):
            with self.subTest(text):
                self.assertEqual(len(self.complaints(*text)), 1)
        self.assertEqual(self.complaints("```text", "$ false", "```"), [])

    def test_dead_links_and_paths_are_found(self) -> None:
        here = ROOT / "README.md"
        right = "# A heading, here\n[a](LICENSE) [b](#a-heading-here) [c](https://example.org/x) `base/bytes.h` `base/`"
        self.assertEqual(list(link_complaints(right, here)), [])
        for wrong in ("[a](no/such.md)", "[a](#no-heading)", "[a](CONTRIBUTING.md#no-heading)", "`base/no_such.h`"):
            with self.subTest(wrong):
                self.assertEqual(len(list(link_complaints(wrong, here))), 1)

    def test_the_sample_data_are_the_same_every_time(self) -> None:
        made = []
        for name in ("a", "b"):
            (self.dir / name).mkdir()
            make_data(self.dir / name)
            files = [path for path in sorted((self.dir / name).rglob("*")) if path.is_file()]
            made.append({path.relative_to(self.dir / name): path.read_bytes() for path in files})
        self.assertEqual(made[0], made[1])


if __name__ == "__main__":
    unittest.main()

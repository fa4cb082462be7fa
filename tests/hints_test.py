#!/usr/bin/env python3
"""Errors of the library name options of the command only in hints that are string literals.

The Python package replaces the options in such a hint with its arguments. It does not change messages or composed
hints, because these contain names and paths, which may look like options.
"""

from __future__ import annotations

import pathlib
import re
import unittest
from collections.abc import Iterator

ROOT = pathlib.Path(__file__).resolve().parent.parent
FOLDERS = ("base", "proto", "mmap", "index", "query", "library")
COMMAND_ONLY = {"--lossy", "--to"}  # options of `ofindex convert`, which has no Python function

TOKEN = re.compile(
    r"//[^\n]*"
    r"|/\*.*?\*/"
    r'|(?P<text>"(?:\\.|[^"\\\n])*")'
    r"|(?<![0-9a-fA-F])'(?:\\.|[^'\\\n])+'"
    r"|(?:(?P<call>\w+)\s*)?[({\[]"
    r"|(?P<close>[)}\]])"
    r"|(?P<comma>,)",
    re.DOTALL,
)
OPTION = re.compile(r"(?:^|(?<=[ `]))(?:--[a-z][a-z-]*|-[a-z]\b)")


def texts_of(source: str) -> Iterator[tuple[str, bool]]:
    """Each string literal of `source`, and whether it is the message of an error or part of a composed text."""
    open_calls: list[tuple[str, int]] = []  # name of the function, index of the argument
    for token in TOKEN.finditer(source):
        if token["text"]:
            inner = open_calls[-1] if open_calls else ("", 0)
            yield token["text"][1:-1], inner == ("Fail", 1) or any(call == "StrCat" for call, _ in open_calls)
        elif token["close"]:
            open_calls = open_calls[:-1]
        elif token["comma"] and open_calls:
            open_calls[-1] = (open_calls[-1][0], open_calls[-1][1] + 1)
        elif token.group()[-1] in "({[":
            open_calls.append((token["call"] or "", 0))


def options_in(text: str) -> set[str]:
    """The options in `text`, except those of whole commands."""
    return set(OPTION.findall(re.sub("`(?:ofindex|protoc|ulimit) [^`]*", "", text)))


def sources() -> Iterator[tuple[str, str]]:
    for folder in FOLDERS:
        for path in sorted((ROOT / folder).rglob("*")):
            if path.suffix in {".h", ".cc"}:
                yield str(path.relative_to(ROOT)), path.read_text()


class HintsTest(unittest.TestCase):
    def test_no_message_and_no_composed_text_names_an_option(self) -> None:
        texts = [(path, text, made) for path, source in sources() for text, made in texts_of(source)]
        self.assertGreater(sum(made for _, _, made in texts), 500)
        wrong = [(path, text) for path, text, made in texts if made and options_in(text)]
        self.assertEqual(wrong, [])

    def test_python_has_an_argument_for_each_option_in_a_hint(self) -> None:
        words = (ROOT / "python/src/interpreter/python_words.cc").read_text()
        known = set(re.findall(r'Words\{"(-[a-z-]+)', words)) | COMMAND_ONLY
        for path, source in sources():
            for text, _ in texts_of(source):
                self.assertLessEqual(options_in(text), known, (path, text))

    def test_the_message_of_an_error_is_distinguished_from_its_hint(self) -> None:
        for source, expected in (
            ('Fail(ErrorCode::kUsage, "a", "b");', [("a", True), ("b", False)]),
            ('Fail(ErrorCode::kUsage, StrCat("a", f(1, 2), "b"), "c");', [("a", True), ("b", True), ("c", False)]),
            ('Fail(f(1, 2), g, x ? Hint("a") : Hint("b"));', [("a", False), ("b", False)]),
            ('constexpr char kHint[] = "a";  // "b"', [("a", False)]),
            ("Error{ErrorCode::kIo, g, StrCat('\"', \"a\")};", [("a", True)]),
        ):
            with self.subTest(source=source):
                self.assertEqual(list(texts_of(source)), expected)


if __name__ == "__main__":
    unittest.main()

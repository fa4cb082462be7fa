"""Every command in a hint of the sources runs: its verb and its options exist, and mean something."""

from __future__ import annotations

import re
import shlex
import subprocess
import unittest

from docs.sample_data import make_data
from e2e.command import COMMAND, REPOSITORY, CommandTest

ROOMS = ("base", "proto", "mmap", "index", "query", "tools")

#: What a placeholder of a hint stands for in the test.
MEANS = {
    "DATA": "data/train", "INDEX": "data/train", "TABLE": "scores.csv", "NAME": "name", "N": "1", "K/N": "1/2", "SEED": "1",
    "PART...": "data/train.part-1-of-2.ofidx data/train.part-2-of-2.ofidx", "VERB": "build", "FILE": "schema.pb",
    "EXPR": "1", "name...": "name", ":N": ":1",
}  # fmt: skip

#: What completes a hint that names a verb, and perhaps an option without its value.
ARGUMENTS = {
    "build": "data/train", "cat": "data/train -o out", "convert": "data/train --to ofrecord -o out",
    "report": "data/train -o out.html",
    "export": "data/train --to tfrecord2idx -o out", "get": "data/train 0", "split": "data/train a=1 -o out",
    "merge": "data/train.part-1-of-2.ofidx data/train.part-2-of-2.ofidx -o whole.ofidx",
    "key": "data/train name", "sql": "data/train 'SELECT 1'", "where": "data/train 1",
}  # fmt: skip
#: What stands in place of a part of a hint on attached columns.
ATTACHING = {"attach": ("-o schema.pb", "data/train scores.csv --key name -o out"), "detach": ("train name", "train score")}
VALUES = {"--columns": "name", "--to": "", "--part": "1/2", "--seed": "1", "--max-ratio": "300", "--max-inflated": "4096",
          "--index-dir": "DIR", "--key": "name"}  # fmt: skip
NEEDS_A_DESCRIPTOR = "--descriptor"  # tests/e2e/columns_test.py has one


def hints() -> set[str]:
    """The commands in backquotes in the string literals of the sources, without comments."""
    found = set()
    for room in ROOMS:
        for path in sorted((REPOSITORY / room).rglob("*.cc")):
            code = re.sub(r"^\s*//.*$", "", path.read_text(), flags=re.MULTILINE)
            texts = re.sub(r'"\s*\n\s*"', "", code)
            found |= set(re.findall(r"`(ofindex [^`\n]*)`", texts))
    return {hint.replace('\\"', '"') for hint in found if '"' not in hint and "'" not in hint}


def completed(hint: str) -> str:
    """A whole command line for a hint."""
    words = [MEANS.get(word, word) for word in re.sub(r"NAME\b", "name", hint).split()[1:]]
    verb = words[0]
    if verb in ATTACHING:
        return " ".join(words).replace(*ATTACHING[verb])
    if words[-1] in VALUES:
        words.append(VALUES[words[-1]])
    if verb == "merge":
        return f"merge {ARGUMENTS[verb]}"
    options_only = all(word.startswith("-") or before in VALUES for before, word in zip(words, words[1:], strict=False))
    if options_only and not verb.startswith("-") and "--help" not in words and verb != "help":
        words.append(ARGUMENTS.get(verb, "data/train"))
    return " ".join(words)


class HintsTest(CommandTest):
    def setUp(self) -> None:
        super().setUp()
        make_data(self.dir)
        (self.dir / "scores.csv").write_text("name,score\nsetosa,2.5\n")
        for part in ("1/2", "2/2"):
            self.expect(0, "build", "data/train", "--part", part, "-q")

    def test_every_command_in_a_hint_runs(self) -> None:
        found = hints()
        self.assertGreater(len(found), 25)
        for hint in sorted(found):
            if NEEDS_A_DESCRIPTOR in hint:
                continue
            for name in ("out", "whole.ofidx", "data/train.ofidx-attached"):
                subprocess.run(["rm", "-rf", name], cwd=self.dir, check=True)
            self.expect(0, "build", "data/train", "-q")
            line = completed(hint)
            if line.startswith("detach"):
                self.expect(0, "attach", "data/train", "scores.csv", "--key", "name")
            with self.subTest(hint=hint, line=line):
                ran = subprocess.run(
                    [COMMAND, *shlex.split(line)], cwd=self.dir, env=self.environment, stdin=subprocess.DEVNULL,
                    capture_output=True, text=True, timeout=60,
                )  # fmt: skip
                self.assertEqual(ran.returncode, 0, ran.stderr)


if __name__ == "__main__":
    unittest.main()

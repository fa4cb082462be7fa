"""Completion of `ofindex` in real shells, through a pseudo-terminal, and what the command offers for each word."""

from __future__ import annotations

import os
import re
import shutil
import unittest

from e2e.command import COMMAND, CommandTest
from e2e.pseudo_terminal import PseudoTerminal
from oracle import messages, records

# How each shell is started without the files of the person who runs the test, and reads the script of completions.
SHELLS = {
    "bash": (["bash", "--norc", "--noprofile", "-i"], 'eval "$(ofindex help --completion bash)"'),
    "zsh": (["zsh", "-f", "-i"], 'autoload -Uz compinit; compinit -D -u; eval "$(ofindex help --completion zsh)"'),
    "fish": (["fish", "--no-config", "-i"], "ofindex help --completion fish | source"),
}
BEGIN_OF_LINE, END_OF_LINE = "\x01", "\x05"

# What is typed before Tab, and the words of the command line after it. Only one candidate begins so.
TYPED = {
    "ofindex bui": ["ofindex", "build"],
    "ofindex build --verif": ["ofindex", "build", "--verify"],
    "ofindex get pla": ["ofindex", "get", "plants/"],
    "ofindex get plants/lea": ["ofindex", "get", "plants/leaves"],
    "ofindex info plants/leaves.o": ["ofindex", "info", "plants/leaves.ofidx"],
    "ofindex info odd": ["ofindex", "info", "odd name"],
    'ofindex info "odd name.': ["ofindex", "info", "odd name.ofidx"],
    "ofindex info 'odd name.": ["ofindex", "info", "odd name.ofidx"],
    "ofindex get plants/leaves 0 --io=mm": ["ofindex", "get", "plants/leaves", "0", "--io=mmap"],
    "ofindex get plants/leaves 0 --io pr": ["ofindex", "get", "plants/leaves", "0", "--io", "pread"],
    "ofindex stats plants/leaves --by ro": ["ofindex", "stats", "plants/leaves", "--by", "round"],
    "ofindex build plants/leaves --columns lon": ["ofindex", "build", "plants/leaves", "--columns", "long name"],
    "ofindex build plants/leaves --columns round,leaf/": [
        "ofindex", "build", "plants/leaves", "--columns", "round,leaf/width",
    ],
    "ofindex pack row": ["ofindex", "pack", "rows.csv"],
    "ofindex export plants/leaves -o fol": ["ofindex", "export", "plants/leaves", "-o", "folder/"],
    "ofindex help upd": ["ofindex", "help", "update"],
}  # fmt: skip


class CompletionTest(CommandTest):
    def setUp(self) -> None:
        super().setUp()
        for name in ("plants", "folder"):
            (self.dir / name).mkdir()
        (self.dir / "rows.csv").write_text("a\n1\n")
        leaf = messages.encode(
            "example", {"leaf/width": ("float", [0.5]), "long name": ("int64", [1]), "round": ("int64", [0])}
        )
        for path in ("plants/leaves", "odd name"):
            records.write_tfrecord(self.dir / path, [leaf])
            self.expect(0, "build", path, "-q")

    def complete(self, *words: str) -> list[str]:
        """What the command offers to the scripts: the kind, and the candidates."""
        lines = self.expect(0, "help", "--complete", "--", *words).text.splitlines()
        return [lines[0], *(line.split("\t")[0] for line in lines[1:])]

    def test_each_place_of_a_command_line_has_its_candidates(self) -> None:
        for words, expected in {
            ("s",): ["words", "schema", "stats", "sample", "split", "sql"],
            ("info", ""): ["paths", "folder/", "odd name", "odd name.ofidx", "plants/"],
            ("get", "plants/leaves", "--feature", ""): ["words +", "leaf/width", "long name", "round"],
            ("stats", "plants/leaves", "--by", "_"): ["words", "_length", "_shard"],
            ("stats", "plants/leaves", "r"): ["words", "round"],
            ("build", "plants/leaves", "--columns", "n"): ["words +", "none"],
            ("build", "plants/leaves", "--columns", "round,"): ["words +", "round,leaf/width", "round,long name"],
            ("build", "no such data", "--columns", "l"): ["words +"],
            ("sample", "plants/leaves", "--tail", ""): ["words", "exact", "pad", "drop"],
            ("cat", "plants/leaves", "-o", ""): ["files"],
            ("export", "plants/leaves", "--output", ""): ["folders"],
            ("where", "plants/leaves", ""): ["words"],
            ("frobnicate", ""): ["words"],
            ("get", "--io", "mmap", "--io"): ["words"],
            ("help", "--", "bu"): ["words", "build"],
        }.items():
            with self.subTest(words=words):
                self.assertEqual(self.complete(*words)[: len(expected) + 1], expected)

    def test_every_option_of_every_verb_is_offered(self) -> None:
        for verb in self.complete("")[1:]:
            with self.subTest(verb=verb):
                helped = self.expect(0, verb, "--help").text
                offered = self.complete(verb, "--")[1:]
                self.assertEqual([option for option in offered if option not in helped], [])
                self.assertIn("--help", offered)

    def in_shell(self, name: str, argv: list[str], script: str) -> None:
        folder = str(self.dir)
        terminal = PseudoTerminal(
            self, *argv[1:], program=argv[0], columns=200, lines=50, HOME=folder, XDG_CONFIG_HOME=folder,
            XDG_DATA_HOME=folder, PATH=f"{COMMAND.parent}:{os.environ['PATH']}", PS1="$ ", ENV="", INPUTRC="/dev/null",
        )  # fmt: skip
        terminal.send(f"{script}; printf '%s\\n' rea''dy\r")
        terminal.expect("ready\n")
        for typed, expected in TYPED.items():
            with self.subTest(shell=name, typed=typed):
                terminal.send(f"{typed}\t{BEGIN_OF_LINE}printf '<%s>\\n' {END_OF_LINE} en''d\r")
                printed = terminal.expect(r"<ofindex>\n(?:[^<\n]*<.*>\n)*?[^<\n]*<end>\n")
                found = re.findall("<(.*)>\n", printed[printed.rindex("<ofindex>\n") :])[:-1]
                # zsh takes the slash after a folder away when a space follows.
                self.assertEqual([word.rstrip("/") for word in found], [word.rstrip("/") for word in expected])

    def test_bash_zsh_and_fish_complete_what_only_one_candidate_begins_with(self) -> None:
        for name, (argv, script) in SHELLS.items():
            if shutil.which(name) is None:
                with self.subTest(name):
                    self.skipTest(f"{name} is not installed")
                continue
            self.in_shell(name, argv, script)


if __name__ == "__main__":
    unittest.main()

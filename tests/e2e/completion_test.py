"""Completion of `ofindex` in real shells, through a pseudo-terminal, and what the command offers for each word."""

from __future__ import annotations

import gzip
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
    "ofindex export plants/leaves --output=fol": ["ofindex", "export", "plants/leaves", "--output=folder/"],
    "ofindex sql --index a=plants/lea": ["ofindex", "sql", "--index", "a=plants/leaves"],
    "ofindex sql --index=a=plants/leaves.o": ["ofindex", "sql", "--index=a=plants/leaves.ofidx"],
    "ofindex sql --table r=row": ["ofindex", "sql", "--table", "r=rows.csv"],
    "ofindex sql --table=r=row": ["ofindex", "sql", "--table=r=rows.csv"],
    "ofindex sql --index o=odd": ["ofindex", "sql", "--index", "o=odd name"],
    "ofindex build raw --columns sc": ["ofindex", "build", "raw", "--columns", "scale"],
    "ofindex stats far --index-dir indexes --by ri": ["ofindex", "stats", "far", "--index-dir", "indexes", "--by", "ring"],
    "ofindex info back": ["ofindex", "info", "back\\slash"],
    "ofindex info back\\\\slash.o": ["ofindex", "info", "back\\slash.ofidx"],
    "ofindex info odd\\ name.o": ["ofindex", "info", "odd name.ofidx"],
    "ofindex stats back\\\\slash --by on": ["ofindex", "stats", "back\\slash", "--by", "one\\two $3"],
    "ofindex stats 'back\\slash' --by tw": ["ofindex", "stats", "back\\slash", "--by", "two o'clock"],
    'ofindex stats back\\\\slash --by "on': ["ofindex", "stats", "back\\slash", "--by", "one\\two $3"],
    "ofindex stats back\\\\slash --by 'tw": ["ofindex", "stats", "back\\slash", "--by", "two o'clock"],
    'ofindex stats back\\\\slash --by="on': ["ofindex", "stats", "back\\slash", "--by=one\\two $3"],
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
        odd = messages.encode("example", {"one\\two $3": ("int64", [1]), "two o'clock": ("int64", [2])})
        for path, payload in (("plants/leaves", leaf), ("odd name", leaf), ("back\\slash", odd)):
            records.write_tfrecord(self.dir / path, [payload])
            self.expect(0, "build", path, "-q")
        records.write_tfrecord(self.dir / "far", [messages.encode("example", {"ring": ("int64", [1])})])
        self.expect(0, "build", "far", "--index-dir", "indexes", "-q")
        records.write_tfrecord(self.dir / "raw", [messages.encode("example", {"scale": ("float", [1.5])})])

    def complete(self, *words: str) -> list[str]:
        """What the command offers to the scripts: the kind, and the candidates."""
        lines = self.expect(0, "help", "--complete", "--", *words).text.splitlines()
        return [lines[0], *(line.split("\t")[0] for line in lines[1:])]

    def test_each_place_of_a_command_line_has_its_candidates(self) -> None:
        for words, expected in {
            ("s",): ["words", "schema", "stats", "sample", "split", "sql", "serve"],
            ("info", ""): [
                "paths", "back\\slash", "back\\slash.ofidx", "folder/", "indexes/", "odd name", "odd name.ofidx", "plants/",
            ],
            ("build", "raw", "--columns", ""): ["words +", "auto", "none", "scale"],
            ("build", "raw", "--columns", "auto,"): ["words +", "auto,scale"],
            ("build", "empty", "--columns", ""): ["words +", "auto", "none"],
            ("build", "rows.csv", "--columns", ""): ["words +", "auto", "none"],
            ("stats", "far", "--by", ""): ["words"],
            ("stats", "far", "--index-dir", "indexes", "--by", ""): ["words", "ring", "_length", "_shard"],
            ("stats", "far", "--index-dir=indexes", "r"): ["words", "ring"],
            ("stats", "plants/leaves", "--index-dir", "indexes", "r"): ["words", "round"],
            ("sql", "--index", "a"): ["words"],
            ("sql", "--index", "a=pl"): ["paths", "a=plants/"],
            ("sql", "--index=a=plants/leaves."): ["paths", "--index=a=plants/leaves.ofidx"],
            ("sql", "--table", "t=r"): ["paths", "t=raw", "t=rows.csv"],
            ("sql", "-p", "a=r"): ["words"],
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

    def test_the_features_of_data_without_an_index_are_those_of_its_first_records(self) -> None:
        image = messages.encode("example", {"image": ("bytes", [b"x" * 30_000]), "label": ("int64", [1])})
        late = messages.encode("example", {"late": ("int64", [1])})
        steps = messages.encode_sequence({"id": ("int64", [1])}, {"frames": [("float", [0.5])]})
        (self.dir / "many").mkdir()
        (self.dir / "many" / "_labels.tsv").write_text("0\tcat\n")
        (self.dir / "many" / "a.txt").write_text("not a shard\n")
        records.write_tfrecord(self.dir / "many" / "part-10", [late])
        records.write_tfrecord(self.dir / "many" / "part-9", [image] * 3)
        records.write_tfrecord(self.dir / "images", [image] * 60 + [late])
        records.write_tfrecord(self.dir / "long", [messages.encode("example", {})] * 100 + [late])
        records.write_ofrecord(self.dir / "of", [messages.encode("ofrecord", {"d": ("double", [0.5])})])
        (self.dir / "steps.gz").write_bytes(gzip.compress(records.frame_tfrecord(steps) * 3))
        (self.dir / "torn").write_bytes(records.frame_tfrecord(image)[:-9])
        os.mkfifo(self.dir / "pipe")
        for data, expected in {
            "many": ["image", "label"],
            "many/": ["image", "label"],
            "images": ["image", "label"],
            "long": [],
            "of": ["d"],
            "steps.gz": ["frames[]", "id"],
            "torn": [],
            "folder": [],
            "no such data": [],
            "pipe": [],
        }.items():
            with self.subTest(data=data):
                self.assertEqual(self.complete("build", data, "--columns", "")[3:], expected)

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

#!/usr/bin/env python3
"""docs/cli.md lists exactly the options and JSON keys of the command."""

from __future__ import annotations

import json
import re
import sys
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests"))

from docs.blocks import Shell, blocks  # noqa: E402
from docs.sample_data import make_data  # noqa: E402
from docs.work_folder import WorkFolderTest  # noqa: E402


class CommandLineTest(WorkFolderTest):
    VERBS = tuple(
        "build merge update key attach detach info schema stats audit where sample sql verify get cat split pack convert export "
        "serve report help".split()
    )
    TEXT = (ROOT / "docs" / "cli.md").read_text(encoding="utf-8")

    def setUp(self) -> None:
        super().setUp()
        make_data(self.dir)
        self.shell = Shell(self.dir)

    def test_the_document_names_exactly_the_options_of_the_command(self) -> None:
        helped = {"--help", "--version"}
        for verb in self.VERBS:
            text = self.shell.run(f"ofindex {verb} --help")[1]
            helped |= set(re.findall(r"^  (?:-\w,)?(--[a-z]+)", text, re.MULTILINE))
        # Only options in backticks or in usage lines count; sentences may mention options of other programs.
        usage = re.findall(r"^ofindex [a-z]+ .*", self.TEXT, re.MULTILINE)
        named = re.findall(r"`[^`\n]+`", self.TEXT)
        self.assertEqual(set(re.findall(r"--[a-z]+", " ".join(usage + named))), helped)

    def test_the_document_names_the_keys_of_the_json_documents(self) -> None:
        described: dict[str, list[str]] = {}
        [block] = [block for block in blocks(self.TEXT) if block.lines[0].startswith("build    schema ")]
        for line in block.lines[: block.lines.index("")]:
            words = line.replace("[]", "").split()
            if not line.startswith(" "):
                described[words.pop(0)] = keys = []
            keys += words
        for line in block.lines:
            if match := re.match(r"(shards|bad|damage|skipped|stale)\[\]  +((?:\w+ )*\w+)", line):
                described[match[1]] = match[2].split()
        hurt = "data/hurt.tfrecord"
        (self.dir / "scores.csv").write_text("_id,score\n0,1\n")
        self.shell.run(f"ofindex build {hurt} --verify; ofindex build data/train")
        commands = {
            "build": f"build {hurt} --json",
            "merge": f"merge {hurt} -o merged.ofidx --json",
            "update": f"update {hurt} --json",
            "key": "key data/train name --json",
            "attach": "attach data/train scores.csv --key _id --json",
            "detach": "detach data/train score --json",
            "info": f"info {hurt} --json",
            "schema": "schema data/train --json",
            "stats": "stats data/train --json",
            "audit": "audit data/train --json",
            "report": "report data/train -o page.html --json",
            "where": "where data/train 1 --json",
            "sample": "sample data/train --json",
            "sql": "sql data/train 'SELECT 1' --json",
            "serve": "serve data/train --until-eof --json </dev/null",
            "verify": f"verify {hurt} --json",
            "get": "get data/train 0 --json",
            "split": "split data/train a=1 -o parts --json",
            "pack": "pack data -o packed --to tfrecord --json",
            "convert": f"convert {hurt} -o converted --to ofrecord --json",
            "export": "export data/train --to tfrecord2idx -o indexes --json",
        }
        found: dict[str, list[str]] = {}
        for verb, command in commands.items():
            document = json.loads(self.shell.run(f"ofindex {command} 2>/dev/null")[1])
            found[verb] = list(document)
            for name in {"shards", "bad", "damage"} & document.keys():
                if isinstance(document[name], list) and document[name]:
                    found[name] = list(document[name][0])
        skipped = json.loads(self.shell.run("ofindex build data/train --json 2>/dev/null")[1])["skipped"]
        stale = self.shell.run("truncate -s 9 data/train/*0-of-*; ofindex verify data/train --json 2>/dev/null")[1]
        found["skipped"] = list(skipped[0])
        found["stale"] = list(json.loads(stale)["stale"][0])
        self.assertEqual(described, found)


if __name__ == "__main__":
    unittest.main()

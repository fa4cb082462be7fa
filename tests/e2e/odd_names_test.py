"""Every verb takes paths and names with any bytes: brackets, stars, spaces, quotes, line ends, dashes, and no UTF-8."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

from e2e import samples
from e2e.command import COMMAND, CommandTest, Finished
from oracle import messages, records

NAMES = (
    "[ab]",
    "[]",
    "[[y]]",
    "a[0-9]*?.d",
    ' two  words, it\'s "a=b"',
    "new\nline\t\x1b[31m",
    "back\\slash",
    '{"a":1} #$HOME % é',
    "-dash",
    "@at",
    "\udcff\udcfe",
)

Makes = Callable[[str], tuple[str, ...]]

# Maps each verb to a command line for the data called by the argument; out/ holds what it writes.
VERBS: dict[str, Makes] = {
    "info": lambda data: ("info", data),
    "schema": lambda data: ("schema", data),
    "stats": lambda data: ("stats", data, "label"),
    "where": lambda data: ("where", data, "label = 3"),
    "sample": lambda data: ("sample", data, "-n", "2"),
    "sql": lambda data: ("sql", data, "SELECT path FROM shards"),
    "key": lambda data: ("key", data, "label"),
    "attach": lambda data: ("attach", data, "table.csv", "--key", "_id"),
    "audit": lambda data: ("audit", data, "-o", "equal.csv", "--force"),
    "report": lambda data: ("report", data, "-o", "page.html", "--force"),
    "detach": lambda data: ("detach", data, "--all"),
    "verify": lambda data: ("verify", data),
    "get": lambda data: ("get", data, "0", "-1"),
    "cat": lambda data: ("cat", data),
    "serve": lambda data: ("serve", data, "--until-eof"),
    "split": lambda data: ("split", data, "a=1", "-o", "out/parts"),
    "convert": lambda data: ("convert", data, "--to", "ofrecord", "-o", "out/converted"),
    "export": lambda data: ("export", data, "--to", "tfrecord2idx", "-o", "out/exported"),
    "update": lambda data: ("update", data),
    "merge": lambda data: ("merge", data, "-o", "out/merged.ofidx"),
    "pack": lambda data: ("pack", data, "--to", "ofrecord", "-o", "out/packed"),
    "help": lambda data: ("help", "--complete", "--", "get", data),
}


def given(name: str) -> tuple[str, ...]:
    """How a user names the path `name`."""
    return (f"./{name}",) if name.startswith(("-", "@")) else (name, f"./{name}")


class OddNamesTest(CommandTest):
    def folder(self, name: str) -> Path:
        """An empty folder, in which the next commands run."""
        self.work = self.dir / str(len(self.names()))
        self.work.mkdir()
        (self.work / "out").mkdir()
        (self.work / "table.csv").write_text("_id,score\n0,2.5\n")
        return self.work / name

    def done(self, *args: str) -> Finished:
        return self.expect(0, *args, cwd=self.work)

    def assert_printable(self, finished: Finished, args: object) -> None:
        allowed = "\n\t" if finished.args[0] == "help" else "\n"  # a tab is between a completion and its note
        controls = [c for c in finished.stderr + finished.stdout.decode() if ord(c) < 32 and c not in allowed]
        self.assertEqual(controls, [], args)

    def test_every_verb_is_tried(self) -> None:
        offered = self.expect(0, "help", "--complete", "--", "").text.splitlines()[1:]
        self.assertEqual({line.split("\t")[0] for line in offered}, {"build", *VERBS})

    def test_each_verb_reads_a_folder_of_that_name(self) -> None:
        for name in NAMES:
            folder = self.folder(name)
            payloads = samples.write_parts(folder, [3, 2])
            for data in given(name):
                with self.subTest(data=data):
                    self.assert_printable(self.done("build", data), data)
                    self.assertTrue((self.work / f"{name}.ofidx").is_file())
                    self.assertEqual(self.done("cat", data, "--to", "raw").stdout, b"".join(payloads))
                    for args in (verb(data) for verb in VERBS.values()):
                        self.assert_printable(self.done(*args), args)
                    offered = self.done(*VERBS["help"](data)).text.splitlines()
                    self.assertEqual(f"{data}.ofidx\t" in offered, name.isprintable())
                    shutil.rmtree(self.work / "out")
                    self.done(*VERBS["get"](data + ".ofidx"))

    def test_each_verb_reads_a_file_of_that_name(self) -> None:
        for name in NAMES:
            self.folder(name)
            payloads = samples.payloads(5)
            records.write_tfrecord(self.work / name, payloads)
            data = given(name)[-1]
            with self.subTest(data=data):
                self.done("build", data, "-q")
                self.assertEqual(self.done("cat", data, "--to", "raw").stdout, b"".join(payloads))
                for args in (VERBS[verb](data) for verb in ("get", "verify", "convert", "split")):
                    self.done(*args)

    def test_a_name_that_is_there_is_no_glob(self) -> None:
        self.folder("")
        samples.write_parts(self.work / "a", [1])
        samples.write_parts(self.work / "[ab]", [2])
        samples.write_parts(self.work / "*", [4])
        for data, count in (("[ab]", 2), ("*", 4), ("a", 1)):
            self.assertEqual(self.done("build", data, "--json").json["records"], count)
        found = self.done("build", "[abc]/part-?", "-o", "glob.ofidx", "--json").json
        self.assertEqual(found["records"], 1)
        self.assertEqual(self.done("build", "a", "[ab]", "-o", "two.ofidx", "--json").json["records"], 3)

    def test_each_output_and_list_has_any_name(self) -> None:
        for name in NAMES:
            folder = self.folder(name)
            samples.write_parts(self.work / "data", [3, 2])
            out = given(name)[-1]
            with self.subTest(out=out):
                self.done("build", "data", "-o", f"{out}.ofidx", "-q")
                self.done("merge", f"{out}.ofidx", "-o", f"out/{name}.ofidx", "-q")
                index = f"{out}.ofidx"
                self.done("split", index, "a=1", "-o", out)
                self.assertEqual(os.listdir(folder), ["a.ids"])
                for form in ("jsonl", "csv", "arrow", "tfrecord", "raw"):
                    self.done("cat", index, "--ids", f"{out}/a.ids", "--to", form, "-o", f"out/{name}.{form}")
                self.done("export", index, "--to", "tfrecord2idx", "-o", f"out/{name}")
                self.done("convert", index, "--to", "ofrecord", "-o", f"out/{name}.set")
                self.done("get", index, "0", "--root", ".")
                (self.work / f"{name}.csv").write_text("x\n1\n")
                self.done("pack", f"{out}.csv", "--to", "tfrecord", "-o", f"out/{name}.packed")
                self.done("pack", out, "--to", "ofrecord", "-o", f"out/{name}.files")
                self.done("build", "data", "--index-dir", f"out/{name}.dir", "-q")
                self.done("get", "data", "0", "--index-dir", f"out/{name}.dir")

    def test_a_name_after_two_dashes_is_no_option(self) -> None:
        self.folder("")
        for name in ("-dash", "--json"):
            samples.write_parts(self.work / name, [2])
            self.done("build", "-q", "--", name)
            self.done("get", "--raw", "--", name, "0")

    def test_names_of_features_and_parts_have_any_bytes(self) -> None:
        self.folder("")
        for name in (name for name in NAMES if not name.startswith("\udcff")):  # not a name in protobuf's Python
            payload = messages.encode("example", {name: ("int64", [1]), "other": ("int64", [2])})
            records.write_tfrecord(self.work / "one", [payload])
            with self.subTest(feature=name):
                escaped = name.replace("\\", "\\\\").replace(",", "\\,")
                self.done("build", "one", f"--columns={escaped}", "--payload", "example", "--force", "-q")
                [record] = self.done("get", "one", "0", f"--feature={escaped}", "--jsonl").jsonl
                self.assertEqual(list(record["features"]), [name])
                self.done("cat", "one", f"--feature={escaped}", "--to", "csv")
                self.done("stats", "one", *(() if name.startswith("-") else (name,)), "_length")
                self.done("stats", "one", f"--by={name}", "_id")
                self.done("split", "one", "a=1", f"--by={name}", "-o", "out", "--force")

    def test_a_command_in_a_hint_can_be_pasted(self) -> None:
        self.folder("")
        for name in ("$(touch pwned)", "a b", "-rf", "`touch pwned`", "it's;touch pwned", "new\nline"):
            given_name = given(f"{name}.csv")[-1]
            records.write_tfrecord(self.work / f"{name}.csv", samples.payloads(3))
            with (self.work / f"{name}.csv").open("ab") as shard:
                shard.write(b"torn")
            damaged = self.command_in_hint("build", given_name, "-q", code=3)
            (self.work / f"{name}.csv").write_text("a,b\n1\n")
            wrong = self.command_in_hint("pack", given_name, "--to", "ofrecord", "-o", "out/packed", code=3)
            with self.subTest(name=name):
                if name.isprintable():
                    self.assertIn(b"torn_tail", self.pasted(damaged))
                    self.assertEqual(self.pasted(wrong), b"1\n")
                else:
                    self.assertEqual((damaged, wrong), ("ofindex info INDEX", "sed -n 2p FILE"))
        self.assertNotIn("pwned", os.listdir(self.work))

    def command_in_hint(self, *args: str, code: int) -> str:
        """The command between backticks in the hint of a verb that fails."""
        failed = self.expect(code, *args, cwd=self.work).stderr
        found = re.search(r"^hint: .*?`(.*)` (?:lists|shows) the ", failed, re.MULTILINE)
        assert found, failed
        return found[1]

    def pasted(self, command: str) -> bytes:
        shell = f'ofindex() {{ {shlex.quote(str(COMMAND))} "$@"; }}\n{command}'
        return subprocess.run(["sh", "-c", shell], cwd=self.work, stdout=subprocess.PIPE, check=True).stdout

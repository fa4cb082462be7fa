#!/usr/bin/env python3
"""The documents do not lie: every command block of README.md and docs/*.md is run.

    ```console   a session: each line that begins with `$ ` is run by bash, and the lines after it are what it prints,
                 standard error included. `...` stands for anything in a line, alone in a line for any lines. A command
                 that ends in a backslash goes on in the next line, which begins with `> `.
    ```sh        commands that must end with exit code 0, except those in TOO_LONG, which only have to be there

Other blocks are no commands, but every block has a language. The commands of one document run in one folder, in the
order in which they stand, each in a shell of its own; make_data() says what lies in that folder. Links must lead
somewhere, and a path in backticks that begins with a folder of the project must exist.
"""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import unittest
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests"))

from oracle import messages, records  # noqa: E402
from oracle.fixtures import FIXTURES  # noqa: E402

COMMAND = Path(os.environ.get("OFINDEX_BIN", ROOT / "build" / "tools" / "ofindex")).resolve()
TIMEOUT_SECONDS = 60

# First words of `sh` lines that take too long for a test, or are tests themselves: programs that have to be there.
TOO_LONG = ("tools/quickstart", "tools/test", "tests/e2e/run.py", "tests/docs/docs_test.py", "bench/run", "bench/against", "meson")

# Names of blocks that look like commands and would not be run.
NEVER_RUN = ("bash", "shell", "zsh", "shell-session", "terminal")

# Four of the digits that tools/quickstart downloads (E. Alpaydin, C. Kaynak: Optical Recognition of Handwritten
# Digits, UCI Machine Learning Repository, 1998): ordinal -> label, and 64 grey levels of 0 to g, which is 16.
KNOWN_DIGITS = {
    0: (0, "005d910000dfaf5003f20b8004c008800580098004b01c7002e5ac00006da000"),
    7: (7, "0078dgf100774bc000008d100488ff6002bff400000g5000009f100000d50000"),
    1234: (2, "01cge80004g8af3000005g300001cf00000ag500005ga00001ef6ab000dgge81"),
    1796: (8, "00ae810002ge610000ff8f00005gga0000cffc0004g64g6008ga8g80018cec10"),
}
DIGITS = 1797


def digit(number: int) -> tuple[int, list[int]]:
    """Label and grey levels: those of tools/quickstart where they are known, else some."""
    if number in KNOWN_DIGITS:
        label, levels = KNOWN_DIGITS[number]
        return label, [int(level, 17) for level in levels]
    return number % 10, [(number * 31 + pixel * 7) % 17 for pixel in range(64)]


def write_digits(folder: Path) -> None:
    """The files of tools/quickstart, of the same shape and sizes: digits/part-0 to part-3, and digits.tfrecord."""
    (folder / "digits").mkdir()
    digits = [digit(number) for number in range(DIGITS)]
    ofrecords = [
        messages.encode("ofrecord", {"image": ("int32", image), "label": ("int64", [label])}) for label, image in digits
    ]
    for part in range(4):
        part_payloads = ofrecords[DIGITS * part // 4 : DIGITS * (part + 1) // 4]
        records.write_ofrecord(folder / "digits" / f"part-{part}", part_payloads)
    examples = [
        messages.encode("example", {"image": ("bytes", [bytes(image)]), "label": ("int64", [label])})
        for label, image in digits
    ]
    records.write_tfrecord(folder / "digits.tfrecord", examples)


def flower(number: int) -> bytes:
    """An Example of data/train."""
    species = ("setosa", "versicolor", "virginica")[number % 3]
    return messages.encode(
        "example",
        {
            "name": ("bytes", [species.encode()]),
            "petal": ("float", [1 + number % 50 / 8, 0.25]),
            "species": ("int64", [number % 3]),
        },
    )


def write_train(folder: Path) -> None:
    """data/train: 350 Examples in four TFRecord shards of 100, 100, 100 and 50, and a text file."""
    train = folder / "data" / "train"
    train.mkdir(parents=True)
    for shard, count in enumerate((100, 100, 100, 50)):
        payloads = [flower(100 * shard + number) for number in range(count)]
        records.write_tfrecord(train / f"flowers-{shard:05}-of-00004.tfrecord", payloads)
    (train / "dataset_info.json").write_text('{"name": "flowers"}\n')


def write_hurt(folder: Path) -> None:
    """data/hurt.tfrecord: ten records of which 2 has a wrong length checksum, 5 a wrong payload, and 9 is cut short."""
    frames = [bytearray(records.frame_tfrecord(flower(number))) for number in range(10)]
    frames[2][8] ^= 1
    frames[5][20] ^= 1
    (folder / "data" / "hurt.tfrecord").write_bytes(b"".join(frames)[:-7])


def write_clips(folder: Path) -> None:
    """data/clips.tfrecord: two SequenceExamples. data/lines.tfrecord: two lines of text, which are no messages."""
    clips = [
        messages.encode_sequence(
            {"title": ("bytes", [title])}, {"frame": [("float", [0.5 * step, 1]) for step in range(steps)]}
        )
        for title, steps in ((b"dawn", 3), (b"dusk", 1))
    ]
    records.write_tfrecord(folder / "data" / "clips.tfrecord", clips)
    records.write_tfrecord(folder / "data" / "lines.tfrecord", [b"to be, or not to be\n", b"that is the question\n"])


def make_data(folder: Path) -> None:
    """Everything that a document's commands may read. The same bytes every time."""
    write_digits(folder)
    write_train(folder)
    write_hurt(folder)
    write_clips(folder)


@dataclass(frozen=True)
class Block:
    """A fenced block; `line` is where its content begins, from 1."""

    language: str
    line: int
    lines: list[str]


@dataclass
class Step:
    """A command of a session and what it is said to print."""

    line: int
    command: str
    shown: list[str] = field(default_factory=list)


def blocks(text: str) -> Iterator[Block]:
    fence = None
    for number, line in enumerate(text.splitlines(), start=1):
        match = re.match(r"\s*(```+)(.*)", line)
        if fence is None and match:
            fence, language, first, content = match[1], match[2].strip(), number + 1, []
        elif fence is not None and line.strip() == fence:
            yield Block(language, first, content)
            fence = None
        elif fence is not None:
            content.append(line)
    if fence is not None:
        yield Block("", first, content)


def steps(block: Block) -> list[Step]:
    """The commands of a session. What stands before the first one is shown by the command `:`, which prints nothing."""
    found: list[Step] = []
    going_on = False
    for number, line in enumerate(block.lines, start=block.line):
        if line.startswith("$ "):
            found.append(Step(number, line[2:]))
        elif going_on:
            found[-1].command += "\n" + line.removeprefix("> ")
        else:
            if not found:
                found.append(Step(number, ":"))
            found[-1].shown.append(line)
        going_on = bool(found) and not found[-1].shown and found[-1].command.endswith("\\")
    return found


def matches(shown: list[str], printed: str) -> bool:
    """True if `printed` is what the document shows."""
    while shown and not shown[-1].strip():
        shown = shown[:-1]
    pattern = ""
    for line in shown:
        if line.strip() == "...":
            pattern += r"(?:[^\n]*\n)*"
        else:
            pattern += r"[^\n]*".join(map(re.escape, line.rstrip().split("..."))) + r"[ \t]*\n"
    if printed and not printed.endswith("\n"):
        printed += "\n"
    return re.fullmatch(pattern, printed) is not None


def too_long(line: str) -> str | None:
    """The first word of `line`, if it is one of TOO_LONG."""
    words = shlex.split(line, comments=True)
    return words[0] if words and words[0] in TOO_LONG else None


def is_program(word: str) -> bool:
    return os.access(ROOT / word, os.X_OK) if "/" in word else shutil.which(word) is not None


class Shell:
    """Runs the commands of one document in `folder`."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        # Colours, defaults and the cache folder of whoever runs the tests stay out of them.
        foreign = ("OFINDEX_", "CLICOLOR", "NO_COLOR", "LC_")
        kept = {name: value for name, value in os.environ.items() if not name.startswith(foreign)}
        kept.update(PATH=f"{COMMAND.parent}:{kept['PATH']}", LC_ALL="C.UTF-8")
        kept.update(HOME=f"{folder.parent}/home", XDG_CACHE_HOME=f"{folder.parent}/home/.cache")
        self.environment = kept

    def run(self, command: str) -> tuple[int, str]:
        """Exit code, and all that was printed."""
        finished = subprocess.run(
            ["bash", "-c", command],
            cwd=self.folder,
            env=self.environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            timeout=TIMEOUT_SECONDS,
        )
        return finished.returncode, finished.stdout.decode("utf-8", "backslashreplace")


def session_complaints(block: Block, shell: Shell) -> Iterator[str]:
    for step in steps(block):
        printed = shell.run(step.command)[1]
        if not matches(step.shown, printed):
            shown = "\n".join(step.shown)
            yield f"line {step.line}: $ {step.command}\n--- shown\n{shown}\n--- printed\n{printed}"


def script_complaints(block: Block, shell: Shell) -> Iterator[str]:
    short = []
    for number, line in enumerate(block.lines, start=block.line):
        word = too_long(line)
        if word is None:
            short.append(line)
        elif not is_program(word):
            yield f"line {number}: {word} is no program"
    code, printed = shell.run("set -e\n" + "\n".join(short))
    if code != 0:
        yield f"line {block.line}: exit code {code}\n{printed}"


def block_complaints(text: str, folder: Path) -> Iterator[str]:
    """What is wrong with the blocks of a document; its commands run in `folder`."""
    shell = Shell(folder)
    for block in blocks(text):
        if not block.language or block.language in NEVER_RUN:
            yield f"line {block.line}: a block of language '{block.language}': use console, sh or text"
        elif block.language == "console":
            yield from session_complaints(block, shell)
        elif block.language == "sh":
            yield from script_complaints(block, shell)


def without_blocks(text: str) -> str:
    return re.sub(r"^\s*(```+).*?^\s*\1\s*$", "", text, flags=re.MULTILINE | re.DOTALL)


def anchors(text: str) -> set[str]:
    """What a link to a heading of `text` may say after #: GitHub's rule."""
    headings = re.findall(r"^#+ +(.+?)\s*$", without_blocks(text), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def link_complaints(text: str, path: Path) -> Iterator[str]:
    """What is wrong with the links of the document at `path`, and with the paths that it names in backticks."""
    prose = without_blocks(text)
    for target in re.findall(r"\]\(([^)\s]+)\)", prose):
        file, _, anchor = target.partition("#")
        if re.match(r"[a-z]+:", target):
            continue
        linked = (path.parent / file).resolve() if file else path
        if file and not linked.exists():
            yield f"a link to {target}, which is not there"
        elif anchor and anchor not in anchors(linked.read_text(encoding="utf-8") if file else text):
            yield f"a link to {target}, which has no such heading"
    folders = "base|proto|mmap|index|query|tools|tests|bench|docs"
    for named in re.findall(rf"`((?:{folders})/[\w./-]*\w|(?:{folders})/)`", prose):
        if not (ROOT / named).exists():
            yield f"`{named}` is not there"


def documents() -> list[Path]:
    return [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]


# Documents that are about real record files, and where those come from; their commands are passed over without them.
REAL_DATA = {
    "docs/sql.md": (
        "real/mnist.tfrecord",
        "real/sequence_example.tfrecord",
        "real/ssd-dummy",
        "real/toy",
        "derived/ofrecord-penguin",
    )
}


def copy_real_data(document: str, folder: Path) -> bool:
    """Copies the files that `document` is about. False if they are not there."""
    for name in REAL_DATA.get(document, ()):
        source = FIXTURES / name
        if not source.exists():
            return False
        target = folder / source.name.removeprefix("ofrecord-")
        if source.is_dir():
            shutil.copytree(source, target, copy_function=shutil.copyfile)
        else:
            shutil.copyfile(source, target)
    return True


class TemporaryFolderTest(unittest.TestCase):
    def setUp(self) -> None:
        temporary = tempfile.TemporaryDirectory(prefix="ofindex-docs-")
        self.addCleanup(temporary.cleanup)
        self.dir = Path(temporary.name).resolve() / "work"
        self.dir.mkdir()
        (self.dir.parent / "home").mkdir()


class DocumentsTest(TemporaryFolderTest):
    def setUp(self) -> None:
        super().setUp()
        if not COMMAND.is_file() or COMMAND.name != "ofindex":
            raise FileNotFoundError(f"no ofindex at {COMMAND}: build it, or set OFINDEX_BIN")

    def test_every_command_prints_what_its_document_shows(self) -> None:
        for path in documents():
            with self.subTest(path.relative_to(ROOT).as_posix()):
                folder = self.dir / path.relative_to(ROOT).as_posix().replace("/", "-")
                folder.mkdir()
                make_data(folder)
                if not copy_real_data(path.relative_to(ROOT).as_posix(), folder):
                    self.skipTest(f"no real record files in {FIXTURES}")
                found = list(block_complaints(path.read_text(encoding="utf-8"), folder))
                self.assertEqual(found, [], "\n" + "\n".join(found))

    def test_every_link_leads_somewhere(self) -> None:
        for path in sorted({*documents(), *ROOT.glob("*/README.md"), ROOT / "CONTRIBUTING.md"}):
            with self.subTest(path.relative_to(ROOT).as_posix()):
                self.assertEqual(list(link_complaints(path.read_text(encoding="utf-8"), path)), [])

    def test_the_documents_are_found_and_have_sessions(self) -> None:
        names = {path.stem for path in documents()}
        self.assertLessEqual({"README", "design", "index_format", "record_formats", "cli", "testing"}, names)
        languages = [block.language for path in documents() for block in blocks(path.read_text(encoding="utf-8"))]
        self.assertGreaterEqual(languages.count("console"), 10)


class CommandLineTest(TemporaryFolderTest):
    """docs/cli.md has the options and JSON keys of the command, no more and no fewer."""

    VERBS = ("build", "info", "schema", "stats", "where", "sql", "verify", "get", "cat", "export")
    TEXT = (ROOT / "docs" / "cli.md").read_text(encoding="utf-8")

    def setUp(self) -> None:
        super().setUp()
        make_data(self.dir)
        self.shell = Shell(self.dir)

    def test_options(self) -> None:
        helped = {"--help", "--version"}
        for verb in self.VERBS:
            text = self.shell.run(f"ofindex {verb} --help")[1]
            helped |= set(re.findall(r"^  (?:-\w,)?(--[a-z]+)", text, re.MULTILINE))
        # What a sentence says of other programs is not meant: options stand in backticks or in the lines of usage.
        usage = re.findall(r"^ofindex [a-z]+ .*", self.TEXT, re.MULTILINE)
        named = re.findall(r"`[^`\n]+`", self.TEXT)
        self.assertEqual(set(re.findall(r"--[a-z]+", " ".join(usage + named))), helped)

    def test_json_keys(self) -> None:
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
        self.shell.run(f"ofindex build {hurt} --verify; ofindex build data/train")
        commands = {
            "build": f"build {hurt} --json",
            "info": f"info {hurt} --json",
            "schema": "schema data/train --json",
            "stats": "stats data/train --json",
            "where": "where data/train 1 --json",
            "sql": "sql data/train 'SELECT 1' --json",
            "verify": f"verify {hurt} --json",
            "get": "get data/train 0 --json",
            "export": "export data/train --to tfrecord2idx -o indexes --json",
        }
        found: dict[str, list[str]] = {}
        for verb, command in commands.items():
            document = json.loads(self.shell.run(f"ofindex {command} 2>/dev/null")[1])
            found[verb] = list(document)
            for name in {"shards", "bad", "damage"} & document.keys():
                if isinstance(document[name], list):
                    found[name] = list(document[name][0])
        skipped = json.loads(self.shell.run("ofindex build data/train --json 2>/dev/null")[1])["skipped"]
        stale = self.shell.run("truncate -s 9 data/train/*0-of-*; ofindex verify data/train --json 2>/dev/null")[1]
        found["skipped"] = list(skipped[0])
        found["stale"] = list(json.loads(stale)["stale"][0])
        self.assertEqual(described, found)


class CheckersTest(TemporaryFolderTest):
    """The checks above are worth something only if they find what is wrong."""

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

    def test_what_is_printed_to_standard_error_counts(self) -> None:
        self.assertEqual(len(self.complaints("```console", "$ echo one >&2", "```")), 1)
        self.assertEqual(self.complaints("```console", "$ echo one >&2", "one", "```"), [])

    def test_three_dots_stand_for_anything_in_a_line_and_alone_for_any_lines(self) -> None:
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

    def test_a_long_command_is_not_run_but_has_to_be_there(self) -> None:
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

    def test_the_data_are_the_same_every_time(self) -> None:
        made = []
        for name in ("a", "b"):
            (self.dir / name).mkdir()
            make_data(self.dir / name)
            files = [path for path in sorted((self.dir / name).rglob("*")) if path.is_file()]
            made.append({path.relative_to(self.dir / name): path.read_bytes() for path in files})
        self.assertEqual(made[0], made[1])


if __name__ == "__main__":
    unittest.main()

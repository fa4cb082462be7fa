"""The fenced blocks of a document, and a check that their commands do what the document says.

    ```console   a session: each line that begins with `$ ` is run by bash, and must print the lines after it, including
                 standard error. `...` matches anything in a line or, alone in a line, any lines. A command that ends
                 in a backslash continues in the next line, which begins with `> `.
    ```sh        commands that must end with exit code 0, except those in TOO_LONG, which are not run but must exist

Blocks of other languages are not run, but every block must have a language. The commands of one document run in one
folder, in document order, each in a separate shell.
"""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
COMMAND = Path(os.environ.get("OFINDEX_BIN", ROOT / "build" / "tools" / "ofindex")).resolve()
TIMEOUT_SECONDS = 60

# The first words of `sh` lines that take too long for a test, or are tests themselves. These programs must exist.
TOO_LONG = (
    "tools/quickstart",
    "tools/test",
    "tests/e2e/run.py",
    "tests/docs/docs_test.py",
    "tests/python/run.py",
    "tools/bench",
    "tools/mutate",
    "meson",
)

# Languages for commands that this check does not run. A block in one of them is a fault.
NEVER_RUN = ("bash", "shell", "zsh", "shell-session", "terminal")


@dataclass(frozen=True)
class Block:
    """A fenced block; `line` is where its content begins, from 1."""

    language: str
    line: int
    lines: list[str]


@dataclass
class Step:
    """A command of a session and the output that the document shows for it."""

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
    """The commands of a session. Lines before the first command are kept as the output of `:`, which prints nothing."""
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
    """True if `printed` matches what the document shows."""
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
    """The first word of `line` if it is in TOO_LONG."""
    words = shlex.split(line, comments=True)
    return words[0] if words and words[0] in TOO_LONG else None


def is_program(word: str) -> bool:
    return os.access(ROOT / word, os.X_OK) if "/" in word else shutil.which(word) is not None


class Shell:
    """Runs the commands of one document in `folder`."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        # Removes the colours, defaults and cache folder of the user who runs the tests.
        foreign = ("OFINDEX_", "CLICOLOR", "NO_COLOR", "LC_")
        kept = {name: value for name, value in os.environ.items() if not name.startswith(foreign)}
        kept.update(PATH=f"{COMMAND.parent}:{kept['PATH']}", LC_ALL="C.UTF-8")
        kept.update(HOME=f"{folder.parent}/home", XDG_CACHE_HOME=f"{folder.parent}/home/.cache")
        self.environment = kept

    def run(self, command: str) -> tuple[int, str]:
        """Returns the exit code and everything printed."""
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
            yield f"line {number}: {word} is not a program"
    code, printed = shell.run("set -e\n" + "\n".join(short))
    if code != 0:
        yield f"line {block.line}: exit code {code}\n{printed}"


def block_complaints(text: str, folder: Path) -> Iterator[str]:
    """The faults found in the blocks of a document; its commands run in `folder`."""
    shell = Shell(folder)
    for block in blocks(text):
        if not block.language or block.language in NEVER_RUN:
            yield f"line {block.line}: a block of language '{block.language}': use console, sh or text"
        elif block.language == "console":
            yield from session_complaints(block, shell)
        elif block.language == "sh":
            yield from script_complaints(block, shell)

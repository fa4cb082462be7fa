#!/usr/bin/env python3
"""The documents do not lie: every command block of README.md and docs/*.md is run.

    ```console   a session: each line that begins with `$ ` is run by bash, and the lines after it are what it prints,
                 standard error included. `...` stands for anything in a line, alone on a line for any lines. A command
                 that ends in a backslash goes on in the next line, which begins with `> `.
    ```sh        commands that must end with exit code 0, except those in TOO_LONG, which only have to be there

Other blocks are no commands, but every block has a language. The commands of one document run in one folder, in the order
in which they stand, each in a shell of its own. The folder holds what make_data() writes. Links must lead somewhere, and
a path in backticks that begins with a folder of the project must exist.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests"))

from oracle import messages, records  # noqa: E402

COMMAND = Path(os.environ.get("OFINDEX_BIN", ROOT / "build" / "tools" / "ofindex")).resolve()
TIMEOUT_SECONDS = 60

# Commands of `sh` blocks that take too long for a test, or are tests themselves: programs that have to be there.
TOO_LONG = ("tools/quickstart", "tools/test", "tests/e2e/run.py", "bench/run", "meson")

# Languages that say "this is run somewhere", and are not run here.
OTHER_SHELLS = {"bash", "shell", "zsh", "shell-session"}

# Records of the digits as tools/quickstart makes them (E. Alpaydin, C. Kaynak: Optical Recognition of Handwritten
# Digits, UCI Machine Learning Repository, 1998): ordinal -> label, and 64 grey levels, a letter each, of 0 to g.
KNOWN_DIGITS = {
    0: (0, "005d91000$"),
}


def make_data(folder: Path) -> None:
    raise NotImplementedError

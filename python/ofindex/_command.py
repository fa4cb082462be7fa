"""The command `ofindex`, as the wheel has it."""

from __future__ import annotations

import os
import sys
from importlib import resources


def main() -> None:
    """Becomes the command: its arguments, streams and signals are this process's own."""
    command = str(resources.files("ofindex") / "bin" / "ofindex")
    os.execv(command, ["ofindex", *sys.argv[1:]])

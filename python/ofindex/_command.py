"""The command `ofindex`, as installed by the wheel."""

from __future__ import annotations

import os
import sys
from importlib import resources


def main() -> None:
    """Replaces this process with the command, which inherits the arguments, streams and signals."""
    command = str(resources.files("ofindex") / "bin" / "ofindex")
    os.execv(command, ["ofindex", *sys.argv[1:]])

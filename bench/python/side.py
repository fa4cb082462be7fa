"""A process that does one side's work: side.py MODULE FUNCTION SETTINGS WORDS

FUNCTION(settings, *words) prepares the side and returns a function that takes one turn. That function is called for
each line of standard input, with True if the line is "check"; its result is printed to standard output as JSON. Output
of libraries goes to standard error. If a peer cannot run here, the exit code is MISSING, and the last line on standard
error gives the reason.
"""

from __future__ import annotations

import gc
import importlib
import json
import os
import sys
from collections.abc import Callable
from typing import Any

from settings import Settings

MISSING = 77
OURS = ("ofindex", "ofindex.torch")  # required: without them there is nothing to measure

# Amount of work, seconds, and the result (None if it was not computed). All sides must have the same result.
Turn = tuple[float, float, Any]
Take = Callable[[bool], Turn]


class Missing(Exception):
    """This peer cannot be measured here; the message says why."""


def main(module: str, function: str, settings: str, words: str) -> int:
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    try:
        prepare = getattr(importlib.import_module(module), function)
        take: Take = prepare(Settings.loads(settings), *json.loads(words))
    except (Missing, ModuleNotFoundError) as error:
        if getattr(error, "name", None) in OURS:
            raise
        print(error, file=sys.stderr)
        return MISSING
    print("ready", file=answers, flush=True)
    for line in sys.stdin:
        gc.collect()
        print(json.dumps(take(line.strip() == "check")), file=answers, flush=True)
    return 0


if __name__ == "__main__":
    # A class must be identical here and in the modules that import it.
    from side import main as imported_main

    sys.exit(imported_main(*sys.argv[1:]))

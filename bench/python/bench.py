"""Compares the speed of ofindex's Python package with the usual alternatives. Run by bench/python/run.

Exit code: 0 if everything that can be measured on this machine was measured, whatever the results; otherwise 1.
"""

from __future__ import annotations

import argparse
import os
import sys
import traceback
from collections.abc import Callable
from pathlib import Path

import side
from settings import THREADS, Settings
from table import Job, Row, lines_of, summary_of
from topics import cold, compressed, epoch, parse, reads, sharing, start, writing
from turns import Failed

TOPICS: dict[str, Callable[[Settings], list[Job]]] = {
    "get": reads.get,
    "getitems": reads.getitems,
    "epoch": epoch.jobs,
    "parse": parse.jobs,
    "cold": cold.cold,
    "blocks": cold.in_blocks,
    "compressed": compressed.jobs,
    "sharing": sharing.jobs,
    "start": start.jobs,
    "writing": writing.jobs,
}


def topic_names(text: str) -> list[str]:
    names = text.split(",")
    if unknown := [name for name in names if name not in TOPICS]:
        raise argparse.ArgumentTypeError(f"no such topic: {unknown[0]}; there are {', '.join(TOPICS)}")
    return names


def measured(job: Job) -> Row:
    print(f"Measuring: {job.name}", flush=True)
    try:
        return job.run()
    except side.Missing as error:
        return Row(job.name, why=f"skipped: {error}")
    except Exception as error:
        if not isinstance(error, Failed):  # Failed was already reported
            traceback.print_exc()
        return Row(job.name, why=f"failed: {error}")


def main() -> int:
    parser = argparse.ArgumentParser(prog="bench/python/run", description=__doc__.split("\n")[0])
    parser.add_argument("--quick", action="store_true", help="a quarter of the records, and a tenth of the index")
    parser.add_argument("--only", type=topic_names, default=list(TOPICS), metavar="NAME,...", help=", ".join(TOPICS))
    parser.add_argument("--programs", required=True, help=argparse.SUPPRESS)
    parser.add_argument("data", metavar="DATA_DIR", help="folder for generated data, kept for the next run")
    words = parser.parse_args()
    data = Path(words.data).resolve()
    data.mkdir(parents=True, exist_ok=True)
    settings = Settings(str(data), str(Path(words.programs).resolve()), words.quick)
    before = os.getloadavg()[0]
    rows = [measured(job) for name in words.only for job in TOPICS[name](settings)]
    print("", *lines_of(rows), "", *summary_of(rows), sep="\n")
    after = os.getloadavg()[0]
    print(f"Load of {THREADS} processors: {before:.1f} before, {after:.1f} after; trust only runs on an idle machine.")
    return 1 if any(row.failed for row in rows) else 0


if __name__ == "__main__":
    sys.exit(main())

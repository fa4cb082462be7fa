"""Uses an installed package of ofindex as a program would, for tools/wheels: builds, reads, queries, and runs the command
from the environment's own bin folder."""

import platform
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy

import ofindex

RECORDS = 1000
COMMAND = str(Path(sys.executable).with_name("ofindex"))


def run(*arguments):
    return subprocess.run([COMMAND, *arguments], capture_output=True, text=True, check=True).stdout


def equal(found, expected):
    if found != expected:
        sys.exit(f"expected {expected!r}, got {found!r}")


with tempfile.TemporaryDirectory() as folder:
    data, rows = f"{folder}/data.tfrecord", Path(folder) / "rows.jsonl"
    rows.write_text("".join(f'{{"label": {i % 10}, "name": "record {i}"}}\n' for i in range(RECORDS)))
    run("pack", str(rows), "-o", data, "--to", "tfrecord")

    ds = ofindex.build(data, verify=True, progress=False)
    equal(len(ds), RECORDS)
    equal(ds.record(777)["label"].tolist(), [7])
    equal(ds.batch([5, 999, 0], {"label": ofindex.fixed("int64")})["label"].tolist(), [5, 9, 0])
    equal(len(ds.where("label = 3")), RECORDS // 10)
    equal(ds.sql("SELECT label, count(*) FROM records GROUP BY label").fetchall()[4], (4, RECORDS // 10))
    equal(sorted(ds.sampler(seed=1)), list(range(RECORDS)))
    equal(run("sql", data, "SELECT count(*) FROM records", "--csv").split(), ["count(*)", str(RECORDS)])
    equal(run("--version"), f"ofindex {ofindex.__version__}\n")

print(f"Python {platform.python_version()}, numpy {numpy.__version__}: ofindex {ofindex.__version__} works")

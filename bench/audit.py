"""How long an audit takes from stored hashes, next to DuckDB's GROUP BY over the same hashes, and whether it finds the
duplicates that were planted among real images.

    python bench/audit.py [RECORDS] [FOLDER]

Needs the package, numpy, pyarrow, duckdb and Pillow; OFINDEX_FIXTURES names the folder of tests/e2e/fixtures_test.py,
with real images. The data stay in FOLDER for the next run; by default they are removed.
"""

from __future__ import annotations

import io
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

import duckdb
import numpy as np
import ofindex
import pyarrow
import pyarrow.parquet
from PIL import Image

from attach import AT_ONCE, digits_of

TURNS = 5
PLANTED = 0.01  # of the records


def write_shard(path: pathlib.Path, records: int) -> None:
    """Write an OFRecord file by copying one record and changing its key; 1 % of the records have another's key."""
    with ofindex.Writer(path.with_suffix(".one"), format="ofrecord") as writer:
        writer.write({"file": b"img" + b"0" * 10 + b".jpg", "label": 3})
    template = np.frombuffer(path.with_suffix(".one").read_bytes(), np.uint8)
    at = bytes(template).index(b"0" * 10)
    random = np.random.default_rng(1)
    numbers = np.arange(records)
    copies = random.choice(records, int(records * PLANTED), replace=False)
    numbers[copies] = random.integers(0, records, len(copies))
    with path.open("wb") as file:
        for first in range(0, records, AT_ONCE):
            some = numbers[first : first + AT_ONCE]
            rows = np.tile(template, (len(some), 1))
            rows[:, at : at + 10] = digits_of(some)
            file.write(rows.tobytes())


def peak_mebibytes() -> float:
    """Return the most memory that this process had, without that of the process that started it."""
    [line] = [line for line in pathlib.Path("/proc/self/status").read_text().splitlines() if line.startswith("VmHWM")]
    return int(line.split()[1]) / 1024


def audit(data: str) -> None:
    """Audit in this process, and print seconds, groups and the peak of memory."""
    begin = time.perf_counter()
    found = ofindex.open(data).audit(progress=False)
    seconds = time.perf_counter() - begin
    peak = peak_mebibytes()
    print(seconds, len(found), len(found.ordinals), peak)


def group_by(table: str) -> None:
    """Do the same with DuckDB, without the check of the bytes."""
    connection = duckdb.connect()
    connection.execute(f"SET threads = {len(os.sched_getaffinity(0))}")
    begin = time.perf_counter()
    query = "SELECT count(*) AS records, list(id) FROM read_parquet(?) GROUP BY hash HAVING count(*) > 1"
    connection.execute(f"CREATE TEMP TABLE found AS {query}", [table])
    seconds = time.perf_counter() - begin
    peak = peak_mebibytes()
    counts = connection.execute("SELECT count(*), sum(records) FROM found").fetchone() or (0, 0)
    print(seconds, *counts, peak)


def in_turns(data: pathlib.Path, table: pathlib.Path) -> None:
    """Run both in processes of their own, in turns, and print medians and their ratio."""
    figures: dict[str, list[list[float]]] = {"--audit": [], "--group-by": []}
    for _ in range(TURNS):
        for task, input in (("--audit", data), ("--group-by", table)):
            done = subprocess.run(
                [sys.executable, __file__, task, str(input)], check=True, capture_output=True, text=True
            )
            figures[task].append([float(word) for word in done.stdout.split()])
    assert figures["--audit"][0][1:3] == figures["--group-by"][0][1:3], "the answers differ"
    medians = {}
    for task, runs in figures.items():
        seconds = [run[0] for run in runs]
        medians[task] = statistics.median(seconds)
        print(
            f"{task[2:]}: {medians[task]:.2f} s (of {min(seconds):.2f} to {max(seconds):.2f}), "
            f"{runs[0][1]:,.0f} groups of {runs[0][2]:,.0f} records, {max(run[3] for run in runs):.0f} MiB at most"
        )
    print(f"ratio: {medians['--audit'] / medians['--group-by']:.2f}")


def real_images() -> list[bytes]:
    """Return real images as PNG: the digits of the fixtures, 28 by 28 pixels."""
    path = pathlib.Path(os.environ["OFINDEX_FIXTURES"], "real", "mnist.tfrecord")
    with tempfile.TemporaryDirectory() as folder:
        digits = ofindex.build(path, output=f"{folder}/mnist.ofidx", progress=False)
        batch = digits.batch(range(len(digits)), {"image_floats": ofindex.fixed("float32", (28, 28))})
    images = []
    for digit in batch["image_floats"]:
        file = io.BytesIO()
        Image.fromarray(np.clip((digit + 0.5) * 255, 0, 255).astype(np.uint8)).save(file, "PNG")
        images.append(file.getvalue())
    return images


def find_planted(folder: pathlib.Path) -> None:
    """Plant copies of real images with other names, in two formats, and print precision and recall of the pairs."""
    images = real_images()
    random = np.random.default_rng(2)
    copies = [int(n) for n in random.choice(len(images), max(2, int(len(images) * PLANTED)), replace=False)]
    half = len(copies) // 2
    contents = [images + [images[n] for n in copies[:half]], [images[n] for n in copies[half:]]]
    datasets = []
    for number, format in enumerate(("tfrecord", "ofrecord")):
        path = folder / f"images.{format}"
        with ofindex.Writer(path, format=format, force=True) as writer:
            for n, image in enumerate(contents[number]):
                writer.write({"image/encoded": image, "name": b"%d of %d" % (n, number)})
        datasets.append(ofindex.build(path, progress=False, force=True))
    planted = {((0, n), (0, len(images) + k)) for k, n in enumerate(copies[:half])}
    planted |= {((0, n), (1, k)) for k, n in enumerate(copies[half:])}
    found = datasets[0].audit(datasets[1], on="image/encoded", progress=False)
    pairs = {(group[0], other) for group in map(found.group, range(len(found))) for other in group[1:]}
    right = len(pairs & planted)
    print(f"{len(planted)} copies planted among {len(images):,} real images:")
    print(f"recall {right / len(planted)}, precision {right / len(pairs)}")


def main() -> None:
    records = int(sys.argv[1]) if len(sys.argv) > 1 else 10_000_000
    with tempfile.TemporaryDirectory() as temporary:
        folder = pathlib.Path(sys.argv[2] if len(sys.argv) > 2 else temporary)
        folder.mkdir(parents=True, exist_ok=True)
        data, table = folder / "data.ofrecord", folder / "hashes.parquet"
        if not table.exists():
            write_shard(data, records)
            ds = ofindex.build(data, verify=True, progress=False)
            hashes = pyarrow.table({"id": np.arange(records), "hash": ds.column("_hash")})
            pyarrow.parquet.write_table(hashes, table)
        in_turns(data, table)
        find_planted(folder)


if __name__ == "__main__":
    if sys.argv[1:2] == ["--audit"]:
        audit(sys.argv[2])
    elif sys.argv[1:2] == ["--group-by"]:
        group_by(sys.argv[2])
    else:
        main()

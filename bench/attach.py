"""How long it takes to attach a column of a Parquet file by a bytes key, and how much memory.

    python bench/attach.py [RECORDS] [FOLDER]

Needs the package, numpy and pyarrow. The data stay in FOLDER for the next run; by default they are removed.
"""

from __future__ import annotations

import pathlib
import resource
import subprocess
import sys
import tempfile
import time

import numpy as np
import ofindex
import pyarrow
import pyarrow.parquet

DIGITS = 10
AT_ONCE = 1_000_000


def digits_of(numbers: np.ndarray) -> np.ndarray:
    """Return the decimal digits of `numbers`, one row each."""
    powers = 10 ** np.arange(DIGITS - 1, -1, -1, dtype=np.int64)
    return (numbers[:, None] // powers % 10 + ord("0")).astype(np.uint8)


def write_shard(path: pathlib.Path, records: int) -> None:
    """Write an OFRecord file, whose framing has no checksums, by copying one record and changing its key."""
    key = "img" + "0" * DIGITS + ".jpg"
    with ofindex.Writer(path.with_suffix(".one"), format="ofrecord") as writer:
        writer.write({"file": key.encode(), "label": 3})
    template = np.frombuffer(path.with_suffix(".one").read_bytes(), np.uint8)
    at = bytes(template).index(b"0" * DIGITS)
    with path.open("wb") as file:
        for first in range(0, records, AT_ONCE):
            rows = np.tile(template, (min(AT_ONCE, records - first), 1))
            rows[:, at : at + DIGITS] = digits_of(np.arange(first, first + len(rows)))
            file.write(rows.tobytes())


def write_parquet(path: pathlib.Path, records: int) -> None:
    """Write a row for each record, in random order."""
    random = np.random.default_rng(1)
    order = random.permutation(records)
    schema = pyarrow.schema([("file", pyarrow.string()), ("score", pyarrow.float32())])
    with pyarrow.parquet.ParquetWriter(path, schema) as writer:
        for first in range(0, records, AT_ONCE):
            numbers = order[first : first + AT_ONCE]
            text = np.full((len(numbers), DIGITS + 7), ord("0"), np.uint8)
            text[:, :3], text[:, -4:] = np.frombuffer(b"img", np.uint8), np.frombuffer(b".jpg", np.uint8)
            text[:, 3:-4] = digits_of(numbers)
            offsets = np.arange(0, text.size + 1, text.shape[1], dtype=np.int32)
            buffers = [None, pyarrow.py_buffer(offsets), pyarrow.py_buffer(text.tobytes())]
            keys = pyarrow.StringArray.from_buffers(len(numbers), buffers[1], buffers[2])
            scores = pyarrow.array(random.random(len(numbers), np.float32))
            writer.write_table(pyarrow.table([keys, scores], schema=schema))


def measure(data: str, table: str) -> None:
    """Attach, and print seconds and the peak of memory."""
    ds = ofindex.open(data)
    begin = time.perf_counter()
    found = ds.attach(table, key="file", replace=True, progress=False)
    seconds = time.perf_counter() - begin
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    begin = time.perf_counter()
    selected = len(ds.where("score > 0.999"))
    where = time.perf_counter() - begin
    print(f"{found['attached_records']:,} of {found['records']:,} records: {seconds:.2f} s, {peak:.0f} MiB at most")
    print(f"first WHERE: {selected:,} records in {where:.2f} s")


def main() -> None:
    records = int(sys.argv[1]) if len(sys.argv) > 1 else 10_000_000
    with tempfile.TemporaryDirectory() as temporary:
        folder = pathlib.Path(sys.argv[2] if len(sys.argv) > 2 else temporary)
        folder.mkdir(parents=True, exist_ok=True)
        data, table = folder / "data.ofrecord", folder / "scores.parquet"
        if not table.exists():
            write_shard(data, records)
            ofindex.build(data, verify=False, progress=False)
            write_parquet(table, records)
        # In a process of its own, whose memory is that of attaching alone.
        subprocess.run([sys.executable, __file__, "--measure", str(data), str(table)], check=True)


if __name__ == "__main__":
    if sys.argv[1:2] == ["--measure"]:
        measure(sys.argv[2], sys.argv[3])
    else:
        main()

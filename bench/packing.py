"""How much padding packed rows have, and how fast they are planned and read, next to Grain's best fit.

    python bench/packing.py [--grain PYTHON] [RECORDS]

Needs the package and numpy; PYTHON is an interpreter that has Grain. Lengths are log-normal: exp(N(6, 1)), at most the
8,192 tokens of a row. All draw the same lengths, and shuffle them; RECORDS are planned, and fewer are packed with their
tokens.
"""

from __future__ import annotations

import argparse
import contextlib
import pathlib
import subprocess
import tempfile
import time
from collections.abc import Iterable
from typing import Any

import numpy as np

with contextlib.suppress(ImportError):  # in the interpreter that has Grain
    import ofindex

TOKENS = 8192
WITH_TOKENS = 20_000
WINDOWS = (256, 1024, 4096, 16384, 65536)
READ_WINDOWS = (1024, 16384)
BINS = (16, 64, 256, 1024)


def lengths_of(records: int) -> np.ndarray:
    drawn = np.random.default_rng(1).lognormal(6, 1, records)
    return np.clip(drawn.astype(np.int64), 1, TOKENS)


def write_records(path: pathlib.Path, records: int) -> None:
    """Write an OFRecord file, whose framing has no checksums, of one record many times: its lengths are given apart."""
    with ofindex.Writer(path, format="ofrecord") as writer:
        writer.write({"label": 1})
    path.write_bytes(path.read_bytes() * records)


def write_tokens(path: pathlib.Path, lengths: np.ndarray) -> None:
    tokens = np.random.default_rng(2).integers(0, 50_000, TOKENS)
    with ofindex.Writer(path) as writer:
        for length in lengths.tolist():
            writer.write({"tokens": tokens[:length]})


def show(what: str, records: int, seconds: float, padding: float) -> None:
    print(f"{what:44} {100 * padding:6.2f} % padding {records / seconds:12,.0f} records/s", flush=True)


def plan(folder: pathlib.Path, records: int) -> None:
    """Plan the rows of an epoch."""
    path = folder / "many.ofrecord"
    write_records(path, records)
    ds = ofindex.build(path, verify=False, progress=False)
    lengths = lengths_of(records)
    features = {"label": ofindex.ragged("int64")}
    for window in WINDOWS:
        budget = ofindex.LengthBatches(TOKENS, lengths, window=window)
        loader = ofindex.Loader(ds, features, 1, length_batches=budget, pack="best_fit")
        begin = time.perf_counter()
        rows = len(loader)
        seconds = time.perf_counter() - begin
        show(f"ofindex, planned, window of {window:,}", records, seconds, 1 - lengths.sum() / (rows * TOKENS))


def padding_of(batches: Iterable[dict[str, Any]]) -> float:
    filled = [np.count_nonzero(batch["tokens_segment_ids"]) / batch["tokens_segment_ids"].size for batch in batches]
    return 1 - float(np.mean(filled))


def read(folder: pathlib.Path) -> None:
    """Read an epoch of records with their tokens, packed and as they are."""
    lengths = lengths_of(WITH_TOKENS)
    path = folder / "tokens.tfrecord"
    write_tokens(path, lengths)
    ds = ofindex.build(path, columns="auto", progress=False)
    features = {"tokens": ofindex.ragged("int32")}
    budgets = {window: ofindex.LengthBatches(TOKENS, "tokens#count", window=window) for window in (0, *READ_WINDOWS)}
    loaders = {"read, cut and not packed": ofindex.Loader(ds, features, length_batches=budgets[0])}
    for window in READ_WINDOWS:
        name = f"read and packed, window of {window:,}"
        loaders[name] = ofindex.Loader(ds, features, 1, length_batches=budgets[window], pack="best_fit")
    for name, loader in loaders.items():
        list(loader)  # the page cache
        begin = time.perf_counter()
        for _ in loader:
            pass
        seconds = time.perf_counter() - begin
        padding = padding_of(loader) if loader.pack else 1 - lengths.sum() / (len(loader) * TOKENS)
        show(f"ofindex, {name}", WITH_TOKENS, seconds, padding)


def read_with_grain() -> None:
    """Pack arrays in memory with Grain: it plans while it copies tokens."""
    import grain
    from grain.experimental import BestFitPackIterDataset

    tokens = np.arange(TOKENS, dtype=np.int32)
    lengths = lengths_of(WITH_TOKENS)
    order = np.random.default_rng(3).permutation(lengths).tolist()
    for bins in BINS:
        source = grain.MapDataset.source(order).map(lambda length: {"tokens": tokens[:length]})
        options = grain.ReadOptions(num_threads=1, prefetch_buffer_size=64)
        packed = BestFitPackIterDataset(
            source.to_iter_dataset(options), length_struct={"tokens": TOKENS}, num_packing_bins=bins, shuffle_bins=False
        )
        begin = time.perf_counter()
        for _ in packed:
            pass
        seconds = time.perf_counter() - begin
        show(f"Grain {grain.__version__}, {bins:,} bins", len(order), seconds, padding_of(packed))


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("records", nargs="?", type=int, default=2_000_000)
    parser.add_argument("--grain", metavar="PYTHON")
    parser.add_argument("--here", action="store_true", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.here:
        read_with_grain()
        return
    lengths = lengths_of(arguments.records)
    print(
        f"{arguments.records:,} lengths: mean {lengths.mean():.0f}, median {np.median(lengths):.0f}, rows of {TOKENS:,}"
    )
    with tempfile.TemporaryDirectory() as folder:
        plan(pathlib.Path(folder), arguments.records)
        read(pathlib.Path(folder))
    if arguments.grain:
        subprocess.run([arguments.grain, __file__, "--here"], check=True)


if __name__ == "__main__":
    main()

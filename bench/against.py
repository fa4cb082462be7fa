#!/usr/bin/env python3
"""Compares the speed of ofindex with the usual alternatives: tfr-reader, Polars, DuckDB. Run by bench/against.

    against.py [build|where|groups|bytes]...

Both sides of a comparison answer the same question alternately, and must agree on the result. Each turn gives one ratio
of the two times, and the table has the median ratio. If ofindex is measured without starting a command, a task of
bench/column_tasks.h answers, and reports how long the answer took. docs/benchmarks.md describes all comparisons.
"""

from __future__ import annotations

import contextlib
import io
import json
import logging
import os
import sqlite3
import struct
import subprocess
import sys
import time
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from statistics import median
from typing import Any

import duckdb
import numpy as np
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq

BUILD = Path(__file__).resolve().parent.parent / "build-bench"
COMMAND = BUILD / "tools" / "ofindex"
TASK = (BUILD / "bench" / "pairs" / "ofindex_bench", "--child")

TURNS = 7
THREADS = len(os.sched_getaffinity(0))
COLUMNS = ("label", "height", "width", "score")
RECORDS = 4_000_000
RECORDS_FOR_TFR_READER = 100_000  # about ten seconds per million

# The result of a query: the number of rows, and a sum over them.
Answer = tuple[int, int]
# The seconds that a query took, and its result.
Turn = tuple[float, Answer]
Side = Callable[[], Turn]


@dataclass
class Claim:
    """The bound that a number should keep: "at least", "at most", or empty if the number is shown for comparison."""

    name: str
    bound: str = ""
    asked: float = 0

    def line(self, got: float) -> str:
        asked = f"{self.bound} {self.asked:.3g}" if self.bound else "nothing"
        short = (self.bound == "at least" and got < self.asked) or (self.bound == "at most" and got > self.asked)
        return f"{self.name}: got {got:.3g}, asked {asked}{'  SHORT' if short else ''}"


def same(answer: Answer) -> Answer:
    return answer


def by_turns(name: str, ours: Side, *theirs: Side) -> float:
    """The median of our time divided by theirs. If `theirs` has several functions, the fastest one in each turn
    counts."""
    turns: list[tuple[float, float]] = []
    for turn in range(-1, TURNS):  # the first one warms up
        sides = [ours, *theirs]
        order = range(len(sides)) if turn % 2 == 0 else reversed(range(len(sides)))
        took = {side: sides[side]() for side in order}
        answers = {answer for _, answer in took.values()}
        if len(answers) != 1:
            sys.exit(f"{name}: the results of the two sides differ: {answers}")
        if turn >= 0:
            turns.append((took[0][0], min(seconds for side, (seconds, _) in took.items() if side > 0)))
    medians = [1e3 * median(seconds) for seconds in zip(*turns)]
    print(f"{name}: {medians[0]:.2f} ms / {medians[1]:.2f} ms", flush=True)
    return median(o / t for o, t in turns)


def timed(work: Callable[[], Any], answer: Callable[[Any], Answer]) -> Turn:
    begin = time.perf_counter()
    found = work()
    seconds = time.perf_counter() - begin
    return seconds, answer(found)


@contextlib.contextmanager
def task(*words: str | Path) -> Iterator[Side]:
    """A process in which ofindex answers once per call."""
    with subprocess.Popen([*TASK, *words], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as child:

        def ask() -> Turn:
            child.stdin.write("\n")
            child.stdin.flush()
            lines = [child.stdout.readline() for _ in range(3)]
            if not lines[-1]:
                sys.exit(f"the task {words[0]} ended without an answer")
            nanoseconds, rows, total = map(int, lines)
            return nanoseconds / 1e9, (rows, total)

        yield ask
        child.stdin.close()


# The data.


@cache
def examples() -> Path:
    """Return the folder of shards described in bench/example_data.h."""
    told = subprocess.run([*TASK, "examples"], stdout=subprocess.PIPE, text=True, check=True)
    return Path(told.stdout.rstrip("\n"))


def index_path() -> Path:
    return examples().parent / "against.ofidx"


def build(columns: str) -> Answer:
    """Build the index with these columns, replacing any other."""
    options = ["--columns", columns, "--force", "--json", "-q", "-j", str(THREADS), "-o", index_path()]
    told = subprocess.run([COMMAND, "build", *options, examples()], stdout=subprocess.PIPE, check=True)
    return json.loads(told.stdout)["records"], 0


def noise(i: np.ndarray) -> np.ndarray:
    """Noise() of bench/data.h, for an array of numbers."""
    z = (i + np.uint64(1)) * np.uint64(0x9E3779B97F4A7C15)
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return z ^ (z >> np.uint64(31))


@cache
def columns() -> pa.Table:
    """The features of the examples, computed as in bench/example_data.cc, so that no record reader is needed."""
    first = np.arange(RECORDS, dtype=np.uint64) * np.uint64(4)
    of_label = noise(first)
    octave = np.uint64(1) << of_label % np.uint64(10)
    pixels = [np.uint64(64) + noise(first + np.uint64(k)) % np.uint64(2048 - 64 + 1) for k in (1, 2)]
    scores = (noise(first + np.uint64(3)) >> np.uint64(40)).astype(np.float32) * np.float32(2**-24)
    return pa.table(
        {
            "label": ((octave - np.uint64(1) + (of_label >> np.uint64(8)) % octave) % np.uint64(1000)).astype(np.int64),
            "height": pixels[0].astype(np.int64),
            "width": pixels[1].astype(np.int64),
            "score": scores,
        }
    )


def with_id_and_name(table: pa.Table) -> pa.Table:
    labels = table["label"].to_pylist()
    names = [f"imagenet/train/class_{label:04}/img_{number:08}.jpg" for number, label in enumerate(labels)]
    return table.append_column("id", pa.array(np.arange(RECORDS))).append_column("name", pa.array(names))


# The comparisons. Each yields lines of the table.


def first_records(shard: Path, records: int) -> bytes:
    """Return the bytes of the first records of a TFRecord shard."""
    data = shard.read_bytes()
    end = 0
    for _ in range(records):
        end += struct.unpack_from("<Q", data, end)[0] + 16
    return data[:end]


def index_row(feature: Any) -> dict[str, Any]:
    """The columns that tfr-reader keeps of a record."""
    return {name: feature[name].value[0] for name in COLUMNS}


def compare_build() -> Iterator[str]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # there is no libprotobuf, so its own decoder is used
        import tfr_reader
    logging.disable(logging.INFO)  # a line per index

    subset = examples().parent / "against-tfr-reader"
    subset.mkdir(exist_ok=True)
    for shard in range(THREADS):
        name = f"part-{shard}.tfrecord"
        (subset / name).write_bytes(first_records(examples() / name, RECORDS_FOR_TFR_READER // THREADS))

    def theirs() -> Answer:
        with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
            index = tfr_reader.load_from_directory(subset, index_fn=index_row, processes=THREADS, override=True)
        if len(index) != RECORDS_FOR_TFR_READER:
            sys.exit(f"tfr-reader found {len(index)} records, expected {RECORDS_FOR_TFR_READER}")
        return RECORDS, 0

    ratio = by_turns(
        f"build of all records / tfr-reader, {RECORDS_FOR_TFR_READER:,} of them",
        lambda: timed(lambda: build(",".join(COLUMNS)), same),
        lambda: timed(theirs, same),
    )
    claim = Claim("against (a) build with 4 columns, records a second / tfr-reader", "at least", 90)
    yield claim.line(RECORDS / RECORDS_FOR_TFR_READER / ratio)


QUESTIONS = {
    "height BETWEEN 500 AND 700 AND score > 0.9": pl.col("height").is_between(500, 700) & (pl.col("score") > 0.9),
    "label = 17": pl.col("label") == 17,
}


def numbers(ids: Any) -> Answer:
    """The result for an array of ordinals."""
    array = np.asarray(ids)
    return len(array), int(array.sum(dtype=np.int64))


def ask_parquet(parquet: Path, expression: str) -> Turn:
    """Times DuckDB from a file name to the ordinals, on a connection that has opened no file before."""
    sql = f"SELECT file_row_number FROM read_parquet('{parquet}', file_row_number = true) WHERE {expression}"
    with duckdb.connect() as fresh:
        return timed(lambda: fresh.execute(sql).fetchnumpy()["file_row_number"], numbers)


def compare_where() -> Iterator[str]:
    build(",".join(COLUMNS))
    table = columns()
    frame = pl.from_arrow(table)
    ids = frame.with_row_index("id")
    parquet = examples().parent / "against-duckdb.parquet"
    with duckdb.connect() as writer:  # written by DuckDB with its defaults, which it reads fastest
        writer.register("columns", table).execute(f"COPY (SELECT * FROM columns) TO '{parquet}' (FORMAT parquet)")
    for expression, condition in QUESTIONS.items():
        with task("where", index_path(), expression) as ours:
            name = f"against (b) {expression}, warm / Polars, a frame in memory"
            ratio = by_turns(
                name,
                ours,
                lambda c=condition: timed(lambda: frame.select(pl.arg_where(c)).to_series(), numbers),
                lambda c=condition: timed(lambda: frame.lazy().select(pl.arg_where(c)).collect().to_series(), numbers),
                lambda c=condition: timed(lambda: ids.lazy().filter(c).select("id").collect().to_series(), numbers),
            )
            yield Claim(name, "at most", 1).line(ratio)
        with task("where-anew", index_path(), expression) as ours:
            name = f"against (b) {expression}, first query / DuckDB, Parquet"
            yield Claim(name, "at most", 1).line(by_turns(name, ours, lambda e=expression: ask_parquet(parquet, e)))


def compare_groups() -> Iterator[str]:
    build(",".join(COLUMNS))

    def groups(database: duckdb.DuckDBPyConnection, aggregates: str) -> Turn:
        sql = f"SELECT label, count(*) AS records, {aggregates} FROM records GROUP BY label"
        return timed(
            lambda: database.execute(sql).fetchnumpy(),
            lambda found: (len(found["label"]), int(found["records"].sum())),
        )

    with duckdb.connect() as database, task("groups", index_path(), "label", "score") as ours:
        database.register("columns", columns()).execute("CREATE TABLE records AS SELECT * FROM columns")
        name = "against (c) stats of score by label / DuckDB, native table: mean"
        mean = by_turns(name, ours, lambda: groups(database, "avg(score)"))
        yield Claim(name, "at most", 1).line(mean)
        name = "against (c) stats of score by label / DuckDB, native table: all that stats has"
        everything = by_turns(name, ours, lambda: groups(database, "count(score), min(score), max(score), avg(score)"))
        yield Claim(name).line(everything)


def bytes_in_index() -> dict[str, int]:
    sql = """
        SELECT feature.name, sum(length(data)) FROM chunk JOIN feature USING (feature) WHERE role = 'value' GROUP BY 1
    """
    with contextlib.closing(sqlite3.connect(f"file:{index_path()}?immutable=1", uri=True)) as index:
        return dict(index.execute(sql))


def bytes_in_parquet() -> dict[str, int]:
    path = examples().parent / "against-zstd.parquet"
    pq.write_table(with_id_and_name(columns()), path, compression="zstd")
    metadata = pq.ParquetFile(path).metadata
    total: dict[str, int] = {}
    for group in range(metadata.num_row_groups):
        for number in range(metadata.num_columns):
            chunk = metadata.row_group(group).column(number)
            total[chunk.path_in_schema] = total.get(chunk.path_in_schema, 0) + chunk.total_compressed_size
    return total


def compare_bytes() -> Iterator[str]:
    build("auto")
    ours = bytes_in_index()
    for name, theirs in bytes_in_parquet().items():
        print(f"bytes of {name}: {ours[name]:,} / {theirs:,}")
        line = f"against (e) bytes of column {name} / Parquet, zstd"
        # Names are all different, so they cannot be stored compactly as numbers or through a dictionary: no bound
        # applies.
        yield (Claim(line) if name == "name" else Claim(line, "at most", 1.2)).line(ours[name] / theirs)


TOPICS = {"build": compare_build, "where": compare_where, "groups": compare_groups, "bytes": compare_bytes}


def main(topics: list[str]) -> int:
    if unknown := [topic for topic in topics if topic not in TOPICS]:
        print(f"bench/against: no such topic: {unknown[0]}; there are {', '.join(TOPICS)}", file=sys.stderr)
        return 2
    table = [line for topic in topics or TOPICS for line in TOPICS[topic]()]
    print()
    print(*table, sep="\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

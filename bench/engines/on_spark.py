"""`ofindex.spark` next to a job of PySpark that frames records itself and parses them with Python's protobuf (upb), and
its build next to one thread of one machine."""

from __future__ import annotations

import os
import struct
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from turns import ONE_PERCENT, ROOT, compare, data_of_arguments, share_read

os.environ["PYTHONPATH"] = os.pathsep.join([str(ROOT / "tests"), *filter(None, [os.environ.get("PYTHONPATH")])])
os.environ["PYSPARK_PYTHON"] = sys.executable

import ofindex
import ofindex.spark
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as f

FEATURES = {"label": ofindex.fixed("int64"), "name": ofindex.fixed("bytes"), "boxes": ofindex.ragged("float32")}
SCHEMA = "label bigint, name binary, boxes array<float>"


def parsed(paths: Iterator[str]) -> Iterator[tuple[int, bytearray, list[float]]]:
    from oracle.messages import MESSAGES

    for path in paths:
        data = memoryview(Path(path).read_bytes())
        at = 0
        while at < len(data):
            (length,) = struct.unpack_from("<Q", data, at)
            message = MESSAGES["example"].FromString(bytes(data[at + 12 : at + 12 + length]))
            at += length + 16
            feature = message.features.feature
            boxes = list(feature["boxes"].float_list.value)
            yield feature["label"].int64_list.value[0], bytearray(feature["name"].bytes_list.value[0]), boxes


def total(frame: DataFrame) -> tuple[Any, ...]:
    sums = frame.agg(f.count("*"), f.sum("label"), f.sum(f.length("name")), f.sum(f.expr("boxes[0]")))
    return tuple(sums.first())


def main() -> None:
    data = data_of_arguments(3_200_000)
    builder = SparkSession.builder.master("local-cluster[2,1,2048]").config("spark.ui.enabled", "false")
    builder = builder.config("spark.ui.showConsoleProgress", "false")
    spark = builder.config("spark.log.level", "ERROR").config("spark.executor.memory", "2g").getOrCreate()
    ofindex.spark.register(spark)

    indexed = data.indexed()
    paths = [str(path) for path in sorted(indexed.glob("*.tfrecord"))]

    def with_protobuf() -> DataFrame:
        return spark.createDataFrame(spark.sparkContext.parallelize(paths, len(paths)).mapPartitions(parsed), SCHEMA)

    compare(
        "read 3 of 6 features, next to protobuf in Python",
        5,
        lambda: total(ofindex.spark.read(spark, indexed, features=FEATURES)),
        lambda: total(with_protobuf()),
    )

    many, output = data.many(), data.folder / "many.ofidx"

    def built(_: ofindex.Dataset) -> bytes:
        return output.read_bytes()

    compare(
        "build with 2 executors, next to one thread",
        1.5,
        lambda: built(ofindex.spark.build(spark, many, output, 2, force=True)),
        lambda: built(ofindex.build(many, output, threads=1, force=True)),
    )

    large = data.large()

    def kept() -> int:
        frame = ofindex.spark.read(spark, large, where=ONE_PERCENT, payloads=True)
        return frame.agg(f.count("*"), f.sum(f.length("payload"))).first()[0]

    share_read("a filter that keeps 1 %", 0.03, large, kept)
    spark.stop()


if __name__ == "__main__":
    main()

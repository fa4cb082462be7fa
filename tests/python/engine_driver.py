"""A program that works on an engine, for a test that kills it or the processes it has started:

    engine_driver.py ray|spark FOLDER TEMPORARY

Says "ready", and then, for each line of its standard input, does what the line says and prints "done" with the result,
or "failed" with the reason. The lines are `build`, `read` and `write NUMBER`. The engine's own files go into TEMPORARY.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

ROWS = 8_000
Works = Mapping[str, Callable[..., object]]


def on_ray(folder: Path, temporary: str) -> Works:
    os.environ.setdefault("RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO", "0")
    import ofindex.ray
    import ray

    ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False, configure_logging=False, _temp_dir=temporary)
    ray.data.DataContext.get_current().enable_progress_bars = False

    def read() -> object:
        dataset = ofindex.ray.read(folder / "read.ofidx", ["_id"], payloads=True, override_num_blocks=8)
        batches = dataset.iter_batches(batch_format="pyarrow")
        return sum(sum(batch["_id"].to_pylist()) for batch in batches)

    return {"build": lambda: len(ofindex.ray.build(folder / "data", folder / "out.ofidx", 6)), "read": read}


def on_spark(folder: Path, temporary: str) -> Works:
    import ofindex.spark
    from pyspark.sql import SparkSession
    from pyspark.sql import functions as f

    os.environ |= {"PYSPARK_PYTHON": sys.executable, "SPARK_LOCAL_IP": "127.0.0.1", "TMPDIR": temporary,
                   "SPARK_WORKER_DIR": temporary, "SPARK_LOCAL_DIRS": temporary}  # fmt: skip
    settings = {
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        "spark.log.level": "OFF",
        "spark.sql.warehouse.dir": temporary,
        "spark.driver.extraJavaOptions": f"-Djava.io.tmpdir={temporary}",
        "spark.executor.extraJavaOptions": f"-Djava.io.tmpdir={temporary}",
    }
    builder: Any = SparkSession.builder.master("local-cluster[2,1,1024]")
    for name, value in settings.items():
        builder = builder.config(name, value)
    spark = builder.getOrCreate()
    ofindex.spark.register(spark)

    def read() -> object:
        frame = ofindex.spark.read(spark, folder / "read.ofidx", ["_id"], payloads=True, partitions=8)
        return frame.agg(f.sum("_id"), f.max("payload")).first()[0]

    def write(number: str) -> object:
        rows = spark.range(0, ROWS, 1, 8).selectExpr(f"id * 1000 + {number} AS n", "repeat('x', 6000) AS text")
        rows.write.format("ofindex").mode("overwrite").save(str(folder / "set"))
        return number

    build = lambda: len(ofindex.spark.build(spark, folder / "data", folder / "out.ofidx", 6))  # noqa: E731
    return {"build": build, "read": read, "write": write}


def main() -> None:
    works = {"ray": on_ray, "spark": on_spark}[sys.argv[1]](Path(sys.argv[2]), sys.argv[3])
    print("ready", flush=True)
    for line in sys.stdin:
        name, *given = line.split()
        try:
            print("done", works[name](*given), flush=True)
        except Exception as error:
            print("failed", " ".join(str(error).split())[:2000], flush=True)


if __name__ == "__main__":
    main()

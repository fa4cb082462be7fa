"""A driver of Spark, an executor or a Python worker is killed at a random moment."""

from __future__ import annotations

import unittest

try:
    import pyspark  # noqa: F401
except ImportError as missing:
    raise unittest.SkipTest(f"no {missing.name}") from None

from python.cluster_builds import is_spark_executor, is_spark_worker
from python.engine_kills import EngineKills


class SparkKillsTest(EngineKills):
    engine = "spark"
    works = ("build", "read", "write")
    victims = (is_spark_worker, is_spark_executor)


del EngineKills  # which has no engine


if __name__ == "__main__":
    unittest.main()

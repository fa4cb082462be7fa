"""A driver of Spark, an executor or a Python worker is killed at a random moment."""

from __future__ import annotations

import unittest

try:
    import pyspark  # noqa: F401
except ImportError as missing:
    raise unittest.SkipTest(f"no {missing.name}") from None

from python.engine_kills import EngineKills


class SparkKillsTest(EngineKills):
    engine = "spark"
    works = ("build", "read", "write")
    victims = (lambda command: b"pyspark.daemon" in command, lambda command: b"CoarseGrainedExecutorBackend" in command)


del EngineKills  # which has no engine


if __name__ == "__main__":
    unittest.main()

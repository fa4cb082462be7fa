"""A driver of Ray, or a process that runs its tasks, is killed at a random moment."""

from __future__ import annotations

import unittest

try:
    import ray  # noqa: F401
except ImportError as missing:
    raise unittest.SkipTest(f"no {missing.name}") from None

from python.engine_kills import EngineKills


class RayKillsTest(EngineKills):
    engine = "ray"
    works = ("build", "read")
    victims = (lambda command: command.startswith((b"ray::_build_part", b"ray::_merge", b"ray::Read", b"ray::IDLE")),)


del EngineKills  # which has no engine


if __name__ == "__main__":
    unittest.main()

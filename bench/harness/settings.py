"""What every process of a run must know."""

from __future__ import annotations

import json
import os
from dataclasses import asdict, dataclass

THREADS = len(os.sched_getaffinity(0))
BATCH = 256


class Missing(Exception):
    """This tool cannot be measured here; the message says why."""


@dataclass(frozen=True)
class Settings:
    """`folder` holds generated data; `limits` and `pairs` are compiled programs; a rate is measured for `seconds`."""

    folder: str
    limits: str
    pairs: str
    seconds: float

    def dumps(self) -> str:
        return json.dumps(asdict(self))

    @staticmethod
    def loads(text: str) -> Settings:
        return Settings(**json.loads(text))

"""What a run of bench/python was asked for. Every process of the run gets the same."""

from __future__ import annotations

import json
import os
from dataclasses import asdict, dataclass
from pathlib import Path

THREADS = len(os.sched_getaffinity(0))
BATCH = 256


@dataclass(frozen=True)
class Settings:
    """`data` holds what was generated, `programs` what was compiled; `quick` asks for less data."""

    data: str
    programs: str
    quick: bool

    def either(self, quick: int, full: int) -> int:
        return quick if self.quick else full

    def made(self, name: str) -> Path:
        """Where generated data called `name` lie."""
        return Path(self.data) / name

    def dumps(self) -> str:
        return json.dumps(asdict(self))

    @staticmethod
    def loads(text: str) -> Settings:
        return Settings(**json.loads(text))

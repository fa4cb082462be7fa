"""The arguments of a run of bench/python, the same in every process of the run."""

from __future__ import annotations

import json
import os
from dataclasses import asdict, dataclass
from pathlib import Path

THREADS = len(os.sched_getaffinity(0))
BATCH = 256


@dataclass(frozen=True)
class Settings:
    """`data` is the folder of generated files, `programs` that of compiled programs; `quick` means less data."""

    data: str
    programs: str
    quick: bool

    def either(self, quick: int, full: int) -> int:
        return quick if self.quick else full

    def made(self, name: str) -> Path:
        """Path of the generated data called `name`."""
        return Path(self.data) / name

    def dumps(self) -> str:
        return json.dumps(asdict(self))

    @staticmethod
    def loads(text: str) -> Settings:
        return Settings(**json.loads(text))

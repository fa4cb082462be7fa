"""Shared code of the tests of the Python package: a temporary folder, and datasets in it."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
import unittest
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import ofindex
from oracle import messages, records


def example(number: int) -> bytes:
    """Example `number`: a label, a weight, a name, and boxes. The last digit of `number` is the number of boxes."""
    return messages.encode(
        "example",
        {
            "label": ("int64", [number % 10]),
            "weight": ("float", [number / 8]),
            "name": ("bytes", [b"record %d" % number]),
            "boxes": ("float", [float(box) for box in range(number % 10)]),
        },
    )


FEATURES = {
    "label": ofindex.fixed("int64"),
    "weight": ofindex.fixed("float32"),
    "name": ofindex.fixed("bytes"),
    "boxes": ofindex.ragged("float32"),
}


def orders_of(sampler: Any, epochs: int) -> list[list[int]]:
    """The ordinals that `sampler` yields in each of its first `epochs` epochs."""
    orders = []
    for epoch in range(epochs):
        sampler.set_epoch(epoch)
        orders.append(list(sampler))
    return orders


class WorkTest(unittest.TestCase):
    def setUp(self) -> None:
        temporary = tempfile.TemporaryDirectory(prefix="ofindex-python-")
        self.addCleanup(temporary.cleanup)
        self.dir = Path(temporary.name).resolve()

    def write(self, name: str, payloads: Sequence[bytes], framing: str = records.TFRECORD) -> Path:
        """Writes a shard, or a folder of two shards if `name` ends in a slash."""
        path = self.dir / name
        if not name.endswith("/"):
            path.parent.mkdir(parents=True, exist_ok=True)
            records.WRITE[framing](path, payloads)
            return path
        path.mkdir(parents=True)
        middle = len(payloads) // 2
        for part, some in enumerate((payloads[:middle], payloads[middle:])):
            records.WRITE[framing](path / f"part-{part}", some)
        return path

    def examples(self, count: int, name: str = "data/") -> ofindex.Dataset:
        """A dataset of `count` examples."""
        data = self.write(name, [example(number) for number in range(count)])
        return ofindex.build(data, format="tfrecord")  # an empty file does not show its format

    def descriptors(self) -> int:
        return len(os.listdir("/proc/self/fd"))

    def threads(self) -> int:
        return len(os.listdir("/proc/self/task"))


def in_new_process(source: str, *arguments: object, **variables: str) -> str:
    """Runs Python `source` in a separate process, with `variables` added to its environment, and returns its output;
    fails if the process fails."""
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), **variables}
    done = subprocess.run(
        [sys.executable, "-c", source, *map(str, arguments)],
        capture_output=True,
        text=True,
        env=environment,
        timeout=300,
    )
    if done.returncode != 0:
        raise AssertionError(f"exit code {done.returncode}\n{done.stdout}\n{done.stderr}")
    return done.stdout


def run_and_kill(source: str, *arguments: object, after: float) -> None:
    """Runs Python `source` in a separate process, and kills it `after` seconds after its first line of output."""
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    command = [sys.executable, "-c", source, *map(str, arguments)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, env=environment) as process:
        assert process.stdout is not None
        process.stdout.readline()
        time.sleep(after)
        process.kill()

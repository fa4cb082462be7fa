"""Images per second from JPEG files to batches: ofindex and other loaders, in turns."""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
import time
from pathlib import Path

from loaders import LOADERS, PROCESSORS


def turn(name: str, folder: Path) -> float:
    """Images per second after the first batch, in this process."""
    batches = LOADERS[name](folder)
    next(batches)
    begin = time.perf_counter()
    images = sum(batches)
    return images / (time.perf_counter() - begin)


def measured(name: str, folder: Path) -> float | str:
    """The rate of one turn in a process of its own, or why there is none."""
    command = [sys.executable, __file__, str(folder), "--turn", name]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode == 0:
        return float(done.stdout.splitlines()[-1])
    return (done.stderr.strip().splitlines() or [f"exit code {done.returncode}"])[-1]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path, metavar="DATA", help="the folder of the images; made if it does not exist")
    parser.add_argument("--images", type=int, default=2000, metavar="N", help="how many to make (default: 2000)")
    parser.add_argument("--turns", type=int, default=3, metavar="N", help="turns of each tool (default: 3)")
    parser.add_argument("--turn", help=argparse.SUPPRESS)
    given = parser.parse_args()
    os.sched_setaffinity(0, set(sorted(os.sched_getaffinity(0))[:PROCESSORS]))
    if given.turn:
        print(turn(given.turn, given.folder))
        return
    if not (given.folder / "photos.tfrecord").exists():
        import photos

        photos.make(given.folder, given.images)
    rates: dict[str, list[float]] = {name: [] for name in LOADERS}
    missing: dict[str, str] = {}
    for number in range(given.turns):
        for name in list(LOADERS)[:: 1 if number % 2 == 0 else -1]:
            if name in missing:
                continue
            rate = measured(name, given.folder)
            if isinstance(rate, str):
                missing[name] = rate
            else:
                rates[name].append(rate)
    own = statistics.median(rates["ofindex"] or [float("nan")])
    for name, some in rates.items():
        if name in missing:
            print(f"{name:28} -               {missing[name]}")
            continue
        middle = statistics.median(some)
        print(f"{name:28} {middle:6.0f} images/s {middle / own:5.2f}   ({min(some):.0f} to {max(some):.0f})")


if __name__ == "__main__":
    main()

"""The part that all recipes share: options, the dataset, checkpoints, and a small network for torch."""

from __future__ import annotations

import argparse
import hashlib
import shutil
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import ofindex

if TYPE_CHECKING:
    import torch

FEATURES = {"image": ofindex.raw("float32", 64), "label": ofindex.fixed("int64")}


class Run:
    """A training run as the command line describes it."""

    def __init__(self) -> None:
        parser = argparse.ArgumentParser(description="Train on the digits that tools/quickstart leaves.")
        parser.add_argument("data", type=Path, help="folder of record files: image, 64 numbers; label, one number")
        parser.add_argument("--epochs", type=int, default=2)
        parser.add_argument("--batch-size", type=int, default=64)
        parser.add_argument("--save-every", type=int, default=10, metavar="STEPS")
        folder = Path("checkpoints") / Path(sys.argv[0]).stem
        parser.add_argument("--checkpoints", type=Path, default=folder, help="default: %(default)s")
        parser.add_argument("--resume", action="store_true", help="continue from the last checkpoint")
        parser.add_argument("--records", action="store_true", help="print the SHA-256 of each record's image")
        options = parser.parse_args()
        self.epochs: int = options.epochs
        self.batch_size: int = options.batch_size
        self.save_every: int = options.save_every
        self.checkpoints: Path = options.checkpoints
        self.resume: bool = options.resume
        self.records: bool = options.records
        if not self.resume and self.checkpoints.is_dir() and any(self.checkpoints.iterdir()):
            parser.error(f"{self.checkpoints} has checkpoints of an earlier run: give --resume, or another folder")
        try:
            self.dataset = ofindex.open(options.data)
        except FileNotFoundError:
            self.dataset = ofindex.build(options.data)

    def report(self, step: int, loss: Any, images: Any) -> None:
        """Prints the loss of a step, and the images of its batch if asked to."""
        hashes = [hashlib.sha256(image.tobytes()).hexdigest() for image in np.asarray(images)] if self.records else []
        print(f"step {step}: loss {float(loss):.4f}", *hashes, flush=True)

    @contextmanager
    def checkpoint(self, step: int) -> Iterator[Path]:
        """Yields a new folder for a checkpoint, which gets its name once it is complete, so that none is half."""
        folder = self.checkpoints / f"step-{step}"
        partial = folder.with_suffix(".partial")
        shutil.rmtree(partial, ignore_errors=True)
        partial.mkdir(parents=True)
        yield partial
        shutil.rmtree(folder, ignore_errors=True)
        partial.rename(folder)

    def last_checkpoint(self) -> tuple[int, Path] | None:
        """The step and the folder of the newest checkpoint, if there is one and the run resumes."""
        steps = [int(folder.name[5:]) for folder in self.checkpoints.glob("step-*") if not folder.suffix]
        return (max(steps), self.checkpoints / f"step-{max(steps)}") if self.resume and steps else None


def rest_of(loader: ofindex.Loader, epochs: int) -> Iterator[dict[str, Any]]:
    """Yields the batches of `loader` that are left of `epochs` epochs."""
    while loader.state_dict()["epoch"] < epochs:
        yield from loader


def network() -> torch.nn.Module:
    import torch

    torch.manual_seed(0)
    return torch.nn.Sequential(torch.nn.Linear(64, 128), torch.nn.ReLU(), torch.nn.Linear(128, 10))

#!/usr/bin/env python3
"""Trains a small network on handwritten digits, directly from OFRecord files, and resumes where it was stopped.

    examples/train_digits.py quickstart-data/digits               # tools/quickstart leaves these files
    examples/train_digits.py quickstart-data/digits --resume      # continues from the last checkpoint

Needs ofindex and torch. The files are indexed once; four in five records are used for training, the others are held
out. A checkpoint contains the position of the Loader, even in the middle of an epoch, so a resumed run reads the same
batches as a run without a stop, and ends with the same weights.
"""

from __future__ import annotations

import argparse
import hashlib
from collections.abc import Iterator
from pathlib import Path

import ofindex
import torch
from ofindex.torch import Loader

FEATURES = {"image": ofindex.raw("float32", 64), "label": ofindex.fixed("int64")}

Batch = dict[str, torch.Tensor]


def open_or_build(data: Path) -> ofindex.Dataset:
    """The dataset of the files in `data`, which are indexed on first use."""
    try:
        return ofindex.open(data)
    except FileNotFoundError:
        return ofindex.build(data)


def scale(batch: Batch) -> Batch:
    """Scales grey levels from 0..16 to 0..1. Runs on the Loader's threads, ahead of the training."""
    return {**batch, "image": batch["image"] / 16}


def new_model() -> torch.nn.Module:
    return torch.nn.Sequential(torch.nn.Linear(64, 128), torch.nn.ReLU(), torch.nn.Linear(128, 10))


def batches(loader: Loader, epochs: int) -> Iterator[tuple[int, Batch]]:
    """Yields (epoch, batch) for the rest of `epochs` epochs."""
    while (epoch := loader.state_dict()["epoch"]) < epochs:
        for batch in loader:
            yield epoch, batch


def accuracy(model: torch.nn.Module, held_out: ofindex.Dataset) -> float:
    """Share of the held-out digits that the model recognises."""
    arrays = held_out.batch(range(len(held_out)), FEATURES)
    batch = scale({name: torch.from_numpy(array) for name, array in arrays.items()})
    with torch.no_grad():
        guesses = model(batch["image"]).argmax(1)
    return float((guesses == batch["label"]).double().mean())


def fingerprint(batch: Batch) -> str:
    return hashlib.sha256(b"".join(tensor.numpy().tobytes() for tensor in batch.values())).hexdigest()


def train(arguments: argparse.Namespace) -> None:
    parts = open_or_build(arguments.data).split({"train": 0.8, "held out": 0.2}, seed=arguments.seed)
    torch.manual_seed(arguments.seed)
    model = new_model()
    optimizer = torch.optim.Adam(model.parameters(), lr=5e-3)
    loader = Loader(parts["train"], FEATURES, arguments.batch_size, seed=arguments.seed, transform=scale)
    step = 0
    if arguments.resume:
        state = torch.load(arguments.checkpoint, weights_only=True)
        model.load_state_dict(state["model"])
        optimizer.load_state_dict(state["optimizer"])
        loader.load_state_dict(state["loader"])
        step = state["step"]
        print(f"resumed after step {step}")

    def save() -> None:
        states = {"model": model.state_dict(), "optimizer": optimizer.state_dict(), "loader": loader.state_dict()}
        partial = arguments.checkpoint.with_suffix(".partial")
        torch.save({**states, "step": step}, partial)
        partial.replace(arguments.checkpoint)  # readers see only whole checkpoints

    for epoch, batch in batches(loader, arguments.epochs):
        loss = torch.nn.functional.cross_entropy(model(batch["image"]), batch["label"])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        step += 1
        if arguments.log:
            with open(arguments.log, "a") as log:
                log.write(f"{step} {epoch} {fingerprint(batch)}\n")
        if step % arguments.save_every == 0:
            save()
            print(f"step {step}, epoch {epoch}: loss {loss.item():.3f}")
        if step == arguments.stop_after:
            print(f"stopped after step {step}")
            return
    save()
    print(f"accuracy {accuracy(model, parts['held out']):.4f} on {len(parts['held out'])} digits held out")


def main() -> None:
    parser = argparse.ArgumentParser(description="Train a small network on digits, from OFRecord files.")
    parser.add_argument("data", type=Path, help="folder of record files: image, 64 numbers; label, one number")
    parser.add_argument("--epochs", type=int, default=20)
    parser.add_argument("--batch-size", type=int, default=32)
    parser.add_argument("--seed", type=int, default=0, help="seed of the split, the order and the weights")
    parser.add_argument("--checkpoint", type=Path, default=Path("digits.pt"), help="default: %(default)s")
    parser.add_argument("--save-every", type=int, default=100, metavar="STEPS", help="default: %(default)s")
    parser.add_argument("--resume", action="store_true", help="continue from the checkpoint")
    parser.add_argument("--stop-after", type=int, metavar="STEP", help="end after STEP without saving, as if killed")
    parser.add_argument(
        "--log", type=Path, metavar="FILE", help="append a line for each step: step, epoch, SHA-256 of the batch"
    )
    train(parser.parse_args())


if __name__ == "__main__":
    main()

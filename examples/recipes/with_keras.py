#!/usr/bin/env python3
"""Keras, here on JAX: fit() reads batches ahead of its steps, so each batch brings the state after it.

    examples/recipes/with_keras.py quickstart-data/digits [--resume]

Needs ofindex, keras and jax.
"""

from __future__ import annotations

import json
import os
from collections import deque
from collections.abc import Iterator
from typing import Any

os.environ.setdefault("KERAS_BACKEND", "jax")
import keras
import ofindex
from digits import FEATURES, Run


class Saving(keras.callbacks.Callback):
    def __init__(self, run: Run, loader: ofindex.Loader, step: int) -> None:
        super().__init__()
        self.run, self.loader, self.step = run, loader, step
        self.ahead: deque[tuple[Any, Any]] = deque()  # of batches that fit() has read and not trained on yet

    def batches(self) -> Iterator[tuple[Any, Any]]:
        for batch in self.loader:
            self.ahead.append((batch["image"], self.loader.state_dict()))
            yield batch["image"], batch["label"]

    def on_train_batch_end(self, _: int, logs: dict[str, Any] | None = None) -> None:
        self.step += 1
        image, state = self.ahead.popleft()
        self.run.report(self.step, (logs or {})["loss"], image)
        if self.step % self.run.save_every == 0:
            with self.run.checkpoint(self.step) as folder:
                self.model.save(folder / "model.keras")
                (folder / "loader.json").write_text(json.dumps(state))


def main() -> None:
    run = Run()
    keras.utils.set_random_seed(0)
    layers = [keras.layers.Rescaling(1 / 16), keras.layers.Dense(128, "relu"), keras.layers.Dense(10)]
    model = keras.Sequential([keras.Input((64,)), *layers])
    model.compile(keras.optimizers.Adam(5e-3), keras.losses.SparseCategoricalCrossentropy(from_logits=True))
    loader = ofindex.Loader(run.dataset, FEATURES, run.batch_size, seed=0)
    saving = Saving(run, loader, 0)
    if last := run.last_checkpoint():
        saving.step, folder = last
        model = keras.models.load_model(folder / "model.keras")
        loader.load_state_dict(json.loads((folder / "loader.json").read_text()))
        if len(loader) == 0:  # the checkpoint is of the end of an epoch, and fit() fails without a batch
            loader.set_epoch(loader.state_dict()["epoch"] + 1)
    for epoch in range(loader.state_dict()["epoch"], run.epochs):
        model.fit(
            saving.batches(), steps_per_epoch=len(loader), initial_epoch=epoch, epochs=epoch + 1,
            callbacks=[saving], verbose=0,
        )  # fmt: skip


if __name__ == "__main__":
    main()

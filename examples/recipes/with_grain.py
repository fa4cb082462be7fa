#!/usr/bin/env python3
"""Grain: a true global shuffle of all records in each epoch, as MaxText and others read a random-access source.

    examples/recipes/with_grain.py quickstart-data/digits [--resume]

Needs ofindex, torch and grain.
"""

from __future__ import annotations

import json

import grain.python as grain
import torch
from digits import FEATURES, Run, network
from ofindex.grain import DataSource


def main() -> None:
    run = Run()
    model = network()
    optimizer = torch.optim.Adam(model.parameters(), lr=5e-3)
    records = grain.MapDataset.source(DataSource(run.dataset, FEATURES)).shuffle(seed=0)
    batches = iter(records.batch(run.batch_size).repeat(run.epochs).to_iter_dataset())
    step = 0
    if last := run.last_checkpoint():
        step, folder = last
        model.load_state_dict(torch.load(folder / "model.pt", weights_only=True))
        optimizer.load_state_dict(torch.load(folder / "optimizer.pt", weights_only=True))
        batches.set_state(json.loads((folder / "batches.json").read_text()))
    for batch in batches:
        step += 1
        image, label = torch.from_numpy(batch["image"]), torch.from_numpy(batch["label"])
        loss = torch.nn.functional.cross_entropy(model(image / 16), label)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        run.report(step, loss, image)
        if step % run.save_every == 0:
            with run.checkpoint(step) as folder:
                torch.save(model.state_dict(), folder / "model.pt")
                torch.save(optimizer.state_dict(), folder / "optimizer.pt")
                (folder / "batches.json").write_text(json.dumps(batches.get_state()))


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""Hugging Face Accelerate: the Loader is registered, so that save_state() and load_state() cover its position.

    examples/recipes/with_accelerate.py quickstart-data/digits [--resume]

Needs ofindex, torch and accelerate.
"""

from __future__ import annotations

import torch
from accelerate import Accelerator
from digits import FEATURES, Run, network, rest_of
from ofindex.torch import Loader


def main() -> None:
    run = Run()
    accelerator = Accelerator(cpu=True)
    model = network()
    model, optimizer = accelerator.prepare(model, torch.optim.Adam(model.parameters(), lr=5e-3))
    loader = Loader(run.dataset, FEATURES, run.batch_size, seed=0)  # made after Accelerator, which knows the ranks
    accelerator.register_for_checkpointing(loader)
    step = 0
    if last := run.last_checkpoint():
        step, folder = last
        accelerator.load_state(str(folder))
    for batch in rest_of(loader, run.epochs):
        step += 1
        loss = torch.nn.functional.cross_entropy(model(batch["image"] / 16), batch["label"])
        accelerator.backward(loss)
        optimizer.step()
        optimizer.zero_grad()
        run.report(step, loss, batch["image"])
        if step % run.save_every == 0:
            with run.checkpoint(step) as folder:
                accelerator.save_state(str(folder))


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""torchdata's StatefulDataLoader: worker processes read batches; its state holds the position of the sampler.

    examples/recipes/with_stateful_loader.py quickstart-data/digits [--resume]

Needs ofindex, torch and torchdata.
"""

from __future__ import annotations

import ofindex.torch
import torch
from digits import FEATURES, Run, network
from torchdata.stateful_dataloader import StatefulDataLoader


def main() -> None:
    run = Run()
    model = network()
    optimizer = torch.optim.Adam(model.parameters(), lr=5e-3)
    records, sampler = ofindex.torch.Dataset(run.dataset, FEATURES), run.dataset.sampler(seed=0)
    loader = StatefulDataLoader(records, run.batch_size, sampler=sampler, num_workers=2)
    step = first_epoch = 0
    if last := run.last_checkpoint():
        state = torch.load(last[1] / "state.pt", weights_only=True)
        step, first_epoch = state["step"], state["epoch"]
        model.load_state_dict(state["model"])
        optimizer.load_state_dict(state["optimizer"])
        loader.load_state_dict(state["loader"])
    for epoch in range(first_epoch, run.epochs):
        for batch in loader:
            step += 1
            loss = torch.nn.functional.cross_entropy(model(batch["image"] / 16), batch["label"])
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            run.report(step, loss, batch["image"])
            if step % run.save_every == 0:
                state = {"step": step, "epoch": epoch, "loader": loader.state_dict()}
                state |= {"model": model.state_dict(), "optimizer": optimizer.state_dict()}
                with run.checkpoint(step) as folder:
                    torch.save(state, folder / "state.pt")


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""PyTorch Lightning: its checkpoints hold the state of a Loader, also in the middle of an epoch.

    examples/recipes/with_lightning.py quickstart-data/digits [--resume]

Needs ofindex, torch and pytorch-lightning.
"""

from __future__ import annotations

import pytorch_lightning as pl
import torch
from digits import FEATURES, Run, network
from ofindex.torch import Loader
from pytorch_lightning.callbacks import ModelCheckpoint


class Classifier(pl.LightningModule):
    def __init__(self, run: Run) -> None:
        super().__init__()
        self.run, self.network = run, network()

    def training_step(self, batch: dict[str, torch.Tensor], _: int) -> torch.Tensor:
        loss = torch.nn.functional.cross_entropy(self.network(batch["image"] / 16), batch["label"])
        self.run.report(self.global_step + 1, loss, batch["image"])
        return loss

    def configure_optimizers(self) -> torch.optim.Optimizer:
        return torch.optim.Adam(self.parameters(), lr=5e-3)


def main() -> None:
    run = Run()
    loader = Loader(run.dataset, FEATURES, run.batch_size, seed=0)
    saving = ModelCheckpoint(run.checkpoints, every_n_train_steps=run.save_every, save_last=True)
    trainer = pl.Trainer(
        accelerator="cpu", max_epochs=run.epochs, callbacks=[saving], logger=False, enable_progress_bar=False
    )
    trainer.fit(Classifier(run), loader, ckpt_path="last" if run.resume else None)


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""Hugging Face Trainer: on resuming, it skips the numbers of records that were read, without reading them again.

    examples/recipes/with_trainer.py quickstart-data/digits [--resume]

Needs ofindex, torch, transformers and accelerate. After a kill in the middle of a checkpoint, delete that
checkpoint first.
"""

from __future__ import annotations

from typing import Any

import ofindex.torch
import torch
from digits import FEATURES, Run, network
from transformers import Trainer, TrainingArguments
from transformers.trainer_utils import get_last_checkpoint


class Classifier(torch.nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.network = network()

    def forward(self, image: torch.Tensor, labels: torch.Tensor) -> dict[str, torch.Tensor]:
        logits = self.network(image / 16)
        return {"loss": torch.nn.functional.cross_entropy(logits, labels), "logits": logits}


class ReportingTrainer(Trainer):
    run: Run

    def training_step(self, model: torch.nn.Module, inputs: dict[str, Any], *rest: Any, **more: Any) -> torch.Tensor:
        loss: torch.Tensor = super().training_step(model, inputs, *rest, **more)
        self.run.report(self.state.global_step + 1, loss, inputs["image"])
        return loss


def main() -> None:
    ReportingTrainer.run = run = Run()
    arguments = TrainingArguments(
        str(run.checkpoints), num_train_epochs=run.epochs, per_device_train_batch_size=run.batch_size, use_cpu=True,
        save_steps=run.save_every, learning_rate=5e-3, report_to="none", disable_tqdm=True,
        dataloader_num_workers=2, dataloader_pin_memory=False,
    )  # fmt: skip
    trainer = ReportingTrainer(Classifier(), arguments, train_dataset=ofindex.torch.Dataset(run.dataset, FEATURES))
    resumes = run.resume and run.checkpoints.is_dir()
    trainer.train(resume_from_checkpoint=get_last_checkpoint(str(run.checkpoints)) if resumes else None)


if __name__ == "__main__":
    main()

"""Lance's own loader for PyTorch."""

from __future__ import annotations

from collections.abc import Iterable
from typing import ClassVar

from harness.peer import Batch
from harness.settings import BATCH
from harness.task import Task
from peers.lance import Lance, batch_of

OTHER = "see Lance, take"


class LanceLoader(Lance):
    name = "Lance, its loader"
    packages = ("pylance==14.0.2", "torch==2.13.0", "numpy==2.4.6")
    cannot: ClassVar[dict[str, str]] = {
        **Lance.cannot,
        **dict.fromkeys(("make", "make_typed", "count", "get", "get_many", "raw_epoch", "where"), OTHER),
    }

    def load_loader(self) -> None:
        import lance.torch.data

        del lance

    @classmethod
    def can(cls, task: Task) -> bool:
        return task.store == "decoded" and super().can(task)

    def decoded_epoch(self, seed: int) -> Iterable[Batch]:
        """`lance.torch.data.LanceDataset` with `ShardedBatchSampler(randomize=True)`: whole batches are shuffled.
        https://lancedb.github.io/lance/integrations/pytorch/"""
        from lance.sampler import ShardedBatchSampler
        from lance.torch.data import LanceDataset

        sampler = ShardedBatchSampler(0, 1, randomize=True, seed=seed)
        return LanceDataset(
            str(self.typed_store), BATCH, sampler=sampler, to_tensor_fn=lambda batch, **_: batch_of(batch)
        )


TOOL = LanceLoader

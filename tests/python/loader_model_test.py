"""Both Loaders under random ranks, threads, budgets, orders and resumes: an epoch is read exactly once.

OFINDEX_LOADER_SCENARIOS is the number of scenarios.
"""

from __future__ import annotations

import os
import random
import unittest
from collections import Counter
from itertools import islice
from typing import Any

import ofindex
from python.work import WorkTest, example

SCENARIOS = int(os.environ.get("OFINDEX_LOADER_SCENARIOS", "300"))
WEIGHT = {"weight": ofindex.fixed("float32")}
COUNT = 97

LOADERS: list[Any] = [ofindex.Loader]
try:
    import ofindex.torch

    LOADERS.append(ofindex.torch.Loader)
except ImportError:
    pass


def batches_wish(chance: random.Random) -> dict[str, Any]:
    """How a scenario cuts batches."""
    if chance.random() < 0.3:
        return {"batch_size": chance.randint(1, 30)}
    budget = ofindex.LengthBatches(
        chance.randint(1, 120),
        chance.choice(["label", "label + 1", "weight"]),
        records=chance.choice([None, chance.randint(1, 9)]),
        padded=chance.random() < 0.5,
        window=chance.choice([0, chance.randint(1, 120)]),
    )
    return {"length_batches": budget}


class LoaderModelTest(WorkTest):
    def setUp(self) -> None:
        super().setUp()
        data = self.write("data/", [example(number) for number in range(COUNT)])
        self.ds = ofindex.build(data, columns="auto")

    def test_every_record_of_an_epoch_is_read_exactly_once(self) -> None:
        for seed in range(SCENARIOS):
            with self.subTest(seed=seed):
                self.check(random.Random(seed))

    def check(self, chance: random.Random) -> None:
        order = chance.choice([{}, {"weights": "label + 1"}, {"balance": "label"}, {"block": chance.randint(1, 9)}])
        wish = batches_wish(chance)
        seed, epoch = chance.randrange(99), chance.randrange(3)
        expected = Counter(self.ds.sampler(seed=seed, epoch=epoch, rank=0, world_size=1, **order))
        read: Counter[int] = Counter()
        state = None
        while state is None or state["epoch"] == epoch:
            world = chance.randint(1, 3)
            steps = chance.choice([None, chance.randint(0, 5)])
            for rank in range(world):
                place = {"seed": seed, "rank": rank, "world_size": world, "tail": "exact"}
                threads = {"threads": chance.randint(1, 3), "prefetch": chance.randint(1, 5)}
                loader = chance.choice(LOADERS)(self.ds, WEIGHT, **wish, **order, **place, **threads)
                if state is None:
                    loader.set_epoch(epoch)
                else:
                    loader.load_state_dict(state)
                left = len(loader)
                batches = [[int(weight * 8) for weight in batch["weight"].tolist()] for batch in islice(loader, steps)]
                self.assertEqual(len(batches), left if steps is None else min(left, steps))
                for batch in batches:
                    self.check_size(wish, batch)
                    read.update(batch)
                # No rank reads more batches than rank 0, whose state is that of all.
                if rank == 0:
                    reached = loader.state_dict()
            state = reached
        self.assertEqual(read, expected)

    def check_size(self, wish: dict[str, Any], batch: list[int]) -> None:
        if "batch_size" in wish:
            self.assertLessEqual(len(batch), wish["batch_size"])
            return
        budget = wish["length_batches"]
        length = {"label": lambda n: n % 10, "label + 1": lambda n: n % 10 + 1, "weight": lambda n: -(-n // 8)}[
            budget.by
        ]
        lengths = [length(number) for number in batch]
        total = max(lengths) * len(lengths) if budget.padded else sum(lengths)
        self.assertTrue(len(batch) == 1 or total <= budget.total)
        self.assertTrue(budget.records is None or len(batch) <= budget.records)


if __name__ == "__main__":
    unittest.main()

"""The order of an epoch, for tools that leave it to the program."""

from __future__ import annotations

from collections.abc import Iterator

from harness.settings import BATCH


def shuffled(records: int, seed: int) -> Iterator[list[int]]:
    """All ordinals in random order, a batch at a time."""
    import numpy as np

    order = np.random.default_rng(seed).permutation(records)
    return (order[at : at + BATCH].tolist() for at in range(0, records, BATCH))

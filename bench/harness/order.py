"""The order of an epoch, for tools that leave it to the program."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from harness.settings import BATCH

if TYPE_CHECKING:
    import numpy as np


def shuffled(records: int, seed: int) -> Iterator[np.ndarray]:
    """All ordinals in random order, a batch at a time. A tool that takes only lists converts them."""
    import numpy as np

    order = np.random.default_rng(seed).permutation(records)
    return (order[at : at + BATCH] for at in range(0, records, BATCH))

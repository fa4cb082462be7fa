"""The features of records as arrays, computed as in bench/limits/features.h, so that no record reader is needed."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from harness.data import SIZES, Data

if TYPE_CHECKING:
    import numpy as np
    import pyarrow as pa

LABELS = 1000


def noise(i: np.ndarray) -> np.ndarray:
    """Noise() of bench/limits/features.h, for an array of numbers."""
    import numpy as np

    z = (i + np.uint64(1)) * np.uint64(0x9E3779B97F4A7C15)
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return z ^ (z >> np.uint64(31))


def numbers(data: Data) -> dict[str, np.ndarray]:
    """All features but the image."""
    import numpy as np

    record = np.arange(data.records, dtype=np.uint64)
    drawn = [noise(record * np.uint64(8) + np.uint64(k)) for k in range(4)]
    label = record * np.uint64(LABELS) // np.uint64(data.records) if data.is_sorted else drawn[0] % np.uint64(LABELS)
    pixels = [(np.uint64(64) + some % np.uint64(1985)).astype(np.int64) for some in drawn[1:3]]
    score = (drawn[3] >> np.uint64(40)).astype(np.float32) * np.float32(2**-24)
    return {
        "label": label.astype(np.int64),
        "height": pixels[0],
        "width": pixels[1],
        "id": record.astype(np.int64),
        "score": score,
    }


def table(data: Data) -> pa.Table:
    """All features but the image, as an Arrow table."""
    import pyarrow as pa

    return pa.table(numbers(data))


def samples(data: Data) -> Iterator[dict[str, Any]]:
    """All records in order, as Python values; no record is parsed."""
    import numpy as np

    arrays = numbers(data)
    size = SIZES[data.size]
    more = noise(np.arange(data.records, dtype=np.uint64) * np.uint64(8) + np.uint64(4))
    images = np.uint64(size.min_image) + more % np.uint64(size.max_image - size.min_image + 1)
    columns = [array.tolist() for array in arrays.values()]
    for *values, image_bytes, payload in zip(*columns, images.tolist(), data.payloads(), strict=True):
        yield {**dict(zip(arrays, values, strict=True)), "image": payload[-image_bytes:]}

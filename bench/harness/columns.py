"""The features of records as arrays, computed as in bench/limits/features.h, so that no record reader is needed."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from harness.data import ROWS, SIZES, Data

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


def numbers(data: Data, begin: int, end: int) -> dict[str, np.ndarray]:
    """All features but the image, of the records [`begin`, `end`)."""
    import numpy as np

    record = np.arange(begin, end, dtype=np.uint64)
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


def batches(data: Data) -> Iterator[dict[str, Any]]:
    """All records in order, some at a time: arrays of the numbers, and a list of images. No record is parsed."""
    import numpy as np

    size = SIZES[data.size]
    for begin, payloads in data.slices():
        end = begin + len(payloads)
        more = noise(np.arange(begin, end, dtype=np.uint64) * np.uint64(8) + np.uint64(4))
        images = np.uint64(size.min_image) + more % np.uint64(size.max_image - size.min_image + 1)
        image = [payload[-count:] for payload, count in zip(payloads, images.tolist(), strict=True)]
        yield {**numbers(data, begin, end), "image": image}


def samples(data: Data) -> Iterator[dict[str, Any]]:
    """All records in order, as Python values."""
    for batch in batches(data):
        columns = [values if name == "image" else values.tolist() for name, values in batch.items()]
        for values in zip(*columns, strict=True):
            yield dict(zip(batch, values, strict=True))


def number_reader(data: Data) -> pa.RecordBatchReader:
    """All features but the image, as Arrow batches."""
    import pyarrow as pa

    schema = value_schema().remove(len(value_schema()) - 1)
    pieces = (numbers(data, begin, min(begin + ROWS, data.records)) for begin in range(0, data.records, ROWS))
    made = (pa.record_batch([pa.array(values) for values in piece.values()], schema=schema) for piece in pieces)
    return pa.RecordBatchReader.from_batches(schema, made)


def value_schema() -> pa.Schema:
    """The types of all features in Arrow; the image is last."""
    import pyarrow as pa

    ints = [(name, pa.int64()) for name in ("label", "height", "width", "id")]
    return pa.schema([*ints, ("score", pa.float32()), ("image", pa.binary())])


def value_reader(data: Data) -> pa.RecordBatchReader:
    """All features, as Arrow batches."""
    import pyarrow as pa

    schema = value_schema()
    made = (pa.record_batch([pa.array(batch[name]) for name in schema.names], schema=schema) for batch in batches(data))
    return pa.RecordBatchReader.from_batches(schema, made)


def payload_reader(data: Data) -> pa.RecordBatchReader:
    """All payloads, as Arrow batches with one column."""
    import pyarrow as pa

    schema = pa.schema([("record", pa.binary())])
    made = (pa.record_batch([pa.array(payloads, pa.binary())], schema=schema) for _, payloads in data.slices())
    return pa.RecordBatchReader.from_batches(schema, made)

"""Reads the output of `pack` and `convert`, using only the oracle and protobuf's classes."""

from __future__ import annotations

import gzip
import re
from pathlib import Path
from typing import Any

from oracle import messages, records

# Maps each feature name to (kind, values).
Features = dict[str, tuple[str, list[Any]]]


def _values(feature: Any) -> tuple[str, list[Any]]:
    kind = feature.WhichOneof("kind")
    if kind is None:
        return "none", []
    return kind.removesuffix("_list"), list(getattr(feature, kind).value)


def features(payload: bytes, kind: str) -> Features:
    """The features of an Example, an OFRecord, or the context of a SequenceExample."""
    message = messages.MESSAGES[kind].FromString(payload)
    if kind == "ofrecord":
        found = message.feature
    else:
        found = (message.features if kind == "example" else message.context).feature
    return {name: _values(feature) for name, feature in found.items()}


def feature_lists(payload: bytes) -> dict[str, list[tuple[str, list[Any]]]]:
    """The feature lists of a SequenceExample, by name, with (kind, values) for each step."""
    lists = messages.MESSAGES["sequence_example"].FromString(payload).feature_lists.feature_list
    return {name: [_values(step) for step in steps.feature] for name, steps in lists.items()}


def payloads(shard: Path, framing: str = records.TFRECORD) -> list[bytes]:
    """All payloads of `shard`; fails unless it consists of whole records with correct checksums."""
    data = shard.read_bytes()
    if shard.suffix == ".gz":
        data = gzip.decompress(data)  # this checks gzip's checksum
    walk = records.WALK[framing](data)
    assert walk.damage == [], f"{shard}: {walk.damage}"
    assert all(record.sound for record in walk.records), f"{shard}: a checksum is wrong"
    return walk.payloads


def shards(folder: Path) -> list[Path]:
    """The shards in `folder`, in order of their numbers."""
    found = [path for path in folder.iterdir() if re.search(r"part-\d+$|\.tfrecord(\.gz)?$", path.name)]
    return sorted(found, key=lambda path: [int(number) for number in re.findall(r"\d+", path.name)])


def payloads_in(folder: Path, framing: str = records.TFRECORD) -> list[bytes]:
    return [payload for shard in shards(folder) for payload in payloads(shard, framing)]

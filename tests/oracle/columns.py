"""The expected features and columns of a dataset, from a full pass over its decoded records.

Follows the rules of docs/cli.md and decodes with google.protobuf; independent of how ofindex stores columns.
"""

from __future__ import annotations

import base64
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from oracle import messages

MAX_AUTO_BYTES = 64
KINDS = ("none", "bytes", "float", "double", "int32", "int64")


@dataclass
class Feature:
    """One feature over all records: the values of each record that has it."""

    kinds: set[str] = field(default_factory=set)
    values: dict[int, list[Any]] = field(default_factory=dict)  # record -> values, as JSON has them

    @property
    def counts(self) -> list[int]:
        return [len(values) for values in self.values.values()]

    def size_of(self, value: Any) -> int:
        return len(base64.b64decode(value["base64"])) if isinstance(value, dict) else len(value.encode())

    @property
    def largest_bytes(self) -> int:
        if "bytes" not in self.kinds:
            return 0
        return max((self.size_of(v) for vs in self.values.values() for v in vs if isinstance(v, (str, dict))), default=0)


def flattened(name: str, feature: dict[str, Any]) -> tuple[set[str], list[Any]]:
    """Kinds and values of a feature of one record; for a feature list, those of all its steps."""
    if not name.endswith("[]"):
        return {feature["kind"]}, feature["values"]
    kinds: set[str] = set()
    values: list[Any] = []
    for step in feature["values"]:
        if step is None:
            kinds.add("none")
        elif isinstance(step, dict):
            kinds.add(step["kind"])
            values += step["values"]
        else:
            kinds.add(feature["kind"])
            values += step
    return kinds, values


def features_of(payloads: Iterable[bytes], kind: str) -> dict[str, Feature]:
    """Maps each name to its feature, over all records."""
    features: dict[str, Feature] = {}
    for record, payload in enumerate(payloads):
        for name, feature in messages.features_json(payload, kind).items():
            known = features.setdefault(name, Feature())
            kinds, known.values[record] = flattened(name, feature)
            known.kinds |= kinds
    return features


def schema_of(features: dict[str, Feature]) -> list[dict[str, Any]]:
    """`features` of `schema --json`, without columns."""
    return [
        {
            "name": name,
            "kinds": [kind for kind in KINDS if kind in feature.kinds],
            "present": len(feature.values),
            "values_min": min(feature.counts),
            "values_max": max(feature.counts),
        }
        for name, feature in sorted(features.items(), key=lambda item: item[0].encode())
    ]


def sql_value(value: Any) -> Any:
    """A value as a column has it in JSON: NaN is NULL."""
    return None if value == "NaN" else value


def columns_of(features: dict[str, Feature], records: int) -> dict[str, list[Any]]:
    """Maps each column to one value per record: what `--columns auto` makes if no names collide."""
    columns: dict[str, list[Any]] = {}
    for name, feature in features.items():
        if 1 in feature.counts:
            long = feature.largest_bytes > MAX_AUTO_BYTES
            column = columns[f"{name}#bytes" if long else name] = [None] * records
            for record, values in feature.values.items():
                if len(values) != 1:
                    continue
                if not long:
                    column[record] = sql_value(values[0])
                elif isinstance(values[0], (str, dict)):
                    column[record] = feature.size_of(values[0])
        if max(feature.counts) > 1:
            counts = columns[f"{name}#count"] = [None] * records
            for record, values in feature.values.items():
                counts[record] = len(values)
    return columns

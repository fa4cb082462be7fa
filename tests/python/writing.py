"""Shared code of the tests of ofindex.Writer: writes shards, and reads them with libprotobuf."""

from __future__ import annotations

import os
from typing import Any

import ofindex
from oracle import messages, records
from python.work import WorkTest

FORMATS = {"example": "tfrecord", "sequence_example": "tfrecord", "ofrecord": "ofrecord"}


class WriterCase(WorkTest):
    def written(self, payload: str, *features: Any, **options: Any) -> list[Any]:
        """The messages that libprotobuf finds in a shard of these records."""
        path = self.dir / "shard"
        path.unlink(missing_ok=True)
        with ofindex.Writer(path, FORMATS[payload], payload=payload, **options) as writer:
            for record in features:
                writer.write(record)
        walk = records.WALK[FORMATS[payload]](path.read_bytes())
        self.assertEqual(walk.damage, [])
        return [messages.MESSAGES[payload].FromString(one) for one in walk.payloads]

    def feature(self, payload: str, value: Any, **options: Any) -> tuple[str, list[Any]]:
        """The kind and the values written for `value`."""
        (message,) = self.written(payload, {"x": value, "other": 1}, **options)
        found = (message.feature if payload == "ofrecord" else message.features.feature)["x"]
        kind = found.WhichOneof("kind")
        return ("none", []) if kind is None else (kind.removesuffix("_list"), list(getattr(found, kind).value))

    def beside(self) -> list[str]:
        return sorted(os.listdir(self.dir))

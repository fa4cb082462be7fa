"""Shared code of the tests of ofindex.pack: packs records, and reads them with libprotobuf."""

from __future__ import annotations

import datetime as dt
import os
import unittest
from pathlib import Path
from typing import Any

import ofindex
from oracle import messages, records
from python.work import WorkTest

try:
    import pyarrow as pa
    import pyarrow.parquet as pq
except ImportError:
    pa = pq = None
try:
    import fastavro
except ImportError:
    fastavro = None

needs_pyarrow = unittest.skipUnless(pa, "pyarrow is not installed")
needs_fastavro = unittest.skipUnless(fastavro, "fastavro is not installed")

DAY = dt.date(2024, 2, 29)
TIME = dt.time(1, 2, 3, 4)
STAMP = dt.datetime(2024, 2, 29, 1, 2, 3, 4)
UTC = STAMP.replace(tzinfo=dt.timezone.utc)
DAYS = 19782
TIME_US = 3_723_000_004
STAMP_US = DAYS * 86_400_000_000 + TIME_US

Found = dict[str, tuple[str, list[Any]]]


class PackCase(WorkTest):
    def payloads(self, paths: list[str]) -> list[bytes]:
        found = []
        for path in paths:
            walk = (records.walk_tfrecord if ".tfrecord" in path else records.walk_ofrecord)(Path(path).read_bytes())
            self.assertEqual(walk.damage, [])
            found += walk.payloads
        return found

    def packed(self, source: Any, payload: str, **options: Any) -> list[Found]:
        """Packs `source` into one shard, and returns the features of each record as libprotobuf decodes them."""
        output = self.dir / ("part-0" if payload == "ofrecord" else "one.tfrecord")
        to = "ofrecord" if payload == "ofrecord" else "tfrecord"
        paths = ofindex.pack(source, output, to, payload=payload, force=True, **options)
        return [
            {
                name: (feature["kind"], feature["values"])
                for name, feature in messages.features_json(one, payload).items()
            }
            for one in self.payloads(paths)
        ]

    def numbers(self, paths: list[str]) -> list[int]:
        found = [messages.MESSAGES["example"].FromString(one).features.feature["i"] for one in self.payloads(paths)]
        return [feature.int64_list.value[0] for feature in found]

    def beside(self) -> list[str]:
        return sorted(os.listdir(self.dir))

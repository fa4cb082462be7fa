"""A folder of shards that a test writes one by one, sound or with a damaged head."""

from __future__ import annotations

from typing import Any

from e2e.command import CommandTest
from e2e.samples import payloads
from oracle import records
from oracle.records import TFRECORD

RECORDS = 12  # of each shard


class SetFolderTest(CommandTest):
    def write(self, name: str, framing: str = TFRECORD, first: int = 0, damaged: bool = False) -> bytes:
        data = b"".join(map(records.FRAME[framing], payloads(RECORDS, framing, first)))
        path = self.dir / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(b"\xff" * 8 + data[8:] if damaged else data)
        return data

    def build(self, code: int, *args: str) -> Any:
        return self.expect(code, "build", *args, "--json", "--force").json

"""Shared code of the tests of pack: sources to write, and readers of the result."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path
from typing import Any

from e2e import written
from e2e.command import CommandTest, Finished
from oracle import records

TFRECORD, OFRECORD = records.TFRECORD, records.OFRECORD
KINDS = {TFRECORD: "example", OFRECORD: "ofrecord"}
SUFFIX = {TFRECORD: ".tfrecord", OFRECORD: ".ofrecord"}


class PackTest(CommandTest):
    def write(self, name: str, content: str | bytes) -> Path:
        path = self.dir / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content.encode("utf-8", "surrogatepass") if isinstance(content, str) else content)
        return path

    def write_rows(self, name: str, rows: list[Any]) -> Path:
        return self.write(name, "".join(json.dumps(row) + "\n" for row in rows))

    def write_csv(self, name: str, rows: list[list[str]], **dialect: Any) -> Path:
        text = io.StringIO(newline="")
        csv.writer(text, **dialect).writerows(rows)
        return self.write(name, text.getvalue())

    def write_schema(self, schema: Any) -> str:
        self.write("schema.json", json.dumps(schema))
        return "schema.json"

    def pack(self, source: str | Path, *args: str, to: str = TFRECORD, payload: str = "") -> list[written.Features]:
        """Packs into one file, and returns the features of its records."""
        out = "packed" + SUFFIX[to]
        self.expect(0, "pack", source, "--to", to, "-o", out, "--force", *args)
        found = written.payloads(self.dir / out, to)
        return [written.features(one, payload or KINDS[to]) for one in found]

    def assert_refused(self, code: int, *args: str | Path) -> Finished:
        """The command fails, and the folder is unchanged."""
        before = self.names()
        failed = self.expect_error(code, "pack", *args)
        self.assertEqual(self.names(), before, failed)
        return failed

"""The real record files that the tests read, and the content of their manifests.

OFINDEX_FIXTURES names their folder (default: shared/fixtures next to the repository); tests that need it are skipped
without it.
"""

from __future__ import annotations

import csv
import os
import unittest
from dataclasses import dataclass
from pathlib import Path

from oracle.records import WALK, Walk, inflate

_BESIDE_REPOSITORY = Path(__file__).resolve().parents[3] / "shared" / "fixtures"
FIXTURES = Path(os.environ.get("OFINDEX_FIXTURES", _BESIDE_REPOSITORY)).resolve()

needs_fixtures = unittest.skipUnless(FIXTURES.is_dir(), f"no fixtures at {FIXTURES}; set OFINDEX_FIXTURES")

_KINDS = {
    "tensorflow.Example": "example",
    "tensorflow.SequenceExample": "sequence_example",
    "oneflow.OFRecord": "ofrecord",
}


@dataclass(frozen=True)
class Fixture:
    """One record file of a manifest. Formats and payload kinds have the names that the command uses."""

    path: Path
    format: str
    payload: str
    compressed: bool
    records: int
    payload_bytes: int
    sha256: str

    def walk(self) -> Walk:
        """The records of the file, read by the oracle."""
        data = self.path.read_bytes()
        return WALK[self.format](inflate(data) if self.compressed else data)


def fixtures() -> list[Fixture]:
    """Every record file of both manifests, in their order, which is numeric within a folder."""
    found = []
    for folder in (FIXTURES / "real", FIXTURES / "derived"):
        with open(folder / "MANIFEST.tsv", newline="", encoding="utf-8") as manifest:
            for row in csv.DictReader(manifest, delimiter="\t", quoting=csv.QUOTE_NONE):
                if row["format"].lower() in WALK:
                    found.append(
                        Fixture(
                            path=folder / row["file"],
                            format=row["format"].lower(),
                            payload=_KINDS.get(row["payload_message"], "opaque"),
                            compressed=row["compression"] != "none",
                            records=int(row["records"]),
                            payload_bytes=int(row["payload_bytes"]),
                            sha256=row["sha256"],
                        )
                    )
    return found

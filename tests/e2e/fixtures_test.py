"""Real and derived record files: the output of the command agrees with their manifests and with the oracle."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

from e2e.command import CommandTest
from oracle import messages, records
from oracle.fixtures import FIXTURES, Fixture, fixtures, needs_fixtures


def folders(found: list[Fixture]) -> dict[str, list[Fixture]]:
    """Maps each folder that is one dataset to its files, in order, without the compressed ones."""
    sets: dict[str, list[Fixture]] = {}
    for fixture in found:
        if not fixture.compressed and fixture.path.parent.name not in ("real", "derived"):
            sets.setdefault(fixture.path.parent.name, []).append(fixture)
    return sets


@needs_fixtures
class FixturesTest(CommandTest):
    def test_every_uncompressed_file_alone_matches_its_manifest(self) -> None:
        for fixture in fixtures():
            if not fixture.compressed:
                with self.subTest(fixture.path.name):
                    copy = self.dir / fixture.path.parent.name / fixture.path.name
                    copy.parent.mkdir(exist_ok=True)
                    shutil.copyfile(fixture.path, copy)
                    self.check(copy, [fixture], [fixture.path.name])

    def test_every_folder_is_one_dataset_in_numeric_order(self) -> None:
        sets = folders(fixtures())
        self.assertEqual({name: len(parts) for name, parts in sets.items() if "ofrecord" in name or name == "toy"},
                         {"toy": 2, "ofrecord-penguin": 12, "ofrecord-nextpage": 3})
        for name, parts in sets.items():
            with self.subTest(name):
                data = self.dir / name
                shutil.copytree(parts[0].path.parent, data, copy_function=shutil.copyfile)
                self.check(data, parts, [f"{name}/{part.path.name}" for part in parts])

    def check(self, data: Path, parts: list[Fixture], shards: list[str]) -> None:
        """Builds the index of `data` and compares every verb that reads it with the oracle."""
        walks = [part.walk() for part in parts]
        payloads = [payload for walk in walks for payload in walk.payloads]
        self.check_totals(data, parts, shards)
        self.assert_same(self.expect(0, "cat", data, "--to", "raw").stdout, b"".join(payloads), "raw")
        for to, walk in records.WALK.items():
            written = walk(self.expect(0, "cat", data, "--to", to).stdout)
            self.assertEqual(written.damage, [], to)
            self.assert_same(written.payloads, payloads, to)
        self.assert_same(self.expect(0, "get", data, "-1", "--raw").stdout, payloads[-1], "last record")
        if parts[0].payload != "opaque":
            self.check_features(data, parts, shards, walks)

    def check_totals(self, data: Path, parts: list[Fixture], shards: list[str]) -> None:
        built = self.expect(0, "build", data, "--json").json
        info = self.expect(0, "info", data, "--json").json
        expected = {
            "records": sum(part.records for part in parts),
            "payload_bytes": sum(part.payload_bytes for part in parts),
            "data_bytes": sum(part.path.stat().st_size for part in parts),
            "damage": [],
            "bad": [],
        }
        for document in (built, info):
            self.assertEqual({key: document[key] for key in expected}, expected)
        promised = ("path", "format", "compression", "payload", "records", "bytes")
        self.assertEqual(
            [tuple(shard[key] for key in promised) for shard in info["shards"]],
            [
                (path, part.format, "none", part.payload, part.records, part.path.stat().st_size)
                for path, part in zip(shards, parts)
            ],
        )

    def check_features(self, data: Path, parts: list[Fixture], shards: list[str], walks: list[records.Walk]) -> None:
        """Compares the decoded features of every record, by both verbs that show them."""
        expected: list[dict[str, Any]] = []
        for part, shard, walk in zip(parts, shards, walks):
            for record in walk.records:
                expected.append(
                    {
                        "_id": len(expected),
                        "_shard": shard,
                        "_offset": record.offset,
                        "_length": len(record.payload),
                        "features": messages.features_json(record.payload, part.payload),
                    }
                )
        shown = {
            "cat": self.expect(0, "cat", data, "--to", "jsonl").jsonl,
            "get --jsonl": self.expect(0, "get", data, f"0:{len(expected)}", "--jsonl").jsonl,
            "get --json": self.expect(0, "get", data, f"0:{len(expected)}", "--json").json["records"],
        }
        for verb, found in shown.items():
            self.assertEqual(len(found), len(expected), verb)
            for got, want in zip(found, expected):
                self.assertEqual({key: got[key] for key in want}, want, verb)

    def test_the_exported_text_index_equals_the_index_that_another_tool_wrote(self) -> None:
        shutil.copytree(FIXTURES / "real" / "ssd-dummy", self.dir / "ssd", copy_function=shutil.copyfile)
        self.expect(0, "build", "ssd/dummy.tfrecord")
        self.expect(0, "export", "ssd/dummy.tfrecord", "--to", "tfrecord2idx", "-o", "text")
        self.assertEqual(self.names(self.dir / "text"), ["dummy.tfrecord.idx"])
        exported = (self.dir / "text" / "dummy.tfrecord.idx").read_bytes()
        self.assert_same(exported, (FIXTURES / "real" / "ssd-dummy" / "dummy.idx").read_bytes(), "dummy.tfrecord.idx")

    def test_a_text_index_next_to_the_data_is_skipped_and_reported(self) -> None:
        shutil.copytree(FIXTURES / "real" / "ssd-dummy", self.dir / "ssd", copy_function=shutil.copyfile)
        built = self.expect(0, "build", "ssd", "--json").json
        self.assertEqual(built["records"], 128)
        self.assertEqual(len(built["skipped"]), 1)
        self.assertIn("dummy.idx", str(built["skipped"][0]))

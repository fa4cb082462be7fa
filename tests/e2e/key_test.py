"""Keys: `build --key`, `key`, and `get --key`, against the records that Python's own reader finds.

OFINDEX_KILLS is the number of kills (default: 10 here).
"""

from __future__ import annotations

import collections
import os
import random
import time

from e2e.command import CommandTest
from e2e.samples import KINDS
from oracle import messages, records

KILLS = min(int(os.environ.get("OFINDEX_KILLS", "10")), 100)


class KeyTest(CommandTest):
    """Three shards whose records have a name, and most of them some tags."""

    def setUp(self) -> None:
        super().setUp()
        self.random = random.Random(20261128)
        (self.dir / "data").mkdir()
        self.names_of: list[str] = []
        self.tags_of: list[list[int]] = []
        self.write("part-0", 30)
        self.write("part-1", 30)
        self.write("part-2", 30)

    def write(self, shard: str, count: int, framing: str = records.OFRECORD) -> None:
        payloads = []
        for _ in range(count):
            name = f"a/{len(self.names_of):03}.jpg" + "x" * self.random.choice((0, 0, 0, 90))
            tags = self.random.sample(range(-3, 12), self.random.randrange(4))
            features = {"name": ("bytes", [name.encode()]), "score": ("float", [0.5])}
            payloads.append(messages.encode(KINDS[framing], {**features, **({"tag": ("int64", tags)} if tags else {})}))
            self.names_of.append(name)
            self.tags_of.append(tags)
        records.WRITE[framing](self.dir / "data" / shard, payloads)

    def ids(self, *args: str) -> list[int]:
        return [record["_id"] for record in self.expect(0, "get", "data", *args, "--jsonl").jsonl]

    def check_keys(self) -> None:
        """Every name and every tag finds the records that have it."""
        for name in self.random.sample(self.names_of, 5):
            self.assertEqual(self.ids("--key", f"name={name}"), [self.names_of.index(name)])
        by_tag = collections.defaultdict(list)
        for ordinal, tags in enumerate(self.tags_of):
            for tag in tags:
                by_tag[tag].append(ordinal)
        for tag in self.random.sample(sorted(by_tag), 4):
            self.assertEqual(self.ids("--key", f"tag={tag}"), by_tag[tag])

    def test_records_are_found_by_the_values_that_they_have(self) -> None:
        built = self.expect(0, "build", "data", "--key", "name", "--json").json
        self.assertEqual([(key["name"], key["keys"], key["duplicates"]) for key in built["keys"]], [("name", 90, 0)])
        made = self.expect(0, "key", "data", "tag", "--json").json["keys"][0]
        self.assertEqual(made["records_without"], self.tags_of.count([]))
        self.assertEqual(made["keys"], len({tag for tags in self.tags_of for tag in tags}))
        self.assertEqual(made["duplicates"], sum(map(len, self.tags_of)) - made["keys"])
        self.check_keys()
        two = self.ids("--key", f"name={self.names_of[7]}", "--key", f"name={self.names_of[3]}")
        self.assertEqual(two, [7, 3])
        self.assertIn("key name: 90 records, 90 distinct keys, no duplicates", self.expect(0, "info", "data").text)
        self.assertEqual(
            [key["name"] for key in self.expect(0, "info", "data", "--json").json["keys"]], ["name", "tag"]
        )
        self.expect(0, "verify", "data")

    def test_an_update_makes_the_keys_again_and_a_build_without_them_drops_them(self) -> None:
        self.expect(0, "build", "data", "--key", "name", "--key", "tag")
        self.write("part-3", 20)
        self.assertEqual(len(self.expect(0, "update", "data", "--json").json["keys"]), 2)
        self.check_keys()
        (self.dir / "data" / "part-0").unlink()
        self.expect(0, "update", "data")
        lost = self.expect_error(2, "get", "data", "--key", f"name={self.names_of[5]}")
        self.assertIn("no record has it", lost.stderr)
        self.assertEqual(self.ids("--key", f"name={self.names_of[35]}"), [35])
        pruned = self.expect(0, "update", "data", "--prune", "--json").json
        self.assertEqual(len(pruned["keys"]), 2)
        self.assertEqual(self.ids("--key", f"name={self.names_of[35]}"), [5])
        dropped = self.expect(0, "build", "data", "--force", "--verify", "--json").json["keys_dropped"]
        self.assertEqual(dropped, ["name", "tag"])
        self.assertEqual(self.names(), ["data", "data.ofidx", "data.ofidx-map"])
        missing = self.expect_error(4, "get", "data", "--key", "name=x")
        self.assertIn("hint: make it with `ofindex key data.ofidx name`", missing.stderr)

    def test_a_key_that_is_exchanged_stale_or_damaged_is_refused(self) -> None:
        self.expect(0, "build", "data", "--key", "name", "--key", "tag")
        name, tag = self.dir / "data.ofidx-key-name", self.dir / "data.ofidx-key-tag"
        good = name.read_bytes()
        wanted = f"name={self.names_of[5]}"
        for content in (good[:-1], good + b"x", good[:100], b"", tag.read_bytes(), good[:300] + b"!" + good[301:]):
            name.unlink()
            name.write_bytes(content)
            refused = self.expect_error(4, "get", "data", "--key", wanted)
            self.assertIn("`ofindex key data.ofidx name`", refused.stderr)
            self.expect(1, "verify", "data")
        self.expect(0, "key", "data", "name")
        self.assertEqual(self.ids("--key", wanted), [5])
        self.write("part-3", 1)
        self.expect(0, "update", "data")
        name.write_bytes(good)
        stale = self.expect_error(4, "get", "data", "--key", wanted)
        self.assertIn("made for generation 1 of an index; expected generation 2", stale.stderr)
        self.assertIn("stale ", self.expect(0, "info", "data").text)

    def test_wrong_features_and_keys_are_refused(self) -> None:
        self.expect_error(2, "build", "data", "--key", "nmae")
        self.assertEqual(self.names(), ["data"])
        self.expect(0, "build", "data", "--key", "tag")
        self.assertIn("did you mean 'name'?", self.expect_error(2, "key", "data", "nmae").stderr)
        self.assertIn("floats", self.expect_error(2, "key", "data", "score").stderr)
        self.assertIn("expected an integer", self.expect_error(2, "get", "data", "--key", "tag=one").stderr)
        self.assertIn("expected NAME=VALUE", self.expect_error(2, "get", "data", "--key", "tag").stderr)
        self.assertIn("no record has it", self.expect_error(2, "get", "data", "--key", "tag=99").stderr)
        self.expect_error(2, "get", "data", "1", "--key", "tag=1")
        self.expect_error(2, "build", "data", "--part", "1/2", "--key", "tag")

    def test_a_key_that_is_killed_leaves_the_old_one(self) -> None:
        self.write("part-3", 20_000)
        self.expect(0, "build", "data", "--columns", "none", "--key", "name")
        old = (self.dir / "data.ofidx-key-name").read_bytes()
        begin = time.monotonic()
        self.expect(0, "key", "data", "name")
        seconds = time.monotonic() - begin
        for _ in range(KILLS):
            process = self.start("key", "data", "name")
            time.sleep(self.random.uniform(0, seconds))
            process.kill()
            process.communicate()
            self.assertEqual((self.dir / "data.ofidx-key-name").read_bytes(), old)
            self.assertEqual(self.ids("--key", f"name={self.names_of[200]}"), [200])
        self.expect(0, "key", "data", "name")
        self.assertEqual(self.names(), ["data", "data.ofidx", "data.ofidx-key-name", "data.ofidx-map"])

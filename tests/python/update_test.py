"""`ofindex.update`: what it takes, returns, warns of and raises. What an update does is tested on the command."""

from __future__ import annotations

import fcntl
import gzip
import json
import os
import subprocess
import threading
import unittest
import warnings
from pathlib import Path

import ofindex
from python.work import WorkTest, example

REPOSITORY = Path(__file__).resolve().parents[2]
COMMAND = os.environ.get("OFINDEX_BIN", str(REPOSITORY / "build" / "tools" / "ofindex"))


class UpdateTest(WorkTest):
    def setUp(self) -> None:
        super().setUp()
        for number in range(3):
            self.shard(number)
        self.data = self.dir / "data"
        ofindex.build(self.data)

    def shard(self, number: int, records: int = 4) -> Path:
        return self.write(f"data/part-{number}", [example(10 * number + i) for i in range(records)])

    def ids(self) -> list[int]:
        return [row[0] for row in ofindex.open(self.data).sql("SELECT _id FROM records").fetchall()]

    def test_each_change_is_listed_and_counted(self) -> None:
        self.shard(3, 2)
        os.rename(self.data / "part-1", self.data / "part-9")
        (self.data / "part-0").unlink()
        updated = ofindex.update(self.data)
        self.assertEqual(updated["new"], [{"path": "data/part-3", "records": 2}])
        self.assertEqual(updated["moved"], [{"path": "data/part-9", "records": 4, "before": "data/part-1"}])
        self.assertEqual(updated["missing"], [{"path": "data/part-0", "records": 4}])
        counts = {key: updated[key] for key in ("records", "ordinals", "new_records", "gone_records", "generation")}
        self.assertEqual(counts, {"records": 10, "ordinals": 14, "new_records": 2, "gone_records": 4, "generation": 2})
        self.assertEqual(self.ids(), list(range(4, 14)))
        self.assertTrue(ofindex.update(self.data)["up_to_date"])

    def test_pruning_moves_ordinals(self) -> None:
        (self.data / "part-0").unlink()
        updated = ofindex.update(self.data, prune=True)
        self.assertEqual((updated["renumbered"], updated["pruned_records"]), (True, 4))
        self.assertEqual(self.ids(), list(range(8)))

    def test_more_data_are_taken_in_from_then_on(self) -> None:
        more = self.write("more/part-0", [example(77)]).parent
        self.assertEqual(ofindex.update(self.data, more)["new_records"], 1)
        self.write("more/part-1", [example(78)])
        self.assertEqual(ofindex.update(self.data)["new"], [{"path": "more/part-1", "records": 1}])

    def test_it_waits_for_another_writer_if_asked_to(self) -> None:
        self.shard(3)
        with open(self.dir / "data.ofidx.ofindex-draft", "wb") as draft:
            fcntl.flock(draft, fcntl.LOCK_EX)
            with self.assertRaisesRegex(ofindex.LockError, "wait=True"):
                ofindex.update(self.data)
            waiting = threading.Thread(target=lambda: ofindex.update(self.data, wait=True))
            waiting.start()
            waiting.join(0.3)
            self.assertTrue(waiting.is_alive())
        waiting.join()
        self.assertTrue(ofindex.update(self.data)["up_to_date"])
        self.assertEqual(len(ofindex.build(self.data, wait=True)), 16)

    def test_limits_on_inflated_sizes_are_those_of_a_build(self) -> None:
        (self.data / "part-3").write_bytes(gzip.compress((self.data / "part-0").read_bytes() * 20_000))
        with self.assertRaisesRegex(ofindex.LimitError, "max_inflated_bytes"):
            ofindex.update(self.data, max_inflated_bytes=1 << 20)
        updated = ofindex.update(self.data, max_inflated_bytes=1 << 30, max_ratio=2000, checkpoint_bytes=1 << 20)
        self.assertEqual(updated["new_records"], 80_000)

    def test_it_returns_what_the_command_prints(self) -> None:
        self.shard(3)
        twin = self.dir / "twin.ofidx"
        twin.write_bytes((self.dir / "data.ofidx").read_bytes())
        printed = subprocess.run([COMMAND, "update", str(twin), "--json", "-q"], stdout=subprocess.PIPE, check=True)
        expected = json.loads(printed.stdout)
        returned = ofindex.update(self.data)
        self.assertEqual(set(expected) - {"schema", "seconds"}, set(returned))
        for key, value in returned.items():
            if key != "index":
                self.assertEqual(value, expected[key], key)

    def test_damage_is_a_warning(self) -> None:
        with open(self.shard(3), "ab") as shard:
            shard.write(b"\0\1\2")
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            updated = ofindex.update(self.data)
        self.assertEqual([damage["shard"] for damage in updated["damage"]], ["data/part-3"])
        self.assertEqual(len(caught), 1)
        self.assertIn("3 bytes without a record", str(caught[0].message))
        self.assertEqual(caught[0].filename, __file__)

    def test_errors_are_those_of_a_build(self) -> None:
        with self.assertRaises(FileNotFoundError):
            ofindex.update(self.dir / "none")
        for number in range(3):
            (self.data / f"part-{number}").unlink()
        with self.assertRaisesRegex(ofindex.StaleError, "is the disk mounted"):
            ofindex.update(self.data)


if __name__ == "__main__":
    unittest.main()

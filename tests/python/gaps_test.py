"""Datasets from which records have gone with their shards: a record keeps its ordinal, and everything that enumerates
records is over those that are there. Plain lists and dicts are the oracle."""

from __future__ import annotations

import importlib.util
import os
import pickle
import subprocess
import sys
import unittest
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import ofindex
from ofindex.grain import DataSource
from oracle import records
from python.work import FEATURES, WorkTest, example

COMMAND = os.environ.get("OFINDEX_BIN") or str(Path(sys.executable).parent / "ofindex")
SIZES = (5, 300, 40, 9)
PATHS = [f"data/part-{part}" for part in range(len(SIZES))]
FIRST = [sum(SIZES[:part]) for part in range(len(SIZES) + 1)]
SLICES = [
    slice(None),
    slice(None, None, -1),
    slice(3, 340, 7),
    slice(340, 3, -7),
    slice(-20, None),
    slice(None, -330),
    slice(5, 305),
    slice(100, 200),
    slice(200, 100),
    slice(4, 6),
    slice(None, None, 1000),
    slice(None, None, -1000),
]


class Gaps:
    """The tests; each class below has them for one history of the shards."""

    class Tests(WorkTest):
        def history(self) -> None:
            """Changes the shards, and tells the oracle."""

        def setUp(self) -> None:
            super().setUp()
            self.expected: dict[int, bytes] = {}  # ordinal -> payload
            for part, path in enumerate(PATHS):
                self.write(path, [example(number) for number in range(FIRST[part], FIRST[part + 1])])
                self.expected.update((number, example(number)) for number in range(FIRST[part], FIRST[part + 1]))
            self.end = FIRST[-1]  # of the ordinals
            self.before = ofindex.build(self.dir / "data", columns=["auto", "boxes"])
            self.parts_before = {
                key: [set(part.ordinals(range(len(part))).tolist()) for part in self.split(self.before, key).values()]
                for key in (None, "label")
            }
            self.history()
            self.there = sorted(self.expected)
            self.ds = ofindex.open(self.dir / "data.ofidx")

        def split(self, ds: ofindex.Dataset, key: str | None) -> dict[str, ofindex.Dataset]:
            return ds.split({"train": 0.5, "test": 0.3}, seed=3, key=key)

        def update(self) -> None:
            done = subprocess.run([COMMAND, "update", "data.ofidx"], cwd=self.dir, capture_output=True, text=True)
            self.assertEqual(done.returncode, 0, done.stderr)

        def go(self, *parts: int) -> None:
            for part in parts:
                (self.dir / PATHS[part]).unlink()
                for number in range(FIRST[part], FIRST[part + 1]):
                    del self.expected[number]
            self.update()

        def grow(self, part: int, count: int) -> None:
            new = [example(1000 + number) for number in range(count)]
            path = self.dir / PATHS[part]
            records.WRITE[records.TFRECORD](self.dir / "new", new)
            path.write_bytes(path.read_bytes() + (self.dir / "new").read_bytes())
            self.expected.update(enumerate(new, self.end))
            self.end += count
            self.update()

        @property
        def gaps(self) -> list[int]:
            return [number for number in range(self.end) if number not in self.expected]

        @property
        def payloads(self) -> list[bytes]:
            return [self.expected[number] for number in self.there]

        def values(self, name: str) -> list[Any]:
            return [ofindex.decode([payload], FEATURES)[name][0] for payload in self.payloads]

        def reads(self, ds: Any, number: int) -> list[Any]:
            """Record `number` by each way to read one."""
            return [
                ds[number],
                bytes(ds.buffer(number)),
                *ds.__getitems__([number]),
                ds[[number]][0],
                ds.batch([number], FEATURES)["name"][0],
                ds.record(number)["name"][0],
            ]

        def check(self, view: ofindex.Dataset, ordinals: list[int]) -> None:
            """A view has these records, numbered from 0."""
            payloads = [self.expected[ordinal] for ordinal in ordinals]
            self.assertEqual((len(view), list(view)), (len(payloads), payloads))
            self.assertEqual(view.ordinals(range(len(view))).tolist(), ordinals)
            self.assertEqual(sorted(view.sampler(seed=1)), list(range(len(view))))
            self.assertEqual([view[number] for number in range(len(view))], payloads)
            self.assertEqual(len(view.column("label")), len(view))

        def test_all_counts_agree(self) -> None:
            count = len(self.there)
            self.assertEqual(len(self.ds), count)
            self.assertEqual(len(list(self.ds)), count)
            self.assertEqual(len(self.ds.sampler()), count)
            self.assertEqual(len(self.ds.column("label")), count)
            self.assertEqual(self.ds.stats("label")["rows"], count)
            self.assertEqual(self.ds.sql("SELECT count(*) FROM records").fetchall(), [(count,)])
            self.assertEqual(self.ds.info["records"], count)
            self.assertEqual(len(self.ds.arrow()), count)
            self.assertIn(f"{count:,} records", repr(self.ds))

        def test_iteration_is_over_what_is_there(self) -> None:
            self.assertEqual(list(self.ds), self.payloads)
            self.assertEqual(list(reversed(self.ds)), self.payloads[::-1])
            self.assertEqual(np.asarray(self.ds).tolist(), self.payloads)
            self.assertEqual(self.ds.count(self.payloads[-1]), 1)
            self.assertIn(self.payloads[0], self.ds)

        def test_a_number_is_an_ordinal(self) -> None:
            for number in [*self.there[:3], *self.there[-3:]]:
                payload = self.expected[number]
                name = ofindex.decode([payload], FEATURES)["name"][0]
                for given in (number, number - self.end):
                    self.assertEqual(self.reads(self.ds, given), [payload] * 4 + [name] * 2)
                self.assertEqual(self.ds.index(payload), number)
            self.assertEqual(self.ds.__getitems__(self.there), self.payloads)
            self.assertEqual(self.ds.batch(self.there, FEATURES)["name"].tolist(), self.values("name"))

        def test_reading_a_gap_is_an_index_error_that_names_the_shard(self) -> None:
            for number in [*self.gaps[:2], *self.gaps[-2:]]:
                for read in (
                    lambda given: self.ds[given],
                    lambda given: self.ds.buffer(given),
                    lambda given: self.ds.record(given),
                    lambda given: self.ds.locate(given),
                    lambda given: self.ds.__getitems__([self.there[0], given]),
                    lambda given: self.ds[[self.there[0], given]],
                    lambda given: self.ds.batch([self.there[0], given], FEATURES),
                ):
                    for given in (number, number - self.end):
                        with self.assertRaisesRegex(IndexError, rf"record {number} is gone: its shard data/part-\d "):
                            read(given)

        def test_numbers_outside_the_ordinals_do_not_exist(self) -> None:
            for number in (self.end, -self.end - 1, 2**62):
                for read in (self.ds.__getitem__, self.ds.buffer, self.ds.record):
                    with self.assertRaisesRegex(IndexError, "does not exist"):
                        read(number)

        def test_slices_are_by_ordinal_and_give_what_is_there(self) -> None:
            for key in SLICES:
                with self.subTest(key=key):
                    self.check(self.ds[key], [n for n in range(*key.indices(self.end)) if n in self.expected])

        def test_views_of_views_are_numbered_from_0(self) -> None:
            view = self.ds[:]
            self.check(view, self.there)
            self.check(view[2:-1], self.there[2:-1])
            self.check(view[::-1][1:3], self.there[::-1][1:3])
            self.check(self.ds[self.there[::-1]], self.there[::-1])
            picks = [*self.there[-2:], *self.there[:2]]
            self.assertEqual(list(self.ds[picks]), [self.expected[number] for number in picks])

        def test_masks_are_over_what_is_there(self) -> None:
            labels = self.values("label")
            wanted = [number for number, label in zip(self.there, labels, strict=True) if label == 3]
            self.check(self.ds[self.ds.column("label") == 3], wanted)
            with self.assertRaises(IndexError):
                self.ds[np.zeros(len(self.there) + 1, dtype=bool)]

        def test_columns_are_over_what_is_there(self) -> None:
            self.assertEqual(self.ds.column("_id").tolist(), self.there)
            self.assertEqual(self.ds.column("label").tolist(), self.values("label"))
            self.assertEqual(self.ds.column("name").tolist(), [name.decode() for name in self.values("name")])
            boxes = self.values("boxes")
            for found, expected in zip(self.ds.column("boxes"), boxes, strict=True):
                self.assertEqual(found.tolist(), expected.tolist())
            backwards = self.ds[::-1]
            self.assertEqual(backwards.column("label").tolist(), self.values("label")[::-1])

        @unittest.skipUnless(importlib.util.find_spec("pyarrow"), "no pyarrow")
        def test_arrow_is_over_what_is_there(self) -> None:
            import pyarrow

            table = pyarrow.table(self.ds.arrow(["_id", "label"]))
            self.assertEqual(table["_id"].to_pylist(), self.there)
            self.assertEqual(table["label"].to_pylist(), self.values("label"))
            self.assertEqual(pyarrow.table(self.ds)["_id"].to_pylist(), self.there)

        def test_statistics_are_of_what_is_there(self) -> None:
            labels = self.values("label")
            for ds in (self.ds, self.ds[:], self.ds[::-1]):
                stats = ds.stats("label", top=20)
                self.assertEqual((stats["count"], stats["min"], stats["max"]), (len(labels), min(labels), max(labels)))
                self.assertAlmostEqual(stats["mean"], sum(labels) / len(labels))
                self.assertEqual({one["value"]: one["count"] for one in stats["top"]}, Counter(labels))

        def test_where_selects_from_what_is_there(self) -> None:
            small = [n for n, label in zip(self.there, self.values("label"), strict=True) if label < 4]
            self.check(self.ds.where("label < 4"), small)
            self.check(self.ds.where("_id >= 0"), self.there)
            self.check(self.ds[3:320].where("label < 4"), [number for number in small if 3 <= number < 320])
            self.assertEqual([len(self.ds.where("_id = ?", [gap])) for gap in self.gaps[:3]], [0] * len(self.gaps[:3]))

        def test_a_record_stays_in_its_part_of_a_split(self) -> None:
            for key, before in self.parts_before.items():
                for part, old in zip(self.split(self.ds, key).values(), before, strict=True):
                    found = part.ordinals(range(len(part))).tolist()
                    same = [n for n in self.there if n < FIRST[-1]]
                    self.assertEqual([n for n in found if n < FIRST[-1]], [n for n in same if n in old])

        def test_a_split_is_of_what_is_there(self) -> None:
            for options in ({}, {"key": "label"}, {"stratify": "label"}):
                parts = self.ds.split({"train": 0.6, "test": 0.4}, **options)
                found = [n for part in parts.values() for n in part.ordinals(range(len(part))).tolist()]
                self.assertEqual(sorted(found), self.there)

        def test_a_sampler_yields_the_ordinals_of_what_is_there(self) -> None:
            for options in ({}, {"block": 4}, {"block": "auto"}):
                sampler = self.ds.sampler(seed=5, **options)
                order = list(sampler)
                self.assertEqual(sorted(order), self.there)
                self.assertEqual([self.ds[n] for n in order], [self.expected[n] for n in order])
                self.assertEqual(self.ds[self.ds.sampler(seed=5, **options).take(4)][0], self.expected[order[0]])
            ranks = [list(self.ds.sampler(seed=5, rank=rank, world_size=3)) for rank in range(3)]
            self.assertEqual(sorted(n for rank in ranks for n in rank), self.there)
            self.assertEqual(sorted(self.ds[:].sampler(seed=5)), list(range(len(self.there))))

        def test_draws_are_of_what_is_there(self) -> None:
            weights = dict(zip(self.there, self.values("weight"), strict=True))
            drawn = set(self.ds.sampler(seed=2, weights="weight"))
            self.assertLessEqual(drawn, {number for number, weight in weights.items() if weight > 0})
            labels = dict(zip(self.there, self.values("label"), strict=True))
            balanced = list(self.ds.sampler(seed=2, balance="label"))
            self.assertEqual({labels[number] for number in balanced}, set(labels.values()))

        def test_a_pickle_has_the_same_gaps(self) -> None:
            for ds in (self.ds, self.ds[:], self.ds.where("label < 4"), self.ds[::-1]):
                copy = pickle.loads(pickle.dumps(ds))
                self.assertEqual((copy, list(copy), len(copy)), (ds, list(ds), len(ds)))
            copy = pickle.loads(pickle.dumps(self.ds))
            for gap in self.gaps[:1]:
                self.assertRaises(IndexError, copy.__getitem__, gap)
            sampler = pickle.loads(pickle.dumps(self.ds.sampler(seed=5)))
            self.assertEqual(list(sampler), list(self.ds.sampler(seed=5)))

        def test_rows_in_a_gap_from_a_forged_pickle_are_errors(self) -> None:
            for gap in self.gaps[:1]:
                reopen, (index, options, identity, _) = self.ds.__reduce__()
                for rows in (
                    b"\0" + gap.to_bytes(8, "little") + (gap + 1).to_bytes(8, "little"),
                    b"\2" + self.there[0].to_bytes(8, "little") + gap.to_bytes(8, "little"),
                ):
                    forged = reopen(index, options, identity, rows)
                    self.assertRaises(IndexError, list, forged)
                    for name in ("_id", "_shard", "label", "name", "boxes"):
                        self.assertRaises(IndexError, forged.column, name)
                    self.assertLess(forged.stats("label")["count"], len(forged))

        def test_a_mix_is_of_what_is_there(self) -> None:
            other = self.examples(20, "other/")
            for datasets in ([self.ds, other], [other, self.ds]):
                mix = ofindex.mix(datasets)
                expected = [payload for ds in datasets for payload in ds]
                self.assertEqual((len(mix), list(mix)), (len(expected), expected))
                self.assertEqual([mix[number] for number in range(len(mix))], expected)
                self.assertEqual(mix.__getitems__(range(len(mix))), expected)
                names = [ofindex.decode([payload], FEATURES)["name"][0] for payload in expected]
                self.assertEqual(mix.batch(range(len(mix)), FEATURES)["name"].tolist(), names)
                self.assertEqual(sorted(mix.sampler(seed=1)), list(range(len(mix))))
                self.assertEqual(pickle.loads(pickle.dumps(mix)), mix)

        def test_iteration_over_an_adapter_does_not_stop_at_a_gap(self) -> None:
            source = DataSource(self.ds)
            self.assertEqual((len(source), list(source)), (len(self.there), self.payloads))
            self.assertEqual(source[self.there[-1]], self.payloads[-1])
            names = [item["name"] for item in DataSource(self.ds, {"name": FEATURES["name"]})]
            self.assertEqual(names, self.values("name"))

        @unittest.skipUnless(importlib.util.find_spec("torch"), "no torch")
        def test_torch_reads_what_is_there(self) -> None:
            import torch.utils.data

            items = ofindex.torch.Dataset(self.ds)
            self.assertEqual((len(items), list(items)), (len(self.there), self.payloads))
            sampler = self.ds.sampler(seed=1)
            batches = torch.utils.data.DataLoader(items, batch_size=16, sampler=sampler, collate_fn=list)
            self.assertEqual(sorted(p for batch in batches for p in batch), sorted(self.payloads))
            for sampler in (None, self.ds.sampler(seed=1), self.there):
                loader = ofindex.torch.Loader(self.ds, FEATURES, batch_size=16, sampler=sampler)
                names = [name for batch in loader for name in batch["name"].tolist()]
                self.assertEqual(sorted(names), sorted(self.values("name")))

        def test_only_the_opened_dataset_has_sql_and_schema(self) -> None:
            self.assertEqual(self.ds.schema["label"]["present"], len(self.there))
            if self.gaps:
                self.assertRaises(AttributeError, self.ds[:].sql, "SELECT 1")
                self.assertNotEqual(self.ds[:], self.ds)


class NoGap(Gaps.Tests):
    pass


class GapFirst(Gaps.Tests):
    def history(self) -> None:
        self.go(0)


class GapInTheMiddle(Gaps.Tests):
    def history(self) -> None:
        self.go(1)


class GapLast(Gaps.Tests):
    def history(self) -> None:
        self.go(3)


class AllGoneButOneShard(Gaps.Tests):
    def history(self) -> None:
        self.go(0, 1, 3)


class Grown(Gaps.Tests):
    def history(self) -> None:
        self.grow(1, 6)


class GrownWithAGap(Gaps.Tests):
    def history(self) -> None:
        self.grow(2, 6)
        self.go(1)


class Changed(Gaps.Tests):
    def history(self) -> None:
        new = [example(2000 + number) for number in range(12)]
        self.write(PATHS[0], new)
        for number in range(FIRST[0], FIRST[1]):
            del self.expected[number]
        self.expected.update(enumerate(new, self.end))
        self.end += len(new)
        self.update()


class GrownAndGone(Gaps.Tests):
    """The last ordinals are in a gap, too."""

    def history(self) -> None:
        self.grow(1, 6)
        self.go(1)
        for number in range(FIRST[-1], self.end):
            del self.expected[number]


if __name__ == "__main__":
    unittest.main()

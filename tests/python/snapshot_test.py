"""An open Dataset keeps reading the index that it opened, whatever happens to its file or the working directory."""

from __future__ import annotations

import os
import pickle
import shutil
import subprocess
import sys
import unittest
from collections.abc import Callable
from typing import Any

import numpy as np
import ofindex
import ofindex.torch
from oracle import messages
from python.work import WorkTest, in_new_process


def numbered(first: int, count: int, extra: bool = False) -> list[bytes]:
    """Examples with a = first, first + 1, ..., and a weight; `extra` adds another feature."""
    return [
        messages.encode(
            "example",
            {
                "a": ("int64", [number]),
                "weight": ("float", [1.0 + number % 3]),
                "name": ("bytes", [b"record %d" % number]),
                **({"more": ("int64", [1])} if extra else {}),
            },
        )
        for number in range(first, first + count)
    ]


def rows_of(table: Any) -> list[list[Any]]:
    import pyarrow

    return [column.to_pylist() for column in pyarrow.table(table).columns]


Ask = Callable[[ofindex.Dataset], Any]

# Every function that answers from an index.
DOORS: dict[str, Ask] = {
    "record": lambda ds: ds[7],
    "records": lambda ds: ds.__getitems__([3, 1, 4]),
    "all records": lambda ds: list(ds),
    "buffer": lambda ds: bytes(ds.buffer(5)),
    "decoded": lambda ds: str(ds.record(5)),
    "batch": lambda ds: ds.batch(range(9), {"a": ofindex.fixed("int64")})["a"].tolist(),
    "length": len,
    "slice": lambda ds: list(ds[10:20:3]),
    "where": lambda ds: list(ds.where("a % 10 = 3")),
    "where of a view": lambda ds: list(ds[5:25].where("a % 10 = 3")),
    "where by places": lambda ds: list(ds.where("_offset > 200")),
    "sql": lambda ds: ds.sql("SELECT _id, a, name FROM records").fetchall(),
    "sql of places": lambda ds: ds.sql("SELECT _shard, _offset, _length FROM records").fetchall(),
    "sql of shards": lambda ds: ds.sql("SELECT * FROM shards").fetchall(),
    "sql of features": lambda ds: ds.sql("SELECT * FROM features").fetchall(),
    "column": lambda ds: ds.column("a").tolist(),
    "column of lengths": lambda ds: ds.column("_length").tolist(),
    "column of names": lambda ds: list(ds.column("name")),
    "arrow": lambda ds: rows_of(ds.arrow()),
    "arrow stream": rows_of,
    "stats": lambda ds: ds.stats("a"),
    "schema": lambda ds: ds.schema,
    "info": lambda ds: ds.info,
    "verify": lambda ds: ds.verify(),
    "split": lambda ds: {name: list(part) for name, part in ds.split({"a": 0.5, "b": 0.5}).items()},
    "split by a key": lambda ds: {name: list(part) for name, part in ds.split({"a": 0.5, "b": 0.5}, key="a").items()},
    "split by classes": lambda ds: {k: list(v) for k, v in ds.split({"a": 0.5, "b": 0.5}, stratify="weight").items()},
    "sampler": lambda ds: list(ds.sampler(seed=3)),
    "sampler by weights": lambda ds: list(ds.sampler(seed=3, weights="weight")),
    "sampler by balance": lambda ds: list(ds.sampler(seed=3, balance="weight")),
    "sampler by blocks": lambda ds: list(ds.sampler(seed=3, block="auto")),
    "sampler state": lambda ds: ds.sampler(seed=3).state_dict(),
    "repr": repr,
    "mix": lambda ds: list(ofindex.mix([ds, ds[:10]], weights=[1, 2]).sampler(seed=1)),
    "loader": lambda ds: [
        batch["a"].tolist() for batch in ofindex.torch.Loader(ds, {"a": ofindex.fixed("int64")}, batch_size=7, seed=1)
    ],
}


class SnapshotTest(WorkTest):
    def setUp(self) -> None:
        super().setUp()
        self.index = self.dir / "named.ofidx"
        for name, first, count, extra in (
            ("own/", 100, 30, False),
            ("as-many/", 95, 30, False),
            ("fewer/", 500, 20, False),
            ("more/", 900, 50, False),
            ("wider/", 100, 30, True),
        ):
            self.write(name, numbered(first, count, extra))

    def build(self, folder: str, **options: Any) -> None:
        ofindex.build(self.dir / folder, self.index, force=True, progress=False, **options)

    def open(self) -> ofindex.Dataset:
        return ofindex.open(self.index)

    def changes(self) -> dict[str, Callable[[], object]]:
        other = self.dir / "other.ofidx"

        def overwrite() -> None:
            ofindex.build(self.dir / "as-many", other, force=True, progress=False)
            shutil.copyfile(other, self.index)

        return {
            "other data with the same number of records": lambda: self.build("as-many"),
            "fewer records": lambda: self.build("fewer"),
            "more records": lambda: self.build("more"),
            "other columns": lambda: self.build("own", columns=["name"]),
            "more features": lambda: self.build("wider"),
            "no hashes": lambda: self.build("own", verify=False),
            "deleted": self.index.unlink,
            "overwritten in place": overwrite,
            "cut": lambda: os.truncate(self.index, 100),
        }

    def test_every_method_gives_the_old_answer_or_a_stale_error(self) -> None:
        for name in list(self.changes()):
            for asked_before in (False, True):
                self.build("own")
                ds = self.open()
                answers = {door: str(ask(ds)) for door, ask in DOORS.items()}
                if not asked_before:
                    ds = self.open()
                in_place = name in ("overwritten in place", "cut")
                self.changes()[name]()
                old = 0
                for door, ask in DOORS.items():
                    with self.subTest(name, door=door, asked_before=asked_before):
                        try:
                            answer = str(ask(ds))
                        except ofindex.StaleError:
                            self.assertTrue(in_place)
                        else:
                            self.assertEqual(answer, answers[door])
                            old += 1
                self.assertGreater(old, 3)
                if self.index.exists():
                    self.index.unlink()

    def test_existing_views_samplers_and_tables_keep_working(self) -> None:
        self.build("own")
        expected = [payload for payload in numbered(100, 30) if b"record 103" in payload]
        ds = self.open()
        lazy, table, sampler = ds.where("a = 103"), ds.arrow(["a"]), ds.sampler(weights="weight")
        state = {**sampler.state_dict()}
        self.build("as-many")
        self.assertEqual(list(lazy), expected)
        self.assertEqual(rows_of(table), [list(range(100, 130))])
        sampler.load_state_dict(state)
        self.assertEqual(next(iter(self.open().where("a = 103"))), numbered(103, 1)[0])

    def test_a_pickle_can_be_loaded_only_with_the_index_that_was_open(self) -> None:
        self.build("own")
        ds = self.open()
        things = [ds, ds[3:9], ds.where("a > 110"), ofindex.mix([ds, ds[:5]]), ds.sampler(weights="weight")]
        pickles = [pickle.dumps(thing) for thing in things]
        for bytes_ in pickles:
            pickle.loads(bytes_)
        for folder, options in (
            ("as-many", {}),
            ("more", {}),
            ("own", {"columns": ["name"]}),
            ("own", {"verify": False}),
        ):
            self.build(folder, **options)
            for bytes_ in [*pickles, *map(pickle.dumps, things)]:
                with self.subTest(folder=folder, options=options), self.assertRaises(ofindex.StaleError):
                    pickle.loads(bytes_)
        self.build("own")
        for bytes_ in pickles:
            pickle.loads(bytes_)  # the index is the same again

    def test_a_forked_child_uses_the_index_of_its_parent(self) -> None:
        self.build("own")
        ds = self.open()
        self.assertEqual(ds.column("a").tolist(), list(range(100, 130)))
        self.assertEqual(ds.sql("SELECT min(a) FROM records").fetchall(), [(100,)])
        self.build("as-many")
        child = os.fork()
        if child == 0:
            code = 1
            try:
                same = ds.column("a").tolist() == list(range(100, 130))
                found = list(ds.where("a = 103")) == numbered(103, 1)
                rows = ds.sql("SELECT max(a) FROM records").fetchall() == [(129,)]
                code = 0 if same and found and rows else 2
            finally:
                os._exit(code)
        self.assertEqual(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), 0)

    def test_record_and_column_agree_while_another_process_rebuilds_repeatedly(self) -> None:
        self.build("own")
        builder = """
import sys, ofindex
for number in range(int(sys.argv[2])):
    for folder in ("as-many", "fewer", "more", "own"):
        ofindex.build(f"{sys.argv[1]}/{folder}", f"{sys.argv[1]}/named.ofidx", force=True, progress=False)
"""
        rounds = os.environ.get("OFINDEX_REBUILDS", "3")
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
        opened = 0
        with subprocess.Popen([sys.executable, "-c", builder, str(self.dir), rounds], env=environment) as process:
            while process.poll() is None:
                ds = self.open()
                column = ds.column("a")
                records = ds.batch(range(len(ds)), {"a": ofindex.fixed("int64")})["a"]
                np.testing.assert_array_equal(column, records)
                value = int(column[3])
                self.assertEqual(list(ds.where("a = ?", (value,))), [ds[3]])
                self.assertEqual(ds.sql("SELECT count(*) FROM records").fetchall(), [(len(ds),)])
                opened += 1
            self.assertEqual(process.returncode, 0)
        self.assertGreater(opened, 0)


class WorkingDirectoryTest(WorkTest):
    def setUp(self) -> None:
        super().setUp()
        self.addCleanup(os.chdir, os.getcwd())
        self.write("data/", numbered(100, 30))
        ofindex.build(self.dir / "data", progress=False)
        (self.dir / "elsewhere").mkdir()

    def test_a_dataset_opened_by_a_relative_path_works_in_any_directory(self) -> None:
        os.chdir(self.dir)
        expected = {door: str(ask(ofindex.open("data"))) for door, ask in DOORS.items()}
        for root in (None, "."):
            os.chdir(self.dir)
            ds = ofindex.open("data", root=root)
            sampler = ds.sampler(weights="weight")
            os.chdir(self.dir / "elsewhere")
            for door, ask in DOORS.items():
                with self.subTest(door, root=root):
                    self.assertEqual(str(ask(ds)), expected[door])
            again = pickle.loads(pickle.dumps((ds, sampler)))
            self.assertEqual(list(again[0]), list(ds))
            self.assertIn("'data.ofidx'", repr(ds))

    def test_errors_show_the_path_as_it_was_given(self) -> None:
        os.chdir(self.dir)
        ds = ofindex.open("data")
        (self.dir / "data/part-0").unlink()
        os.chdir(self.dir / "elsewhere")
        with self.assertRaisesRegex(ofindex.StaleError, "^data/part-0: "):
            ds[0]


class MapTest(WorkTest):
    """A reader survives any change to its map."""

    def test_a_process_survives_any_change_to_the_map_in_place(self) -> None:
        self.write("data/", numbered(0, 3000))
        ofindex.build(self.dir / "data", progress=False)
        self.write("other/", numbered(50_000, 2900))
        ofindex.build(self.dir / "other", progress=False)
        printed = in_new_process(
            """
import os, random, sys, threading, time
import ofindex, ofindex.torch
from oracle import messages
folder = sys.argv[1]
path = f"{folder}/data.ofidx-map"
own, other = open(path, "rb").read(), open(f"{folder}/other.ofidx-map", "rb").read()
records = list(ofindex.open(f"{folder}/data"))
features = {"a": ofindex.fixed("int64")}
end = time.monotonic() + float(sys.argv[2])
right, errors, wrong = [], [], []

def write(data, cut):
    with open(path, "r+b") as file:
        file.write(data)
        if cut: file.truncate()

attacks = [
    lambda: os.truncate(path, 0),
    lambda: os.truncate(path, len(own) // 2),
    lambda: write(bytes(len(own)), False),
    lambda: write(os.urandom(len(own)), False),
    lambda: write(other, True),
    lambda: write(other, False),
]

def read(seed):
    r = random.Random(seed)
    while time.monotonic() < end:
        try:
            ds = ofindex.open(f"{folder}/data")  # its map is rebuilt, next to the index or by rename
        except ofindex.Error:
            errors.append(1)
            continue
        for _ in range(20):
            some = [r.randrange(3000) for _ in range(50)]
            for ask, expected in (
                (lambda: ds[some[0]], records[some[0]]),
                (lambda: ds.__getitems__(some), [records[i] for i in some]),
                (lambda: [bytes(ds.buffer(some[1]))], [records[some[1]]]),
                (lambda: list(ds[some[2]:some[2] + 9]), records[some[2]:some[2] + 9]),
                (lambda: ds.column("_length")[some].tolist(), [len(records[i]) for i in some]),
                (lambda: ds.batch(some, features)["a"].tolist(), some),
                (lambda: len(list(ds.sampler(block="auto"))), 3000),
                (lambda: next(iter(ofindex.torch.Loader(ds[some[0]:some[0]+1], features, batch_size=1)))["a"].tolist(),
                 [some[0]]),
            ):
                try:
                    (right if ask() == expected else wrong).append(1)
                except ofindex.Error:
                    errors.append(1)

threads = [threading.Thread(target=read, args=(seed,)) for seed in range(3)]
for thread in threads: thread.start()
r = random.Random(9)
while time.monotonic() < end:
    try:
        r.choice(attacks)()
        time.sleep(r.random() * 0.01)
        write(own, True)
        if r.random() < 0.5: time.sleep(0.03)
    except FileNotFoundError:
        pass
for thread in threads: thread.join()
print(len(wrong), len(right) > 0, len(errors) > 0)
""",
            self.dir,
            os.environ.get("OFINDEX_LIVE_SECONDS", "3"),
        )
        self.assertEqual(printed, "0 True True\n")


if __name__ == "__main__":
    unittest.main()

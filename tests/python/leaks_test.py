"""Memory, descriptors and threads do not leak over a million reads, nor over many epochs."""

from __future__ import annotations

import importlib.util
import unittest

from python.work import WorkTest, in_new_process

# Runs work() `rounds` times to warm up and again to measure, and checks that nothing has grown in between.
MEASURE = """
import ctypes, gc, os, sys, time
import ofindex
ds = ofindex.open(sys.argv[1])
rounds, bound = int(sys.argv[2]), int(sys.argv[3])

def count(folder):
    return len(os.listdir(folder))

def state():
    gc.collect()
    getattr(ctypes.CDLL(None), "malloc_trim", int)(0)  # memory that malloc keeps is not a leak
    with open("/proc/self/statm") as statm:
        pages = int(statm.read().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE"), count("/proc/self/fd"), count("/proc/self/task")

def settled(threads):  # threads may take a moment to end
    for _ in range(1000):
        if count("/proc/self/task") <= threads: break
        time.sleep(0.01)
    return state()

{work}

for number in range(rounds): work(number)
memory, files, threads = state()
for number in range(rounds): work(number)
now = settled(threads)
assert now[0] - memory < bound, f"{{now[0] - memory:,}} bytes more"
assert now[1] <= files, f"{{now[1]}} descriptors instead of {{files}}"
assert now[2] <= threads, f"{{now[2]}} threads instead of {{threads}}"
print("steady")
"""

BOUND = 4 << 20


class LeaksTest(WorkTest):
    def check(self, work: str, rounds: int) -> None:
        index = self.examples(500)._source.index_path
        # With several malloc arenas, memory would grow when one of them is used for the first time.
        printed = in_new_process(MEASURE.format(work=work), index, rounds, BOUND, MALLOC_ARENA_MAX="1")
        self.assertEqual(printed, "steady\n")

    def test_a_million_reads_leak_nothing(self) -> None:
        self.check(
            """
import random
features = {"label": ofindex.fixed("int64"), "name": ofindex.fixed("bytes"), "boxes": ofindex.ragged("float32")}
numbers = [random.Random(1).randrange(500) for _ in range(100)]

def work(number):  # 5,000 reads
    for row in numbers * 10: ds[row]
    for row in numbers * 10: ds.buffer(row)
    for row in numbers: ds.record(row)
    for _ in range(20): ds.__getitems__(numbers)
    for _ in range(9): ds.batch(numbers, features)
""",
            200,
        )

    def test_writing_leaks_nothing(self) -> None:
        self.check(
            """
import numpy as np
from tempfile import TemporaryDirectory
kept = TemporaryDirectory()
folder = kept.name
record = {"a": 1, "b": [0.5, 1.5], "c": "text", "d": np.arange(5), "e": [b"x", bytearray(b"y")], "f": memoryview(b"z")}
wrong = [{"a": [1, "b"]}, {"a": object()}, {"a": [None]}, {1: 2}, 5, {"a": np.array(["2020"], "M8[D]")}, {"\\udcff": 1}]

def work(number):  # 600 records, and one abandoned writer
    path = f"{folder}/{number % 4}.tfrecord"
    with ofindex.Writer(path, payload=("example", "sequence_example")[number % 2], append=number % 3 == 0) as writer:
        for _ in range(100):
            writer.write(record)
            writer.write(b"payload")
            for one in wrong:
                try: writer.write(one)
                except Exception: continue
                raise AssertionError(one)
    ofindex.Writer(path, force=True).abandon()
    os.remove(path)
    ofindex.pack([record] * 10, path, "tfrecord", seed=1)
    os.remove(path)
""",
            60,
        )

    def test_errors_leak_nothing(self) -> None:
        self.check(
            """
def work(number):
    for wrong in (
        lambda: ds[500],
        lambda: ds["5"],
        lambda: ds.__getitems__([0, 500]),
        lambda: ds.batch([0], {"nothing": ofindex.fixed("int64")}),
        lambda: ds.batch([0], {"boxes": ofindex.fixed("float32")}),
        lambda: len(ds.where("nothing = 3")),
        lambda: ds.sql("SELECT nothing FROM records"),
        lambda: ds.sampler(tail="both"),
        lambda: ofindex.open("/nothing/there"),
    ):
        try: wrong()
        except Exception: continue
        raise AssertionError(wrong)
""",
            300,
        )

    def test_datasets_views_and_samplers_leak_nothing(self) -> None:
        self.check(
            """
import pickle

def work(number):
    opened = ofindex.open(sys.argv[1])
    view = opened.where("label = ?", (number % 10,))
    assert len(view) == 50
    sampler = view[::-1].sampler(seed=number)
    iterator = iter(sampler)
    next(iterator)
    twin = pickle.loads(pickle.dumps(sampler))
    assert list(twin) == list(iterator)
    mix = ofindex.mix([view, opened[:10]], [1, 1])
    assert len(list(mix.sampler())) == 60
    assert opened.sql("SELECT count(*) FROM records").fetchone() == (500,)
    assert opened.column("label").sum() == 2250
    opened.arrow(["label"]).__arrow_c_stream__()
    opened.sql("SELECT label FROM records").__arrow_c_stream__()
    opened.sql("SELECT label FROM records").fetchone()
""",
            150,
        )

    @unittest.skipUnless(importlib.util.find_spec("torch"), "torch is not installed")
    def test_epochs_of_a_loader_leak_nothing(self) -> None:
        self.check(
            """
import ofindex.torch
features = {"label": ofindex.fixed("int64"), "name": ofindex.fixed("bytes"), "boxes": ofindex.ragged("float32")}

class Numbers:
    def __iter__(self): return iter(range(500))

mix = ofindex.mix([ds, ds[:100]], [1, 1])
loaders = [
    ofindex.torch.Loader(ds, features, 16, threads=2),
    ofindex.torch.Loader(ds, features, 16, transform=lambda batch: batch),
    ofindex.torch.Loader(ds, features, 16, sampler=Numbers()),
    ofindex.torch.Loader(mix, features, 16),
]
wrong = ofindex.torch.Loader(ds, {"boxes": ofindex.fixed("float32")}, 16)

def work(number):
    for loader in loaders:
        assert sum(len(batch["label"]) for batch in loader) in (500, 600)
        for batch in loader: break
        iter(loader)
    try: next(iter(wrong))
    except ofindex.FeatureError: pass
""",
            50,
        )


if __name__ == "__main__":
    unittest.main()

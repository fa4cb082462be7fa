"""The interpreter exits while other threads are inside the package: nothing crashes or hangs."""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
import unittest
from concurrent.futures import ThreadPoolExecutor

from python.work import WorkTest

#: How often each scenario is run. Every run ends at a different moment.
RUNS = int(os.environ.get("OFINDEX_EXITS", "1"))

#: Processes that run together.
TOGETHER = 4

#: Seconds after which a process counts as hanging.
PATIENCE = 120

# Two daemon threads call work() in endless loops; the interpreter ends after both have begun.
DAEMONS = """
import sys, threading, time
import ofindex
{setup}
ds, folder, delay = ofindex.open(sys.argv[1]), sys.argv[2], float(sys.argv[3])
numbers = list(range(len(ds)))
features = {{"label": ofindex.fixed("int64"), "boxes": ofindex.ragged("float32")}}
payloads = ds.__getitems__(range(50))

def work(thread, turn):
    {work}

began = threading.Semaphore(0)

def loop(thread):
    turn = 0
    while True:
        began.release()
        work(thread, turn)
        turn += 1

for thread in range(2):
    threading.Thread(target=loop, args=(thread,), daemon=True).start()
for _ in range(2):
    began.acquire()
time.sleep(delay)
print("end", flush=True)
"""

# A loop over a tf.data.Dataset is left early, while TensorFlow's threads fill the dataset.
TENSORFLOW = """
import os, sys, time
os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
import numpy, tensorflow as tf
{dataset}
batches = dataset.prefetch(8).repeat()
for number, batch in enumerate(batches):
    if number == 20: break
time.sleep(float(sys.argv[3]))
print("end", flush=True)
"""

LABEL = '{"label": ofindex.fixed("int64")}'

#: What a thread does when the interpreter ends.
SCENARIOS = {
    "a loop without ofindex": "sum(numbers)",
    "ds[number]": "ds[turn % len(ds)]",
    "ds.__getitems__": "ds.__getitems__(numbers)",
    "iterating": "for record in ds: pass",
    "buffer": "ds.buffer(turn % len(ds))",
    "buffer of a shard just opened": "ofindex.open(sys.argv[1]).buffer(turn % len(ds))",
    "record": "ds.record(turn % len(ds))",
    "batch": "ds.batch(numbers, features)",
    "decode": "ofindex.decode(payloads, features, payload='example')",
    "open": "ofindex.open(sys.argv[1])",
    "where": "len(ds.where('label = 3 AND weight > 2'))",
    "a view that is evaluated when it is read": "ds.where('label = 3')[0]",
    "sql": "list(ds.sql('SELECT label, count(*) FROM records GROUP BY 1'))",
    "sql that takes long": "list(ds.sql('SELECT count(*) FROM records a, records b, records c, records d'))",
    "column": "ds.column('label')",
    "arrow": "ds.arrow().__arrow_c_stream__()",
    "stats": "ds.stats('label')",
    "split": "ds.split({'train': 0.9, 'test': 0.1})",
    "sampler": "list(ds.sampler(seed=turn))",
    "verify, and its progress": "ds.verify(progress=lambda *done: None)",
    "build, and its progress": "ofindex.build(sys.argv[4], f'{folder}/{thread}', force=True, progress=print_nothing)",
    "pack": "ofindex.pack([{'a': n} for n in range(500)], f'{folder}/{thread}-{turn}.tfrecord', 'tfrecord')",
    "Writer": "write(f'{folder}/{thread}-{turn}.tfrecord')",
    "a callback in Python": "ds.verify(progress=lambda *done: sum(range(1000)))",
    "an ordinal computed by Python code": "ds[Number()]",
    "a record with values computed by Python code": "write_odd(f'{folder}/{thread}-{turn}.tfrecord')",
}

SETUP = """
def print_nothing(*done): pass
class Number:
    def __index__(self): return sum(range(1000)) % 2
class Values(dict):
    def items(self):
        for number in range(3): yield f"a{number}", [sum(range(1000))]
def write(path):
    with ofindex.Writer(path) as out:
        for number in range(2000): out.write({"label": number, "name": b"n" * 100})
def write_odd(path):
    with ofindex.Writer(path) as out:
        for number in range(2000): out.write(Values(a=1))
"""

# Loaders without torch: its tensors themselves abort the process when daemon threads make them while it exits
# (torch 2.13: 36 of 40 runs with torch.from_numpy alone).
LOADERS = {
    "Loader": f"for batch in ofindex.Loader(ds, {LABEL}, 8): pass",
    "Loader of an order in Python": f"for batch in ofindex.Loader(ds, {LABEL}, 8, numbers): pass",
    "Loader with a transform": f"for batch in ofindex.Loader(ds, {LABEL}, 8, transform=dict): pass",
    "Loader with length_batches": (
        f"for batch in ofindex.Loader(ds, {LABEL}, length_batches=ofindex.LengthBatches(500)): pass"
    ),
}


class ExitTest(WorkTest):
    def outcome(self, source: str, run: int) -> str:
        """Runs `source` in a process. Returns "end" if the process ends normally, otherwise what went wrong."""
        folder = self.dir / f"run-{run}-{abs(hash(source))}"
        folder.mkdir()
        command = [sys.executable, "-c", source, str(self.index), str(folder), str(run * 0.003 % 0.05), str(self.data)]
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
        try:
            done = subprocess.run(command, capture_output=True, text=True, env=environment, timeout=PATIENCE)
        except subprocess.TimeoutExpired:
            return f"hangs after {PATIENCE} s"
        if done.returncode == 0 and done.stdout == "end\n":
            return "end"
        return f"exit code {done.returncode}: {done.stdout[-200:]}{done.stderr[-1500:]}"

    def outcomes(self, sources: dict[str, str], runs: int = RUNS) -> dict[str, dict[str, int]]:
        """Counts the outcomes of each of `sources` over `runs` runs."""
        counts: dict[str, dict[str, int]] = {name: {} for name in sources}
        with ThreadPoolExecutor(TOGETHER) as pool:
            ends = [(name, pool.submit(self.outcome, sources[name], run)) for run in range(runs) for name in sources]
            for name, end in ends:
                counts[name][end.result()] = counts[name].get(end.result(), 0) + 1
        if "OFINDEX_EXITS" in os.environ:
            for name, ended in counts.items():
                print(f"{name}: {ended}", file=sys.stderr)
        return counts

    def check(self, sources: dict[str, str]) -> None:
        for name, ended in self.outcomes(sources).items():
            with self.subTest(name):
                self.assertEqual(list(ended), ["end"])

    def check_beside(self, control: str, source: str) -> None:
        """Fails where `source` does not end normally and `control`, a framework alone, does in ten times the runs."""
        ended = self.outcomes({"ofindex": source})["ofindex"]
        if list(ended) != ["end"]:
            alone = self.outcomes({"control": control}, 10 * RUNS)["control"]
            self.assertNotEqual(list(alone), ["end"], ended)
            print(f"without ofindex: {alone}\nwith it: {ended}", file=sys.stderr)

    def setUp(self) -> None:
        super().setUp()
        self.data = self.dir / "data"
        self.index = self.examples(500)._source.index_path

    def test_the_interpreter_can_exit_while_daemon_threads_are_inside_any_call(self) -> None:
        self.check({name: DAEMONS.format(work=work, setup=SETUP) for name, work in SCENARIOS.items()})

    def test_the_interpreter_can_exit_while_daemon_threads_are_inside_a_loader(self) -> None:
        self.check({name: DAEMONS.format(work=work, setup="") for name, work in LOADERS.items()})

    @unittest.skipUnless(importlib.util.find_spec("torch"), "torch is not installed")
    def test_the_interpreter_can_exit_after_a_loader_was_left_early(self) -> None:
        self.check(
            {
                f"order {order}, kept: {kept}": (
                    "import sys, time, ofindex, ofindex.torch\n"
                    "ds = ofindex.open(sys.argv[1])\n"
                    f"loader = iter(ofindex.torch.Loader(ds, {LABEL}, 8, {order}, prefetch=64))\n"
                    "next(loader)\n"
                    f"{kept}\n"
                    "time.sleep(float(sys.argv[3]))\n"
                    "print('end', flush=True)\n"
                )
                for order, kept in (
                    ("None", ""),
                    ("list(range(len(ds)))", "import builtins; builtins.kept = loader"),
                    ("list(range(len(ds)))", "loader.itself = loader; del loader"),
                )
            }
        )

    @unittest.skipUnless(importlib.util.find_spec("tensorflow"), "tensorflow is not installed")
    def test_tensorflow_exits_as_it_does_without_ofindex(self) -> None:
        control = (
            "def batches():\n"
            "    while True: yield numpy.arange(8)\n"
            "dataset = tf.data.Dataset.from_generator(batches, output_signature=tf.TensorSpec([8], tf.int64))"
        )
        ours = f"import ofindex, ofindex.tf\ndataset = ofindex.tf.dataset(ofindex.open(sys.argv[1]), {LABEL}, 8)"
        self.check_beside(TENSORFLOW.format(dataset=control), TENSORFLOW.format(dataset=ours))


if __name__ == "__main__":
    unittest.main()

"""Loaders whose transform runs in worker processes: order, errors, ends of the processes."""

from __future__ import annotations

import json
import os
import pickle
import signal
import subprocess
import sys
import threading
import time
import traceback
import unittest
from contextlib import suppress
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
import ofindex
from python.plain_loader_test import LABEL, plain
from python.work import FEATURES, WorkTest, in_new_process

PATIENCE = 60


def with_process(batch: dict[str, Any]) -> dict[str, Any]:
    """Slower for some batches than for others."""
    time.sleep(0.002 * (int(batch["label"][0]) % 3))
    return {**batch, "process": os.getpid(), "random": np.random.random()}


class TwoPartError(Exception):
    """Cannot be unpickled, because its argument in the pickle is the text."""

    def __init__(self, first: str, second: str) -> None:
        super().__init__(f"{first} and {second}")


def fail(kind: str, batch: dict[str, Any]) -> Any:
    """Fails in the batch that holds record 56, the eighth batch of eight records."""
    if 56 / 8 not in batch["weight"]:
        return batch["weight"]
    if kind == "KeyError":
        raise KeyError("seven")
    if kind == "StopIteration":
        raise StopIteration
    if kind == "TwoPartError":
        raise TwoPartError("one", "two")
    if kind == "lambda":
        return lambda: 7
    return os.kill(os.getpid(), signal.SIGKILL)


def slow(batch: dict[str, Any]) -> int:
    time.sleep(0.05)
    return os.getpid()


def end_worker(batch: dict[str, Any]) -> int:
    if 7 in batch["label"]:
        time.sleep(0.5)  # until another batch is on its way, which no one reads
        os.kill(os.getpid(), signal.SIGKILL)
    return int(batch["label"][0])


def torch_state(batch: dict[str, Any]) -> Any:
    import torch

    return {"threads": torch.get_num_threads(), "pair": (batch["label"] + 1, [batch]), "seed": torch.initial_seed()}


def children() -> set[int]:
    """The processes that this process has begun."""
    begun: set[int] = set()
    for task in Path("/proc/self/task").iterdir():
        with suppress(OSError):  # the thread has ended
            begun |= set(map(int, task.joinpath("children").read_text().split()))
    return begun


class ProcessesTest(WorkTest):
    def setUp(self) -> None:
        super().setUp()
        self.ds = self.examples(203)

    def loader(self, transform: Any, **options: Any) -> ofindex.Loader:
        given: dict[str, Any] = {"sampler": range(203), "threads": 2, "processes": 2, **options}
        return ofindex.Loader(self.ds, LABEL, 8, transform=transform, **given)

    def until(self, condition: Any, text: str) -> None:
        end = time.monotonic() + PATIENCE
        while not condition():
            self.assertLess(time.monotonic(), end, text)
            time.sleep(0.01)

    def test_batches_keep_their_order_and_a_state_resumes(self) -> None:
        sampler = list(self.ds.sampler(seed=3))
        expected = [plain(self.ds.batch(sampler[at : at + 8], FEATURES)) for at in range(0, 203, 8)]
        loader = ofindex.Loader(self.ds, FEATURES, 8, seed=3, transform=with_process, processes=2)
        whole = list(loader)
        self.assertEqual([plain({name: batch[name] for name in FEATURES}) for batch in whole], expected)
        workers = {batch["process"] for batch in whole}
        self.assertNotIn(os.getpid(), workers)
        self.assertIn(len(workers), (1, 2))  # a worker may be late
        self.assertEqual(len({batch["random"] for batch in whole}), len(whole))  # no two workers have one seed
        loader.set_epoch(0)
        iterator = iter(loader)
        read = list(islice(iterator, 5))
        state = json.loads(json.dumps(loader.state_dict()))
        self.assertEqual(state["position"], 40)
        twin = pickle.loads(pickle.dumps(loader))
        self.assertEqual((twin.processes, twin.transform), (2, with_process))
        del iterator
        self.assertEqual([batch["label"].tolist() for batch in [*read, *twin]], [b["label"].tolist() for b in whole])

    def test_failures_are_raised_in_the_loop_at_their_batch_with_the_text_of_the_worker(self) -> None:
        for kind, error, text in (
            ("KeyError", KeyError, "seven"),
            ("StopIteration", RuntimeError, "the transform raised StopIteration"),
            ("TwoPartError", RuntimeError, "TwoPartError: one and two"),
            ("lambda", TypeError, "returned a function that cannot be pickled"),
            ("killed", RuntimeError, "a worker process of the Loader ended before it returned its batch\nlook for"),
        ):
            with self.subTest(kind):
                loader = self.loader(partial(fail, kind))
                given = 0
                with self.assertRaisesRegex(error, text) as caught:
                    for _ in loader:
                        given += 1
                if kind == "killed":  # batches that the other worker had are lost, too
                    self.assertLessEqual(given, 7)
                else:
                    self.assertEqual(given, 7)
                    traced = "".join(traceback.format_exception(caught.exception))
                    self.assertIn("in _apply" if kind == "lambda" else "in fail", traced)
                self.assertEqual(loader.state_dict()["position"], given * 8)

    def test_a_worker_killed_while_a_large_batch_is_sent_ends_the_loop(self) -> None:
        with ofindex.Writer(self.dir / "large.tfrecord") as out:
            for number in range(20):
                out.write({"label": number, "image": bytes(1 << 20)})
        ds = ofindex.build(self.dir / "large.tfrecord")
        features = {"label": ofindex.fixed("int64"), "image": ofindex.fixed("bytes")}
        loader = ofindex.Loader(ds, features, 1, range(20), transform=end_worker, processes=1)
        read = []
        with self.assertRaisesRegex(RuntimeError, "a worker process of the Loader ended"):
            for label in loader:
                read.append(label)
        self.assertEqual(read, list(range(len(read))))
        loader.set_epoch(0)
        iterator = iter(loader)
        next(iterator)
        time.sleep(1)  # the worker is killed, which the loop has not noticed
        iterator.close()

    def test_a_feature_error_has_its_position(self) -> None:
        loader = self.loader(slow, sampler=[*range(20), 500])
        iterator = iter(loader)
        self.assertEqual(len(list(islice(iterator, 2))), 2)
        with self.assertRaises(IndexError):
            next(iterator)
        self.assertEqual(loader.state_dict()["position"], 16)

    def test_processes_threads_and_descriptors_end_with_the_loop(self) -> None:
        loader = self.loader(slow)
        next(iter(loader))  # multiprocessing keeps a process that tracks resources
        self.until(lambda: len(children()) <= 1, "processes are left")
        threads, descriptors, processes = self.threads(), self.descriptors(), children()

        def nothing_is_left() -> bool:  # Linux lists a thread for a moment after it was joined
            return self.threads() <= threads and self.descriptors() <= descriptors and children() <= processes

        for _ in loader:
            break
        self.until(nothing_is_left, "something is left")
        iter(loader)  # never read
        iterator = iter(loader)
        next(iterator)
        iterator.close()
        self.assertEqual(children(), processes)  # closing waits for them
        self.until(nothing_is_left, "something is left")
        self.assertEqual(list(iterator), [])

    def test_a_transform_that_processes_cannot_get_is_refused(self) -> None:
        lock = threading.Lock()
        for transform in (lambda batch: batch, partial(fail, lock)):
            with self.assertRaisesRegex(TypeError, r"cannot be pickled for worker processes: .*\ndefine it with `def`"):
                self.loader(transform)
        for wrong, error in (({"processes": -1}, ValueError), ({"processes": 1.5}, TypeError)):
            with self.assertRaises(error):
                self.loader(slow, **wrong)
        with self.assertRaisesRegex(ValueError, "processes=2 without a transform"):
            self.loader(None)

    def run_script(self, lines: list[str]) -> subprocess.CompletedProcess[str]:
        path = self.dir / "script.py"
        path.write_text("\n".join(lines) + "\n")
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
        command = [sys.executable, str(path), str(self.dir / "data")]
        return subprocess.run(command, capture_output=True, text=True, env=environment, timeout=300)

    def test_a_script_without_a_guard_of_its_main_part_is_told(self) -> None:
        body = [
            "import sys, ofindex",
            "def double(batch): return batch['label'] * 2",
            "def main():",
            "    loader = ofindex.Loader(",
            "        ofindex.open(sys.argv[1]), {'label': ofindex.fixed('int64')}, transform=double, processes=1)",
            "    print(sum(int(batch.sum()) for batch in loader))",
        ]
        done = self.run_script([*body, "if __name__ == '__main__': main()"])
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "1806\n", ""))
        done = self.run_script([*body, "main()"])
        self.assertEqual(done.returncode, 1)
        self.assertIn('begin the loop under `if __name__ == "__main__":`', done.stderr)

    def test_a_transform_defined_where_there_is_no_file_is_refused(self) -> None:
        told = in_new_process(
            "import functools, sys, ofindex\n"
            "ds, features = ofindex.open(sys.argv[1]), {'label': ofindex.fixed('int64')}\n"
            "def double(batch): return batch['label'] * 2\n"
            "for transform in (double, functools.partial(double)):\n"
            "    try: list(ofindex.Loader(ds, features, transform=transform, processes=1))\n"
            "    except TypeError as error: print(error)\n",
            self.dir / "data",
        )
        first, advice, second, again = told.splitlines()
        self.assertEqual(first, "transform=double: worker processes cannot import what is defined here")
        self.assertIn("a worker process cannot load the transform: ", second)
        self.assertIn("in a module that can be imported", advice)
        self.assertIn("in a module that can be imported", again)

    def begun(self, end: str) -> subprocess.Popen[str]:
        """A process that runs `end` after it printed the worker of its first batch."""
        source = (
            "import os, signal, sys, time, ofindex\n"
            "from python.loader_processes_test import slow\n"
            "ds = ofindex.open(sys.argv[1])\n"
            "loader = ofindex.Loader(ds, {'label': ofindex.fixed('int64')}, 8, transform=slow, processes=1)\n"
            "iterator = iter(loader)\n"
            "print(next(iterator), flush=True)\n" + end
        )
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
        command = [sys.executable, "-c", source, str(self.dir / "data")]
        return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, env=environment)

    def test_workers_end_with_their_process_however_it_ends(self) -> None:
        for end, code in (
            ("pass", 0),
            ("os.kill(os.getpid(), signal.SIGKILL)", -signal.SIGKILL),
            ("os._exit(3)", 3),
            ("raise SystemExit(4)", 4),
        ):
            with self.subTest(end), self.begun(end) as process:
                assert process.stdout is not None
                worker = int(process.stdout.readline())
                self.assertEqual(process.wait(PATIENCE), code)
                self.until(lambda worker=worker: not Path(f"/proc/{worker}/task").exists(), "the worker is left")

    def test_a_forked_child_gets_an_error_and_does_not_disturb_its_parent(self) -> None:
        end = (
            "child = os.fork()\n"
            "if child == 0:\n"
            "    try: next(iterator)\n"
            "    except ValueError: os._exit(5)\n"
            "print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), len(list(iterator)))\n"
        )
        with self.begun(end) as process:
            assert process.stdout is not None
            self.assertEqual(process.stdout.read().split()[1:], ["5", "25"])

    def test_an_interrupt_is_raised_in_the_loop_alone(self) -> None:
        end = (
            "signal.signal(signal.SIGINT, signal.default_int_handler)\n"
            "os.kill(int(open(f'/proc/self/task/{os.getpid()}/children').read().split()[-1]), signal.SIGINT)\n"
            "try: os.kill(os.getpid(), signal.SIGINT); next(iterator)\n"
            "except KeyboardInterrupt: print(len(list(iterator)))\n"
        )
        with self.begun(end) as process:
            assert process.stdout is not None
            self.assertEqual(process.stdout.read().split()[1:], ["25"])

    def test_tensors_go_to_processes_and_back(self) -> None:
        try:
            import torch
        except ImportError:
            self.skipTest("torch is not installed")
        loader = ofindex.torch.Loader(self.ds, FEATURES, 102, range(203), transform=torch_state, processes=2)
        first, second = loader
        self.assertEqual((first["threads"], second["threads"]), (1, 1))
        self.assertNotEqual(first["seed"], torch.default_generator.initial_seed())
        label, (batch,) = second["pair"]
        self.assertEqual(label.tolist(), [number % 10 + 1 for number in range(102, 203)])
        self.assertIsInstance(batch["boxes"], ofindex.torch.Ragged)
        self.assertEqual(batch["name"][0], b"record 102")


if __name__ == "__main__":
    unittest.main()

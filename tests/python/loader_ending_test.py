"""ofindex.torch.Loader: its threads end however a loop ends."""

from __future__ import annotations

import os
import signal
import threading
import time
import unittest
from collections.abc import Iterator
from itertools import islice
from typing import Any

import ofindex
from oracle import messages, records
from python.torch_work import LABEL, CountingSampler, Loader, WatchedTest, itself
from python.work import example, in_new_process


class EndingTest(WatchedTest):
    """However a loop over a loader ends, the threads of the loader end."""

    def hurt(self) -> ofindex.Dataset:
        """A dataset in which record 100 has no label."""
        payloads = [example(number) for number in range(203)]
        payloads[100] = messages.encode("example", {"weight": ("float", [1.0])})
        return ofindex.build(self.write("hurt/", payloads))

    def test_a_feature_error_is_raised_at_its_position(self) -> None:
        ds = self.hurt()
        for threads, prefetch, transform in ((1, 1, None), (2, 4, None), (4, 16, None), (2, 4, dict)):
            before = self.threads()
            loader = Loader(ds, LABEL, 8, range(203), threads=threads, prefetch=prefetch, transform=transform)
            iterator = iter(loader)
            given = [len(batch["label"]) for batch in islice(iterator, 12)]
            self.assertEqual(given, [8] * 12)
            with self.assertRaisesRegex(ofindex.FeatureError, "label"):
                next(iterator)
            self.until(lambda before=before: self.threads() <= before, "threads are left")
            self.assertEqual(list(iterator), [])
            state = loader.state_dict()
            self.assertEqual((state["epoch"], state["position"]), (0, 96))  # before the failed batch

    def test_leaving_a_loop_early_leaves_no_threads(self) -> None:
        ds = self.examples(203)
        before = self.threads()
        for transform in (None, itself):
            for sampler in (None, CountingSampler(203)):
                loader = Loader(ds, LABEL, 8, sampler, threads=4, transform=transform)
                for _ in loader:
                    break
                self.until(lambda: self.threads() <= before, "threads are left")
                self.assertEqual(loader.state_dict()["position"], 8)

    def test_an_iterator_that_is_never_read_leaves_no_threads(self) -> None:
        before = self.threads()
        iter(Loader(self.examples(50), LABEL, 8))
        self.until(lambda: self.threads() <= before, "threads are left")

    def test_an_iterator_may_be_garbage_collected_on_its_own_thread(self) -> None:
        printed = in_new_process(
            "import sys, gc, time, ofindex, ofindex.torch\n"
            "ds = ofindex.open(sys.argv[1])\n"
            "class Sampler:\n"
            "    def __iter__(self):\n"
            "        for number in range(80):\n"
            "            time.sleep(0.005)\n"
            "            if number == 60: gc.collect()  # on the thread of the loader that is collected\n"
            "            yield number\n"
            "features = {'label': ofindex.fixed('int64')}\n"
            "gc.disable()\n"
            "iterator = iter(ofindex.torch.Loader(ds, features, 8, Sampler(), prefetch=20))\n"
            "iterator.itself = iterator\n"
            "next(iterator)\n"
            "del iterator\n"
            "time.sleep(1)\n"
            "print('alive')\n",
            self.examples(80)._source.index_path,
        )
        self.assertEqual(printed, "alive\n")

    def test_a_shard_truncated_during_an_epoch_is_a_stale_error(self) -> None:
        payloads = [
            messages.encode("example", {"label": ("int64", [n]), "blob": ("bytes", [bytes(8192)])}) for n in range(200)
        ]
        features = {"label": ofindex.fixed("int64"), "blob": ofindex.fixed("bytes")}
        ds = ofindex.build(self.write("cut/", payloads))
        loader = Loader(ds, features, 8, range(200), prefetch=1)
        given = 0
        with self.assertRaises(ofindex.StaleError):
            for _ in loader:
                given += 1
                os.truncate(self.dir / "cut" / "part-0", 4096)
                os.truncate(self.dir / "cut" / "part-1", 4096)
        self.assertIn(given, (1, 2))
        with self.assertRaises(ofindex.StaleError):
            ds[50]

    def test_a_bad_record_is_a_damage_error_at_its_position(self) -> None:
        frames = [bytearray(records.frame_tfrecord(example(number))) for number in range(50)]
        frames[20][20] ^= 1
        path = self.dir / "bad.tfrecord"
        path.write_bytes(b"".join(frames))
        iterator = iter(Loader(ofindex.build(path), LABEL, 8, range(50)))
        self.assertEqual([len(batch["label"]) for batch in islice(iterator, 2)], [8, 8])
        with self.assertRaisesRegex(ofindex.DamageError, "20"):
            next(iterator)

    def begun(self, source: str, sampler: str) -> Iterator[str]:
        """Runs Python `source` in two processes, after the first of 25 batches, and yields their output. The loader of
        the second process also has Python threads."""
        for transform in ("None", "lambda batch: batch"):
            yield in_new_process(
                "import os, sys, warnings, ofindex, ofindex.torch\n"
                "warnings.simplefilter('ignore')\n"
                "ds = ofindex.open(sys.argv[1])\n"
                "features = {'label': ofindex.fixed('int64')}\n"
                f"loader = ofindex.torch.Loader(ds, features, 8, {sampler}, transform={transform})\n"
                "iterator = iter(loader)\n"
                "next(iterator)\n" + source,
                self.examples(200, f"data-{len(transform)}/")._source.index_path,
            )

    def test_a_forked_child_does_not_disturb_the_iterator_of_its_parent(self) -> None:
        source = (
            "child = os.fork()\n"
            "if child == 0:\n"
            "    try:\n"
            "        while True: next(iterator)\n"
            "    except ValueError: pass\n"
            "    loader.load_state_dict(loader.state_dict())\n"
            "    sys.exit(sum(len(batch['label']) for batch in loader))\n"
            "status = os.waitpid(child, 0)[1]\n"
            "print(os.waitstatus_to_exitcode(status), sum(len(batch['label']) for batch in iterator))\n"
        )
        for printed in self.begun(source, sampler="None"):
            left, ours = map(int, printed.split())
            self.assertEqual(ours, 192)
            self.assertLessEqual(left, 192)

    def interrupted(self, loader: Loader) -> None:
        before = self.threads()
        handler = signal.signal(signal.SIGINT, signal.default_int_handler)
        self.addCleanup(signal.signal, signal.SIGINT, handler)
        given = 0
        timer = threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT))
        with self.assertRaises(KeyboardInterrupt):
            timer.start()
            for _ in loader:
                given += 1
        timer.join()
        self.until(lambda: self.threads() <= before, "threads are left")
        # The interrupt may arrive after a batch is counted by the loader and before it is counted here.
        self.assertIn(loader.state_dict()["position"], (given * 8, given * 8 + 8))

    def test_an_interrupt_ends_a_slow_transform(self) -> None:
        def slow(batch: dict[str, Any]) -> dict[str, Any]:
            time.sleep(0.1)
            return batch

        self.interrupted(Loader(self.examples(2000), LABEL, 8, transform=slow))

    def test_an_interrupt_ends_a_slow_sampler(self) -> None:
        ds = self.examples(2000)
        self.interrupted(Loader(ds, LABEL, 8, CountingSampler(2000, 0.02)))
        self.interrupted(Loader(ds, LABEL, 8, CountingSampler(2000, 0.02), transform=itself))

    def test_an_exception_of_a_sampler_is_raised_in_the_loop(self) -> None:
        def numbers() -> Iterator[int]:
            yield from range(20)
            raise LookupError("no more numbers")

        loader = Loader(self.examples(50), LABEL, 8, numbers())
        given = []
        with self.assertRaisesRegex(LookupError, "no more numbers"):
            for batch in loader:
                given.append(len(batch["label"]))
        self.assertEqual(given, [8, 8])

    def test_a_process_may_exit_during_an_epoch(self) -> None:
        for printed in self.begun("print('done')\n", sampler="list(range(200))"):
            self.assertEqual(printed, "done\n")


if __name__ == "__main__":
    unittest.main()

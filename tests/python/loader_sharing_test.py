"""Loaders that threads share, that are pickled, and that are forked."""

from __future__ import annotations

import copy
import importlib.util
import multiprocessing
import pickle
import threading
import time
import unittest
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from itertools import islice
from typing import Any

import numpy as np
import ofindex
from python.plain_loader_test import LABEL
from python.work import WorkTest, in_new_process

PATIENCE = 60

HAS_TORCH = importlib.util.find_spec("torch") is not None  # workers import this file, and need not torch


def labels(batch: dict[str, Any]) -> list[int]:
    return batch["label"].tolist()


def slow(batch: dict[str, Any]) -> dict[str, Any]:
    time.sleep(0.1)
    return batch


def everything(loader: Any) -> list[Any]:
    return list(loader)


def consume(iterator: Any, read: list[BaseException | None], begun: threading.Event) -> None:
    """Appends None for each batch, and the exception that ends the loop."""
    try:
        for _ in iterator:
            read.append(None)
            begun.set()
    except BaseException as error:
        read.append(error)
        begun.set()


class SlowSampler:
    def __iter__(self) -> Iterator[int]:
        for number in range(200):
            time.sleep(0.02)
            yield number


class SharingTest(WorkTest):
    def setUp(self) -> None:
        super().setUp()
        self.ds = self.examples(203)

    def test_threads_that_iterate_one_loader_get_an_epoch_each(self) -> None:
        loader = ofindex.Loader(self.ds, LABEL, 16, seed=3, transform=labels)
        expected = [list(loader) for _ in range(8)]
        loader.set_epoch(0)
        with ThreadPoolExecutor(8) as pool:
            read = list(pool.map(everything, [loader] * 8))
        self.assertEqual(sorted(read), sorted(expected))

    def test_a_close_by_another_thread_ends_the_loop_and_keeps_the_position(self) -> None:
        loaders = [
            ofindex.Loader(self.ds, LABEL, 8, SlowSampler()),
            ofindex.Loader(self.ds, LABEL, 8, SlowSampler(), transform=labels),
            ofindex.Loader(self.ds, LABEL, 8, transform=slow, threads=1),
            ofindex.Loader(self.ds, LABEL, 8, transform=slow, processes=1),
        ]
        if HAS_TORCH:
            loaders.append(ofindex.torch.Loader(self.ds, LABEL, 8, SlowSampler(), device="meta"))
        for number, loader in enumerate(loaders):
            with self.subTest(number):
                iterator = iter(loader)
                read: list[BaseException | None] = []
                begun = threading.Event()
                thread = threading.Thread(target=consume, args=(iterator, read, begun))
                thread.start()
                self.assertTrue(begun.wait(PATIENCE))
                time.sleep(0.03)
                iterator.close()
                thread.join(PATIENCE)
                self.assertFalse(thread.is_alive())
                self.assertEqual([error for error in read if error], [])
                state = loader.state_dict()
                self.assertEqual((state["epoch"], state["position"]), (0, 8 * len(read)))

    def test_no_batch_is_left_after_another_thread_closed_the_iterator(self) -> None:
        iterator = iter(ofindex.Loader(self.ds, LABEL, 8))
        batches = iterator._batches

        class ClosedMeanwhile:
            close = batches.close

            def __next__(self) -> Any:
                batch = next(batches)
                iterator.close()
                return batch

        iterator._batches = ClosedMeanwhile()
        next(iterator)
        self.assertEqual((len(iterator), iterator.state_dict()["position"], list(iterator)), (0, 8, []))

    def test_a_copy_has_a_place_of_its_own(self) -> None:
        for sampler in (None, self.ds.sampler(seed=4)):
            loader = ofindex.Loader(self.ds, LABEL, 8, sampler)
            epochs = [[batch["label"].tolist() for batch in loader] for _ in range(2)]
            loader.set_epoch(0)
            read = [batch["label"].tolist() for batch in islice(loader, 3)]
            copied = copy.copy(loader)
            self.assertEqual(read + [batch["label"].tolist() for batch in copied], epochs[0])
            self.assertEqual([batch["label"].tolist() for batch in loader], epochs[1])
            self.assertEqual([batch["label"].tolist() for batch in copied], epochs[1])
        numbers = np.arange(20)
        self.assertIs(copy.copy(ofindex.Loader(self.ds, LABEL, 8, numbers)).sampler._numbers, numbers)

    def test_an_iteration_that_cannot_begin_leaves_the_place_of_a_state(self) -> None:
        class Failing:
            fails = True

            def __iter__(self) -> Any:
                if self.fails:
                    raise OSError("the list of records is not there")
                return iter(range(200))

        numbers = Failing()
        loader = ofindex.Loader(self.ds, LABEL, 8, numbers)
        loader.load_state_dict({"schema": "ofindex.iterated_state/1", "epoch": 2, "position": 40})
        with self.assertRaises(OSError):
            iter(loader)
        numbers.fails = False
        self.assertEqual(loader.state_dict()["position"], 40)
        self.assertEqual(len(list(loader)), 20)
        self.assertEqual(loader.state_dict()["epoch"], 3)

    def test_an_iterator_cannot_be_pickled_or_copied(self) -> None:
        iterator = iter(ofindex.Loader(self.ds, LABEL, 8))
        for way in (pickle.dumps, copy.copy, copy.deepcopy):
            with self.assertRaisesRegex(TypeError, "pickle the Loader, which continues at its position"):
                way(iterator)

    def test_a_loader_with_any_options_goes_to_a_spawned_process(self) -> None:
        budget = ofindex.LengthBatches(300, "weight", records=20, padded=True, window=64)
        loaders: list[Any] = [
            ofindex.Loader(self.ds, LABEL, 16, seed=3, rank=1, world_size=2, tail="drop", transform=labels),
            ofindex.Loader(self.ds, LABEL, 16, seed=3, weights="weight", prefetch=2, threads=1, transform=labels),
            ofindex.Loader(self.ds, LABEL, 16, block=4, drop_last=True, transform=labels, processes=1),
            ofindex.Loader(self.ds, LABEL, length_batches=budget, transform=labels),
            ofindex.Loader(ofindex.mix([self.ds, self.ds[:20]], [1, 2]), LABEL, 16, transform=labels),
            ofindex.Loader(self.ds.where("label > 3"), LABEL, 16, list(range(100)), transform=labels),
        ]
        if HAS_TORCH:
            loaders.append(ofindex.torch.Loader(self.ds, LABEL, 16, transform=labels, device="cpu", pin_memory=False))
        with ProcessPoolExecutor(1, multiprocessing.get_context("spawn")) as pool:
            for loader in loaders:
                next(iter(loader))
                copied = list(copy.deepcopy(loader))
                self.assertEqual(pool.submit(everything, loader).result(PATIENCE), copied, loader)

    def test_a_loader_begins_again_in_a_forked_child(self) -> None:
        printed = in_new_process(
            "import os, sys, ofindex\n"
            "from python.loader_sharing_test import labels\n"
            "ds = ofindex.open(sys.argv[1])\n"
            "for options in ({}, {'processes': 1}):\n"
            "    loader = ofindex.Loader(ds, {'label': ofindex.fixed('int64')}, 8, transform=labels, **options)\n"
            "    iterator = iter(loader)\n"
            "    next(iterator)\n"
            "    child = os.fork()\n"
            "    if child == 0:\n"
            "        try: next(iterator)\n"
            "        except ValueError as error: text = str(error)\n"
            "        os._exit(len(list(loader)) if 'start one in each process after the fork' in text else 1)\n"
            "    print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), len(list(iterator)))\n",
            self.dir / "data",
        )
        self.assertEqual(printed, "26 25\n26 25\n")


if __name__ == "__main__":
    unittest.main()

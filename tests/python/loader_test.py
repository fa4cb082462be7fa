"""ofindex.torch.Loader: its batches, epochs, samplers and transforms."""

from __future__ import annotations

import inspect
import json
import os
import pickle
import sys
import threading
import time
import unittest
from typing import Any
from unittest import mock

import ofindex
from oracle import messages
from python.examples import build_train, example_in, names_for, run_example
from python.torch_work import LABEL, CountingSampler, Loader, Ragged, WatchedTest, batches_of, plain, torch
from python.work import FEATURES


class LoaderTest(WatchedTest):
    def setUp(self) -> None:
        super().setUp()
        self.ds = self.examples(203)

    def test_batches_equal_those_of_the_dataset_in_the_order_of_the_sampler(self) -> None:
        expected = batches_of(self.ds, FEATURES, list(self.ds.sampler(seed=3)), 16)
        for threads in (1, 2, 4):
            for prefetch in (1, 4):
                loader = Loader(self.ds, FEATURES, 16, seed=3, threads=threads, prefetch=prefetch)
                self.assertEqual(len(loader), 13)
                self.assertEqual([plain(batch) for batch in loader], expected, (threads, prefetch))
        self.assertEqual(len(list(Loader(self.ds, LABEL))), 1)
        self.assertEqual(len(next(iter(Loader(self.ds, LABEL, batch_size=1000)))["label"]), 203)

    def test_a_loader_reads_views_selections_and_mixes(self) -> None:
        other = self.examples(20, "other/")
        for ds in (
            self.ds.where("label = 3"),
            self.ds[150:20:-3],
            self.ds[[5, 3, 70, 2]],
            self.ds[:0],
            self.ds.where("label > 3")[::2][[5, 3]],
            ofindex.mix([self.ds.where("label = 3"), other], [1, 3]),
        ):
            for sampler in (None, ds.sampler(seed=4), range(len(ds))):
                order = list(sampler if isinstance(sampler, range) else ds.sampler(seed=4 if sampler else 0))
                got = [plain(batch) for batch in Loader(ds, FEATURES, 8, sampler)]
                self.assertEqual(got, batches_of(ds, FEATURES, order, 8), (ds, sampler))

    def test_samplers_by_weights_classes_or_blocks_are_accepted(self) -> None:
        for wish in ({"weights": "weight"}, {"balance": "label"}, {"block": 4}):
            sampler = self.ds.sampler(seed=2, **wish)
            expected = batches_of(self.ds, LABEL, sampler.take(203).tolist(), 32)
            self.assertEqual([plain(batch) for batch in Loader(self.ds, LABEL, 32, sampler)], expected, wish)

    def test_tensors_hold_every_kind_of_feature(self) -> None:
        ds = ofindex.build(self.write("kinds/", [
            messages.encode("example", {
                "numbers": ("int64", [number, number + 1, 3, 4]),
                "words": ("bytes", [b"w"] * (number % 3)),
                "pair": ("bytes", [b"x%d" % number, b"y"]),
                "pixels": ("bytes", [bytes([number, 1, 2, 3])]),
            })
            for number in range(5)
        ] + [messages.encode("example", {"missing": ("float", [0]), "empty": ("int64", [])})]))[:5]  # fmt: skip
        features = {
            "numbers": ofindex.fixed("uint8", (2, 2)),
            "words": ofindex.ragged("bytes"),
            "pair": ofindex.fixed("bytes", 2),
            "pixels": ofindex.raw("uint8", (2, 2)),
            "missing": ofindex.fixed("float64", default=1.5),
            "empty": ofindex.fixed("int32", (0,), default=()),
        }
        (batch,) = Loader(ds, features, sampler=range(5))
        self.assertEqual((batch["numbers"].dtype, batch["numbers"].shape), (torch.uint8, (5, 2, 2)))
        self.assertEqual(batch["numbers"][4].tolist(), [[4, 5], [3, 4]])
        self.assertIsInstance(batch["words"], Ragged)
        self.assertEqual(batch["words"].offsets.tolist(), [0, 0, 1, 3, 3, 4])
        self.assertEqual(list(batch["words"].values), [b"w"] * 4)
        self.assertIsInstance(batch["pair"], ofindex.BytesArray)
        self.assertEqual(batch["pair"].tolist()[3], [b"x3", b"y"])
        self.assertEqual(batch["pixels"].tolist()[1], [[1, 1], [2, 3]])
        self.assertEqual((batch["missing"].dtype, batch["missing"].tolist()), (torch.float64, [1.5] * 5))
        self.assertEqual(batch["empty"].shape, (5, 0))
        batch["numbers"] += 1  # the tensor owns its memory and is writable
        self.assertTrue(Loader(ds, features).pin_memory is torch.cuda.is_available())

    def test_ragged_rows_make_a_nested_tensor(self) -> None:
        (batch,) = Loader(self.ds[:5], FEATURES, sampler=range(5))
        nested = batch["boxes"].nested()
        self.assertEqual(
            [row.tolist() for row in nested.unbind()], [[float(box) for box in range(n)] for n in range(5)]
        )
        self.assertEqual(nested.to_padded_tensor(-1).shape, (5, 4))
        self.assertEqual(batch["boxes"].lengths.tolist(), [0, 1, 2, 3, 4])

    def test_the_example_of_nested_tensors_runs(self) -> None:
        self.addCleanup(os.chdir, os.getcwd())
        os.chdir(self.dir)
        code = example_in(inspect.getdoc(ofindex.torch.Ragged.nested) or "")
        self.assertIn("to_padded_tensor", code)
        self.assertEqual(run_example(code, names_for(build_train())), [])

    def test_each_iteration_is_the_next_epoch(self) -> None:
        epochs = [[row % 10 for row in self.ds.sampler(seed=3, epoch=epoch)] for epoch in range(6)]
        loader = Loader(self.ds, LABEL, 16, seed=3)

        def read() -> list[int]:
            return [label for batch in loader for label in batch["label"].tolist()]

        self.assertEqual([read() for _ in range(3)], epochs[:3])
        loader.set_epoch(5)
        self.assertEqual((len(loader), read()), (13, epochs[5]))
        loader.set_epoch(1)
        loader.set_epoch(1)
        self.assertEqual([read(), read()], epochs[1:3])
        next(iter(loader))  # an epoch left early counts
        self.assertEqual(read(), epochs[4])
        loader.set_epoch(4)
        self.assertEqual(read(), epochs[4])

    def test_overlapping_iterators_are_independent(self) -> None:
        for ds in (self.ds, ofindex.mix([self.ds, self.ds[:20]], [1, 1])):
            loader = Loader(ds, LABEL, 16, seed=3)
            expected = [[plain(batch) for batch in loader] for _ in range(2)]
            loader.set_epoch(0)
            first = iter(loader)
            head = [plain(next(first))]
            self.assertEqual(len(loader), len(expected[1]))
            second = iter(loader)
            both = [(plain(one), plain(other)) for one, other in zip(first, second, strict=False)]
            self.assertEqual(head + [one for one, _ in both], expected[0])
            self.assertEqual([other for _, other in both], expected[1][: len(both)])

    def test_the_length_counts_the_last_batch_unless_it_is_dropped(self) -> None:
        for count, size in ((0, 8), (1, 8), (7, 8), (8, 8), (9, 8), (16, 8)):
            ds = self.ds[:count]
            for drop_last in (False, True):
                for sampler in (None, range(count), CountingSampler(count)):
                    loader = Loader(ds, LABEL, size, sampler, drop_last=drop_last)
                    sizes = [len(batch["label"]) for batch in loader]
                    expected = [size] * (count // size) + ([] if drop_last or count % size == 0 else [count % size])
                    self.assertEqual(sizes, expected, (count, drop_last, sampler))
                    if isinstance(sampler, CountingSampler):
                        self.assertRaises(TypeError, len, loader)
                    else:
                        self.assertEqual(len(loader), len(sizes))
                    self.assertEqual(loader.state_dict()["epoch"], 1)
        iterator = iter(Loader(self.ds, LABEL, 100))
        self.assertEqual([len(iterator) for _ in iterator], [2, 1, 0])
        self.assertRaises(StopIteration, next, iterator)

    def test_a_list_or_a_sampler_of_torch_determines_the_order(self) -> None:
        ds = self.ds
        self.assertEqual(
            plain(next(iter(Loader(ds, LABEL, sampler=[3, 1, -1, 3])))), plain(ds.batch([3, 1, -1, 3], LABEL))
        )
        randomly = torch.utils.data.RandomSampler(ds, generator=torch.Generator().manual_seed(1))
        expected = [list(randomly), list(randomly)]
        randomly.generator.manual_seed(1)
        loader = Loader(ds, LABEL, 16, randomly)
        for order in expected:
            self.assertEqual([plain(batch) for batch in loader], batches_of(ds, LABEL, order, 16))

    def test_a_distributed_sampler_receives_the_epoch(self) -> None:
        def sampler(epoch: int) -> Any:
            one = torch.utils.data.DistributedSampler(self.ds, num_replicas=2, rank=1, seed=5)
            one.set_epoch(epoch)
            return one

        expected = [batches_of(self.ds, LABEL, list(sampler(epoch)), 16) for epoch in range(8)]
        loader = Loader(self.ds, LABEL, 16, sampler(0))
        self.assertEqual([[plain(batch) for batch in loader] for _ in range(3)], expected[:3])
        for way in ("loader", "sampler"):  # the object whose set_epoch() is called in the loop
            own = sampler(2)
            loader = Loader(self.ds, LABEL, 16, own)
            for epoch in (2, 3, 7):
                (loader if way == "loader" else own).set_epoch(epoch)
                self.assertEqual([plain(batch) for batch in loader], expected[epoch], (way, epoch))
        iterator = iter(loader)  # epoch 8, after epoch 7
        next(iterator)
        state = json.loads(json.dumps(loader.state_dict()))
        self.assertEqual((state["epoch"], state["position"]), (8, 16))
        resumed = Loader(self.ds, LABEL, 16, sampler(0))
        resumed.load_state_dict(state)
        self.assertEqual([plain(batch) for batch in resumed], [plain(batch) for batch in iterator])
        for wrong, error in ((Loader(self.ds, LABEL).state_dict(), ValueError), ("{}", TypeError), (None, TypeError)):
            with self.assertRaises(error, msg=repr(wrong)):
                resumed.load_state_dict(wrong)

    def test_rank_and_world_size_default_to_those_of_torchrun(self) -> None:
        with mock.patch.dict(os.environ, RANK="1", WORLD_SIZE="3"):
            loader, whole = Loader(self.ds, LABEL, 16, seed=3), Loader(self.ds, LABEL, 16, rank=0, world_size=1)
        order = list(self.ds.sampler(seed=3, rank=1, world_size=3, tail="pad"))
        self.assertEqual([plain(batch) for batch in loader], batches_of(self.ds, LABEL, order, 16))
        self.assertEqual(len(whole), 13)

    def test_a_sampler_of_other_records_is_refused(self) -> None:
        view, mix = self.ds.where("label = 3"), ofindex.mix([self.ds, self.ds[:20]])
        for dataset, owner in (
            (self.ds, view),
            (view, self.ds),
            (mix, self.ds),
            (self.ds, mix),
            (self.ds[:9], self.ds[9:18]),
        ):
            with self.assertRaises(ValueError, msg=repr((dataset, owner))):
                Loader(dataset, LABEL, sampler=owner.sampler())
        twin = pickle.loads(pickle.dumps(mix))
        self.assertEqual(len(Loader(mix, LABEL, sampler=twin.sampler())), 1)

    def test_a_view_is_evaluated_when_its_loader_is_read(self) -> None:
        (batch,) = Loader(self.ds.where("label = 3"), LABEL, sampler=[0, 1])  # evaluated on a thread of the loader
        self.assertEqual(batch["weight"].tolist(), [3 / 8, 13 / 8])
        with self.assertRaises(ofindex.QueryError):
            list(Loader(self.ds.where("nothing = 3"), LABEL, sampler=[0]))

    def test_all_tensors_are_pinned(self) -> None:
        pin = mock.patch.object(torch.Tensor, "pin_memory", lambda tensor: tensor.add(100), create=True)
        with pin, mock.patch("ofindex._torch_loader.can_pin", return_value=True):
            (batch,) = Loader(self.ds, FEATURES, 16, [4], pin_memory=True)
            pair = next(
                iter(Loader(self.ds, LABEL, 16, [4], transform=lambda one: (one, [one["label"]]), pin_memory=True))
            )
        self.assertEqual(batch["label"].tolist(), [104])
        self.assertEqual(batch["boxes"].offsets.tolist(), [100, 104])
        self.assertEqual(batch["boxes"].values.tolist(), [100, 101, 102, 103])
        self.assertEqual(batch["name"].tolist(), [b"record 4"])
        self.assertEqual((pair[0]["label"].tolist(), pair[1][0].tolist()), ([104], [104]))

    def test_wrong_arguments_are_errors(self) -> None:
        for wrong, error in (
            ({"batch_size": 0}, ValueError),
            ({"prefetch": 0}, ValueError),
            ({"threads": 0}, ValueError),
            ({"tail": "both"}, ValueError),
            ({"rank": 3, "world_size": 2}, ValueError),
            ({"batch_size": 1.5}, TypeError),
            ({"num_workers": 3}, TypeError),
            ({"sampler": self.ds.sampler(), "rank": 0}, ValueError),
            ({"sampler": range(3), "world_size": 2}, ValueError),
        ):
            with self.assertRaises(error, msg=repr(wrong)):
                Loader(self.ds, LABEL, **wrong)
        for features, error in (({}, ValueError), (None, TypeError), ({"label": "int64"}, TypeError)):
            with self.assertRaises(error):
                Loader(self.ds, features)
        loader = Loader(self.ds, LABEL, 16, seed=3)
        for epoch, error in (
            (-1, ValueError),
            (2**64, ValueError),
            (1.5, TypeError),
            ("1", TypeError),
            (0.0, TypeError),
        ):
            with self.assertRaises(error, msg=repr(epoch)):
                loader.set_epoch(epoch)
        self.assertEqual(loader.state_dict()["epoch"], 0)
        for sampler, error in (([0, 203], IndexError), ([-204], IndexError), ([0, "1"], TypeError), ([1.5], TypeError)):
            with self.assertRaises(error, msg=repr(sampler)):
                list(Loader(self.ds, LABEL, sampler=sampler))


class ThreadsTest(WatchedTest):
    def test_threads_sharing_an_iterator_get_every_batch_or_an_error(self) -> None:
        ds = self.examples(203)
        for transform in (None, dict):
            loader = Loader(ds, LABEL, 2, range(203), transform=transform)
            iterator = iter(loader)
            read: list[int] = []
            told: list[BaseException] = []
            lock = threading.Lock()

            def consume(iterator: Any = iterator, read: Any = read, told: Any = told, lock: Any = lock) -> None:
                while True:
                    try:
                        batch = next(iterator)
                    except StopIteration:
                        return
                    except RuntimeError:
                        told.append(sys.exc_info()[1])
                        continue
                    with lock:
                        read += [int(weight * 8) for weight in batch["weight"].tolist()]

            threads = [threading.Thread(target=consume) for _ in range(4)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
            self.assertEqual(sorted(read), list(range(203)))
            self.assertTrue(all("two threads" in str(refused) for refused in told))

    def test_a_second_thread_that_reads_an_iterator_in_use_gets_an_error_at_once(self) -> None:
        ds = self.examples(20)
        iterator = iter(Loader(ds, LABEL, 2, CountingSampler(20, seconds=0.2)))
        thread = threading.Thread(target=lambda: next(iterator))
        thread.start()
        with self.assertRaisesRegex(RuntimeError, "two threads"):
            while thread.is_alive():
                time.sleep(0.001)
                if iterator._exclusive_use._taken.locked():
                    next(iterator)
        thread.join()
        self.assertEqual(len(list(iterator)), 9)


class TransformTest(WatchedTest):
    def test_a_transform_runs_on_threads_and_keeps_the_order(self) -> None:
        ds = self.examples(203)
        threads = set()

        def transform(batch: dict[str, Any]) -> Any:
            threads.add(threading.current_thread().name)
            time.sleep(0.001 * (int(batch["label"][0]) % 3))
            return batch["weight"] * 8

        loader = Loader(ds, LABEL, 8, seed=3, threads=4, transform=transform)
        read = [int(number) for batch in loader for number in batch.tolist()]
        self.assertEqual(read, list(ds.sampler(seed=3)))
        self.assertNotIn(threading.current_thread().name, threads)

    def test_the_first_result_waits_for_few_batches_and_later_ones_are_made_ahead(self) -> None:
        ds = self.examples(400)
        begun: list[int] = []

        def transform(batch: dict[str, Any]) -> Any:
            begun.append(int(batch["label"][0]))
            return batch["label"]

        loader = Loader(ds, LABEL, 4, range(400), threads=2, prefetch=30, transform=transform)
        batches = iter(loader)
        next(batches)
        self.assertLessEqual(len(begun), 3)
        for _ in range(19):
            next(batches)
        self.until(lambda: len(begun) >= 20 + 29, "nothing is made ahead")
        self.assertEqual(len(list(batches)), 80)

    def test_an_exception_of_a_transform_is_raised_in_the_loop_at_its_position(self) -> None:
        ds = self.examples(203)
        for failure, expected in ((KeyError("seven"), KeyError), (StopIteration(), RuntimeError)):

            def transform(batch: dict[str, Any], failure: BaseException = failure) -> Any:
                if 56 / 8 in batch["weight"]:
                    raise failure
                return batch

            before = self.threads()
            loader = Loader(ds, LABEL, 8, range(203), transform=transform)
            given = 0
            with self.assertRaises(expected):
                for _ in loader:
                    given += 1
            self.assertEqual(given, 7)
            self.assertEqual(loader.state_dict()["position"], 56)
            self.until(lambda before=before: self.threads() <= before, "threads are left")


if __name__ == "__main__":
    unittest.main()

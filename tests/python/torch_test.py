"""ofindex.torch: Dataset in torch's DataLoader, and Loader."""

from __future__ import annotations

import json
import os
import pickle
import signal
import threading
import time
import unittest
import warnings
from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from typing import Any
from unittest import mock

import numpy as np
import ofindex
from oracle import messages, records
from python.work import FEATURES, WorkTest, example, in_new_process

try:
    import torch
    import torch.utils.data
except ImportError as missing:
    raise unittest.SkipTest("torch is not installed") from missing

try:
    from torchdata.stateful_dataloader import StatefulDataLoader
except ImportError:
    StatefulDataLoader = None

from ofindex.torch import Dataset, Loader, Ragged

LABEL = {"label": ofindex.fixed("int64"), "weight": ofindex.fixed("float32")}
PATIENCE = 60


def itself(item: Any) -> Any:
    return item


def shout(payload: bytes) -> bytes:
    return payload.upper()


def plain(value: Any) -> Any:
    """A batch or item as plain values and dtypes, so that two of them can be compared."""
    if isinstance(value, dict):
        return {key: plain(one) for key, one in value.items()}
    if isinstance(value, Ragged):
        rows = ofindex.Ragged(
            value.values if isinstance(value.values, ofindex.BytesArray) else value.values.numpy(),
            value.offsets.numpy(),
        )
        return rows.tolist()
    if isinstance(value, ofindex.BytesArray | ofindex.Ragged):
        return value.tolist()
    if isinstance(value, torch.Tensor | np.ndarray):
        return (str(value.dtype).removeprefix("torch."), value.tolist())
    return [plain(one) for one in value] if isinstance(value, list) else value


def batches_of(ds: Any, features: Any, rows: list[int], size: int) -> list[Any]:
    """What ds.batch gives for `rows`, `size` at a time."""
    return [plain(ds.batch(rows[at : at + size], features)) for at in range(0, len(rows), size)]


class CountingSampler:
    """A sampler of Python's, slow if need be; it has no length."""

    def __init__(self, count: int, seconds: float = 0) -> None:
        self.count, self.seconds = count, seconds

    def __iter__(self) -> Iterator[int]:
        for number in range(self.count):
            time.sleep(self.seconds)
            yield number


class WatchedTest(WorkTest):
    """Nothing may hang: a test that takes too long ends the process, with all stacks."""

    def setUp(self) -> None:
        super().setUp()
        import faulthandler

        caught = warnings.catch_warnings()
        caught.__enter__()
        self.addCleanup(caught.__exit__, None, None, None)
        warnings.simplefilter("ignore")  # torch finds four workers many
        faulthandler.dump_traceback_later(4 * PATIENCE, exit=True)
        self.addCleanup(faulthandler.cancel_dump_traceback_later)

    def until(self, condition: Callable[[], bool], text: str) -> None:
        """Waits for what other threads have yet to do."""
        end = time.monotonic() + PATIENCE
        while not condition():
            self.assertLess(time.monotonic(), end, text)
            time.sleep(0.01)


class DatasetTest(WatchedTest):
    def test_workers_of_every_start_method_give_the_order_of_one_process(self) -> None:
        ds = self.examples(101)
        sampler = ds.sampler(seed=5)
        expected = []
        for epoch in range(2):
            sampler.set_epoch(epoch)
            expected.append([ds[row] for row in sampler])
        for method, workers, persistent in (
            (None, 0, False),
            *(("fork", workers, persistent) for workers in (1, 2, 4) for persistent in (False, True)),
            *((method, workers, workers > 1) for method in ("spawn", "forkserver") for workers in (1, 2, 4)),
        ):
            loader = torch.utils.data.DataLoader(
                Dataset(ds),
                batch_size=8,
                sampler=sampler,
                num_workers=workers,
                multiprocessing_context=method,
                persistent_workers=persistent,
                collate_fn=itself,
                timeout=PATIENCE if workers else 0,
            )
            for epoch in range(2):
                sampler.set_epoch(epoch)
                read = [payload for batch in loader for payload in batch]
                self.assertEqual(read, expected[epoch], (method, workers, persistent, epoch))
            del loader

    def test_items_are_payloads_or_features_or_what_a_transform_makes_of_them(self) -> None:
        ds = self.examples(30).where("label > 2")
        payloads = Dataset(ds)
        self.assertEqual(len(payloads), 21)
        self.assertEqual(payloads[3], ds[3])
        self.assertEqual(payloads[-1], ds[-1])
        self.assertEqual(payloads.__getitems__([5, 0, 5]), [ds[5], ds[0], ds[5]])
        with self.assertRaises(IndexError):
            payloads[21]
        self.assertEqual(Dataset(ds, transform=len)[4], len(ds[4]))
        self.assertEqual(Dataset(ds, transform=shout).__getitems__([4]), [ds[4].upper()])

        decoded = Dataset(ds, FEATURES)
        item = decoded[1]
        number = 4
        self.assertEqual((item["label"].dtype, item["label"].shape, item["label"].item()), (torch.int64, (), number))
        self.assertEqual((item["weight"].dtype, item["weight"].item()), (torch.float32, number / 8))
        self.assertEqual(item["name"], b"record 4")
        self.assertEqual((item["boxes"].dtype, item["boxes"].tolist()), (torch.float32, [0.0, 1.0, 2.0, 3.0]))
        self.assertEqual([one["label"].item() for one in decoded.__getitems__([0, 1, 0])], [3, 4, 3])
        self.assertEqual(decoded.__getitems__([]), [])
        self.assertEqual(Dataset(ds, FEATURES, transform=lambda one: one["name"])[1], b"record 4")
        names = Dataset(ds, {"name": ofindex.ragged("bytes")})
        self.assertEqual(names[1]["name"], [b"record 4"])

    def test_decoded_items_come_collated_out_of_workers(self) -> None:
        ds = self.examples(40)
        features = {**LABEL, "name": ofindex.fixed("bytes")}
        expected = [ds.batch(range(at, at + 10), features) for at in range(0, 40, 10)]
        for method, workers in ((None, 0), ("fork", 2), ("spawn", 2)):
            loader = torch.utils.data.DataLoader(
                Dataset(ds, features), 10, num_workers=workers, multiprocessing_context=method
            )
            for got, batch in zip(loader, expected, strict=True):
                self.assertEqual(got["label"].tolist(), batch["label"].tolist())
                self.assertEqual(got["weight"].tolist(), batch["weight"].tolist())
                self.assertEqual(got["name"], batch["name"].tolist())

    def test_a_mix_is_a_dataset_too(self) -> None:
        mix = ofindex.mix([self.examples(30, "a/"), self.examples(20, "b/")], [1, 1])
        sampler = mix.sampler(seed=1)
        loader = torch.utils.data.DataLoader(Dataset(mix), 8, sampler=sampler, num_workers=2, collate_fn=itself)
        self.assertEqual([payload for batch in loader for payload in batch], [mix[row] for row in sampler])

    def test_its_errors_come_out_of_workers(self) -> None:
        ds = self.examples(40)
        wrong = Dataset(ds, {"nothing": ofindex.fixed("int64")})
        for workers in (0, 2):
            with self.assertRaisesRegex(ofindex.FeatureError, "nothing"):
                list(torch.utils.data.DataLoader(wrong, 8, num_workers=workers))

    def test_it_pickles_and_its_repr_is_stable(self) -> None:
        dataset = Dataset(self.examples(10)[3:], FEATURES, transform=itself)
        twin = pickle.loads(pickle.dumps(dataset))
        self.assertEqual(plain(twin[0]), plain(dataset[0]))
        for public in (Dataset, Loader, Ragged, ofindex.torch.LoaderIterator):  # a pickle may outlive our files
            self.assertEqual(pickle.loads(pickle.dumps(public)), public)
            self.assertIn(b"cofindex.torch\n", pickle.dumps(public, 0))
        self.assertEqual(repr(twin), repr(dataset))
        self.assertNotIn("0x", repr(dataset))


@unittest.skipIf(StatefulDataLoader is None, "torchdata is not installed")
class StatefulDataLoaderTest(WatchedTest):
    def loader(self, ds: Any, workers: int, sampler: Any) -> Any:
        return StatefulDataLoader(Dataset(ds), batch_size=8, sampler=sampler, num_workers=workers, collate_fn=itself)

    def test_it_resumes_in_mid_epoch(self) -> None:
        ds = self.examples(101)
        for workers in (0, 2):
            expected = []
            for epoch in range(2):
                expected.append(list(self.loader(ds, 0, ds.sampler(seed=3, epoch=epoch))))
            sampler = ds.sampler(seed=3)
            loader = self.loader(ds, workers, sampler)
            iterator = iter(loader)
            read = list(islice(iterator, 5))
            state = pickle.loads(pickle.dumps(loader.state_dict()))
            del iterator

            sampler = ds.sampler(seed=77)  # the state has the seed
            resumed = self.loader(ds, workers, sampler)
            resumed.load_state_dict(state)
            self.assertEqual(read + list(resumed), expected[0], workers)
            sampler.set_epoch(1)
            self.assertEqual(list(resumed), expected[1], workers)


class LoaderTest(WatchedTest):
    def setUp(self) -> None:
        super().setUp()
        self.ds = self.examples(203)

    def test_batches_are_those_of_the_dataset_in_the_samplers_order(self) -> None:
        expected = batches_of(self.ds, FEATURES, list(self.ds.sampler(seed=3)), 16)
        for threads in (1, 2, 4):
            for prefetch in (1, 4):
                loader = Loader(self.ds, FEATURES, 16, seed=3, threads=threads, prefetch=prefetch)
                self.assertEqual(len(loader), 13)
                self.assertEqual([plain(batch) for batch in loader], expected, (threads, prefetch))
        self.assertEqual(len(list(Loader(self.ds, LABEL))), 1)
        self.assertEqual(len(next(iter(Loader(self.ds, LABEL, batch_size=1000)))["label"]), 203)

    def test_views_lists_and_mixes_are_datasets(self) -> None:
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
                order = list(ds.sampler() if sampler is None else sampler)
                got = [plain(batch) for batch in Loader(ds, FEATURES, 8, sampler)]
                self.assertEqual(got, batches_of(ds, FEATURES, order, 8), (ds, sampler))

    def test_other_laws_are_samplers_too(self) -> None:
        for wish in ({"weights": "weight"}, {"balance": "label"}, {"block": 4}):
            sampler = self.ds.sampler(seed=2, **wish)
            expected = batches_of(self.ds, LABEL, list(sampler), 32)
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
        ]))  # fmt: skip
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
        batch["numbers"] += 1  # a tensor of its own, to be written to
        self.assertTrue(Loader(ds, features).pin_memory is torch.cuda.is_available())

    def test_ragged_rows_make_a_nested_tensor(self) -> None:
        (batch,) = Loader(self.ds[:5], FEATURES, sampler=range(5))
        nested = batch["boxes"].nested()
        self.assertEqual(
            [row.tolist() for row in nested.unbind()], [[float(box) for box in range(n)] for n in range(5)]
        )

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
        next(iter(loader))  # a broken-off epoch is one
        self.assertEqual(read(), epochs[4])
        loader.set_epoch(4)
        self.assertEqual(read(), epochs[4])

    def test_iterations_that_overlap_do_not_meet(self) -> None:
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

    def test_length_and_the_last_batch(self) -> None:
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

    def test_samplers_of_torch_and_lists_give_the_order(self) -> None:
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

    def test_a_distributed_sampler_is_told_the_epoch(self) -> None:
        def sampler(epoch: int) -> Any:
            one = torch.utils.data.DistributedSampler(self.ds, num_replicas=2, rank=1, seed=5)
            one.set_epoch(epoch)
            return one

        expected = [batches_of(self.ds, LABEL, list(sampler(epoch)), 16) for epoch in range(8)]
        loader = Loader(self.ds, LABEL, 16, sampler(0))
        self.assertEqual([[plain(batch) for batch in loader] for _ in range(3)], expected[:3])
        for way in ("loader", "sampler"):  # whoever is told, in the usual loop
            own = sampler(2)
            loader = Loader(self.ds, LABEL, 16, own)
            for epoch in (2, 3, 7):
                (loader if way == "loader" else own).set_epoch(epoch)
                self.assertEqual([plain(batch) for batch in loader], expected[epoch], (way, epoch))
        iterator = iter(loader)  # the next, after 7
        next(iterator)
        state = json.loads(json.dumps(loader.state_dict()))
        self.assertEqual((state["epoch"], state["position"]), (8, 16))
        resumed = Loader(self.ds, LABEL, 16, sampler(0))
        resumed.load_state_dict(state)
        self.assertEqual([plain(batch) for batch in resumed], [plain(batch) for batch in iterator])
        for wrong, error in ((Loader(self.ds, LABEL).state_dict(), ValueError), ("{}", TypeError), (None, TypeError)):
            with self.assertRaises(error, msg=repr(wrong)):
                resumed.load_state_dict(wrong)

    def test_rank_and_world_size_are_those_of_torchrun(self) -> None:
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

    def test_a_view_is_evaluated_when_its_sampler_is(self) -> None:
        (batch,) = Loader(self.ds.where("label = 3"), LABEL, sampler=[0, 1])  # on a thread of the loader
        self.assertEqual(batch["weight"].tolist(), [3 / 8, 13 / 8])
        with self.assertRaises(ofindex.QueryError):
            list(Loader(self.ds.where("nothing = 3"), LABEL, sampler=[0]))

    def test_all_tensors_are_pinned(self) -> None:
        with mock.patch.object(torch.Tensor, "pin_memory", lambda tensor: tensor.add(100), create=True):
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


class LoaderStateTest(WatchedTest):
    def setUp(self) -> None:
        super().setUp()
        self.ds = self.examples(203)

    def test_it_counts_the_batches_that_were_given_out(self) -> None:
        for transform in (None, itself):
            loader = Loader(self.ds, LABEL, 16, seed=3, prefetch=4, transform=transform)
            self.assertEqual(loader.state_dict()["position"], 0)
            for number, _ in enumerate(loader, 1):
                self.assertEqual(loader.state_dict()["position"], min(203, 16 * number))
            state = loader.state_dict()
            self.assertEqual((state["epoch"], state["position"]), (1, 0))
            loader.set_epoch(7)
            self.assertEqual(loader.state_dict()["epoch"], 7)

    def test_it_resumes_bit_by_bit(self) -> None:
        mix = ofindex.mix([self.ds, self.examples(20, "other/")], [1, 1])
        for ds, wish in (
            (self.ds, {}),
            (self.ds, {"balance": "label"}),
            (self.ds.where("label < 5")[::-1], {}),
            (mix, {}),
        ):
            loader = Loader(ds, FEATURES, 16, ds.sampler(seed=3, **wish))
            expected = [[plain(batch) for batch in loader] for _ in range(3)]
            for read in (0, 1, 5, len(expected[1])):
                loader.set_epoch(1)
                iterator = iter(loader)
                self.assertEqual([plain(batch) for batch in islice(iterator, read)], expected[1][:read])
                state = json.loads(json.dumps(loader.state_dict()))
                self.assertEqual(state, pickle.loads(pickle.dumps(iterator.state_dict())))
                self.assertLess(len(json.dumps(state)), 1024)
                resumed = Loader(ds, FEATURES, 16, ds.sampler(seed=0, **wish))
                resumed.load_state_dict(state)
                self.assertEqual(resumed.state_dict(), state)
                resumed.set_epoch(1)  # as the usual loop does
                self.assertEqual(len(resumed), len(expected[1]) - read)
                self.assertEqual([plain(batch) for batch in resumed], expected[1][read:], (ds, wish, read))
                self.assertEqual([plain(batch) for batch in resumed], expected[2])
                resumed.set_epoch(1)
                self.assertEqual([plain(batch) for batch in resumed], expected[1])

    def test_it_resumes_in_another_process(self) -> None:
        loader = Loader(self.ds, LABEL, 16, seed=3)
        iterator = iter(loader)
        list(islice(iterator, 5))
        printed = in_new_process(
            "import sys, json, ofindex, ofindex.torch\n"
            "ds = ofindex.open(sys.argv[1])\n"
            "features = {'label': ofindex.fixed('int64'), 'weight': ofindex.fixed('float32')}\n"
            "loader = ofindex.torch.Loader(ds, features, 16)\n"
            "loader.load_state_dict(json.loads(sys.argv[2]))\n"
            "print(json.dumps([batch['weight'].tolist() for batch in loader]))\n",
            self.dir / "data",
            json.dumps(loader.state_dict()),
        )
        self.assertEqual(json.loads(printed), [batch["weight"].tolist() for batch in iterator])

    def test_it_resumes_with_other_ranks_and_another_batch_size(self) -> None:
        def numbers(batches: Iterable[Any]) -> list[int]:
            return [int(weight * 8) for batch in batches for weight in batch["weight"].tolist()]

        for before, after, size in ((1, 2, 16), (2, 1, 5), (2, 3, 7)):
            read: list[int] = []
            for rank in range(before):
                loader = Loader(self.ds, LABEL, 8, seed=3, rank=rank, world_size=before, tail="exact")
                read += numbers(islice(loader, 4))
                state = loader.state_dict()
                self.assertEqual(state["position"], 32 * before)
            for rank in range(after):
                loader = Loader(self.ds, LABEL, size, rank=rank, world_size=after, tail="exact")
                loader.load_state_dict(state)
                read += numbers(loader)
            self.assertEqual(sorted(read), list(range(203)), (before, after))

    def test_a_state_of_other_data_is_refused(self) -> None:
        loader = Loader(self.ds, LABEL, 16)
        for other in (self.ds[:50], ofindex.mix([self.ds, self.ds])):
            with self.assertRaises((ofindex.StaleError, ValueError), msg=repr(other)):
                loader.load_state_dict(Loader(other, LABEL).state_dict())
        self.assertEqual(len(list(loader)), 13)


class TransformTest(WatchedTest):
    def test_it_runs_on_threads_and_keeps_the_order(self) -> None:
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

    def test_its_exception_comes_out_in_the_loop_at_its_place(self) -> None:
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


class EndingTest(WatchedTest):
    """However a loop ends, its threads do."""

    def hurt(self) -> ofindex.Dataset:
        """Records of which the 100th lacks its label."""
        payloads = [example(number) for number in range(203)]
        payloads[100] = messages.encode("example", {"weight": ("float", [1.0])})
        return ofindex.build(self.write("hurt/", payloads))

    def test_a_feature_error_comes_at_its_place(self) -> None:
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
            self.assertEqual((state["epoch"], state["position"]), (0, 96))  # before the batch that is not there

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

    def test_garbage_is_collected_on_any_thread(self) -> None:
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

    def test_a_shard_that_is_cut_in_mid_epoch_is_a_stale_error(self) -> None:
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

    def test_a_bad_record_is_a_damage_error_at_its_place(self) -> None:
        frames = [bytearray(records.frame_tfrecord(example(number))) for number in range(50)]
        frames[20][20] ^= 1
        path = self.dir / "bad.tfrecord"
        path.write_bytes(b"".join(frames))
        iterator = iter(Loader(ofindex.build(path), LABEL, 8, range(50)))
        self.assertEqual([len(batch["label"]) for batch in islice(iterator, 2)], [8, 8])
        with self.assertRaisesRegex(ofindex.DamageError, "20"):
            next(iterator)

    def test_a_forked_child_leaves_it_alone(self) -> None:
        for transform in ("None", "lambda batch: batch"):
            printed = in_new_process(
                "import os, sys, warnings, ofindex, ofindex.torch\n"
                "warnings.simplefilter('ignore')\n"
                "ds = ofindex.open(sys.argv[1])\n"
                "features = {'label': ofindex.fixed('int64')}\n"
                f"loader = ofindex.torch.Loader(ds, features, 8, transform={transform})\n"
                "iterator = iter(loader)\n"
                "next(iterator)\n"
                "child = os.fork()\n"
                "if child == 0:\n"
                "    try:\n"
                "        while True: next(iterator)\n"
                "    except ValueError: pass\n"
                "    loader.load_state_dict(loader.state_dict())\n"
                "    sys.exit(sum(len(batch['label']) for batch in loader))\n"
                "status = os.waitpid(child, 0)[1]\n"
                "print(os.waitstatus_to_exitcode(status), sum(len(batch['label']) for batch in iterator))\n",
                self.examples(200, f"data-{len(transform)}/")._source.index_path,
            )
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
        # It may come between a batch and its count.
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

    def test_an_exception_of_a_sampler_comes_out_in_the_loop(self) -> None:
        def numbers() -> Iterator[int]:
            yield from range(20)
            raise LookupError("no more numbers")

        loader = Loader(self.examples(50), LABEL, 8, numbers())
        given = []
        with self.assertRaisesRegex(LookupError, "no more numbers"):
            for batch in loader:
                given.append(len(batch["label"]))
        self.assertEqual(given, [8, 8])

    def test_a_process_ends_in_mid_epoch(self) -> None:
        for transform in ("None", "lambda batch: batch"):
            printed = in_new_process(
                "import sys, ofindex, ofindex.torch\n"
                "ds = ofindex.open(sys.argv[1])\n"
                "features = {'label': ofindex.fixed('int64')}\n"
                f"loader = ofindex.torch.Loader(ds, features, 8, list(range(200)), transform={transform})\n"
                "iterator = iter(loader)\n"
                "next(iterator)\n"
                "print('done')\n",
                self.examples(200, f"data-{len(transform)}/")._source.index_path,
            )
            self.assertEqual(printed, "done\n")


if __name__ == "__main__":
    unittest.main()

"""ofindex.torch.Dataset in torch's DataLoader and torchdata's."""

from __future__ import annotations

import pickle
import unittest
from itertools import islice
from typing import Any

import ofindex
from python.torch_work import LABEL, PATIENCE, Dataset, Loader, Ragged, WatchedTest, itself, plain, torch
from python.work import FEATURES, orders_of

try:
    from torchdata.stateful_dataloader import StatefulDataLoader
except ImportError:
    StatefulDataLoader = None


def shout(payload: bytes) -> bytes:
    return payload.upper()


class DatasetTest(WatchedTest):
    def test_workers_of_every_start_method_give_the_order_of_one_process(self) -> None:
        ds = self.examples(101)
        sampler = ds.sampler(seed=5)
        expected = [[ds[row] for row in rows] for rows in orders_of(sampler, 2)]
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

    def test_items_are_payloads_decoded_features_or_results_of_a_transform(self) -> None:
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

    def test_decoded_items_arrive_collated_from_workers(self) -> None:
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
        expected = [mix[row] for row in sampler.take(len(mix))]
        self.assertEqual([payload for batch in loader for payload in batch], expected)

    def test_errors_in_workers_are_raised_in_the_main_process(self) -> None:
        ds = self.examples(40)
        wrong = Dataset(ds, {"boxes": ofindex.fixed("float32")})
        for workers in (0, 2):
            with self.assertRaisesRegex(ofindex.FeatureError, "boxes"):
                list(torch.utils.data.DataLoader(wrong, 8, num_workers=workers))

    def test_a_dataset_can_be_pickled_and_has_a_stable_repr(self) -> None:
        dataset = Dataset(self.examples(10)[3:], FEATURES, transform=itself)
        twin = pickle.loads(pickle.dumps(dataset))
        self.assertEqual(plain(twin[0]), plain(dataset[0]))
        for public in (Dataset, Loader, Ragged):  # public names in pickles
            self.assertEqual(pickle.loads(pickle.dumps(public)), public)
            self.assertIn(b"cofindex.torch\n", pickle.dumps(public, 0))
        self.assertIs(ofindex.torch.LoaderIterator, ofindex.LoaderIterator)
        self.assertIn(b"cofindex\n", pickle.dumps(ofindex.LoaderIterator, 0))
        self.assertEqual(repr(twin), repr(dataset))
        self.assertNotIn(" at 0x", repr(dataset))


@unittest.skipIf(StatefulDataLoader is None, "torchdata is not installed")
class StatefulDataLoaderTest(WatchedTest):
    def loader(self, ds: Any, workers: int, sampler: Any) -> Any:
        return StatefulDataLoader(Dataset(ds), batch_size=8, sampler=sampler, num_workers=workers, collate_fn=itself)

    def test_a_stateful_data_loader_resumes_inside_an_epoch(self) -> None:
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

            sampler = ds.sampler(seed=77)  # the seed of the state replaces this one
            resumed = self.loader(ds, workers, sampler)
            resumed.load_state_dict(state)
            self.assertEqual(read + list(resumed), expected[0], workers)
            sampler.set_epoch(1)
            self.assertEqual(list(resumed), expected[1], workers)

    def test_a_state_after_any_batch_resumes_as_with_the_samplers_of_torch(self) -> None:
        """A run resumed after the last batch reads no more of the epoch; resumed after the loop, it reads the next."""
        from torchdata.stateful_dataloader.sampler import RandomSampler

        ds = self.examples(24)
        for workers, sizes in ((0, (7, 8, None)), (2, (7, 8))):
            for size in sizes:

                def loader(sampler: Any, workers: int = workers, size: int | None = size) -> Any:
                    return StatefulDataLoader(
                        Dataset(ds), size, sampler=sampler, num_workers=workers, collate_fn=itself
                    )

                whole = loader(ds.sampler(seed=3))
                expected = [list(whole) for _ in range(3)]
                for stop in (0, 1, len(expected[0]) - 1, len(expected[0]), 99):
                    ours, torchs = (
                        self.epochs_after(stop, loader(make()), loader(make()))
                        for make in (lambda: ds.sampler(seed=3), lambda: RandomSampler(ds))
                    )
                    left = expected[1:] if stop == 99 else [expected[0][stop:], expected[1]]
                    self.assertEqual(ours, left, (workers, size, stop))
                    self.assertEqual(list(map(len, ours)), list(map(len, torchs)), (workers, size, stop))

    @staticmethod
    def epochs_after(stop: int, stopped: Any, resumed: Any) -> list[list[Any]]:
        """Two epochs of `resumed`, which resumes from `stopped` after `stop` batches (99: after the loop)."""
        if stop:
            list(stopped) if stop == 99 else list(islice(stopped, stop))
        resumed.load_state_dict(pickle.loads(pickle.dumps(stopped.state_dict())))
        return [list(resumed) for _ in range(2)]


if __name__ == "__main__":
    unittest.main()

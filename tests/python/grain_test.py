"""ofindex.grain.DataSource in Grain's DataLoader and MapDataset."""

from __future__ import annotations

import pickle
import unittest
from itertools import islice
from typing import Any
from unittest import mock

import numpy as np
import ofindex
from python.work import FEATURES, WorkTest, in_new_process

try:
    import grain.python as grain
except ImportError as missing:
    raise unittest.SkipTest("grain is not installed") from missing

from absl import flags
from ofindex.grain import DataSource

flags.FLAGS.mark_as_parsed()  # Grain reads a flag when it starts workers, if JAX is installed


class SourceTest(WorkTest):
    def test_a_data_source_has_the_random_access_interface_of_grain(self) -> None:
        ds = self.examples(30)
        source = DataSource(ds)
        self.assertIsInstance(source, grain.RandomAccessDataSource)
        self.assertEqual(len(source), 30)
        self.assertEqual(source[7], ds[7])
        self.assertEqual(source[np.int64(7)], ds[7])
        self.assertEqual(source.__getitems__([3, 1, 3]), [ds[3], ds[1], ds[3]])
        with self.assertRaises(IndexError):
            source[30]

    def test_a_data_source_decodes_features(self) -> None:
        source = DataSource(self.examples(30).where("label > 3"), FEATURES)
        item = source[1]
        self.assertEqual((item["label"], item["label"].dtype), (5, np.int64))
        self.assertEqual(item["name"], b"record 5")
        self.assertEqual(item["boxes"].tolist(), [0, 1, 2, 3, 4])
        self.assertEqual([one["label"] for one in source.__getitems__([0, 1])], [4, 5])

    def test_a_data_source_has_a_stable_repr_and_can_be_pickled(self) -> None:
        ds = self.examples(30)
        for view in (ds, ds.where("label = 3"), ds[::-1], ofindex.mix([ds, ds[:10]], [1, 1])):
            for features in (None, FEATURES):
                source = DataSource(view, features)
                twin = pickle.loads(pickle.dumps(source))
                self.assertEqual(repr(twin), repr(source))
                self.assertEqual(twin[2], source[2]) if features is None else None
                self.assertNotIn(" at 0x", repr(source))
        self.assertNotEqual(repr(DataSource(ds[:10])), repr(DataSource(ds[10:20])))

    def test_the_adapter_can_be_used_without_grain_installed(self) -> None:
        printed = in_new_process(
            "import sys; sys.modules['grain'] = None\n"
            "import ofindex.grain\n"
            "print(len(ofindex.grain.DataSource(ofindex.open(sys.argv[1]))))\n",
            self.examples(30)._source.index_path,
        )
        self.assertEqual(printed, "30\n")


class DataLoaderTest(WorkTest):
    def loader(self, source: DataSource, workers: int) -> Any:
        sampler = grain.IndexSampler(len(source), shard_options=grain.NoSharding(), shuffle=True, num_epochs=1, seed=5)
        batches = [grain.Batch(batch_size=8)] if source.features else []
        return grain.DataLoader(data_source=source, sampler=sampler, operations=batches, worker_count=workers)

    def test_a_data_loader_reads_every_record_and_resumes_from_a_checkpoint(self) -> None:
        ds = self.examples(60)
        for workers in (0, 2):
            iterator = iter(self.loader(DataSource(ds), workers))
            head = list(islice(iterator, 25))
            state = iterator.get_state()
            rest = list(iterator)
            self.assertEqual(sorted(head + rest), sorted(ds), workers)
            self.assertNotEqual(head + rest, list(ds))
            resumed = iter(self.loader(DataSource(ofindex.open(self.dir / "data")), workers))
            resumed.set_state(state)
            self.assertEqual(list(resumed), rest, workers)
        other = iter(self.loader(DataSource(ds[:59]), workers))
        with self.assertRaises(ValueError):
            other.set_state(state)

    def test_decoded_items_are_batched(self) -> None:
        ds = self.examples(64)
        features = {"label": ofindex.fixed("int64"), "weight": ofindex.fixed("float32")}
        batches = list(self.loader(DataSource(ds, features), 0))
        self.assertEqual([batch["label"].shape for batch in batches], [(8,)] * 8)
        weights = np.concatenate([batch["weight"] for batch in batches])
        self.assertEqual(sorted(weights.tolist()), [number / 8 for number in range(64)])


class MapDatasetTest(WorkTest):
    def test_grain_reads_many_items_at_once(self) -> None:
        ds = self.examples(30)
        for features in (None, FEATURES):
            source = DataSource(ds, features)
            many = grain.MapDataset.source(source)
            expected = [source[3], source[1], source[3]]
            with mock.patch.object(DataSource, "__getitem__", side_effect=AssertionError("one by one")):
                found = many._getitems([3, 1, 33])
            self.assertEqual(str(found), str(expected))

    def test_a_source_is_shuffled_mapped_batched_and_resumed(self) -> None:
        ds = self.examples(60)
        source = DataSource(ds, {"weight": ofindex.fixed("float32")})
        chain = grain.MapDataset.source(source).shuffle(seed=3).map(lambda item: int(item["weight"] * 8)).batch(7)
        self.assertEqual(sorted(number for batch in chain for number in batch.tolist()), list(range(60)))
        iterator = iter(chain.to_iter_dataset())
        head = [batch.tolist() for batch in islice(iterator, 3)]
        state = iterator.get_state()
        rest = [batch.tolist() for batch in iterator]
        self.assertEqual(sorted(sum(head + rest, [])), list(range(60)))  # noqa: RUF017
        resumed = iter(chain.to_iter_dataset())
        resumed.set_state(state)
        self.assertEqual([batch.tolist() for batch in resumed], rest)


if __name__ == "__main__":
    unittest.main()

"""Compressed shards: Python reads the same as from plain ones."""

from __future__ import annotations

import gzip
import multiprocessing
import unittest
import warnings
import zlib

import numpy as np
import ofindex
from oracle import records
from python.work import FEATURES, WorkTest, example

COUNT = 3000


def read_some(dataset: ofindex.Dataset, results: multiprocessing.Queue[list[bytes]]) -> None:
    """Reads, in a child process, from a dataset that the parent process has read from."""
    results.put(dataset.__getitems__([5, 2999, 17]))


class CompressedTest(WorkTest):
    def setUp(self) -> None:
        super().setUp()
        self.payloads = [example(number) for number in range(COUNT)]
        frames = [records.frame_tfrecord(payload) for payload in self.payloads]
        self.plain = ofindex.build(self.write("plain/", self.payloads), progress=False)
        folder = self.dir / "zipped"
        folder.mkdir()
        (folder / "part-0").write_bytes(gzip.compress(b"".join(frames[: COUNT // 2])))
        (folder / "part-1").write_bytes(zlib.compress(b"".join(frames[COUNT // 2 :])))
        self.zipped = ofindex.build(folder, progress=False)

    def test_records_batches_buffers_and_queries_match_the_plain_twin(self) -> None:
        self.assertEqual([shard["compression"] for shard in self.zipped.info["shards"]], ["gzip", "zlib"])
        self.assertEqual(list(self.zipped), self.payloads)
        picked = [2999, 0, 1500, 1499, 0]
        self.assertEqual(self.zipped.__getitems__(picked), [self.payloads[i] for i in picked])
        self.assertEqual([bytes(self.zipped.buffer(i)) for i in picked], [self.payloads[i] for i in picked])
        for name, values in self.zipped.batch(picked, FEATURES).items():
            expected = [np.asarray(one).tolist() for one in self.plain.batch(picked, FEATURES)[name]]
            self.assertEqual([np.asarray(one).tolist() for one in values], expected, name)
        question = "SELECT label, count(*), sum(weight) FROM records GROUP BY label ORDER BY label"
        self.assertEqual(self.zipped.sql(question).fetchall(), self.plain.sql(question).fetchall())
        self.assertEqual(list(self.zipped.sampler(seed=3)), list(self.plain.sampler(seed=3)))
        self.assertTrue(self.zipped.verify()["clean"])

    def test_a_small_cache_limits_only_how_many_buffers_can_exist_at_once(self) -> None:
        small = ofindex.open(self.dir / "zipped", cache_bytes=1000)
        self.assertEqual(small.__getitems__(list(range(COUNT))), self.payloads)
        held = []
        with self.assertRaisesRegex(ofindex.LimitError, "compressed"):
            for number in range(COUNT):
                held.append(small.buffer(number))
        self.assertEqual([bytes(one) for one in held], self.payloads[: len(held)])
        self.assertGreater(len(held), 3)
        with self.assertRaisesRegex(ValueError, "cache_bytes"):
            ofindex.open(self.dir / "zipped", cache_bytes=0)

    def test_inflated_bytes_of_an_earlier_file_are_not_returned(self) -> None:
        path = self.dir / "stored"
        first, second = (
            gzip.compress(b"".join(records.frame_tfrecord(letter * 4000) for _ in range(400)), 0, mtime=0)
            for letter in (b"a", b"b")
        )
        path.write_bytes(first)
        dataset = ofindex.build(path, progress=False)
        self.assertEqual(dataset[0], b"a" * 4000)
        with open(path, "r+b") as file:
            file.write(second)
        with self.assertRaises(ofindex.StaleError):
            dataset[300]
        with open(path, "r+b") as file:
            file.write(first)
        self.assertEqual({dataset[number] for number in (300, 310, 1, 399)}, {b"a" * 4000})

    def test_children_of_every_start_method_can_read(self) -> None:
        expected = self.zipped.__getitems__([5, 2999, 17])
        for method in ("fork", "spawn", "forkserver"):
            context = multiprocessing.get_context(method)
            results = context.Queue()
            child = context.Process(target=read_some, args=(self.zipped, results))
            child.start()
            self.assertEqual(results.get(timeout=60), expected, method)
            child.join()

    def test_a_global_shuffle_larger_than_the_cache_reports_its_cost_once(self) -> None:
        small = ofindex.open(self.dir / "zipped", cache_bytes=1000)
        with self.assertWarnsRegex(UserWarning, "compressed.*block='auto'"):
            small.sampler(seed=1)
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            small.sampler(seed=2)
            self.zipped.sampler(seed=1)
            ofindex.open(self.dir / "zipped", cache_bytes=1000).sampler(block="auto")

    def test_bombs_and_streams_without_a_header_are_refused_without_an_option(self) -> None:
        path = self.dir / "bomb.tfrecord.gz"
        with ofindex.Writer(path) as writer:
            writer.write(bytes(200 << 20))
        with self.assertRaisesRegex(ofindex.LimitError, r"`ofindex\.build\(\.\.\., max_ratio="):
            ofindex.build(path, progress=False)
        self.assertEqual(len(ofindex.build(path, progress=False, max_ratio=2000)[0]), 200 << 20)
        bare = zlib.compressobj(wbits=-15)
        (self.dir / "bare").write_bytes(bare.compress(records.frame_tfrecord(b"one")) + bare.flush())
        with self.assertRaises(ofindex.FormatError):
            ofindex.build(self.dir / "bare", progress=False)
        self.assertEqual(list(ofindex.build(self.dir / "bare", progress=False, compression="deflate")), [b"one"])
        with self.assertRaisesRegex(ValueError, "compression='lz4'"):
            ofindex.build(path, progress=False, compression="lz4")  # type: ignore[arg-type]

    def test_damage_of_a_compressed_stream_has_its_position_in_the_file(self) -> None:
        whole = gzip.compress(b"".join(records.frame_tfrecord(payload) for payload in self.payloads[:10]))
        path = self.dir / "cut"
        path.write_bytes(whole[:-3])
        dataset = ofindex.build(path, progress=False)
        self.assertEqual(list(dataset), self.payloads[:10])
        [damage] = dataset.info["damage"]
        self.assertEqual(damage["reason"], "cut_stream")
        self.assertEqual((damage["file_begin"], damage["file_end"]), (len(whole) - 8, len(whole) - 3))


if __name__ == "__main__":
    unittest.main()

"""ofindex.open and Dataset: a sequence, its views, and what goes wrong."""

from __future__ import annotations

import collections.abc
import copy
import gc
import multiprocessing
import os
import pickle
import threading
import warnings
import weakref
from typing import Any

import numpy as np
import ofindex
from oracle import messages, records
from python.work import FEATURES, WorkTest, example


def read_in_child(dataset: ofindex.Dataset, number: int, pipe: Any) -> None:
    """Reads and queries in a separate process."""
    pipe.send((dataset[number], len(dataset.where("label = ?", (3,)))))


class SequenceTest(WorkTest):
    def setUp(self) -> None:
        super().setUp()
        self.payloads = [example(number) for number in range(100)]
        self.ds = ofindex.build(self.write("data/", self.payloads))

    def test_a_dataset_is_the_sequence_of_payloads_in_the_files(self) -> None:
        self.assertEqual(len(self.ds), 100)
        self.assertEqual(list(self.ds), self.payloads)
        self.assertEqual(list(reversed(self.ds)), self.payloads[::-1])
        for method in collections.abc.Sequence.__abstractmethods__ | {"index", "count", "__reversed__", "__contains__"}:
            self.assertTrue(hasattr(self.ds, method), method)
        self.assertIn(self.payloads[42], self.ds)
        self.assertEqual(self.ds.index(self.payloads[42]), 42)
        self.assertEqual(self.ds.count(self.payloads[42]), 1)
        self.assertNotIn(b"no such payload", self.ds)
        self.assertRaises(ValueError, self.ds.index, b"no such payload")

    def test_ordinals_behave_like_those_of_a_list(self) -> None:
        for number in (0, 5, 99, -1, -100, np.int64(7), np.uint8(3)):
            self.assertEqual(self.ds[number], self.payloads[number])
        for number in (100, -101, 2**63, -(2**63), 2**200, np.uint64(2**64 - 1)):
            with self.assertRaises(IndexError):
                self.ds[number]
        for numbers in ([2**63 + 1], np.array([3, 2**63 + 1, 2**63], np.uint64), np.uint64(2**63 + 1)):
            with self.assertRaisesRegex(IndexError, f"^record {2**63 + 1} does not exist; there are 100$"):
                self.ds[numbers]
        for numbers in (10**5000, [10**5000]):
            with self.assertRaisesRegex(IndexError, "of so many digits does not exist; there are 100$"):
                self.ds[numbers]
        for key in (1.0, "5", b"5", None, True, object()):
            with self.assertRaises(TypeError, msg=repr(key)):
                self.ds[key]
        with self.assertRaises((TypeError, IndexError)):
            self.ds[range(10**30)]

    def test_a_slice_or_a_list_of_ordinals_gives_a_view_which_is_a_dataset(self) -> None:
        slices = [slice(10, 20), slice(None, None, -1), slice(3, 90, 7), slice(90, 3, -7), slice(5, 5), slice(-5, None)]
        slices += [slice(None, None, 2**64), slice(7, 3, -(10**30)), slice(-(2**70), 2**70)]
        for key in slices:
            view = self.ds[key]
            self.assertIsInstance(view, ofindex.Dataset)
            self.assertEqual(list(view), self.payloads[key], key)
            self.assertEqual(list(view[::2]), self.payloads[key][::2], key)
        for key in ([3, 1], [3, 1, 3, -1], [3, 3, 5], [], (5,), np.array([7, 9]), np.array([], dtype=float)):
            self.assertEqual(list(self.ds[key]), [self.payloads[int(i)] for i in key])
        odd = np.arange(100) % 2 == 1
        self.assertEqual(list(self.ds[odd]), self.payloads[1::2])
        self.assertEqual(self.ds[10:20][[3, 1]][1], self.payloads[11])
        for beyond in ([100], np.array([2**64 - 1], dtype=np.uint64), [2**70], np.array([-101])):
            with self.assertRaises(IndexError, msg=repr(beyond)):
                self.ds[beyond]
        with self.assertRaises(IndexError):
            self.ds[odd[:50]]
        with self.assertRaises(TypeError):
            self.ds[[1.5]]
        with self.assertRaises(TypeError):
            self.ds[np.array([1.5])]
        with self.assertRaises(IndexError):
            self.ds[[True]]  # a mask
        with self.assertRaises(TypeError):
            self.ds[[1, True]]

    def test_several_records_are_read_in_the_requested_order(self) -> None:
        numbers = [3, 1, 4, 1, 5, -1]
        expected = [self.payloads[number] for number in numbers]
        self.assertEqual(self.ds.__getitems__(numbers), expected)
        self.assertEqual(self.ds.__getitems__(np.array(numbers)), expected)
        self.assertEqual(self.ds[::-1].__getitems__([0, 1]), self.payloads[:-3:-1])
        self.assertEqual(self.ds.__getitems__([]), [])
        self.assertRaises(IndexError, self.ds.__getitems__, [5, 100])

    def test_record_decodes_every_feature(self) -> None:
        record = self.ds.record(23)
        self.assertEqual(sorted(record), ["boxes", "label", "name", "weight"])
        self.assertEqual((record["label"].dtype, record["label"].tolist()), (np.int64, [3]))
        self.assertEqual((record["weight"].dtype, record["weight"].tolist()), (np.float32, [23 / 8]))
        self.assertEqual(record["name"], [b"record 23"])
        self.assertEqual(self.ds.record(-100)["boxes"].tolist(), [])

    def test_locate_returns_where_a_record_lies(self) -> None:
        path, offset, length = self.ds.locate(51)
        with open(path, "rb") as shard:
            shard.seek(offset + 12)
            self.assertEqual(shard.read(length), self.payloads[51])

    def test_views_of_views_refer_to_the_same_records(self) -> None:
        view = self.ds.where("label < 5")[::-1][2:30:3]
        expected = [p for i, p in enumerate(self.payloads) if i % 10 < 5][::-1][2:30:3]
        self.assertEqual(list(view), expected)
        self.assertEqual(view.ordinals(range(len(view))).tolist(), [self.payloads.index(p) for p in expected])
        self.assertEqual(list(view.where("label = 2")), [p for p in expected if self.payloads.index(p) % 10 == 2])


class BufferTest(WorkTest):
    def test_a_buffer_is_read_only_and_outlives_its_dataset(self) -> None:
        payloads = [example(number) for number in range(10)]
        ds = ofindex.build(self.write("data/", payloads))
        gone = weakref.ref(ds)
        buffer = ds.buffer(-3)
        self.assertTrue(buffer.readonly)
        with self.assertRaises(TypeError):
            buffer[0] = 1
        del ds
        gc.collect()
        self.assertIsNone(gone())
        self.assertEqual(bytes(buffer), payloads[7])
        self.assertEqual(bytes(buffer[2:5]), payloads[7][2:5])

    def test_an_unmapped_shard_has_no_buffers(self) -> None:
        path = self.write("data/", [example(0)])
        ofindex.build(path)
        ds = ofindex.open(path, io="pread")
        self.assertEqual(ds[0], example(0))
        self.assertRaises(ofindex.LimitError, ds.buffer, 0)


class OpeningTest(WorkTest):
    def test_the_index_and_the_data_open_the_same_dataset(self) -> None:
        ds = self.examples(20)
        for name in (self.dir / "data", str(self.dir / "data.ofidx"), os.fsencode(self.dir / "data")):
            for io in ("auto", "mmap", "pread"):
                self.assertEqual(ofindex.open(name, io=io), ds)

    def test_the_argument_root_reads_a_copy(self) -> None:
        self.examples(20)
        os.rename(self.dir / "data", self.dir / "copy")
        ds = ofindex.open(self.dir / "data.ofidx")
        with self.assertRaises(ofindex.StaleError):
            ds[0]
        self.assertEqual(ofindex.open(self.dir / "data.ofidx", root=self.dir / "copy")[7], example(7))

    def test_a_build_that_finds_damage_warns_and_an_intact_one_does_not(self) -> None:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            self.examples(20)
        shard = self.dir / "data" / "part-1"
        whole = shard.read_bytes()
        shard.write_bytes(whole + b"xy")
        torn = (
            rf"data/part-1'@{len(whole)}: 2 bytes without a record: torn_tail, the first of 1 in ds\.info\['damage'\]"
        )
        with self.assertWarnsRegex(RuntimeWarning, torn):
            ofindex.build(self.dir / "data", force=True)
        shard.write_bytes(whole[:-5] + bytes([whole[-5] ^ 1]) + whole[-4:])
        with self.assertWarnsRegex(
            RuntimeWarning, r"record 19 in '.*part-1'@\d+: .*, the first of 1 in ds\.info\['bad'\]"
        ):
            ofindex.build(self.dir / "data", force=True)

    def test_each_kind_of_error_has_an_exception_and_a_hint(self) -> None:
        ds = self.examples(20)
        with self.assertRaisesRegex(FileNotFoundError, "no such file or folder"):
            ofindex.open(self.dir / "nothing")
        (self.dir / "raw").write_bytes(b"data without an index")
        with self.assertRaisesRegex(FileNotFoundError, "ofindex build"):
            ofindex.open(self.dir / "raw")
        with self.assertRaises(ValueError):
            ofindex.open(self.dir / "data", io="telepathy")
        with self.assertRaises(TypeError):
            ofindex.open(self.dir / "data", mode="r")
        (self.dir / "junk.ofidx").write_bytes(b"SQLite format 3\0" + b"junk" * 1000)
        with self.assertRaises(ofindex.Error):
            ofindex.open(self.dir / "junk.ofidx")
        with self.assertRaises(FileNotFoundError):
            ofindex.build(self.dir / "nothing")
        with open(self.dir / "data" / "part-1", "ab") as shard:
            shard.write(b"x")
        with self.assertRaisesRegex(ofindex.StaleError, "part-1") as raised:
            ds[19]
        self.assertIn("`ofindex.update(...)`", raised.exception.hint)
        self.assertEqual(ds[0], example(0))
        with self.assertRaises(ofindex.StaleError):
            ofindex.build(self.dir / "data")
        for error in ("Stale", "Damage", "Feature", "Format", "Query", "Limit", "Lock"):
            self.assertTrue(issubclass(getattr(ofindex, f"{error}Error"), ofindex.Error))

    def test_a_file_without_permission_is_a_permission_error(self) -> None:
        if os.geteuid() == 0:
            self.skipTest("root may read anything")
        path = self.write("data/part-0", [example(0)])
        os.chmod(path, 0)
        self.assertRaises(PermissionError, ofindex.build, path)

    def test_a_bad_record_is_refused_unless_allowed(self) -> None:
        frames = [bytearray(records.frame_tfrecord(example(number))) for number in range(5)]
        frames[2][20] ^= 1
        path = self.dir / "hurt.tfrecord"
        path.write_bytes(b"".join(frames))
        ds = ofindex.build(path)
        self.assertEqual([bad["record"] for bad in ds.info["bad"]], [2])
        self.assertEqual(ds[3], example(3))
        for read in (lambda: ds[2], lambda: ds.__getitems__([1, 2]), lambda: ds.buffer(2), lambda: ds.record(2)):
            self.assertRaises(ofindex.DamageError, read)
        self.assertEqual(ofindex.open(path, allow_bad=True)[2], bytes(frames[2][12:-4]))

    def test_build_accepts_the_options_of_the_command(self) -> None:
        path = self.write("data/", [example(number) for number in range(20)])
        schema = ofindex.build(path, output=self.dir / "named.ofidx").schema
        auto = sorted(name for name, feature in schema.items() if feature["column"])
        for columns, expected in (
            ("none", []),
            (["label", "boxes"], ["boxes", "label"]),
            ("label", ["label"]),
            (["auto"], auto),
            (["auto", "boxes"], sorted({*auto, "boxes"})),
            ("auto,boxes", sorted({*auto, "boxes"})),
        ):
            ds = ofindex.build(path, output=self.dir / "named.ofidx", columns=columns, force=True)
            found = sorted(name for name, feature in ds.schema.items() if feature["column"])
            self.assertEqual(found, expected, columns)
        before = (self.dir / "named.ofidx").read_bytes()
        for wrong in ("lable", ["label", "lable"], ["auto", "lable"], ["label", "auto"]):
            with self.assertRaisesRegex(ValueError, "no record has '(lable' .did you mean 'label'|auto')"):
                ofindex.build(path, output=self.dir / "named.ofidx", columns=wrong, force=True)
            self.assertEqual((self.dir / "named.ofidx").read_bytes(), before)
        ds = ofindex.build(path, output=self.dir / "optional.ofidx", columns=["label", "lable"], columns_optional=True)
        self.assertEqual([name for name, feature in ds.schema.items() if feature["column"]], ["label"])
        with self.assertRaises(ValueError):
            ofindex.build([path, path / "part-0"])
        ds = ofindex.build([path / "part-1", path / "part-0"], output=self.dir / "two.ofidx", verify=False, threads=1)
        self.assertEqual(ds[0], example(0))
        ds = ofindex.build(path, output=self.dir / "opaque.ofidx", payload="opaque", format="tfrecord")
        self.assertRaisesRegex(ofindex.FeatureError, "opaque", ds.record, 0)
        for wrong in ({"format": "csv"}, {"payload": "json"}):
            with self.assertRaises(ValueError):
                ofindex.build(path, force=True, **wrong)

    def test_progress_is_reported(self) -> None:
        path = self.write("data/", [example(number) for number in range(20)])
        told: list[tuple[int, int, int]] = []
        ofindex.build(path, progress=lambda *done: told.append(done)).verify(progress=False)
        self.assertTrue(all(done <= total for done, total, _ in told))

    def test_schema_info_stats_and_verify_match_the_command(self) -> None:
        ds = self.examples(100)
        self.assertEqual(ds.schema["label"]["kinds"], ["int64"])
        self.assertEqual((ds.info["records"], len(ds.info["shards"])), (100, 2))
        stats = ds.stats("label", top=3)
        self.assertEqual((stats["count"], stats["distinct"], stats["mean"], len(stats["top"])), (100, 10, 4.5, 3))
        self.assertRaises(ofindex.QueryError, ds.stats, "lable")
        self.assertTrue(ds.verify()["clean"])
        with open(self.dir / "data" / "part-0", "r+b") as shard:
            shard.seek(30)
            shard.write(b"\xff")
        found = ds.verify()
        self.assertFalse(found["clean"])
        self.assertEqual([bad["record"] for bad in found["bad"]], [0])

    def test_the_repr_is_stable_and_the_html_is_escaped(self) -> None:
        path = self.write("data/", [messages.encode("example", {"<script>": ("int64", [1])})])
        ds = ofindex.build(path)
        self.assertEqual(repr(ds), repr(pickle.loads(pickle.dumps(ds))))
        self.assertNotIn(" at 0x", repr(ds[:0]))
        self.assertNotIn("<script>", ds._repr_html_())
        self.assertIn("&lt;script&gt;", ds._repr_html_())


class SharingTest(WorkTest):
    def test_a_pickle_holds_the_path_and_the_identity_of_the_index(self) -> None:
        ds = self.examples(100_0)
        views = [ds, ds[10:20], ds[::-1], ds[[3, 1, 3]], ds.where("label = 7"), ds[::7], ds[:0]]
        for view in views:
            for twin in (pickle.loads(pickle.dumps(view)), copy.deepcopy(view)):
                self.assertEqual(twin, view)
                self.assertEqual(hash(twin), hash(view))
                self.assertEqual(list(twin), list(view))
        self.assertLess(len(pickle.dumps(ds)), 1000)
        self.assertNotEqual(ds[:5], ds[:6])
        pickled = pickle.dumps(ds)
        self.write("data2/", [example(1)])
        ofindex.build(self.dir / "data2", output=self.dir / "data.ofidx", force=True)
        self.assertRaises(ofindex.StaleError, pickle.loads, pickled)

    def test_a_pickle_with_records_that_do_not_exist_is_refused(self) -> None:
        reopen, (place, options, identity, _) = self.examples(100).__reduce__()
        larger = ofindex.build(self.write("larger/", [example(number) for number in range(200)]))
        for view in (larger, larger[50:150], larger[[7, 150, 3]], larger[::3], larger[[100, 2**6, 199]]):
            with self.assertRaises(ofindex.Error):
                reopen(place, options, identity, view.__reduce__()[1][3])

    def test_children_of_every_start_method_can_read_and_query(self) -> None:
        ds = self.examples(200)
        self.assertEqual(len(ds.where("label = 3")), 20)  # the parent forks with open SQLite connections
        for method in ("fork", "spawn", "forkserver"):
            context = multiprocessing.get_context(method)
            ours, theirs = context.Pipe()
            child = context.Process(target=read_in_child, args=(ds, 42, theirs))
            child.start()
            self.assertTrue(ours.poll(60), method)
            self.assertEqual(ours.recv(), (example(42), 20), method)
            child.join(60)
            self.assertEqual(child.exitcode, 0)
        self.assertEqual(len(ds.where("label = 4")), 20)

    def test_threads_share_a_dataset(self) -> None:
        ds = self.examples(500)
        failures: list[BaseException] = []

        def read(seed: int) -> None:
            try:
                for number in np.random.default_rng(seed).integers(0, 500, 2000).tolist():
                    assert ds[number] == example(number)
                batch = ds.batch(range(500), FEATURES)
                assert batch["label"].tolist() == [number % 10 for number in range(500)]
                assert len(ds.where("label = ?", (seed,))) == 50
            except BaseException as failure:
                failures.append(failure)

        workers = [threading.Thread(target=read, args=(seed,)) for seed in range(8)]
        for worker in workers:
            worker.start()
        for worker in workers:
            worker.join()
        self.assertEqual(failures, [])

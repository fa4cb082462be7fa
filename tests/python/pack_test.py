"""ofindex.pack: the feature kinds of Python values, and how records are divided into shards."""

from __future__ import annotations

import datetime as dt
import enum
import os
import shutil
import unittest
from collections.abc import Callable, Iterator
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import ofindex
from oracle import records
from python.packing import (
    DAY,
    DAYS,
    STAMP,
    STAMP_US,
    TIME,
    TIME_US,
    UTC,
    PackCase,
)
from python.work import in_new_process, run_and_kill


class Color(enum.Enum):
    RED = 3


class MappingsTest(PackCase):
    def test_python_types_determine_feature_kinds(self) -> None:
        record = {
            "int": 5,
            "float": 0.5,
            "decimal": Decimal("0.25"),
            "date": DAY,
            "time": TIME,
            "stamp": STAMP,
            "zoned": UTC.astimezone(dt.timezone(dt.timedelta(hours=2))),
            "duration": dt.timedelta(days=-1),
            "numpy": np.datetime64("2024-02-29"),
            "array": np.array(["1970-01-01T00:00:01"], "M8[s]"),
            "enum": Color.RED,
            "none": None,
            "nested": {"a": {"b": [1, 2]}, "c": None},
            "records": [{"v": 1, "w": [1, 2]}, {"v": 2, "w": []}],
            "deep": [[[1], [2]], [[3]]],
        }
        expected = {
            "int": ("int64", [5]),
            "float": ("float", [0.5]),
            "decimal": ("float", [0.25]),
            "date": ("int64", [DAYS]),
            "time": ("int64", [TIME_US]),
            "stamp": ("int64", [STAMP_US]),
            "zoned": ("int64", [STAMP_US]),
            "duration": ("int64", [-86_400_000_000]),
            "numpy": ("int64", [DAYS]),
            "array": ("int64", [1_000_000]),
            "enum": ("bytes", ["RED"]),
            "nested.a.b": ("int64", [1, 2]),
            "records.v": ("int64", [1, 2]),
            "records.w": ("int64", [1, 2]),
            "deep": ("int64", [1, 2, 3]),
        }
        self.assertEqual(self.packed([record], "example"), [expected])
        (steps,) = self.packed([record], "sequence_example")
        self.assertEqual(steps["deep[]"], ("int64", [[1, 2], [3]]))

    def test_two_values_with_the_same_name_are_an_error(self) -> None:
        with self.assertRaisesRegex(ofindex.FeatureError, r"record 1: feature 'a.b': two values"):
            self.packed([{"a": 1}, {"a.b": 1, "a": {"b": 2}}], "example")

    def test_a_single_value_among_lists_of_steps_is_an_error(self) -> None:
        for values in (
            [[1], 2, [3]],
            [1, [2]],
            [["a"], "b"],
            [["a"], bytearray(b"b")],
            [[0.5], np.float32(1)],
            [[1], np.array(2)],
            [[1], DAY],
        ):
            with self.assertRaisesRegex(ofindex.FeatureError, "record 1: feature 'x': a value, where"):
                self.packed([{"x": [[1]]}, {"x": values}], "sequence_example")
        (found,) = self.packed([{"x": [[1], 2, [3]]}], "example")
        self.assertEqual(found, {"x": ("int64", [1, 2, 3])})
        (found,) = self.packed([{"x": [[1], np.arange(2), (3,)]}], "sequence_example")
        self.assertEqual(found, {"x[]": ("int64", [[1], [0, 1], [3]])})

    def test_the_schema_overrides_the_values(self) -> None:
        found = self.packed([{"x": 1, "y": []}], "ofrecord", schema={"x": "double", "y": "bytes"})
        self.assertEqual(found, [{"x": ("double", [1.0]), "y": ("bytes", [])}])

    def test_an_invalid_time_is_an_error(self) -> None:
        for value in (np.datetime64("NaT"), [np.timedelta64("NaT")]):
            with self.assertRaisesRegex(ofindex.FeatureError, "record 1: feature 'x': NaT"):
                self.packed([{"x": 1}, {"x": value}], "example")

    def test_unsupported_sources_are_refused(self) -> None:
        (self.dir / "rows.csv").write_text("a,b\n1,2\n")
        (self.dir / "empty").mkdir()
        for source, kind, pattern in (
            (self.dir / "rows.csv", ValueError, "command `ofindex pack`"),
            (self.dir / "empty", ValueError, "command `ofindex pack`"),
            (self.dir / "nothing.parquet", FileNotFoundError, "nothing"),
            (f"{self.dir}/no*", FileNotFoundError, "no file"),
            (5, TypeError, "int"),
            ({"a": 1}, TypeError, "dict"),
            ([1], TypeError, "int"),
            ([{1: 1}], TypeError, "named by"),
        ):
            with self.subTest(repr(source)), self.assertRaisesRegex(kind, pattern):
                ofindex.pack(source, self.dir / "out", "tfrecord")
        self.assertEqual(self.beside(), ["empty", "rows.csv"])

    def test_the_error_of_a_missing_reader_names_the_package_to_install(self) -> None:
        for module, package, magic in (("pyarrow", "pyarrow", "PAR1"), ("fastavro", "fastavro", "Obj\\x01")):
            printed = in_new_process(
                "import ofindex, sys\n"
                f"sys.modules['{module}'] = None\n"
                f"open(sys.argv[1], 'wb').write(b'{magic}')\n"
                "try: ofindex.pack(sys.argv[1], sys.argv[1] + '-out', 'tfrecord')\n"
                "except ImportError as error: print(error)\n",
                self.dir / "file",
            )
            self.assertIn(f"pip install {package}", printed)


class ShardsTest(PackCase):
    def given(self, count: int) -> Iterator[dict[str, int]]:
        return ({"i": number} for number in range(count))

    def test_shards_have_equal_shares_of_the_records_in_order(self) -> None:
        sources: tuple[Callable[[], Any], ...] = (lambda: self.given(10), lambda: list(self.given(10)))
        for number, source in enumerate(sources):
            paths = ofindex.pack(source(), self.dir / f"set{number}", "tfrecord", shards=3)
            names = [f"set{number}-{shard:05}-of-00003.tfrecord" for shard in range(3)]
            self.assertEqual([os.path.basename(path) for path in paths], names)
            self.assertEqual([self.numbers([path]) for path in paths], [[0, 1, 2], [3, 4, 5], [6, 7, 8, 9]])
        paths = ofindex.pack(self.given(3), self.dir / "of", "ofrecord", shards=2)
        self.assertEqual([os.path.relpath(path, self.dir) for path in paths], ["of/part-0", "of/part-1"])
        self.assertEqual(self.beside(), ["of", "set0", "set1"])

    def test_options_that_the_command_refuses_are_refused(self) -> None:
        for to, options, pattern in (
            ("tfrecord", {"payload": "ofrecord"}, "payload='ofrecord' is not what tfrecord files hold"),
            ("ofrecord", {"payload": "example"}, "payload='example' is not what ofrecord files hold"),
            ("ofrecord", {"payload": "sequence_example"}, "TFRecords hold"),
            ("tfrecord", {"shards": 100_000}, "shards=100000: expected 1 to 99999"),
            ("tfrecord", {"shards": 0}, "shards=0"),
        ):
            with self.subTest(to, **options), self.assertRaisesRegex(ValueError, pattern):
                ofindex.pack(self.given(1), self.dir / "set", to, **options)
        self.assertEqual(self.beside(), [])

    def test_a_seed_shuffles_across_shards_and_is_repeatable(self) -> None:
        orders = []
        for seed, shards in ((1, 4), (1, 1), (2, 4), (None, 4)):
            paths = ofindex.pack(self.given(2000), self.dir / "set", "tfrecord", shards=shards, seed=seed, force=True)
            orders.append(self.numbers(paths))
            self.assertEqual(len(os.listdir(self.dir / "set")), shards)
        self.assertEqual(orders[0], orders[1])
        self.assertNotEqual(orders[0], orders[2])
        self.assertEqual(orders[3], list(range(2000)))
        for order in orders:
            self.assertEqual(sorted(order), list(range(2000)))
        moved = np.abs(np.array(orders[0]) - np.arange(2000)).mean()
        self.assertGreater(moved, 500)  # a true shuffle moves a record by a third of 2,000 on average
        self.assertEqual(self.beside(), ["set"])

    def test_no_records_give_empty_shards(self) -> None:
        for options in ({}, {"shards": 2}, {"seed": 1}, {"shards": 2, "seed": 1}):
            paths = ofindex.pack(iter([]), self.dir / "set", "tfrecord", force=True, **options)
            self.assertEqual([os.path.getsize(path) for path in paths], [0] * options.get("shards", 1))

    def test_existing_files_are_replaced_only_with_force_and_only_by_a_complete_set(self) -> None:
        def failing() -> Iterator[dict[str, Any]]:
            yield from self.given(5)
            yield {"i": "\ud800"}

        paths = ofindex.pack(self.given(4), self.dir / "set", "tfrecord", shards=2)
        with self.assertRaisesRegex(ValueError, "already exists"):
            ofindex.pack(self.given(4), self.dir / "set", "tfrecord")
        for options in ({}, {"shards": 3}, {"seed": 1}):
            with self.assertRaises(ofindex.FeatureError):
                ofindex.pack(failing(), self.dir / "set", "tfrecord", force=True, **options)
            self.assertEqual(sorted(os.listdir(self.dir / "set")), sorted(map(os.path.basename, paths)))
            with self.assertRaises(ofindex.FeatureError):
                ofindex.pack(failing(), self.dir / "new", "tfrecord", **options)
        self.assertEqual(self.beside(), ["set"])
        self.assertEqual(self.numbers(paths), [0, 1, 2, 3])
        self.assertEqual(self.numbers(ofindex.pack(self.given(2), self.dir / "set", "tfrecord", force=True)), [0, 1])

    def test_a_source_with_more_or_fewer_records_than_its_length_is_an_error(self) -> None:
        class Lying(list):  # type: ignore[type-arg]
            def __len__(self) -> int:
                return 3

        for count in (2, 5):
            with self.assertRaisesRegex(ValueError, "were counted"):
                ofindex.pack(Lying(self.given(count)), self.dir / "set", "tfrecord", shards=2)
        self.assertEqual(self.beside(), [])

    def test_progress_is_reported_in_records(self) -> None:
        told: list[tuple[int, int, int]] = []
        ofindex.pack(self.given(3000), self.dir / "a.tfrecord", "tfrecord", progress=lambda *now: told.append(now))
        self.assertEqual(told[-1][2], 3000)

    def test_only_tfrecords_can_be_compressed_with_gzip(self) -> None:
        (path,) = ofindex.pack(self.given(100), self.dir / "a.tfrecord.gz", "tfrecord")
        walk = records.walk_tfrecord(records.inflate(Path(path).read_bytes()))
        self.assertEqual((len(walk.records), walk.damage), (100, []))
        with self.assertRaises(ValueError):
            ofindex.pack(self.given(1), self.dir / "set", "ofrecord", compress="gzip")

    def test_a_full_disk_leaves_nothing(self) -> None:
        printed = in_new_process(
            "import ofindex, resource, signal, sys\n"
            "signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
            "resource.setrlimit(resource.RLIMIT_FSIZE, (1_000_000, 1_000_000))\n"
            "for options in ({}, {'shards': 2}, {'seed': 1}):\n"
            "    records = ({'x': bytes(10_000)} for _ in range(300))\n"
            "    try: ofindex.pack(records, sys.argv[1], 'tfrecord', **options)\n"
            "    except OSError as error: print(error.errno)\n",
            self.dir / "set",
        )
        self.assertEqual((len(printed.split()), self.beside()), (3, []))

    def test_a_killed_pack_leaves_no_shard(self) -> None:
        source = (
            "import ofindex, sys\n"
            "def records():\n"
            "    print('begun', flush=True)\n"
            "    while True: yield {'x': bytes(1000)}\n"
            "ofindex.pack(records(), sys.argv[1], 'ofrecord')\n"
        )
        run_and_kill(source, self.dir / "set", after=0.1)
        self.assertFalse((self.dir / "set").exists())
        ofindex.pack([{"x": 1}], self.dir / "set", "ofrecord")
        self.assertEqual(os.listdir(self.dir / "set"), ["part-0"])

    ENDLESS = (
        "import ofindex, sys\n"
        "def records():\n"
        "    for number in range(10**9):\n"
        "        if number == 5000: print('begun', flush=True)\n"
        "        yield {'x': bytes(1000)}\n"
        "ofindex.pack(records(), sys.argv[1], 'tfrecord', shards=2, seed=1)\n"
    )

    def test_the_next_shuffle_into_an_output_removes_the_leftovers_of_a_killed_one(self) -> None:
        for out in ("set", "new/deep/set"):
            run_and_kill(self.ENDLESS, self.dir / out, after=0.1)
            (left,) = self.beside()
            self.assertTrue(left.startswith("."), left)  # so that no build takes it for data
            ofindex.pack(self.given(10), self.dir / "other", "tfrecord", seed=1)
            self.assertEqual(sorted(self.beside()), sorted([left, "other"]))
            paths = ofindex.pack(self.given(10), self.dir / out, "tfrecord", shards=2, seed=1)
            self.assertEqual(sorted(self.numbers(paths)), list(range(10)))
            self.assertEqual(sorted(self.beside()), sorted(["other", out.split("/")[0]]))
            shutil.rmtree(self.dir / "other")
            shutil.rmtree(self.dir / out.split("/")[0])

    def test_two_shuffles_into_one_output_exclude_each_other(self) -> None:
        def meanwhile() -> Iterator[dict[str, Any]]:
            with self.assertRaises(ofindex.LockError):
                ofindex.pack(self.given(3), self.dir / "set", "tfrecord", seed=1)
            yield from self.given(10)

        paths = ofindex.pack(meanwhile(), self.dir / "set", "tfrecord", seed=1)
        self.assertEqual((sorted(self.numbers(paths)), self.beside()), (list(range(10)), ["set"]))

    def test_a_shuffle_writes_to_any_valid_output_name(self) -> None:
        deep = "/".join(f"{'folder' * 12}-{n}" for n in range(8))
        for out in (deep, "n" * 210, "\u00e9" * 105, "deep/" + "n" * 210):
            paths = ofindex.pack(self.given(10), self.dir / out, "tfrecord", shards=2, seed=1)
            self.assertEqual(sorted(self.numbers(paths)), list(range(10)))
        self.assertFalse([name for name in self.beside() if name.startswith(".")])

    def test_shuffles_into_similar_names_are_independent(self) -> None:
        for one, other in (("x/y", "x-y"), ("a/b/c", "a-b/c"), ("n" * 209 + "1", "n" * 209 + "2")):

            def meanwhile(other: str = other) -> Iterator[dict[str, Any]]:
                ofindex.pack(self.given(3), self.dir / other, "tfrecord", shards=1, seed=1)
                yield from self.given(10)

            paths = ofindex.pack(meanwhile(), self.dir / one, "tfrecord", shards=1, seed=1)
            self.assertEqual(sorted(self.numbers(paths)), list(range(10)))

    def test_files_of_others_are_never_removed(self) -> None:
        place = self.dir / ".set.ofindex-spool"
        for make in (place.mkdir, lambda: place.symlink_to(self.dir), lambda: place.write_text("mine")):
            make()
            if place.is_dir():
                (self.dir / "diary").write_text("mine")
                (place / "diary").write_text("mine")
            with self.assertRaises(OSError):
                ofindex.pack(self.given(3), self.dir / "set", "tfrecord", seed=1)
            self.assertTrue(place.exists())
            self.assertEqual((place / "diary" if place.is_dir() else place).read_text(), "mine")
            if place.is_dir() and not place.is_symlink():
                shutil.rmtree(place)
            else:
                place.unlink()


if __name__ == "__main__":
    unittest.main()

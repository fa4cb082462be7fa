"""Misuse by callers: invalid numbers, names and objects, many threads at once. Each case was once a bug."""

from __future__ import annotations

import os
import threading
import unittest
from typing import Any

import numpy as np
import ofindex
import ofindex.grain
from python.work import FEATURES, WorkTest, example, in_new_process


class HostileTest(WorkTest):
    def setUp(self) -> None:
        super().setUp()
        self.ds = self.examples(300)

    def test_a_path_with_a_nul_is_refused_and_no_file_is_touched(self) -> None:
        index = self.dir / "data.ofidx"
        before = index.read_bytes()
        for name in (f"{index}\0junk", f"{index}\0.ofidx"):
            for call in (
                lambda name=name: ofindex.open(name),
                lambda name=name: ofindex.open(index, root=name),
                lambda name=name: ofindex.build(name),
                lambda name=name: ofindex.build(self.dir / "data", output=name, force=True),
            ):
                self.assertRaises(ValueError, call)
                self.assertEqual(index.read_bytes(), before)

    def test_integers_of_every_width_are_ordinals(self) -> None:
        for kind in ("int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64"):
            numbers = np.array([3, 1], dtype=kind)
            self.assertEqual(self.ds.__getitems__(numbers), [example(3), example(1)], kind)
            self.assertEqual(list(self.ds[numbers]), [example(3), example(1)], kind)
        for number in (2**70, -(2**70), 300, -301):
            for call in (self.ds.record, self.ds.buffer, self.ds.locate, self.ds.__getitem__):
                with self.assertRaisesRegex(IndexError, str(number)):
                    call(number)
            with self.assertRaises(IndexError):
                self.ds.__getitems__([number])

    def test_an_ordinal_may_change_the_list_that_holds_it_while_it_is_converted(self) -> None:
        printed = in_new_process(
            "import ofindex, sys\n"
            "ds = ofindex.open(sys.argv[1])\n"
            "class Odd:\n"
            "    def __index__(self):\n"
            "        numbers.clear()\n"
            "        return 1\n"
            "numbers = [Odd()] + list(range(100000 % 300)) * 50\n"
            "print(len(ds.__getitems__(numbers)))\n"
            "class Stop:\n"
            "    def __index__(self):\n"
            "        raise KeyboardInterrupt\n"
            "try:\n"
            "    ds.__getitems__([Stop()])\n"
            "except KeyboardInterrupt:\n"
            "    print('stopped')\n",
            self.dir / "data",
        )
        self.assertEqual(printed.split(), ["1", "stopped"])

    def test_a_method_called_with_a_wrong_self_is_a_type_error(self) -> None:
        for call in (
            lambda: ofindex.Dataset.__getitems__(42, [1]),  # type: ignore[arg-type]
            lambda: ofindex.Dataset.buffer("abc", 0),  # type: ignore[arg-type]
            lambda: ofindex.Dataset.ordinals(None, [0]),  # type: ignore[arg-type]
        ):
            self.assertRaises(TypeError, call)

    def test_invalid_numbers_are_value_errors_that_name_the_argument(self) -> None:
        mix = ofindex.mix([self.ds, self.ds[:100]])
        for name, call in (
            ("seed", lambda: self.ds.sampler(seed=-1)),
            ("seed", lambda: self.ds.sampler(seed=2**64)),
            ("epoch", lambda: self.ds.sampler(epoch=-1)),
            ("world_size", lambda: self.ds.sampler(rank=0, world_size=0)),
            ("epoch", lambda: self.ds.sampler().set_epoch(-1)),
            ("seed", lambda: self.ds.split({"a": 1}, seed=-1)),
            ("top", lambda: self.ds.stats("label", top=-1)),
            ("threads", lambda: self.ds.batch([1], FEATURES, threads=2**40)),
            ("seed", lambda: mix.sampler(seed=-1)),
            ("epoch", lambda: mix.sampler(epoch=-1)),
            ("timeout", lambda: self.ds.sql("SELECT 1", timeout=float("nan"))),
            ("timeout", lambda: self.ds.sql("SELECT 1", timeout=0)),
        ):
            with self.assertRaisesRegex(ValueError, name):
                call()
        for timeout in (1e10, float("inf"), 1e300):
            self.assertEqual(self.ds.sql("SELECT 1", timeout=timeout).fetchall(), [(1,)])

    def test_a_mix_refuses_the_same_ordinals_as_a_dataset(self) -> None:
        mix = ofindex.mix([self.ds, self.ds[:100]])
        for numbers in ([1.7, 2.2], [True, False], [[1, 2]], np.array([0.5])):
            with self.assertRaises(TypeError, msg=repr(numbers)):
                mix.batch(numbers, FEATURES)
        with self.assertRaises(IndexError):
            mix.ordinals(np.array([2**64 - 1], dtype=np.uint64))

    def test_a_mask_with_two_dimensions_is_an_error(self) -> None:
        with self.assertRaises(IndexError):
            self.ds[np.zeros((300, 2), dtype=bool)]

    def test_views_of_the_same_records_are_equal_however_they_were_selected(self) -> None:
        for view in (self.ds[[0, 1, 2]], self.ds[:3][::-1][::-1], self.ds[np.arange(300) < 3]):
            self.assertEqual(view, self.ds[:3])
        self.assertEqual(self.ds[::-1][::-1], self.ds)
        self.assertNotEqual(self.ds[[0, 2, 1]], self.ds[:3])


class RowsTest(WorkTest):
    def setUp(self) -> None:
        super().setUp()
        self.ds = self.examples(3000)

    def test_a_failed_statement_returns_no_more_rows(self) -> None:
        rows = self.ds.sql("SELECT CASE WHEN _id = 1500 THEN abs(-9223372036854775807 - 1) ELSE _id END FROM records")
        with self.assertRaises(ofindex.QueryError):
            rows.fetchall()
        self.assertEqual(rows.fetchall(), [])

    def test_rows_that_were_partly_read_cannot_be_exported_to_arrow(self) -> None:
        rows = self.ds.sql("SELECT 1")
        self.assertEqual(rows.fetchone(), (1,))
        self.assertRaises(ValueError, rows.__arrow_c_stream__)
        rows = self.ds.sql("SELECT 1")
        for _ in range(3):
            rows.__arrow_c_stream__()
        self.assertRaises(ValueError, rows.fetchone)

    def test_invalid_utf_8_in_text_becomes_a_binary_column_in_arrow(self) -> None:
        try:
            import pyarrow as pa
        except ImportError:
            self.skipTest("pyarrow is not installed")
        table = pa.table(self.ds.sql("SELECT CAST(x'ff41' AS TEXT) AS x UNION ALL SELECT 'a'"))
        table.validate(full=True)
        self.assertEqual(sorted(table["x"].to_pylist()), [b"a", b"\xffA"])

    def test_an_arrow_table_without_columns_keeps_its_number_of_rows(self) -> None:
        try:
            import pyarrow as pa
        except ImportError:
            self.skipTest("pyarrow is not installed")
        self.assertEqual(pa.RecordBatchReader.from_stream(self.ds.arrow([])).read_all().num_rows, 3000)

    def test_only_a_view_of_all_records_can_be_queried_with_sql(self) -> None:
        view = self.ds.where("1 = 1")
        self.assertEqual(view.sql("SELECT count(*) FROM records").fetchall(), [(3000,)])
        self.assertRaises(AttributeError, self.ds.where("label = 1").sql, "SELECT 1")

    @unittest.skipIf(
        "asan" in os.environ.get("LD_PRELOAD", ""), "AddressSanitizer reserves more addresses than the limit"
    )
    def test_running_out_of_memory_in_a_statement_is_an_error(self) -> None:
        printed = in_new_process(
            "import ofindex, resource, sys\n"
            "ds = ofindex.open(sys.argv[1])\n"
            "ds.sql('SELECT 1').fetchall()\n"
            "pages = int(open('/proc/self/statm').read().split()[0])\n"
            "resource.setrlimit(resource.RLIMIT_AS, (pages * 4096 + 400_000_000,) * 2)\n"
            "query = 'WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n WHERE x < 1000000) '\n"
            "try:\n"
            "    ds.sql(query + 'SELECT hex(zeroblob(500)) FROM n').__arrow_c_stream__()\n"
            "except (ofindex.LimitError, MemoryError):\n"
            "    print('limit')\n",
            self.dir / "data",
        )
        self.assertEqual(printed.strip(), "limit")


class ThreadsTest(WorkTest):
    def run_all(self, bodies: list[Any]) -> None:
        failures: list[BaseException] = []

        def guarded(body: Any) -> None:
            try:
                body()
            except BaseException as failure:
                failures.append(failure)

        workers = [threading.Thread(target=guarded, args=(body,)) for body in bodies]
        for worker in workers:
            worker.start()
        for worker in workers:
            worker.join()
        self.assertEqual(failures, [])

    def test_statements_on_many_threads_are_independent(self) -> None:
        ds = self.examples(2000)
        endless = "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT max(x) FROM n"

        def limited() -> None:
            for _ in range(3):
                with self.assertRaises(ofindex.LimitError):
                    ds.sql(endless, timeout=0.05).fetchall()

        def asking() -> None:
            for _ in range(20):
                self.assertEqual(ds.sql("SELECT count(*) FROM records WHERE label = 3").fetchall(), [(200,)])

        self.run_all([limited, asking, asking, limited])

    def test_many_threads_may_first_use_a_view_at_once(self) -> None:
        ds = self.examples(500)
        for number in range(20):
            view = ds.where("label = ?", (number % 10,))
            self.run_all([lambda view=view: self.assertEqual(len(view), 50)] * 4)


if __name__ == "__main__":
    unittest.main()

"""ofindex together with torch, TensorFlow and pyarrow in one process, imported in any order."""

from __future__ import annotations

import importlib.util
import json
import unittest
from concurrent.futures import ThreadPoolExecutor

from python.work import WorkTest, in_new_process

# Uses each imported package to compute the same number.
USE = """
import json, os, sys
os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
index, names = sys.argv[1], sys.argv[2:]
modules = {name: __import__(name) for name in names}
ofindex = modules["ofindex"]
ds = ofindex.open(index)
features = {"label": ofindex.fixed("int64"), "weight": ofindex.fixed("float32")}
sums = {
    "ofindex": float(ds.batch(range(len(ds)), features)["weight"].sum()),
    "where": sum(ds.record(i)["weight"][0].item() for i in range(len(ds.where("label >= 0")))),
    "sql": ds.sql("SELECT sum(weight) FROM records").fetchone()[0],
}
if "torch" in modules:
    import ofindex.torch
    weights = [batch["weight"] for batch in ofindex.torch.Loader(ds, features, 16)]
    sums["torch"] = float(modules["torch"].cat(weights).double().sum())
if "pyarrow" in modules:
    import pyarrow.compute
    sums["pyarrow"] = pyarrow.compute.sum(modules["pyarrow"].table(ds.arrow(["weight"]))["weight"]).as_py()
    sums["rows"] = pyarrow.compute.sum(ds.sql("SELECT weight FROM records").arrow()["weight"]).as_py()
if "tensorflow" in modules:
    import ofindex.tf
    tf = modules["tensorflow"]
    sums["tensorflow"] = sum(float(tf.reduce_sum(b["weight"])) for b in ofindex.tf.dataset(ds, features, 16))
    wish = {"weight": tf.io.FixedLenFeature([], tf.float32)}
    sums["parsed"] = float(tf.reduce_sum(tf.io.parse_example(list(ds), wish)["weight"]))
print(json.dumps(sums))
"""

HEAVY = (
    "torch",
    "tensorflow",
    "grain",
    "pyarrow",
    "pandas",
    "polars",
    "duckdb",
    "array_record",
    "jax",
    "google.protobuf",
)

# All six orders of three packages. TensorFlow takes seconds to import: it is imported only first, last and in between.
ORDERS = (
    ("tensorflow", "ofindex", "torch", "pyarrow"),
    ("ofindex", "pyarrow", "torch", "tensorflow"),
    ("torch", "tensorflow", "ofindex", "pyarrow"),
    ("torch", "pyarrow", "ofindex"),
    ("pyarrow", "ofindex", "torch"),
    ("pyarrow", "torch", "ofindex"),
)


class ImportsTest(WorkTest):
    def test_every_order_of_imports_works(self) -> None:
        ds = self.examples(64)
        expected = sum(number / 8 for number in range(64))
        there = [tuple(name for name in order if importlib.util.find_spec(name)) for order in ORDERS]
        orders = [order for order in dict.fromkeys(there) if len(order) > 1]
        if not orders:
            self.skipTest("no other package is installed")
        index = ds._source.index_path
        with ThreadPoolExecutor(2) as pool:
            outputs = pool.map(lambda order: in_new_process(USE, index, *order), orders)
            for order, output in zip(orders, outputs, strict=True):
                sums = json.loads(output.splitlines()[-1])
                self.assertEqual(sums, dict.fromkeys(sums, expected), order)

    def test_importing_and_using_ofindex_imports_no_framework(self) -> None:
        imported = in_new_process(
            "import sys, ofindex\n"
            "ds = ofindex.open(sys.argv[1])\n"
            "ds[0], ds.record(0), ds.where('label = 3')[0], list(ds.sampler()), ds.column('label')\n"
            "ds.batch([0], {'label': ofindex.fixed('int64')}), ds.sql('SELECT 1').fetchall(), ds.arrow()\n"
            "ofindex.mix([ds, ds]), dir(ofindex)\n"
            f"print(*[name for name in {HEAVY!r} if name in sys.modules])\n",
            self.examples(10)._source.index_path,
        )
        self.assertEqual(imported.split(), [])

    def test_an_adapter_is_imported_when_it_is_first_used(self) -> None:
        printed = in_new_process(
            "import sys, ofindex\n"
            "assert 'ofindex.grain' not in sys.modules and 'grain' in dir(ofindex)\n"
            "ofindex.grain.DataSource\n"
            "assert 'ofindex.grain' in sys.modules\n"
            "try: ofindex.jax\n"
            "except AttributeError as error: print(error)\n"
            "sys.modules['torch'] = None\n"
            "try: ofindex.torch\n"
            "except ImportError as error: print(type(error).__name__)\n"
        )
        self.assertEqual(printed.splitlines(), ["module 'ofindex' has no attribute 'jax'", "ModuleNotFoundError"])


if __name__ == "__main__":
    unittest.main()

"""`ofindex cat --to arrow`: Arrow's own library, Polars and pandas read the records that protobuf decodes."""

from __future__ import annotations

import io
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path
from typing import Any

import pandas
import polars
import pyarrow
import pyarrow.ipc
from oracle import messages, records

COMMAND = os.environ.get("OFINDEX_BIN") or str(Path(sys.executable).parent / "ofindex")
COUNT = 200


def example(number: int) -> dict[str, tuple[str, list[Any]]]:
    found: dict[str, tuple[str, list[Any]]] = {
        "label": ("int64", [number - 5]),
        "score": ("float", [number / 4]),
        "text": ("bytes", [f"text {number} é".encode()]),
        "blob": ("bytes", [bytes([number, 0xFF])]),
        "boxes": ("float", [box / 2 for box in range(number % 4)]),
        "names": ("bytes", [b"n%d" % name for name in range(number % 3)]),
        "none": ("none", []),
    }
    if number % 3 == 0:
        found["sometimes"] = ("int64", [1 << 62])
    return found


def ofrecord(number: int) -> dict[str, tuple[str, list[Any]]]:
    return {
        "i": ("int32", [number - 100]),
        "d": ("double", [number / 3]),
        "wide": (("int32", [number]) if number % 2 else ("int64", [number << 40])),
        "real": (("float", [0.5]) if number % 2 else ("double", [0.1])),
        "list": ("int32", list(range(number % 5))),
    }


EXAMPLE_TYPES = {
    "_id": "int64",
    "blob": "binary",
    "boxes": "list<item: float not null>",
    "label": "int64",
    "names": "list<item: binary not null>",
    "none": "binary",
    "score": "float",
    "sometimes": "int64",
    "text": "string",
}
OFRECORD_TYPES = {
    "_id": "int64",
    "d": "double",
    "i": "int32",
    "list": "list<item: int32 not null>",
    "real": "double",
    "wide": "int64",
}


@unittest.skipUnless(Path(COMMAND).is_file(), f"no command at {COMMAND}; set OFINDEX_BIN")
class CatArrowTest(unittest.TestCase):
    def setUp(self) -> None:
        temporary = tempfile.TemporaryDirectory(prefix="ofindex-arrow-")
        self.addCleanup(temporary.cleanup)
        self.dir = Path(temporary.name).resolve()

    def run_command(self, *args: str) -> bytes:
        done = subprocess.run([COMMAND, *args], cwd=self.dir, capture_output=True, timeout=120, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def build(self, payloads: list[bytes], framing: str = records.TFRECORD) -> None:
        records.WRITE[framing](self.dir / "data", payloads)
        self.run_command("build", "data", "-q", "--force")

    def stream(self, *args: str) -> pyarrow.Table:
        """The output as Arrow reads it, checked in full."""
        with pyarrow.ipc.open_stream(io.BytesIO(self.run_command("cat", "data", "--to", "arrow", *args))) as reader:
            table = reader.read_all()
        table.validate(full=True)
        return table

    def file(self, *args: str) -> Path:
        self.run_command("cat", "data", "--to", "arrow", "-o", "out.arrow", "--force", *args)
        return self.dir / "out.arrow"

    @staticmethod
    def rows(made: Any, names: list[str]) -> list[dict[str, Any]]:
        """The rows that the features of each record make: a list if some record has several values, else a value."""
        features = [made(number) for number in range(COUNT)]
        lists = {name for one in features for name, (_, values) in one.items() if len(values) > 1}
        rows = []
        for number, one in enumerate(features):
            row: dict[str, Any] = {"_id": number}
            for name in names:
                kind, values = one.get(name, ("none", []))
                if name in lists:
                    row[name] = None if kind == "none" else values
                else:
                    row[name] = values[0] if values else None
            row.update({name: value.decode() for name, value in row.items() if name == "text"})
            rows.append(row)
        return rows

    def test_pyarrow_reads_the_features_of_examples_and_ofrecords(self) -> None:
        for made, kind, framing, types in (
            (example, "example", records.TFRECORD, EXAMPLE_TYPES),
            (ofrecord, "ofrecord", records.OFRECORD, OFRECORD_TYPES),
        ):
            with self.subTest(kind=kind):
                self.build([messages.encode(kind, made(number)) for number in range(COUNT)], framing)
                expected = self.rows(made, [name for name in types if name != "_id"])
                table = self.stream()
                self.assertEqual({field.name: str(field.type) for field in table.schema}, types)
                self.assertEqual(table.to_pylist(), expected)
                with pyarrow.ipc.open_file(self.file()) as reader:
                    self.assertEqual(reader.read_all().to_pylist(), expected)

    def test_the_steps_of_a_feature_list_are_lists_of_lists(self) -> None:
        steps = [[("int64", [1, 2]), ("int64", []), ("none", [])], [], None, [("int64", [3])]]
        self.build(
            [messages.encode_sequence({"t": ("bytes", [b"x"])}, {} if one is None else {"f": one}) for one in steps]
        )
        table = self.stream()
        self.assertEqual(table.column("f[]").to_pylist(), [[[1, 2], [], None], [], None, [[3]]])

    def test_polars_and_pandas_read_the_file_and_polars_the_stream(self) -> None:
        self.build([messages.encode("example", example(number)) for number in range(COUNT)])
        expected = self.rows(example, ["label", "text", "boxes"])
        path = self.file("--feature", "label,text,boxes")
        self.assertEqual(polars.read_ipc(path).to_dicts(), expected)
        self.assertEqual(pandas.read_feather(path)["label"].tolist(), [row["label"] for row in expected])
        shown = self.run_command("cat", "data", "--to", "arrow", "--feature", "label,text,boxes")
        self.assertEqual(polars.read_ipc_stream(io.BytesIO(shown)).to_dicts(), expected)

    def test_many_records_and_large_ones_are_several_batches(self) -> None:
        payloads = [messages.encode("example", {"x": ("int64", [number])}) for number in range(70_000)]
        self.build(payloads)
        path = self.file()
        with pyarrow.ipc.open_file(path) as reader:
            self.assertEqual(reader.num_record_batches, 2)
            self.assertEqual(reader.read_all().column("x").to_pylist(), list(range(70_000)))
        values = [bytes([number]) * (3 << 20) for number in range(5)]
        self.build([messages.encode("example", {"x": ("bytes", [value])}) for value in values])
        table = self.stream()
        self.assertEqual([len(batch) for batch in table.to_batches()], [3, 2])
        self.assertEqual(table.column("x").to_pylist(), values)

    def test_no_records_are_a_table_without_rows(self) -> None:
        self.build([messages.encode("example", example(0))])
        table = self.stream("--range", "5:")
        self.assertEqual((table.num_rows, table.column_names[:3]), (0, ["_id", "blob", "boxes"]))
        with pyarrow.ipc.open_file(self.file("--range", "5:")) as reader:
            self.assertEqual(reader.num_record_batches, 0)

    def test_names_and_many_columns_are_kept(self) -> None:
        names = ["é", "_id", "a,b", *(f"c{number}" for number in range(1000))]
        self.build([messages.encode("example", {name: ("int64", [len(name)]) for name in names})])
        table = self.stream()
        self.assertEqual(set(table.column_names), {"_id", "_id_2", *names})
        self.assertEqual(table.select(["a,b", "c999"]).to_pylist(), [{"a,b": 3, "c999": 4}])


if __name__ == "__main__":
    unittest.main()

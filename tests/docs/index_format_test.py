#!/usr/bin/env python3
"""The schema, the columns and the worked example in docs/index_format.md match the files that the command writes.

Shards, rows and bytes are read from the document; nothing here uses code of ofindex to compute them. XXH3 values are
taken from the document and compared with those of the command.
"""

from __future__ import annotations

import contextlib
import os
import re
import sqlite3
import struct
import subprocess
import tempfile
import unittest
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
COMMAND = Path(os.environ.get("OFINDEX_BIN", ROOT / "build" / "tools" / "ofindex")).resolve()
DOCUMENT = (ROOT / "docs" / "index_format.md").read_text(encoding="utf-8")

TABLES = (
    "dataset",
    "source",
    "skipped",
    "generation",
    "shard",
    "absence",
    "checkpoint",
    "block",
    "damage",
    "bad",
    "feature",
    "shard_feature",
    "chunk",
    "checksum",
)

# Tables that are empty in the example: its payloads are opaque, its shards uncompressed, and no file is skipped or gone.
EMPTY = ("skipped", "absence", "checkpoint", "feature", "shard_feature", "chunk")

# Cells that depend on the inodes of the example's files. For each table: first cell of the row (None: any), and column.
OF_INODES = {
    "dataset": (("checksum", "value"),),
    "shard": ((None, "ctime_ns"), (None, "inode")),
    "checksum": (("shard", "sum"),),
}

# Bytes of the map that depend on the inodes: binding and checksum of the header; ctime, inode and checksum of both
# shards.
SHARDS_AT = 347
OF_INODES_IN_MAP = (
    slice(32, 40),
    slice(248, 256),
    *(slice(SHARDS_AT + 80 * shard + 56, SHARDS_AT + 80 * (shard + 1)) for shard in range(2)),
)


def block_after(text: str) -> str:
    """The content of the first fenced block after `text`."""
    _, found, rest = DOCUMENT.partition(text)
    if not found:
        raise ValueError(f"the document does not say: {text}")
    match = re.search(r"^```\w+\n(.*?)^```$", rest, re.MULTILINE | re.DOTALL)
    assert match is not None, text
    return match[1]


def table_after(text: str) -> list[list[str]]:
    """The first table after `text`: its header, then its rows."""
    _, found, rest = DOCUMENT.partition(text)
    if not found:
        raise ValueError(f"the document does not say: {text}")
    lines = rest[rest.index("\n|") + 1 :].splitlines()
    rows = []
    for line in lines:
        if not line.startswith("|"):
            break
        rows.append([cell.strip() for cell in line.strip("|").split("|")])
    return [rows[0], *rows[2:]]


def example_shards() -> dict[str, tuple[bytes, int]]:
    """Maps each path to its bytes and mtime_ns."""
    named = re.findall(r"^(Shard `(.+?)`, mtime_ns (\d+):)$", DOCUMENT, re.MULTILINE)
    return {path: (bytes.fromhex(block_after(line)), int(mtime)) for line, path, mtime in named}


def lines_of_bytes(text: str) -> Iterator[tuple[int, bytes]]:
    """The offset and the bytes of each line of the first fenced block after `text`."""
    for line in block_after(text).splitlines():
        offset, hexadecimal = re.fullmatch(r" *(\d+) +([0-9a-f *]+?) *(?:\|.*)?", line).groups()
        found = bytearray()
        for word in hexadecimal.split():
            byte, _, times = word.partition("*")
            found += bytes.fromhex(byte) * int(times or 1)
        yield int(offset), bytes(found)


def example_map() -> bytes:
    """The bytes of the map in the document. Every line must have the right offset."""
    found = bytearray()
    for offset, data in lines_of_bytes("Bytes of the map"):
        if offset != len(found):
            raise ValueError(f"the line with offset {offset} begins at byte {len(found)}")
        found += data
    return bytes(found)


def write_example(folder: Path) -> None:
    """Writes the shards of the example to `folder`/tiny."""
    for path, (data, mtime_ns) in example_shards().items():
        shard = folder / path
        shard.parent.mkdir(exist_ok=True)
        shard.write_bytes(data)
        os.utime(shard, ns=(mtime_ns, mtime_ns))


def unpack(blob: bytes, records: int) -> list[int]:
    """The record boundaries in a blob of packed offsets, by the formula in the document."""
    points = []
    for i in range(records + 1):
        # The end of a frame is its last boundary.
        frame = min(i // 4096, (records - 1) // 4096)
        j = i - 4096 * frame
        base, slope, at, width = struct.unpack_from("<QQIB", blob, 24 * frame)
        bits = int.from_bytes(blob[at:], "little")
        points.append((base + (slope * j >> 12) + (bits >> width * j) % (1 << width)) % 2**64)
    return points


def without_space(sql: str) -> str:
    return re.sub(r"\s+", "", sql)


def shown(value: object) -> str:
    if value is None:
        return "NULL"
    return value.hex() if isinstance(value, bytes) else str(value)


class IndexFormatTest(unittest.TestCase):
    """The example's shards are written and indexed once."""

    @classmethod
    def setUpClass(cls) -> None:
        temporary = tempfile.TemporaryDirectory(prefix="ofindex-format-")
        cls.addClassCleanup(temporary.cleanup)
        cls.dir = Path(temporary.name)
        write_example(cls.dir)
        command = [COMMAND, "build", "tiny", "--verify"]
        cls.built = subprocess.run(command, cwd=cls.dir, capture_output=True, timeout=60)
        cls.database = sqlite3.connect(f"file:{cls.dir}/tiny.ofidx?mode=ro", uri=True)
        cls.addClassCleanup(cls.database.close)

    def rows(self, table: str) -> list[tuple[object, ...]]:
        return self.database.execute(f"SELECT * FROM {table}").fetchall()

    def columns(self, table: str) -> list[str]:
        return [row[1] for row in self.database.execute(f"PRAGMA table_info({table})")]

    def test_the_exit_code_is_the_one_shown(self) -> None:
        self.assertEqual(len(example_shards()), 2)
        self.assertIn("ends with exit code 3", DOCUMENT)
        self.assertEqual(self.built.returncode, 3, self.built.stderr)

    def test_the_file_has_the_properties_in_the_document(self) -> None:
        stated = {row[0]: row[1] for row in table_after("## NAME.ofidx\n")[1:]}
        self.assertEqual(len(stated), 6)
        for name, value in stated.items():
            found = str(self.database.execute(f"PRAGMA {name.replace(' ', '_')}").fetchone()[0])
            self.assertEqual(re.match(r"[\w-]+", value)[0], found, name)
        self.assertEqual((self.dir / "tiny.ofidx").stat().st_size, 16 * 65536)
        self.assertIn("Sixteen pages, 1 MiB", DOCUMENT)

    def test_the_schema_is_the_one_shown(self) -> None:
        found = [row[0] for row in self.database.execute("SELECT sql FROM sqlite_master ORDER BY rootpage")]
        document = without_space(block_after("Tables are made in this order"))
        self.assertEqual("".join(without_space(sql) + ";" for sql in found), document)

    def test_every_column_is_described(self) -> None:
        for table in TABLES:
            described = [row[0] for row in table_after(f"### Table {table}\n")[1:]]
            with self.subTest(table):
                keys = [row[0] for row in self.rows("dataset")]
                self.assertEqual(described, keys if table == "dataset" else self.columns(table))

    def test_the_rows_are_the_ones_shown(self) -> None:
        for table in EMPTY:
            self.assertEqual(self.rows(table), [], table)
        for table in (table for table in TABLES if table not in EMPTY):
            header, *expected = table_after(f"Rows of {table}:\n")
            with self.subTest(table):
                self.assertEqual(header, self.columns(table))
                for row in expected:
                    for name in {"offsets", "hashes"} & set(header):
                        row[header.index(name)] = row[header.index(name)].replace(" ", "")
                found = [[shown(value) for value in row] for row in self.rows(table)]
                for key, column in OF_INODES.get(table, ()):
                    at = header.index(column)
                    for row in (row for rows in (found, expected) for row in rows if key in (None, row[0])):
                        self.assertRegex(row[at], "^-?[0-9a-f]+$")
                        row[at] = "of the inode"
                self.assertEqual(found, expected)

    def test_the_map_has_the_bytes_shown(self) -> None:
        written = bytearray((self.dir / "tiny.ofidx-map").read_bytes())
        expected = bytearray(example_map())
        for part in OF_INODES_IN_MAP:
            written[part] = expected[part] = bytes(part.stop - part.start)
        for at in range(0, max(len(written), len(expected)), 8):
            self.assertEqual(written[at : at + 8].hex(" "), expected[at : at + 8].hex(" "), f"at {at}")

    def test_the_formula_in_the_document_gives_the_records_of_the_shards(self) -> None:
        data = [data for data, _ in example_shards().values()]
        for shard, records, begin, end, offsets in self.database.execute(
            'SELECT shard, records, "begin", "end", offsets FROM block'
        ):
            points = [0]
            for _ in range(records):
                points.append(points[-1] + 16 + struct.unpack_from("<Q", data[shard], points[-1])[0])
            self.assertEqual(unpack(offsets, records), points)
            self.assertEqual((points[0], points[-1]), (begin, end))

    def test_the_fields_of_the_map_have_the_documented_offsets(self) -> None:
        sizes = {"u8": 1, "u32": 4, "u64": 8, "i64": 8}
        for text, bytes_in_all in (("\nHeader; offsets", 256), ("\nShard:\n", 80), ("\nBlock:\n", 64)):
            at = 0
            for offset, kind, field in table_after(text)[1:]:
                self.assertEqual(int(offset), at, field)
                at += sizes[kind] if kind in sizes else int(kind.removesuffix(" bytes"))
            self.assertEqual(at, bytes_in_all, text)


class UpdateTest(unittest.TestCase):
    """The index of the example after a shard was removed."""

    def test_an_update_that_misses_a_shard_changes_the_rows_and_bytes_shown(self) -> None:
        with tempfile.TemporaryDirectory(prefix="ofindex-format-") as name:
            folder = Path(name)
            write_example(folder)
            subprocess.run([COMMAND, "build", "tiny", "--verify"], cwd=folder, capture_output=True, timeout=60)
            self.assertIn("If `tiny/part-0` is then removed, `ofindex update tiny`", DOCUMENT)
            (folder / "tiny/part-0").unlink()
            updated = subprocess.run([COMMAND, "update", "tiny"], cwd=folder, capture_output=True, timeout=60)
            with contextlib.closing(sqlite3.connect(f"file:{folder}/tiny.ofidx?mode=ro", uri=True)) as database:
                for table in ("absence", "generation"):
                    rows = [list(map(shown, row)) for row in database.execute(f"SELECT * FROM {table}")]
                    self.assertEqual(rows, table_after(f"Rows of {table} after the update:\n")[1:], updated)
                facts = {key: shown(value) for key, value in database.execute("SELECT * FROM dataset")}
                for key, value in table_after("Facts of the dataset after the update:\n")[1:]:
                    self.assertEqual(facts[key], value, key)
            written = (folder / "tiny.ofidx-map").read_bytes()
            for offset, data in lines_of_bytes("Tables of the map after the update"):
                self.assertEqual(written[offset : offset + len(data)].hex(" "), data.hex(" "), offset)
            self.assertEqual(len(written), offset + len(data))


class ReadersTest(unittest.TestCase):
    """The code that reads the document must find its faults."""

    def test_the_formula_unpacks_wide_fields_and_two_frames(self) -> None:
        two_frames = struct.pack("<QQIB3x", 2**64 - 1, 16 << 12, 48, 1) + struct.pack("<QQIB3x", 65536, 5 << 12, 561, 3)
        fields = (1).to_bytes(513, "little") + bytes([0b101_000]) + bytes(8)
        points = unpack(two_frames + fields, 4097)
        self.assertEqual(points[:3], [0, 15, 31])
        self.assertEqual(points[4096:], [65536, 65536 + 5 + 5])

    def test_missing_text_is_an_error(self) -> None:
        for reader in (block_after, table_after):
            with self.assertRaises(ValueError):
                reader("no such text in the document")


if __name__ == "__main__":
    unittest.main()

#!/usr/bin/env python3
"""The documents are correct: every command block of README.md and docs/*.md is run, and must print what the document
shows.

blocks.py decides which blocks are commands, and sample_data.py creates the files of the folder in which they run. Every
link must have a target, and a path in backticks that begins with a folder of the project must exist.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import sys
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests"))

from docs.blocks import COMMAND, Shell, block_complaints, blocks  # noqa: E402
from docs.links import FOLDERS, link_complaints  # noqa: E402
from docs.sample_data import make_data  # noqa: E402
from docs.work_folder import WorkFolderTest  # noqa: E402
from e2e.bounded import is_address_sanitized  # noqa: E402
from oracle.fixtures import FIXTURES  # noqa: E402


def documents() -> list[Path]:
    return [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]


# Maps each document about real record files to the files. Without them, the commands of the document are skipped.
REAL_DATA = {
    "docs/sql.md": (
        "real/mnist.tfrecord",
        "real/sequence_example.tfrecord",
        "real/ssd-dummy",
        "real/toy",
        "real/penguin-train.tfrecord.gz",
    )
}


EXTENSION = Path(os.environ.get("OFINDEX_SQLITE", ROOT / "build" / "query" / "extension" / "ofindex_sqlite.so"))


def copy_extension(document: str, folder: Path) -> bool:
    """Copies the SQLite extension for the document about it; returns False if it cannot be loaded here."""
    if document != "docs/sqlite.md":
        return True
    if is_address_sanitized() or not EXTENSION.is_file() or shutil.which("sqlite3") is None:
        return False
    shutil.copyfile(EXTENSION, folder / EXTENSION.name)
    return True


def copy_real_data(document: str, folder: Path) -> bool:
    """Copies the real files that the commands of `document` read; returns False if they do not exist."""
    for name in REAL_DATA.get(document, ()):
        source = FIXTURES / name
        if not source.exists():
            return False
        target = folder / source.name
        if source.is_dir():
            shutil.copytree(source, target, copy_function=shutil.copyfile)
        else:
            shutil.copyfile(source, target)
    return True


class DocumentsTest(WorkFolderTest):
    def setUp(self) -> None:
        super().setUp()
        if not COMMAND.is_file() or COMMAND.name != "ofindex":
            raise FileNotFoundError(f"no ofindex at {COMMAND}: build it, or set OFINDEX_BIN")

    def test_every_command_prints_what_its_document_shows(self) -> None:
        for path in documents():
            with self.subTest(path.relative_to(ROOT).as_posix()):
                folder = self.dir / path.relative_to(ROOT).as_posix().replace("/", "-")
                folder.mkdir()
                make_data(folder)
                if not copy_real_data(path.relative_to(ROOT).as_posix(), folder):
                    self.skipTest(f"no real record files in {FIXTURES}")
                if not copy_extension(path.relative_to(ROOT).as_posix(), folder):
                    self.skipTest(f"sqlite3 is not installed, or cannot load {EXTENSION}")
                found = list(block_complaints(path.read_text(encoding="utf-8"), folder))
                self.assertEqual(found, [], "\n" + "\n".join(found))

    def test_every_link_has_a_target(self) -> None:
        readmes = {readme for folder in FOLDERS for readme in (ROOT / folder).rglob("README.md")}
        self.assertGreater(len(readmes), 40)
        for path in sorted({*documents(), *readmes, ROOT / "CONTRIBUTING.md", ROOT / "SECURITY.md"}):
            with self.subTest(path.relative_to(ROOT).as_posix()):
                self.assertEqual(list(link_complaints(path.read_text(encoding="utf-8"), path)), [])

    def test_the_tables_of_sql_have_the_documented_columns(self) -> None:
        make_data(self.dir)
        shell = Shell(self.dir)
        shell.run("ofindex build data/train -q")
        text = (ROOT / "docs" / "sql.md").read_text(encoding="utf-8")
        rows = re.findall(r"^\| `(\w+)` \|[^|]*\| `([^`]*)` \|$", text, re.MULTILINE)
        described = {table: names.split() for table, names in rows}
        found = {}
        for table in described:
            answer = shell.run(f"ofindex sql data/train 'SELECT * FROM {table} LIMIT 0' --json")[1]
            found[table] = json.loads(answer)["columns"]
        self.assertEqual(described, found)
        self.assertEqual(set(described), {"shards", "features", "bad", "damage"})

    def test_documents_are_found_and_contain_sessions(self) -> None:
        names = {path.stem for path in documents()}
        self.assertLessEqual({"README", "design", "index_format", "record_formats", "cli", "testing"}, names)
        languages = [block.language for path in documents() for block in blocks(path.read_text(encoding="utf-8"))]
        self.assertGreaterEqual(languages.count("console"), 10)


if __name__ == "__main__":
    unittest.main()

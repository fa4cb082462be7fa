"""The loadable extension in SQLite programs: the shell `sqlite3`, and Python's module.

OFINDEX_SQLITE names the extension (default: build/query/extension/ofindex_sqlite.so of this repository).
"""

from __future__ import annotations

import base64
import os
import shutil
import sqlite3
import subprocess
import unittest
from pathlib import Path

from e2e.bounded import is_address_sanitized
from e2e.command import REPOSITORY, CommandTest
from e2e.samples import write_parts
from oracle.elf import needs_static_tls

EXTENSION = Path(
    os.environ.get("OFINDEX_SQLITE", REPOSITORY / "build" / "query" / "extension" / "ofindex_sqlite.so")
).resolve()


class ExtensionTest(CommandTest):
    def setUp(self) -> None:
        super().setUp()
        if is_address_sanitized():
            self.skipTest("a program without AddressSanitizer cannot load a library built with AddressSanitizer")
        if not EXTENSION.is_file():
            raise FileNotFoundError(f"no extension at {EXTENSION}: build it, or set OFINDEX_SQLITE")
        write_parts(self.dir / "data", (3, 2))
        self.expect(0, "build", "data", "-q")

    def test_the_extension_can_be_loaded_by_a_running_program(self) -> None:
        self.assertFalse(needs_static_tls(EXTENSION))

    def connect(self) -> sqlite3.Connection:
        connection = sqlite3.connect(":memory:")
        self.addCleanup(connection.close)
        if not hasattr(connection, "enable_load_extension"):
            self.skipTest("this Python's sqlite3 loads no extensions")
        connection.enable_load_extension(True)
        connection.load_extension(str(EXTENSION.with_suffix("")))
        return connection

    def table(self, name: str = "data") -> sqlite3.Connection:
        connection = self.connect()
        connection.execute(f"CREATE VIRTUAL TABLE t USING ofindex('{self.dir / name}')")
        return connection

    def test_python_reads_what_the_command_reads(self) -> None:
        for name in ("data", "data.ofidx"):
            cursor = self.table(name).execute("SELECT * FROM t ORDER BY _id DESC")
            columns = [column[0] for column in cursor.description]
            found = [dict(zip(columns, row)) for row in cursor]
            for row in found:
                image = row.get("image")
                if isinstance(image, bytes):  # as in the command's JSON, because these bytes are not text
                    row["image"] = {"base64": base64.b64encode(image).decode()}
            query = "SELECT * FROM records ORDER BY _id DESC"
            self.assertEqual(found, self.expect(0, "sql", "data", query, "--jsonl").jsonl)

    def test_the_virtual_table_can_be_joined_with_tables_of_the_host(self) -> None:
        connection = self.table()
        connection.execute("CREATE TABLE names(label, name)")
        connection.execute("INSERT INTO names VALUES (1, 'one'), (4, 'four')")
        rows = connection.execute("SELECT _id, names.name FROM t JOIN names USING (label) ORDER BY 1").fetchall()
        self.assertEqual(rows, [(1, "one"), (4, "four")])

    def test_functions_that_the_host_lacks_are_added_and_its_own_are_kept(self) -> None:
        connection = self.table()
        query = "SELECT median(label), percentile(label, 25), variance(label), string_agg(label, '-') FROM t"
        self.assertEqual(connection.execute(query).fetchall(), [(2.0, 1.0, 2.5, "0-1-2-3-4")])
        found = connection.execute("SELECT count(*), stddev(label) FROM t WHERE label REGEXP '^[13]$'").fetchall()
        self.assertEqual(found, [(2, 2**0.5)])
        own = sqlite3.connect(":memory:")
        self.addCleanup(own.close)
        own.create_function("regexp", 2, lambda pattern, text: "own")
        own.enable_load_extension(True)
        own.load_extension(str(EXTENSION.with_suffix("")))
        self.assertEqual(own.execute("SELECT 'a' REGEXP 'a', median(3)").fetchall(), [("own", 3.0)])

    def test_errors_are_reported_through_the_host(self) -> None:
        connection = self.connect()
        for argument in ("'nothing'", "", "'data', 'data'", f"'{EXTENSION}'"):
            with self.subTest(argument), self.assertRaises(sqlite3.Error):
                connection.execute(f"CREATE VIRTUAL TABLE t USING ofindex({argument})")
        with self.assertRaises(sqlite3.Error):
            self.table().execute("DELETE FROM t")

    def test_the_extension_outlives_the_connection_that_loaded_it(self) -> None:
        for _ in range(3):
            connection = self.table()
            self.assertEqual(connection.execute("SELECT count(*) FROM t").fetchall(), [(5,)])
            connection.close()

    @unittest.skipUnless(shutil.which("sqlite3"), "the shell sqlite3 is not installed")
    def test_the_shell_reads_a_table(self) -> None:
        create = f"CREATE VIRTUAL TABLE t USING ofindex('{self.dir}/data')"
        statements = (create, "SELECT _id, label FROM t WHERE label > 2")
        shell = subprocess.run(
            ["sqlite3", ":memory:", f".load {EXTENSION.with_suffix('')}", *statements],
            capture_output=True,
            text=True,
            timeout=60,
        )
        self.assertEqual((shell.stdout, shell.stderr, shell.returncode), ("3|3\n4|4\n", "", 0))

    @unittest.skipUnless(shutil.which("sqlite3"), "the shell sqlite3 is not installed")
    def test_a_table_persists_in_a_database_and_is_not_readable_through_its_views(self) -> None:
        load = f".load {EXTENSION.with_suffix('')}"
        create = f"CREATE VIRTUAL TABLE t USING ofindex('{self.dir}/data')"
        for statements in ((create, "CREATE VIEW v AS SELECT * FROM t"), ("SELECT count(*) FROM t",)):
            ran = subprocess.run(
                ["sqlite3", "host.db", load, *statements], cwd=self.dir, capture_output=True, text=True, timeout=60
            )
            self.assertEqual((ran.stderr, ran.returncode), ("", 0))
        self.assertEqual(ran.stdout, "5\n")
        # An untrusted database must not make its reader open files.
        for trusted in (0, 1):
            view = ["sqlite3", "host.db", load, f"PRAGMA trusted_schema = {trusted}", "SELECT count(*) FROM v"]
            refused = subprocess.run(view, cwd=self.dir, capture_output=True, text=True, timeout=60)
            self.assertIn("unsafe use of virtual table", refused.stderr)

    @unittest.skipUnless(shutil.which("readelf"), "readelf is not installed")
    def test_the_extension_links_neither_sqlite_nor_protobuf(self) -> None:
        needed = subprocess.run(["readelf", "-d", EXTENSION], capture_output=True, text=True, check=True).stdout
        self.assertIn("NEEDED", needed)
        self.assertNotRegex(needed, "sqlite3|protobuf")
        symbols = subprocess.run(["nm", "-D", EXTENSION], capture_output=True, text=True, check=True).stdout
        self.assertNotRegex(symbols, r" U sqlite3_")
        self.assertRegex(symbols, r" T sqlite3_ofindexsqlite_init\n")


if __name__ == "__main__":
    unittest.main()

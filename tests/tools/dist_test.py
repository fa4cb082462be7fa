#!/usr/bin/env python3
"""The tarball of tools/dist runs from any folder, and has all that it should and nothing else.

A name with two definitions fails its build, too. The build folder is kept, so a second run compiles little.
"""

import pathlib
import re
import sqlite3
import subprocess
import tarfile
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
ROWS = '{"word": "cat"}\n{"word": "oak"}\n'

#: Besides the documents, and man pages and completions where the build makes them.
FILES = {
    "bin/ofindex",
    "lib/ofindex/ofindex_sqlite.so",
    "share/doc/ofindex/CHANGELOG.md",
    "share/doc/ofindex/LICENSE",
    "share/doc/ofindex/README.md",
    "share/doc/ofindex/THIRD_PARTY",
}
MORE = re.compile(r"share/(doc/ofindex/docs/\w+\.md|man/|bash-completion/|zsh/|fish/)")


class DistTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        work = tempfile.TemporaryDirectory(prefix="ofindex-dist-")
        cls.addClassCleanup(work.cleanup)
        cls.work = pathlib.Path(work.name)
        done = subprocess.run([ROOT / "tools" / "dist", "--test", cls.work], capture_output=True, text=True, check=False)
        if done.returncode != 0:
            raise AssertionError(done.stdout[-4000:] + done.stderr[-4000:])
        (cls.tarball,) = cls.work.glob("ofindex-*-linux-x86_64.tar.gz")
        with tarfile.open(cls.tarball) as archive:
            cls.members = archive.getmembers()
        subprocess.run(["tar", "-xzf", cls.tarball, "-C", cls.work], check=True)
        cls.top = cls.tarball.name.removesuffix(".tar.gz")
        cls.home = cls.work / "moved here" / "ofindex"
        cls.home.parent.mkdir()
        (cls.work / cls.top).rename(cls.home)
        (cls.work / "words.jsonl").write_text(ROWS)
        cls.command("pack", "words.jsonl", "-o", "words", "--to", "ofrecord")
        cls.command("build", "words", "--verify")

    @classmethod
    def command(cls, *arguments):
        command = [cls.home / "bin" / "ofindex", *arguments]
        done = subprocess.run(command, cwd=cls.work, env={}, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            raise AssertionError(done.stderr)
        return done.stdout

    def test_the_command_runs_where_it_was_moved_to_with_an_empty_environment(self):
        self.assertEqual(self.command("sql", "words", "SELECT word FROM records", "--csv").split(), ["word", "cat", "oak"])

    def test_the_extension_is_loaded_from_there(self):
        connection = sqlite3.connect(":memory:")
        self.addCleanup(connection.close)
        connection.enable_load_extension(True)
        connection.load_extension(str(self.home / "lib" / "ofindex" / "ofindex_sqlite"))
        connection.execute(f"CREATE VIRTUAL TABLE words USING ofindex('{self.work / 'words'}')")
        self.assertEqual(connection.execute("SELECT word FROM words").fetchall(), [("cat",), ("oak",)])

    def test_the_tarball_has_one_folder_with_the_files_of_a_prefix(self):
        self.assertEqual({member.name.split("/")[0] for member in self.members}, {self.top})
        files = {member.name.partition("/")[2] for member in self.members if not member.isdir()}
        self.assertEqual({name for name in files if not MORE.match(name)}, FILES)
        self.assertIn("share/doc/ofindex/docs/cli.md", files)

    def test_its_files_belong_to_root_and_can_be_read_by_all(self):
        for member in self.members:
            self.assertEqual((member.uid, member.gid, member.mtime), (0, 0, 0), member.name)
            runs = member.isdir() or member.name.endswith((".so", "bin/ofindex"))
            self.assertEqual(oct(member.mode), oct(0o755 if runs else 0o644), member.name)


if __name__ == "__main__":
    unittest.main()

#!/usr/bin/env python3
"""Builds that nobody runs, for what their compilers find.

The folders are below the one that OFINDEX_BUILDS names, and are kept, so a second run compiles little.
"""

import os
import pathlib
import subprocess
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[1]
BUILDS = pathlib.Path(os.environ.get("OFINDEX_BUILDS", ROOT / "build" / "builds"))


class BuildsTest(unittest.TestCase):
    def build(self, name: str, compiler: str, *options: str) -> None:
        folder = BUILDS / name
        setup = ["meson", "setup", str(folder), "-Dwerror=true", "-Dtests=false", "-Dbench=false", *options]
        compile_all = ["meson", "compile", "-C", str(folder)]
        for step in [compile_all] if (folder / "build.ninja").exists() else [setup, compile_all]:
            done = subprocess.run(
                step, cwd=ROOT, env=os.environ | {"CXX": compiler}, capture_output=True, text=True, check=False
            )
            self.assertEqual(done.returncode, 0, (done.stdout + done.stderr)[-4000:])

    def test_no_name_has_two_definitions(self) -> None:
        """Linking with -flto compares the types and functions of all object files."""
        self.build("odr", "g++", "--buildtype=plain", "-Db_lto=true", "-Dlibrary=false", "-Dcpp_link_args=-Werror=odr")

    def test_clang_finds_nothing_in_a_release_build(self) -> None:
        self.build("clang", "clang++-14", "--buildtype=release")


if __name__ == "__main__":
    unittest.main()

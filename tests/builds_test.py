#!/usr/bin/env python3
"""A build that nobody runs, for what the compiler and the linker find in sources that are compiled one by one.

The folder lies below the one that OFINDEX_BUILDS names, and is kept, so a second run compiles little.
"""

import os
import pathlib
import subprocess
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[1]
BUILDS = pathlib.Path(os.environ.get("OFINDEX_BUILDS", ROOT / "build" / "builds"))


class BuildsTest(unittest.TestCase):
    def test_each_source_includes_what_it_uses_and_no_name_has_two_definitions(self) -> None:
        """Other builds are unity builds. Linking with -flto compares the types and functions of all object files."""
        folder = BUILDS / "odr"
        options = ["-Dunity=off", "-Dwerror=true", "-Dtests=false", "-Dbench=false", "-Dlibrary=false", "-Db_lto=true"]
        setup = ["meson", "setup", str(folder), "--buildtype=plain", "-Dcpp_link_args=-Werror=odr", *options]
        compile_all = ["meson", "compile", "-C", str(folder)]
        for step in [compile_all] if (folder / "build.ninja").exists() else [setup, compile_all]:
            done = subprocess.run(
                step, cwd=ROOT, env=os.environ | {"CXX": "g++"}, capture_output=True, text=True, check=False
            )
            self.assertEqual(done.returncode, 0, (done.stdout + done.stderr)[-4000:])


if __name__ == "__main__":
    unittest.main()

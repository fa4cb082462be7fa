#!/usr/bin/env python3
"""Builds that nobody runs, for what their compilers find.

The folders are below the build folder that MESON_BUILD_ROOT names, and are kept, so a second run compiles little.
"""

import os
import pathlib
import subprocess
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[1]
BUILDS = pathlib.Path(os.environ.get("MESON_BUILD_ROOT", ROOT / "build")) / "builds"
PYTHON = ROOT / "build" / "python" / "bin"  # tools/test makes it; it has nanobind


class BuildsTest(unittest.TestCase):
    def build(self, name: str, *options: str, compiler: str, path: pathlib.Path | None = None) -> None:
        folder = BUILDS / name
        environment = os.environ | {"CXX": compiler}
        if path:
            environment["PATH"] = f"{path}{os.pathsep}{environment['PATH']}"
        for step in (
            ["meson", "setup", str(folder), "-Dwerror=true", "-Dtests=false", "-Dbench=false", *options],
            ["meson", "compile", "-C", str(folder)],
        ):
            if step[1] == "setup" and (folder / "build.ninja").exists():
                continue
            done = subprocess.run(step, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
            self.assertEqual(done.returncode, 0, (done.stdout + done.stderr)[-4000:])

    def test_no_name_has_two_definitions(self) -> None:
        """Linking with -flto compares the types and functions of all files, those of the Python extension included."""
        python = PYTHON if (PYTHON / "meson").exists() else None
        flags = "-Dcpp_args=-Werror=odr", "-Dcpp_link_args=-Werror=odr"
        self.build("odr", "--buildtype=plain", "-Db_lto=true", f"-Dpython={str(bool(python)).lower()}", *flags,
                   compiler="g++", path=python)

    def test_clang_optimises_everything_without_a_warning(self) -> None:
        self.build("clang", "--buildtype=release", compiler="clang++-14")


if __name__ == "__main__":
    unittest.main()

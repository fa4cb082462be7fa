#!/usr/bin/env python3
"""Every list of the libraries that a build needs is the same, and an error names the missing Debian packages."""

import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent


def read(name):
    return (ROOT / name).read_text(encoding="utf-8")


def of_meson():
    """Maps each library or header in meson.build to its package."""
    loops = "".join(re.findall(r"foreach name, package : \{(.*?)\}", read("meson.build"), re.S))
    return dict(re.findall(r"'([^']+)': '([^']+)'", loops))


class PackagesTest(unittest.TestCase):
    def test_every_list_names_the_same_libraries(self):
        libraries = set(of_meson().values())
        self.assertGreater(len(libraries), 8)
        script = re.search(r"packages_libraries=\((.*?)\)", read("tools/packages.sh"), re.S)[1].split()
        self.assertEqual(set(script), libraries)
        shown = re.search(r"^apt-get install (.*?)^```", read("docs/python.md"), re.S | re.M)[1]
        named = set(shown.replace("\\", " ").split())
        self.assertEqual(named - libraries, {"g++", "pkg-config", "python3-dev", "python3-venv"})
        self.assertEqual(libraries - named, set())

    def test_one_error_names_all_missing_libraries(self):
        meson = shutil.which("meson")
        if meson is None:
            self.skipTest("meson is not installed")
        with tempfile.TemporaryDirectory(prefix="ofindex-packages-") as work:
            environment = {"PATH": f"{pathlib.Path(meson).parent}:/usr/bin:/bin", "PKG_CONFIG_LIBDIR": work}
            options = ["-Dtests=false", "-Dbench=false", "-Dcmake_prefix_path=" + work]
            done = subprocess.run(
                [meson, "setup", f"{work}/build", str(ROOT), *options], capture_output=True, text=True, env=environment
            )
        self.assertNotEqual(done.returncode, 0)
        lines = [line for line in done.stdout.splitlines() if "apt-get install" in line]
        self.assertEqual(len(lines), 1, done.stdout + done.stderr)
        for package in ("libisal-dev", "libxxhash-dev", "libsqlite3-dev"):  # Meson finds others without pkg-config
            self.assertIn(package, lines[0])

    def test_the_packages_are_enough_without_cmake(self):
        meson = shutil.which("meson")
        if meson is None:
            self.skipTest("meson is not installed")
        with tempfile.TemporaryDirectory(prefix="ofindex-packages-") as work:
            native = pathlib.Path(work) / "native.ini"
            native.write_text("[binaries]\ncmake = 'no-such-cmake'\n")
            command = [meson, "setup", f"{work}/build", str(ROOT), f"--native-file={native}"]
            done = subprocess.run(command, capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stdout[-2000:] + done.stderr)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0]])

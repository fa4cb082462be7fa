"""The wheel, installed alone in an environment, builds an index and reads it, as in README.md.

Without --quick, tools/test has built the wheel with tools/wheels: from an sdist, in a separate environment, with all
libraries inside. With --quick, it is that of `pip install .`, which brings three of Debian's libraries.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import unittest
import zipfile
from pathlib import Path

from docs.blocks import ROOT, blocks
from docs.sample_data import make_data
from python.work import WorkTest, example

WHEELS = Path(__file__).resolve().parents[2] / "build" / "wheel"

LESSON = """
import ofindex, pathlib, sys
ds = ofindex.build(sys.argv[1])
assert ds[3] == pathlib.Path(sys.argv[2]).read_bytes()
assert ds.batch([3], {"label": ofindex.fixed("int64")})["label"].tolist() == [3]
assert [len(ds.where("label = 3")), ds.sql("SELECT count(*) FROM records").fetchall()] == [10, [(100,)]]
assert sorted(ds.sampler(seed=1)) == list(range(100))
print(ofindex.__file__)
"""


README = """
import doctest, sys
test = doctest.DocTestParser().get_doctest(sys.stdin.read(), {}, "README.md", "README.md", 0)
sys.exit(doctest.DocTestRunner(optionflags=doctest.ELLIPSIS).run(test).failed != 0 or not test.examples)
"""


class WheelTest(WorkTest):
    def setUp(self) -> None:
        super().setUp()
        wheels = [Path(os.environ["OFINDEX_WHEEL"])] if "OFINDEX_WHEEL" in os.environ else sorted(WHEELS.glob("*.whl"))
        if not wheels:
            self.skipTest(f"no wheel in {WHEELS}: tools/test builds one")
        self.wheel = wheels[-1]

    def run_clean(self, *arguments: object, given: str = "", folder: str = ".") -> str:
        """Runs a program with only the environment variables of pip and proxies; `given` is its standard input."""
        kept = {name: value for name, value in os.environ.items() if name.startswith("PIP_") or name.endswith("_PROXY")}
        command = list(map(str, arguments))
        done = subprocess.run(command, input=given, capture_output=True, text=True, cwd=self.dir / folder, env=kept)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        return done.stdout

    def test_the_wheel_works_in_an_empty_environment(self) -> None:
        data = self.write("data/", [example(number) for number in range(100)])
        (self.dir / "third").write_bytes(example(3))
        self.run_clean(sys.executable, "-m", "venv", "empty")
        bin = self.dir / "empty" / "bin"
        self.run_clean(bin / "python", "-m", "pip", "install", "--quiet", "--disable-pip-version-check", self.wheel)
        printed = self.run_clean(bin / "python", "-c", LESSON, data, self.dir / "third")
        self.assertIn(str(self.dir / "empty"), printed)
        self.assertIn("100 records", self.run_clean(bin / "ofindex", "verify", data))
        self.assertTrue(self.run_clean(bin / "ofindex", "--version").startswith("ofindex "))

        (self.dir / "lesson").mkdir()
        make_data(self.dir / "lesson")
        readme = blocks((ROOT / "README.md").read_text(encoding="utf-8"))
        first = "\n".join(next(block.lines for block in readme if block.language == "pycon"))
        self.run_clean(bin / "python", "-c", README, given=first, folder="lesson")
        self.assertTrue((self.dir / "lesson" / "digits.ofidx").exists())

    def is_self_contained(self) -> bool:
        return "-manylinux_" in self.wheel.name

    def test_the_tag_of_the_wheel_is_that_of_this_python(self) -> None:
        version = f"cp{sys.version_info.major}{sys.version_info.minor}"
        platform = "manylinux_2_2[0-8]_x86_64" if self.is_self_contained() else "linux_x86_64"
        self.assertRegex(self.wheel.name, rf"^ofindex-[0-9.]+-{version}-{version}-({platform}\.?)+\.whl$")

    def test_a_wheel_with_libraries_inside_has_their_licences(self) -> None:
        if not self.is_self_contained():
            self.skipTest("the wheel of `pip install .` is not distributed")
        with zipfile.ZipFile(self.wheel) as wheel:
            names = [name for name in wheel.namelist() if re.search("/licenses/.", name)]
            notices = wheel.read(next(name for name in names if name.endswith("/THIRD_PARTY"))).decode()
        self.assertEqual({Path(name).name for name in names}, {"LICENSE", "THIRD_PARTY"})
        for holder in ("Intel Corporation", "Yann Collet", "Robert Gamble", "Wenzel Jakob", "Niels Lohmann"):
            self.assertIn(holder, notices)

    def test_its_libraries_need_only_bundled_libraries_and_export_one_symbol(self) -> None:
        with zipfile.ZipFile(self.wheel) as wheel:
            wheel.extractall(self.dir)
        package = self.dir / "ofindex"
        extension = next(package.glob("_ofindex*.so"))
        command = package / "bin" / "ofindex"
        system = {"libm.so.6", "libc.so.6", "libgcc_s.so.1", "ld-linux-x86-64.so.2"}
        brings = ("libisal.so.2", "libsimdjson.so.14", "libspng.so.0")
        of_extension, of_command = {brings[0], brings[2]}, set(brings)
        if self.is_self_contained():
            of_extension = of_command = set()
            system |= {"libpthread.so.0", "libdl.so.2"}  # which older versions of the C library have apart
            self.run_clean(sys.executable, ROOT / "packaging" / "check.py", extension, command)
        for file, brought in ((extension, of_extension), (command, of_command)):
            dynamic = self.run_clean("readelf", "--dynamic", file)
            needed = set(re.findall(r"Shared library: \[(.*)\]", dynamic))
            self.assertLessEqual(needed, system | brought)
            self.assertLessEqual(brought, {library.name for library in (package / "bin").iterdir()})
            for path in re.findall(r"(?:RUNPATH|RPATH).*\[(.*)\]", dynamic):
                self.assertTrue(path.startswith("$ORIGIN"), path)
        symbols = self.run_clean("nm", "--dynamic", "--defined-only", extension).split()
        self.assertEqual(symbols[2::3], ["PyInit__ofindex"])


if __name__ == "__main__":
    unittest.main()

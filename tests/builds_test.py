#!/usr/bin/env python3
"""Each source and what it includes compile by themselves. All other builds are unity builds, which would not notice.

The headers of the C++ library, and those that take long, are read once, for all sources: it is the project's own
headers whose includes are looked at.
"""

import concurrent.futures
import os
import pathlib
import re
import shutil
import subprocess
import tempfile
import unittest

from cpp_sources import FLAGS, FOLDERS, ROOT, sources_of

COMPILER = shutil.which("clang++-14")
SLOW = ("CLI/CLI.hpp", "boost/interprocess/exceptions.hpp", "boost/interprocess/mapped_region.hpp",
        "nlohmann/json.hpp", "simdjson.h", "tl/expected.hpp")  # fmt: skip


def read_once(folder):
    """The options with which a compiler need not read the slow headers again, which it has compiled into `folder`."""
    if COMPILER is None:
        return []
    sources = (path for room in FOLDERS for path in (ROOT / room).rglob("*.[ch]*"))
    used = {name for path in sources for name in re.findall(r"^#include <([\w/.]+)>", path.read_text(), re.MULTILINE)}
    header = pathlib.Path(folder) / "slow.h"
    names = sorted(name for name in used if name in SLOW or "." not in name)
    header.write_text("".join(f"#include <{name}>\n" for name in names))
    compiled = header.with_suffix(".pch")
    subprocess.run([COMPILER, "-x", "c++-header", "-w", *FLAGS, header, "-o", compiled], cwd=ROOT, check=True)
    return ["-include-pch", str(compiled)]


def errors_of(source, options):
    """What the compiler says against a source that is compiled by itself."""
    command = [COMPILER or "g++", "-fsyntax-only", "-w", *options, *FLAGS, str(source)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    return done.stderr if done.returncode != 0 else ""


class BuildsTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls) -> None:
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.folder = pathlib.Path(folder.name)
        cls.options = read_once(folder.name)

    def test_each_source_includes_what_it_uses(self) -> None:
        sources = [source for folder in FOLDERS for source in sources_of(folder)]
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            found = "".join(pool.map(lambda source: errors_of(source, self.options), sources))
        self.assertEqual(found, "", found[:4000])

    def test_a_source_without_an_include_is_found(self) -> None:
        source = self.folder / "a.cc"
        source.write_text('#include "base/bytes.h"\nofindex::ByteView a;\n')
        self.assertEqual(errors_of(source, self.options), "")
        source.write_text('#include "base/bytes.h"\nofindex::File a;\n')
        self.assertIn("File", errors_of(source, self.options))


if __name__ == "__main__":
    unittest.main()

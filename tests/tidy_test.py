#!/usr/bin/env python3
"""clang-tidy, with the checks of .clang-tidy, finds nothing in the sources.

Sources are checked many as one file, as unity builds compile them, since most of the time goes into headers. A run
checks a third of them.
"""

import concurrent.futures
import os
import pathlib
import re
import shutil
import subprocess
import tempfile
import unittest

from cpp_sources import FLAGS, FOLDERS, ROOT, sources_of, todays

TIDY = shutil.which("clang-tidy-14")
AT_ONCE = 64


def groups():
    """Lists of sources that are checked together."""
    for folder in FOLDERS:
        paths = todays(sources_of(folder), days=3)
        yield from (paths[start : start + AT_ONCE] for start in range(0, len(paths), AT_ONCE))


def findings(sources):
    """The errors and warnings of clang-tidy about `sources`, checked as one file."""
    with tempfile.TemporaryDirectory() as folder:
        whole = pathlib.Path(folder) / "whole.cc"
        whole.write_text("".join(f'#include "{source}"\n' for source in sources))
        config = f"--config-file={ROOT}/.clang-tidy"
        command = [TIDY, "--quiet", config, "--checks=-bugprone-suspicious-include", str(whole), "--", *FLAGS]
        done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=ROOT)
    found = [line for line in done.stdout.splitlines() if re.search(r": (error|warning): ", line)]
    if done.returncode != 0 and not found:
        found = [done.stderr]
    return found


@unittest.skipIf(TIDY is None, "clang-tidy-14 is not installed")
class TidyTest(unittest.TestCase):
    def test_clang_tidy_finds_nothing_in_the_sources(self):
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            found = sorted({line for lines in pool.map(findings, groups()) for line in lines})
        self.assertEqual(found, [], "\n" + "\n".join(found))

    def test_clang_tidy_finds_a_bug_in_a_source_and_in_its_header(self):
        with tempfile.TemporaryDirectory() as folder:
            room = pathlib.Path(folder) / "base"
            room.mkdir()
            (room / "a.h").write_text("#pragma once\ninline int A(long n) { return sizeof(int*) / sizeof(int) + n; }\n")
            (room / "a.cc").write_text(
                '#include "a.h"\n#include <string>\nvoid B(std::string s) { std::string t = std::move(s); s.size(); }\n'
            )
            found = findings([room / "a.cc"])
        for check in ("bugprone-sizeof-expression", "bugprone-use-after-move"):
            self.assertTrue(any(check in line for line in found), f"{check}: {found}")


if __name__ == "__main__":
    unittest.main()

#!/usr/bin/env python3
"""Every test file is in tests/meson.build, and every module of the package in python/meson.build.

No one would run a test, or install a module, that is not there, and no one would notice where the files themselves are.
"""

from __future__ import annotations

import pathlib
import re
import unittest
from collections.abc import Iterable

TESTS = pathlib.Path(__file__).resolve().parent
RUNNERS = {"e2e/run.py": ("e2e", "oracle"), "python/run.py": ("python",), "page/run.py": ("page",)}  # and the folders whose tests they find


def strings_in(meson: str) -> set[str]:
    return set(re.findall(r"'([^'\n]*)'", meson))


def run_by(meson: str) -> set[str]:
    """The test files, relative to tests/, that the text of a meson.build runs."""
    code = re.sub(r"#[^\n]*", "", meson)
    files = {name for name in strings_in(code) if name.endswith(("_test.py", "_test.cc"))}
    loops = re.findall(r"foreach (\w+) : \[(.*?)\]\n(.*?)\n\s*endforeach", code, re.DOTALL)
    for runner, folders in RUNNERS.items():
        names = {name for _, listed, body in loops if runner in body for name in strings_in(listed)}
        names |= {name + more for name in names for more in re.findall(r"\w+ \+ '(_\w+)'\]", code)}
        names |= {name.removesuffix("_test") for name in re.findall(rf"{runner}'\), '(\w+_test)'", code)}
        files |= {f"{folder}/{name}_test.py" for folder in folders for name in names}
    return files


def unregistered(files: Iterable[str], meson: str) -> list[str]:
    return sorted(set(files) - run_by(meson))


class RegisteredTest(unittest.TestCase):
    def test_every_test_file_is_run(self) -> None:
        files = [path.relative_to(TESTS).as_posix() for path in TESTS.rglob("*_test.*")]
        files = [name for name in files if name.endswith((".py", ".cc"))]
        self.assertGreater(len(files), 250)
        self.assertEqual(unregistered(files, (TESTS / "meson.build").read_text()), [])

    def test_a_test_that_is_not_run_is_found(self) -> None:
        meson = """
            executable('a', 'base/a_test.cc')
            foreach name : ['a', 'b',
                            'c']
              test('e2e_' + name, python, args: [files('e2e/run.py'), name + '_test'])
            endforeach
            test('e2e_d', python, args: [files('e2e/run.py'), 'd_test'])
            foreach engine : ['ray']
              foreach name : [engine, engine + '_kills']
                test('python_' + name, python, args: [files('python/run.py'), name + '_test'])
              endforeach
            endforeach
            foreach script : ['arrow_test.py', 'docs/cli_test.py']
              test(script, python, args: files(script))
            endforeach
            # 'e_test.py' isn't run
        """
        for name, is_run in (
            ("base/a_test.cc", True),
            ("base/b_test.cc", False),
            ("e2e/a_test.py", True),
            ("oracle/c_test.py", True),
            ("e2e/d_test.py", True),
            ("e2e/ray_test.py", False),
            ("python/ray_test.py", True),
            ("python/ray_kills_test.py", True),
            ("python/a_test.py", False),
            ("arrow_test.py", True),
            ("docs/cli_test.py", True),
            ("cli_test.py", False),
            ("e_test.py", False),
        ):
            with self.subTest(name):
                self.assertEqual(unregistered([name], meson), [] if is_run else [name])


class InstalledTest(unittest.TestCase):
    def test_every_module_of_the_package_is_installed(self) -> None:
        python = TESTS.parent / "python"
        modules = {path.relative_to(python).as_posix() for path in (python / "ofindex").rglob("*.py")}
        self.assertGreater(len(modules), 50)
        installed = {name for name in strings_in((python / "meson.build").read_text()) if name.endswith(".py")}
        self.assertEqual(installed, modules)


if __name__ == "__main__":
    unittest.main()

#!/usr/bin/env python3
"""The C++ in the documents compiles against the public headers, links with the library, and prints what it claims."""

from __future__ import annotations

import os
import subprocess
import sys
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests"))

from docs.blocks import COMMAND  # noqa: E402
from docs.cpp_blocks import code_of, printed_by, program_of  # noqa: E402
from docs.sample_data import make_data  # noqa: E402
from docs.work_folder import WorkFolderTest  # noqa: E402

LIBRARY = COMMAND.parents[1] / "library"
DOCUMENTS = [ROOT / "docs" / "cpp.md", ROOT / "README.md"]
WARNINGS = ["-Wall", "-Wextra", "-Wconversion", "-Wsign-conversion", "-Wshadow", "-Werror"]


class CppTest(WorkFolderTest):
    def test_the_blocks_of_each_document_print_what_they_say(self) -> None:
        texts = [path.read_text(encoding="utf-8") for path in DOCUMENTS]
        program = self.dir.parent / "program"
        program.with_suffix(".cc").write_text(program_of(texts), encoding="utf-8")
        compiler = [os.environ.get("CXX", "c++"), "-std=c++20", *WARNINGS, f"-I{ROOT / 'include'}"]
        library = [f"-L{LIBRARY}", "-lofindex", f"-Wl,-rpath,{LIBRARY}"]
        compiled = subprocess.run(
            [*compiler, "program.cc", "-o", "program", *library], cwd=self.dir.parent, capture_output=True, text=True
        )
        self.assertEqual(compiled.returncode, 0, compiled.stderr)
        for number, (path, text) in enumerate(zip(DOCUMENTS, texts, strict=True)):
            with self.subTest(path.name):
                folder = self.dir / str(number)
                folder.mkdir()
                make_data(folder)
                ran = subprocess.run([program, str(number)], cwd=folder, capture_output=True, text=True, timeout=60)
                self.assertEqual(ran.stdout.splitlines(), printed_by(text), ran.stderr)
                self.assertEqual((ran.returncode, ran.stderr), (0, ""))
                self.assertGreater(len(printed_by(text)), 0)

    def test_blocks_share_a_scope_and_their_includes_come_first(self) -> None:
        first = "```cpp\n#include <vector>\nint a = 1;  // prints: 1\n```\n"
        text = first + "words\n```cpp\na += 1;\n// prints: two 2\n```\n"
        self.assertEqual(code_of(text), "#include <vector>\nint a = 1;  // prints: 1\na += 1;\n// prints: two 2")
        self.assertEqual(printed_by(text), ["1", "two 2"])
        program = program_of([text, "```text\nno code\n```\n"])
        self.assertTrue(program.startswith("#include <cstdlib>\n#include <vector>\nint Document0() {\nint a = 1;"))
        self.assertEqual(program.count("#include <vector>"), 1)


if __name__ == "__main__":
    unittest.main()

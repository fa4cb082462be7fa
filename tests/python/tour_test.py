"""Every `pycon` block of the documents runs, in order, and prints what the document shows."""

from __future__ import annotations

import doctest
import os
import unittest

from docs.blocks import ROOT, blocks
from docs.sample_data import make_data
from python.work import WorkTest

DOCUMENTS = ("README.md", "docs/python.md")
FLAGS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE


class TourTest(WorkTest):
    def test_every_block_prints_what_its_document_shows(self) -> None:
        for name in DOCUMENTS:
            with self.subTest(name):
                folder = self.dir / name.replace("/", "-")
                folder.mkdir()
                make_data(folder)
                text = (ROOT / name).read_text(encoding="utf-8")
                shown = ["\n".join(block.lines) for block in blocks(text) if block.language == "pycon"]
                self.assertGreater(len(shown), 0)
                test = doctest.DocTestParser().get_doctest("\n\n".join(shown), {}, name, name, 0)
                printed: list[str] = []
                self.addCleanup(os.chdir, os.getcwd())
                os.chdir(folder)
                outcome = doctest.DocTestRunner(optionflags=FLAGS).run(test, out=printed.append)
                self.assertEqual(outcome.failed, 0, "".join(printed))


if __name__ == "__main__":
    unittest.main()

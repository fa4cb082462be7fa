"""Every `pycon` block of the documents runs, in order, and prints what the document shows."""

from __future__ import annotations

import doctest
import os
import unittest
from pathlib import Path

from docs.blocks import ROOT, blocks
from docs.sample_data import make_data
from python.work import WorkTest, in_new_process

DOCUMENTS = ("README.md", "docs/python.md", "docs/python_details.md", "docs/debugging_a_run.md")
FLAGS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
RUN = "import sys; from python.tour_test import run_blocks; run_blocks(*sys.argv[1:])"


def run_blocks(name: str, folder: str) -> None:
    """Runs the blocks of the document `name` in `folder`; ends the process with what differs, if anything does."""
    text = (ROOT / name).read_text(encoding="utf-8")
    shown = ["\n".join(block.lines) for block in blocks(text) if block.language == "pycon"]
    test = doctest.DocTestParser().get_doctest("\n\n".join(shown), {}, name, name, 0)
    printed: list[str] = []
    os.chdir(folder)
    outcome = doctest.DocTestRunner(optionflags=FLAGS).run(test, out=printed.append)
    if outcome.failed or not outcome.attempted:
        raise SystemExit("".join(printed) or f"{name}: no block")


class TourTest(WorkTest):
    def run_document(self, name: str) -> None:
        """Runs a document in a separate process: its blocks import libraries that start threads and keep caches."""
        folder = self.dir / Path(name).stem
        folder.mkdir()
        make_data(folder)
        in_new_process(RUN, name, folder, HF_HOME=str(self.dir / "hf"), HF_DATASETS_OFFLINE="1")

    def test_every_block_prints_what_its_document_shows(self) -> None:
        for name in DOCUMENTS:
            with self.subTest(name):
                self.run_document(name)


if __name__ == "__main__":
    unittest.main()

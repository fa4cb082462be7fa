"""A temporary home directory, with a folder in which the commands of a document run."""

from __future__ import annotations

import tempfile
import unittest
from pathlib import Path


class WorkFolderTest(unittest.TestCase):
    def setUp(self) -> None:
        temporary = tempfile.TemporaryDirectory(prefix="ofindex-docs-")
        self.addCleanup(temporary.cleanup)
        self.dir = Path(temporary.name).resolve() / "work"
        self.dir.mkdir()
        (self.dir.parent / "home").mkdir()

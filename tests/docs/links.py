"""The links of a document, and the paths that it names."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
FOLDERS = ("base", "proto", "mmap", "index", "query", "tools", "python", "tests", "bench", "fuzz", "docs")


def without_blocks(text: str) -> str:
    return re.sub(r"^\s*(```+).*?^\s*\1\s*$", "", text, flags=re.MULTILINE | re.DOTALL)


def anchors(text: str) -> set[str]:
    """The anchors of the headings in `text`, by GitHub's rule."""
    headings = re.findall(r"^#+ +(.+?)\s*$", without_blocks(text), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def link_complaints(text: str, path: Path) -> Iterator[str]:
    """The faults in the links of the document at `path`, and in its paths in backticks."""
    prose = without_blocks(text)
    for target in re.findall(r"\]\(([^)\s]+)\)", prose):
        file, _, anchor = target.partition("#")
        if re.match(r"[a-z]+:", target):
            continue
        linked = (path.parent / file).resolve() if file else path
        if file and not linked.exists():
            yield f"a link to {target}, which does not exist"
        elif anchor and anchor not in anchors(linked.read_text(encoding="utf-8") if file else text):
            yield f"a link to {target}, a heading that does not exist"
    folders = "|".join(FOLDERS)
    for named in re.findall(rf"`((?:{folders})/[\w./-]*\w|(?:{folders})/)`", prose):
        if not (ROOT / named).exists():
            yield f"`{named}` does not exist"

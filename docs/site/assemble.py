#!/usr/bin/env python3
"""Puts the sources of the site into one folder: the documents, and pages for the command, the headers and the package.

    docs/site/assemble.py MANUALS XML FOLDER

MANUALS is the folder with the manual pages of the command, and XML the one that Doxygen wrote. A file that has not
changed keeps its time, so that Sphinx reads only what is new; a page whose source is gone is removed.
"""

from __future__ import annotations

import os
import posixpath
import re
import sys
from pathlib import Path
from xml.etree import ElementTree

from man_pages import page_of

ROOT = Path(__file__).resolve().parents[2]
SITE = ROOT / "docs" / "site"

#: Title of a group in the navigation -> its pages.
GROUPS = {
    "Tours": [
        "docs/python",
        "docs/cli",
        "docs/cpp",
        "docs/serve",
        "docs/sql",
        "docs/sqlite",
        "docs/sampling",
        "docs/debugging_a_run",
        "docs/scale",
    ],
    "Reference": ["python/index", "docs/python_details", "command/index", "cpp/index"],
    "Formats": ["docs/record_formats", "docs/wire", "docs/index_format", "docs/column_format"],
    "Development": [
        "docs/design",
        "docs/benchmarks",
        "docs/benchmarking",
        "docs/packaging",
        "docs/testing",
        "docs/reliability",
        "SECURITY",
        "CONTRIBUTING",
        "CHANGELOG",
    ],
}
LINK = re.compile(r"(?<!!)\[([^\]]+)\]\(([^)\s]+)\)")
FENCE = re.compile(r"^( *)(```+).*?^\1\2 *$", re.MULTILINE | re.DOTALL)


def documents() -> list[str]:
    """The documents that become pages, relative to the root. docs/README.md is for readers of the folder."""
    listed = sorted(path.relative_to(ROOT).as_posix() for path in (ROOT / "docs").glob("*.md"))
    rest = [name for name in listed if name != "docs/README.md"]
    return ["README.md", "SECURITY.md", "CONTRIBUTING.md", "CHANGELOG.md", *rest]


def with_links(text: str, document: str, pages: set[str]) -> str:
    """The `text` of a document whose links to files that are no pages became the paths of these files, as code."""

    def replaced(found: re.Match[str]) -> str:
        label, target = found.groups()
        if re.match(r"[a-z]+:|#", target):
            return found[0]
        file, mark, anchor = target.partition("#")
        path = posixpath.normpath(posixpath.join(posixpath.dirname(document), file))
        if path == "README.md":
            return f"[{label}]({posixpath.relpath('index.md', posixpath.dirname(document) or '.')}{mark}{anchor})"
        if path in pages:
            return found[0]
        shown = path.removesuffix("/README.md")
        return f"`{shown}`" if label.strip("`") == shown else f"{label} (`{path}`)"

    out, end = [], 0
    for fence in FENCE.finditer(text):
        out += [LINK.sub(replaced, text[end : fence.start()]), fence[0]]
        end = fence.end()
    return "".join([*out, LINK.sub(replaced, text[end:])])


def front_page(text: str) -> str:
    """README.md with the navigation of the site."""
    trees = [
        "\n".join(["```{toctree}", ":hidden:", f":caption: {title}", "", *names, "```"])
        for title, names in GROUPS.items()
    ]
    return "\n\n".join([text.rstrip(), *trees]) + "\n"


def underlined(title: str, line: str = "=") -> str:
    return f"{title}\n{line * len(title)}\n"


def tree(names: list[str]) -> str:
    return ".. toctree::\n   :maxdepth: 1\n\n" + "".join(f"   {name}\n" for name in names)


def command_pages(manuals: Path) -> dict[str, str]:
    pages = {f"command/{path.stem}.rst": page_of(path.read_text(encoding="utf-8")) for path in manuals.glob("*.1")}
    if "command/ofindex.rst" not in pages:
        raise FileNotFoundError(f"no manual pages in {manuals}")
    names = sorted(Path(name).stem for name in pages)
    text = "The manual pages: what ``ofindex help`` says. :doc:`/docs/cli` has more, with examples.\n"
    pages["command/index.rst"] = "\n".join([underlined("Command reference"), text, tree(names)])
    return pages


def entries(xml: Path, name: str) -> list[str]:
    """The directives for the public names of a header, in the order of its lines. `xml` is what Doxygen wrote."""
    files = ElementTree.parse(xml / f"{name}_8h.xml").getroot()
    spaces = ElementTree.parse(xml / "namespaceofindex.xml").getroot()
    found = []
    for member in [*files.iter("memberdef"), *spaces.iter("memberdef")]:
        kind, qualified, place = member.get("kind"), member.findtext("qualifiedname"), member.find("location")
        named = qualified or member.findtext("name", "")
        if place is None or Path(place.get("file", "")).name != f"{name}.h" or "<" in named:
            continue
        arguments = member.findtext("argsstring", "") if kind == "function" else ""
        found.append((int(place.get("line", 0)), f"doxygen{kind}:: {named}{arguments}"))
    for inner in files.iter("innerclass"):
        place = ElementTree.parse(xml / f"{inner.get('refid')}.xml").getroot().find("compounddef/location")
        kind = inner.get("refid", "").partition("ofindex_")[0]
        if place is not None and inner.get("prot", "public") == "public" and (inner.text or "").count("::") == 1:
            found.append((int(place.get("line", 0)), f"doxygen{kind}:: {inner.text}"))
    return [f".. {directive}\n" for _, directive in sorted(set(found))]


def header_pages(xml: Path) -> dict[str, str]:
    """A page for each public header, in the order and with the words of include/ofindex/README.md."""
    readme = (ROOT / "include" / "ofindex" / "README.md").read_text(encoding="utf-8")
    described = dict(re.findall(r"^- `(\w+)\.h`: (.*)$", readme, re.MULTILINE))
    pages = {}
    for name, summary in described.items():
        head = [underlined(f"<ofindex/{name}.h>"), f"{summary[0].upper()}{summary[1:]}\n"]
        pages[f"cpp/{name}.rst"] = "\n".join([*head, *entries(xml, name)])
    text = "The public headers, in the order to read them. :doc:`/docs/cpp` is a tour.\n"
    pages["cpp/index.rst"] = "\n".join([underlined("C++ reference"), text, tree(list(described))])
    return pages


def sources(manuals: Path, xml: Path) -> dict[str, bytes]:
    """Path in the folder of sources -> content."""
    names = documents()
    pages = {**command_pages(manuals), **header_pages(xml)}
    for name in names:
        pages[name] = with_links((ROOT / name).read_text(encoding="utf-8"), name, set(names))
    pages["index.md"] = front_page(pages.pop("README.md"))
    found = {name: text.encode() for name, text in pages.items()}
    for path in [SITE / "conf.py", *(SITE / "python").glob("*.rst")]:
        found[path.relative_to(SITE).as_posix()] = path.read_bytes()
    for path in [*(ROOT / "docs" / "benchmarks").glob("*.svg"), *(ROOT / "docs").rglob("*.png")]:
        found[path.relative_to(ROOT).as_posix()] = path.read_bytes()
    return found


def write(found: dict[str, bytes], folder: Path) -> None:
    """Writes what changed, and prints the names of pages that are gone, without their suffix."""
    for name, content in found.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if not path.is_file() or path.read_bytes() != content:
            path.write_bytes(content)
    for path in folder.rglob("*"):
        name = path.relative_to(folder)
        if path.is_file() and name.as_posix() not in found:
            os.unlink(path)
            print(name.with_suffix(""))


if __name__ == "__main__":
    write(sources(Path(sys.argv[1]), Path(sys.argv[2])), Path(sys.argv[3]))

"""The C++ sources of the product, and the options with which a compiler reads them outside a build."""

import datetime
import os
import pathlib

ROOT = pathlib.Path(__file__).resolve().parent.parent
FOLDERS = ("base", "proto", "mmap", "index", "query", "library", "tools")
FLAGS = ["-std=c++20", f"-I{ROOT}", f"-I{ROOT}/include", "-DNDEBUG", '-DOFINDEX_VERSION="0"', "-DOFINDEX_EXPLICIT_VERSION"]


def sources_of(folder: str) -> list[pathlib.Path]:
    return sorted((ROOT / folder).rglob("*.cc"))


def todays(sources: list[pathlib.Path], days: int) -> list[pathlib.Path]:
    """One of `days` parts of `sources`, which the date chooses, so that as many days see all; all if
    OFINDEX_ALL_SOURCES is set."""
    if os.environ.get("OFINDEX_ALL_SOURCES"):
        return sources
    return sources[datetime.datetime.now(datetime.timezone.utc).toordinal() % days :: days]

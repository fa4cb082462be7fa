#!/usr/bin/env python3
"""Rooms are small, their README names every header, their meson.build every source, and the tests mirror them."""

import re
import unittest

from arrow_test import BELOW, ROOMS, ROOT

MAX_FILES = 25  # of code in one room
PAGE = (".mjs", ".css", ".html")  # code that browsers read
MAX_IN_BASE = 30  # base/ has no subfolders
README_LINES = 40


def listed(readme):
    """The headers that a README describes, in the order of the README."""
    found = []
    for line in readme.splitlines():
        if line.startswith("- "):
            found += re.findall(r"`([a-z0-9_]+\.(?:h|mjs|css|html))`", line.split(": ")[0])
    return found


def readme_complaints(room, readme, headers):
    """The faults of the README.md of `room`; its text is None if it does not exist."""
    if readme is None:
        return [f"{room}/ has no README.md"]
    found = []
    lines = readme.splitlines()
    if not lines or not lines[0].startswith(f"# {room}/"):
        found.append(f"{room}/README.md does not begin with '# {room}/'")
    if len(lines) > README_LINES:
        found.append(f"{room}/README.md has {len(lines)} lines, expected at most {README_LINES}")
    names = listed(readme)
    found += [f"{room}/README.md has no line about {name}" for name in sorted(headers - set(names))]
    found += [f"{room}/README.md names {name}, which does not exist" for name in sorted(set(names) - headers)]
    found += [f"{room}/README.md names {name} twice" for name in sorted({n for n in names if names.count(n) > 1})]
    return found


def sources_complaints(room, meson, sources):
    """The faults of the list of sources in the meson.build of `room`."""
    names = re.findall(r"^  '([a-z0-9_]+\.cc)',$", meson, re.MULTILINE)
    found = []
    if names != sorted(names):
        found.append(f"{room}/meson.build does not list its sources in order")
    found += [f"{room}/meson.build does not build {name}" for name in sorted(sources - set(names))]
    return found


class RoomsTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.rooms = list(ROOMS)

    @staticmethod
    def names(room, suffix):
        return {path.name for path in (ROOT / room).glob("*" + suffix)}

    @classmethod
    def headers(cls, room):
        """The headers of a room, and the files of the page, which are all that its README has to name."""
        return {name for suffix in (".h", *PAGE) for name in cls.names(room, suffix)}

    def test_no_room_has_too_many_files(self):
        sizes = {room: len(self.headers(room) | self.names(room, ".cc")) for room in self.rooms}
        self.assertLessEqual(sizes.pop("base"), MAX_IN_BASE)
        self.assertEqual({room: size for room, size in sizes.items() if size > MAX_FILES}, {})

    def test_the_readme_of_a_room_has_a_line_for_each_header(self):
        found = []
        for room in self.rooms:
            readme = ROOT / room / "README.md"
            text = readme.read_text(encoding="utf-8") if readme.is_file() else None
            found += readme_complaints(room, text, self.headers(room))
        self.assertEqual(found, [], "\n" + "\n".join(found))

    def test_the_readme_of_the_parent_folder_names_each_room(self):
        for room in self.rooms:
            around, _, name = room.rpartition("/")
            if around:
                self.assertIn(f"`{name}/`", (ROOT / around / "README.md").read_text(encoding="utf-8"), room)

    def test_other_top_folders_have_a_readme(self):
        for name in ("python", "tests", "bench", "fuzz", "docs"):
            self.assertTrue((ROOT / name / "README.md").is_file(), name)

    def test_meson_build_lists_the_sources_of_a_room_in_order_one_per_line(self):
        found = []
        for room in self.rooms:
            sources = self.names(room, ".cc")
            if sources and room != "query/extension":  # which is a separate library
                meson = (ROOT / room / "meson.build").read_text(encoding="utf-8")
                found += sources_complaints(room, meson, sources - ({"main.cc"} if room == "tools" else set()))
        self.assertEqual(found, [], "\n" + "\n".join(found))

    def test_unit_tests_lie_in_the_matching_rooms(self):
        folders = {path.parent.relative_to(ROOT / "tests").as_posix() for path in (ROOT / "tests").rglob("*_test.cc")}
        self.assertEqual(folders - set(ROOMS), set())
        self.assertEqual({folder.split("/")[0] for folder in folders}, set(BELOW) - {"include", "python"})


class ComplaintsTest(unittest.TestCase):
    """The checks above are useful only if they find faults."""

    def test_a_missing_readme_and_missing_or_duplicate_headers_in_it_are_found(self):
        good = "# base/\n\nBytes.\n\n- `a.h`: one.\n- `b.h`, `c.h`: two and three, see `a.h`.\n"
        self.assertEqual(readme_complaints("base", good, {"a.h", "b.h", "c.h"}), [])
        for text, headers, complaint in (
            (None, {"a.h"}, "has no README.md"),
            ("", set(), "does not begin"),
            (good, {"a.h", "b.h"}, "names c.h, which does not exist"),
            (good, {"a.h", "b.h", "c.h", "d.h"}, "no line about d.h"),
            (good + "- `a.h`: again.\n", {"a.h", "b.h", "c.h"}, "names a.h twice"),
            (good + "\n" * README_LINES, {"a.h", "b.h", "c.h"}, "lines, expected"),
        ):
            with self.subTest(complaint):
                found = readme_complaints("base", text, headers)
                self.assertEqual(len(found), 1, found)
                self.assertIn(complaint, found[0])

    def test_unsorted_and_missing_sources_are_found(self):
        self.assertEqual(sources_complaints("base", "files(\n  'a.cc',\n  'b.cc',\n)\n", {"a.cc", "b.cc"}), [])
        self.assertEqual(len(sources_complaints("base", "files(\n  'b.cc',\n  'a.cc',\n)\n", {"a.cc", "b.cc"})), 1)
        self.assertEqual(len(sources_complaints("base", "files(\n  'b.cc',\n)\n", {"a.cc", "b.cc"})), 1)


if __name__ == "__main__":
    unittest.main()

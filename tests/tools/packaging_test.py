#!/usr/bin/env python3
"""Programs linked as tools/wheels and tools/dist link theirs need no newer glibc than 2.28, and still run here."""

import pathlib
import subprocess
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
PACKAGING = ROOT / "packaging"

#: Uses what packaging/ adds to glibc 2.28: constructors, stat, a wait on the steady clock; and what has versions.
PROGRAM = """
#include <sys/stat.h>
#include <chrono>
#include <cmath>
#include <condition_variable>
#include <cstdio>
#include <memory>
#include <mutex>
#include <random>
#include <thread>

struct Constructed { Constructed() { shared = std::make_shared<int>(40); } std::shared_ptr<int> shared; } constructed;

int main(int count, char** arguments) {
  struct stat file;
  struct stat link;
  if (stat(arguments[0], &file) != 0 || lstat(arguments[0], &link) != 0 || file.st_size != link.st_size) return 1;
  std::mutex mutex;
  std::condition_variable condition;
  std::unique_lock lock(mutex);
  const auto begin = std::chrono::steady_clock::now();
  if (condition.wait_for(lock, std::chrono::milliseconds(20)) != std::cv_status::timeout) return 2;
  if (std::chrono::steady_clock::now() - begin < std::chrono::milliseconds(20)) return 3;
  bool woken = false;
  std::thread waker([&] { std::scoped_lock held(mutex); woken = true; condition.notify_one(); });
  const bool in_time = condition.wait_for(lock, std::chrono::minutes(1), [&] { return woken; });
  lock.unlock();
  waker.join();
  if (!in_time) return 4;
  std::random_device random;
  if (random() == random() && random() == random()) return 5;
  std::printf("%d\\n", *constructed.shared + static_cast<int>(std::pow(1 + count, 1)));
}
"""


def run(*command):
    return subprocess.run(list(map(str, command)), capture_output=True, text=True, check=False)


class PackagingTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        work = tempfile.TemporaryDirectory(prefix="ofindex-packaging-")
        cls.addClassCleanup(work.cleanup)
        cls.work = pathlib.Path(work.name)
        cls.stubs = cls.work / "stubs"
        made = run(PACKAGING / "glibc_2_28.py", cls.stubs)
        if made.returncode != 0:
            raise AssertionError(made.stderr)

    def link(self, program, *options):
        """Returns the linked program, and what the compiler printed."""
        source, out = self.work / "program.cc", self.work / "program"
        source.write_text(program)
        out.unlink(missing_ok=True)
        done = run("g++", "-std=c++20", "-O1", "-pthread", source, "-o", out, *options)
        return out, done.stderr

    def old_options(self):
        return [f"-L{self.stubs}", "-Wl,--wrap=__libc_start_main", "-Wl,--allow-shlib-undefined", "-static-libstdc++"]

    def test_a_program_linked_with_the_stubs_needs_glibc_2_28_alone_and_runs(self):
        program, printed = self.link(PROGRAM, *self.old_options())
        self.assertEqual(printed, "")
        checked = run(PACKAGING / "check.py", program)
        self.assertEqual((checked.returncode, checked.stderr), (0, ""))
        done = run(program)
        self.assertEqual((done.returncode, done.stdout), (0, "42\n"))

    def test_the_same_program_linked_as_usual_is_refused(self):
        program, printed = self.link(PROGRAM)
        self.assertEqual(printed, "")
        checked = run(PACKAGING / "check.py", program)
        self.assertEqual(checked.returncode, 1)
        self.assertIn("needs libstdc++.so.6", checked.stderr)
        self.assertIn("needs symbols of version GLIBC_2.34", checked.stderr)

    def test_a_function_that_came_after_2_28_does_not_link(self):
        _, printed = self.link(
            '#include <unistd.h>\nint main() { closefrom(3); }', *self.old_options()  # glibc 2.34
        )
        self.assertIn("undefined reference to `closefrom'", printed)

    def test_a_folder_to_look_in_is_refused(self):
        program, _ = self.link(PROGRAM, *self.old_options(), "-Wl,-rpath,/opt/lib")
        self.assertIn("looks for libraries in /opt/lib", run(PACKAGING / "check.py", program).stderr)

    def test_the_licences_are_those_of_the_libraries_and_not_of_their_packaging(self):
        header = self.work / "map.h"
        header.write_text("/**\n * A Licence\n *\n * of a header\n */\n#include <map>\n")
        done = run(PACKAGING / "third_party.py", header)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        for text in (
            "Intel Corporation",  # ISA-L
            "\nmap\n\nA Licence\n\nof a header\n",
            "Redistributions in binary form must reproduce the above copyright",
            "GNU LESSER GENERAL PUBLIC LICENSE",  # libcsv
            "University of Cambridge",  # PCRE2
            "Independent JPEG Group",
            "Christos Zoulas",  # libedit
        ):
            self.assertTrue(text in done.stdout, text)
        self.assertNotIn("debian/*", done.stdout)
        self.assertNotIn("#include", done.stdout)


if __name__ == "__main__":
    unittest.main()

"""Running out of memory or threads: the command ends with a documented exit code, never by a signal."""

from __future__ import annotations

import gzip
import os
import resource
import subprocess
import unittest

from e2e.bounded import is_address_sanitized
from e2e.command import COMMAND, CommandTest
from oracle import messages, records

#: The limits tried for each command, from the lowest at which it starts to an ample one.
LIMITS = int(os.environ.get("OFINDEX_LIMITS", "6"))

CODES = range(8)
MIB = 1 << 20
NOBODY = 65534

COMMANDS = (
    "build data -o new.ofidx --force",
    "build data -o new.ofidx --force --verify --columns auto -j 4",
    "build data/part-2.tfrecord.gz -o new.ofidx --force -j 4",
    "info data",
    "schema data",
    "stats data label",
    "get data 0 -1 --json",
    "cat data --to raw",
    "where data label=3",
    "sql data SELECT_DISTINCT",
    "sample data --seed 1",
    "verify data -j 4",
    "pack rows.jsonl -o packed --to tfrecord --shards 3 --force",
    "convert data -o converted --to ofrecord --force",
    "export plain.ofidx -o exported --to tfrecord2idx --force",
)

STATEMENT = "SELECT count(*) FROM (SELECT DISTINCT a._id, b.label FROM records a, records b)"


@unittest.skipIf(is_address_sanitized(), "AddressSanitizer reserves more than any limit")
class LimitsTest(CommandTest):
    def setUp(self) -> None:
        super().setUp()
        payloads = [
            messages.encode("example", {"label": ("int64", [n % 10]), "name": ("bytes", [b"%d" % n * 50])})
            for n in range(1200)
        ]
        (self.dir / "data").mkdir()
        for part in range(3):
            records.write_tfrecord(self.dir / f"data/part-{part}.tfrecord", payloads[part::3])
        last = self.dir / "data/part-2.tfrecord"
        last.with_name(last.name + ".gz").write_bytes(gzip.compress(last.read_bytes()))
        last.unlink()
        (self.dir / "rows.jsonl").write_text("".join('{"a": %d, "b": "text"}\n' % n for n in range(2000)))
        self.expect(0, "build", "data", "--columns", "auto")
        self.expect(0, "build", "data/part-0.tfrecord", "-o", "plain.ofidx")

    def run_under(self, limit: int, most: int, args: list[str], user: int | None = None) -> tuple[int, str]:
        """Runs the command with resource `limit` set to `most`; returns its exit code and standard error."""
        done = subprocess.run(
            [COMMAND, *args],
            cwd=self.dir,
            env=self.environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=120,
            user=user,
            preexec_fn=lambda: resource.setrlimit(limit, (most, most)),
        )
        return done.returncode, done.stderr.decode("utf-8", "backslashreplace")

    def arguments(self) -> list[list[str]]:
        return [[STATEMENT if word == "SELECT_DISTINCT" else word for word in line.split()] for line in COMMANDS]

    def min_address_space(self) -> int:
        """The least address space in which the system can start the command, plus 1 MiB for the stack to grow."""
        least, ample = 0, 256 * MIB
        while ample - least > MIB // 4:
            middle = (least + ample) // 2
            if self.run_under(resource.RLIMIT_AS, middle, ["--version"])[0] == 0:
                ample = middle
            else:
                least = middle
        return ample + MIB

    def test_no_signal_ends_the_command_when_memory_is_short(self) -> None:
        least = self.min_address_space()
        ample = least + 128 * MIB
        for args in self.arguments():
            for step in range(LIMITS):
                most = least + int((ample - least) * (step / LIMITS) ** 3)
                with self.subTest(" ".join(args), address_space=most):
                    code, errors = self.run_under(resource.RLIMIT_AS, most, args)
                    self.assertIn(code, CODES, errors)
                    self.assertEqual(code != 0, errors.startswith("ofindex: "), (code, errors))

    def test_no_signal_ends_the_command_when_threads_are_limited(self) -> None:
        user = NOBODY if os.geteuid() == 0 else None
        for path in (self.dir.parent, self.dir, *self.dir.rglob("*")):
            path.chmod(0o777)
        try:
            if self.run_under(resource.RLIMIT_NPROC, 1, ["--version"], user)[0] != 0:
                self.skipTest("the command cannot be run as another user")
        except PermissionError:
            self.skipTest("the command cannot be run as another user")
        for args in self.arguments():
            for threads in (1, 2, 3):
                with self.subTest(" ".join(args), threads=threads):
                    code, errors = self.run_under(resource.RLIMIT_NPROC, threads, args, user)
                    self.assertIn(code, CODES, errors)
                    if code != 0:
                        self.assertEqual(code, 7, errors)


class DescriptorsTest(CommandTest):
    def test_the_command_raises_its_limit_of_descriptors_to_the_hard_limit(self) -> None:
        (self.dir / "rows.jsonl").write_text("".join('{"a": %d}\n' % n for n in range(400)))
        args = [COMMAND, "pack", "rows.jsonl", "-o", "out", "--to", "tfrecord", "--shards", "300"]
        hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
        soft_alone = {"preexec_fn": lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (64, hard))}
        done = subprocess.run(args, cwd=self.dir, env=self.environment, capture_output=True, **soft_alone)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(len(list((self.dir / "out").glob("*.tfrecord"))), 300)


if __name__ == "__main__":
    unittest.main()

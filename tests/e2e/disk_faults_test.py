"""Every command, while one call on its files fails: it ends with an exit code and a reason, and the old output
or the new one is in place.

OFINDEX_MOMENTS is the number of failing calls that each command meets (default: 25; "all": each call, with each error).
"""

from __future__ import annotations

import errno
import unittest

from e2e.fault_shim import FILE_CALLS, Fault
from e2e.faulty_commands import ATTEMPTS, MOMENTS, REFUSED, AttemptCase, spread, without_temporaries

ERRORS = (errno.EIO, errno.ENOSPC, errno.EINTR, errno.EMFILE, errno.ENOMEM)
SHORT = 0
READING = ("open", "read", "map", "stat", "list")
INTERRUPTED_MOMENTS = MOMENTS if MOMENTS == "all" else "2"
REFUSED_MOMENTS = MOMENTS if MOMENTS == "all" else str(4 * int(MOMENTS))  # a few of them decide


def faults_of(kind: str, number: int) -> list[Fault]:
    """The ways in which a call fails. A signal that interrupts all calls would make the command wait for its end."""
    lasting = [Fault(kind, number, error, stays=True) for error in (errno.EIO, errno.ENOSPC)]
    partly = [Fault(kind, number, SHORT)] if kind in ("read", "write") else []
    return [*(Fault(kind, number, error) for error in ERRORS), *partly, *lasting]


class DiskFaultsTest(AttemptCase):
    def test_a_failing_call_is_an_error_and_leaves_the_old_output_or_the_new_one(self) -> None:
        self.attack_all(self.faults)

    def test_a_command_that_must_not_replace_a_file_does_not_if_a_call_fails(self) -> None:
        for attempt in REFUSED:
            with self.subTest(attempt.name):
                self.prepare(attempt)
                args = attempt.args.split()
                refused = self.shim.run(*args)
                self.assertIn(refused.finished.code, (2, 3, 4), refused.finished)
                self.assertEqual(self.folder.read(), self.old)
                counts = refused.counts
                moments = [(kind, number) for kind in READING for number in range(1, counts[kind] + 1)]
                for fault in spread(
                    [Fault(kind, n, error) for kind, n in moments for error in ERRORS], REFUSED_MOMENTS
                ):
                    with self.subTest(attempt.name, fault=str(fault)):
                        self.folder.put_back(self.old)
                        finished = self.shim.run(*args, fault=fault).finished
                        self.assertIn(finished.code, range(2, 8), finished)
                        self.assertEqual(
                            without_temporaries(self.folder.read()), without_temporaries(self.old), finished
                        )

    def test_a_call_that_a_signal_interrupts_is_made_again(self) -> None:
        for attempt in ATTEMPTS:
            self.begin(attempt)
            counts = self.shim.run(*self.args).counts
            for kind in ("read", "write"):
                for number in spread(list(range(1, counts[kind] + 1)), INTERRUPTED_MOMENTS):
                    with self.subTest(attempt.name, kind=kind, number=number):
                        self.folder.put_back(self.old)
                        done = self.shim.run(*self.args, fault=Fault(kind, number, errno.EINTR)).finished
                        self.assertEqual((done.code, done.stderr), (0, self.done.stderr), done)
                        self.assertEqual(self.folder.read(), self.new)

    def faults(self) -> list[Fault]:
        counts = self.shim.run(*self.args).counts
        moments = [(kind, number) for kind in FILE_CALLS for number in range(1, counts[kind] + 1)]
        return [fault for kind, number in moments for fault in faults_of(kind, number)]


if __name__ == "__main__":
    unittest.main()

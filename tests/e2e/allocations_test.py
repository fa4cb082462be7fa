"""Every command, while one allocation fails: it ends with an exit code and a reason, and the old output
or the new one is in place.

OFINDEX_MOMENTS is the number of failing allocations that each command meets (default: 25; "all": each one).
"""

from __future__ import annotations

import collections
import errno
import unittest

from e2e.fault_shim import ALLOCATIONS, Fault
from e2e.faulty_commands import ATTEMPTS, AttemptCase


class AllocationsTest(AttemptCase):
    def test_a_failing_allocation_is_an_error_and_leaves_the_old_output_or_the_new_one(self) -> None:
        self.attack_all(self.faults)

    def test_libraries_may_lack_memory_when_they_begin(self) -> None:
        for attempt in (attempt for attempt in ATTEMPTS if attempt.name in ("build", "sql")):
            self.begin(attempt)
            for fault in (Fault(kind, number, errno.ENOMEM) for kind in ALLOCATIONS for number in range(1, 9)):
                with self.subTest(attempt.name, fault=str(fault)):
                    self.assertEqual(self.complaint_about(fault, collections.Counter()), "")

    def test_memory_may_run_out_while_a_command_closes_what_it_opened(self) -> None:
        for attempt in (attempt for attempt in ATTEMPTS if attempt.name in ("build", "convert", "part")):
            self.begin(attempt)
            for fault in [fault for fault in self.faults() if fault.kind == "new"][-120:]:
                with self.subTest(attempt.name, fault=str(fault)):
                    self.assertEqual(self.complaint_about(fault, collections.Counter()), "")

    def faults(self) -> list[Fault]:
        counts = self.shim.run(*self.args).counts
        return [Fault(kind, number, errno.ENOMEM) for kind in ALLOCATIONS for number in range(1, counts[kind] + 1)]


if __name__ == "__main__":
    unittest.main()

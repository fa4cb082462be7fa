"""The power fails at any moment of a command that writes: the old output or the new one is there afterwards, complete;
after the end of the command, the new one.

OFINDEX_MOMENTS is the number of moments that are tried of each command (default: 25; "all": each write, sync or change
of a name). The test that each sync is needed tries all moments, because it does not run the command again.
"""

from __future__ import annotations

import collections
import unittest
from collections.abc import Collection

from e2e.disk_model import Disk, Event, events_in
from e2e.faulty_commands import ATTEMPTS, DRAFT, MARK, MOMENTS, Attempt, AttemptCase, spread
from e2e.folder_state import State

WRITING = tuple(attempt for attempt in ATTEMPTS if attempt.writes)


class PowerCutsTest(AttemptCase):
    def record(self, attempt: Attempt) -> list[Event]:
        """Prepares the attempt, and returns what it does to its files."""
        self.begin(attempt)
        run = self.shim.run(*self.args, records=True)
        self.assertEqual(run.finished.code, 0, run.finished)
        self.assertEqual(self.folder.read(), self.new, "the next run gives the same files")
        events = events_in(self.shim.journal)
        self.folder.put_back(self.old)
        return events

    def states(self, events: list[Event], without: Collection[int] = ()) -> list[tuple[str, State]]:
        """The states in which a power cut or a kill may leave the folder, at each moment; the events numbered `without`
        sync nothing."""
        disk = Disk(self.dir)
        found: dict[frozenset[tuple[str, bytes | None]], tuple[str, State]] = {}
        for number, event in enumerate(events):
            disk.play(event, syncs=number not in without)
            left = {"cut": disk.after_cut(), "cut, all names kept": disk.names_after_cut(), "kill": disk.now()}
            early = [("cut, a name kept", state) for state in disk.one_name_early()]
            for what, state in (*left.items(), *early):
                found.setdefault(frozenset(state.items()), (f"{what} after event {number + 1}, {event.words}", state))
        return list(found.values())

    def test_a_power_cut_leaves_the_old_output_or_the_new_one(self) -> None:
        totals = collections.Counter[str]()
        for attempt in WRITING:
            with self.subTest(attempt.name):
                events = self.record(attempt)
                states = self.states(events)
                found = collections.Counter({"events": len(events), "states": len(states)})
                for what, state in spread(states):
                    with self.subTest(attempt.name, moment=what):
                        complaint = self.fault_of_state(state, ended_well=False) or self.fault_of_rerun(state)
                        found["bad" if complaint else "good"] += 1
                        self.assertEqual(complaint, "")
                totals += found
                if MOMENTS == "all":
                    print(attempt.name, dict(found), flush=True)
        if MOMENTS == "all":
            print("all", dict(totals))

    def test_an_output_is_on_disk_when_the_command_ends(self) -> None:
        for attempt in WRITING:
            with self.subTest(attempt.name):
                events = self.record(attempt)
                self.assertEqual(self.fault_of_end(events), "")

    def test_nothing_is_synced_in_vain(self) -> None:
        """Without any one of its syncs, each command breaks a promise. If a folder is synced again later, that sync may
        do for both, but without both, a promise is broken. An empty mark of an unfinished set is a mark, too."""
        for attempt in WRITING:
            events = self.record(attempt)
            disk = Disk(self.dir)
            marks = set()
            for number, event in enumerate(events):
                if event.name == "create" and MARK in event.words[2]:
                    marks.add(event.words[1])
                if event.name == "sync" and event.words[1] not in marks:
                    with self.subTest(attempt.name, event=number + 1, after=events[number - 1].words):
                        self.assertFalse(disk.is_synced(event.words[1]), "there is nothing to sync")
                        again = [later for later in range(number, len(events)) if events[later].words == event.words]
                        self.assertTrue(self.breaks(events, again), "no power cut needs this sync")
                disk.play(event)

    def breaks(self, events: list[Event], without: Collection[int]) -> bool:
        states = self.states(events, without)
        return self.fault_of_end(events, without) != "" or any(
            self.fault_of_state(state, ended_well=False) for _, state in states
        )

    def fault_of_end(self, events: list[Event], without: Collection[int] = ()) -> str:
        """Returns the fault of the output after a power cut at the end of the command; empty if there is none."""
        disk = Disk(self.dir)
        for number, event in enumerate(events):
            disk.play(event, syncs=number not in without)
        kept = {path: data for path, data in disk.after_cut().items() if DRAFT not in path}
        return self.difference(kept, self.new)


if __name__ == "__main__":
    unittest.main()

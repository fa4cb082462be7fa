"""A set of shards whose index is updated, and the records that it must have, by ordinal."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from e2e.command import CommandTest
from e2e.samples import payload, write_parts
from oracle import records

COUNTS = (5, 0, 6, 7)


class UpdateCase(CommandTest):
    """A folder `data` of four shards, one of them empty, and its index. `expected` maps ordinals to numbers of
    payloads, as samples.payload() makes them."""

    def setUp(self) -> None:
        self.bound: dict[str, Any] = {}
        super().setUp()
        self.data = self.dir / "data"
        write_parts(self.data, COUNTS)
        self.expect(0, "build", "data")
        self.expected = {number: number for number in range(sum(COUNTS))}

    def framed(self, numbers: Iterable[int]) -> bytes:
        return b"".join(records.frame_tfrecord(payload(number)) for number in numbers)

    def write(self, name: str, numbers: Iterable[int]) -> None:
        (self.data / name).write_bytes(self.framed(numbers))

    def append(self, name: str, data: bytes) -> None:
        with open(self.data / name, "ab") as shard:
            shard.write(data)

    def update(self, code: int = 0, *args: str) -> Any:
        """Updates the index, checks all records, and returns the JSON."""
        updated = self.expect(code, "update", "data", *args, "--json", **self.bound).json
        self.assertEqual((updated["schema"], updated["index"]), ("ofindex.update/1", "data.ofidx"))
        self.assertEqual(updated["records"], len(self.expected))
        self.assert_records()
        return updated

    def assert_records(self) -> None:
        """The index has the expected records, and no other."""
        rows = self.expect(0, "sql", "data", "select _id, label from records order by _id", "--json")
        self.assertEqual({row["_id"]: row["label"] for row in rows.json["rows"]}, self.expected)
        read = self.expect(0, "get", "data", *map(str, self.expected), "--raw")
        self.assertEqual(read.stdout, b"".join(payload(number) for number in self.expected.values()))
        for gone in set(range(max(self.expected) + 2)) - set(self.expected):
            self.expect_error(2, "get", "data", str(gone))

    def take_out(self, ordinals: Iterable[int]) -> dict[int, int]:
        """Takes records out of those that are expected, and returns them."""
        return {ordinal: self.expected.pop(ordinal) for ordinal in ordinals}

    def assert_lists(self, updated: Any, **lists: Any) -> None:
        """The lists of changes are these; those that are not named are empty."""
        names = ("new", "grown", "changed", "moved", "restored", "missing", "unreadable")
        found = {name: updated[name] for name in names if updated[name]}
        self.assertEqual(found, lists)

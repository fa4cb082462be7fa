"""ds.audit: groups of equal records as arrays, views to keep, and columns to attach."""

from __future__ import annotations

import collections
import random
from collections.abc import Iterable

import numpy as np
import ofindex
from oracle import messages, records
from python.work import WorkTest

Places = list[tuple[int, int]]


def equal(contents: Iterable[tuple[tuple[int, int], bytes]]) -> list[Places]:
    places: dict[bytes, Places] = collections.defaultdict(list)
    for place, content in contents:
        places[content].append(place)
    return sorted(group for group in places.values() if len(group) > 1)


def groups_of(audit: ofindex.Audit) -> list[Places]:
    return [audit.group(number) for number in range(len(audit))]


def named(name: str, label: int) -> bytes:
    return messages.encode("example", {"name": ("bytes", [name.encode()]), "label": ("int64", [label])})


class AuditTest(WorkTest):
    def setUp(self) -> None:
        super().setUp()
        rng = random.Random(3)
        self.payloads = [named(f"name {rng.randrange(60)}", rng.randrange(2)) for _ in range(200)]
        self.write("data", self.payloads)
        self.ds = ofindex.build(self.dir / "data", progress=False)

    def test_groups_are_those_of_a_dict(self) -> None:
        audit = self.ds.audit()
        expected = equal(((0, n), payload) for n, payload in enumerate(self.payloads))
        self.assertEqual(groups_of(audit), expected)
        self.assertEqual(audit.summary["group_count"], len(expected))
        self.assertEqual(audit.counts.tolist(), [len(group) for group in expected])
        self.assertEqual(audit.ordinals.dtype, np.int64)
        np.testing.assert_array_equal(np.bincount(audit.groups), audit.counts)
        self.assertEqual(repr(audit), f"<ofindex.Audit: {len(expected)} groups of {len(audit.ordinals)} records>")
        kept = audit.keep()
        self.assertEqual(sorted(kept), sorted(set(self.payloads)))
        with self.assertRaises(IndexError):
            audit.group(len(audit))

    def test_conflicts_have_other_labels(self) -> None:
        audit = self.ds.audit(on="name", label="label")
        labels = self.ds.column("label")
        for number, group in enumerate(groups_of(audit)):
            found = {int(labels[ordinal]) for _, ordinal in group}
            self.assertEqual(bool(audit.conflicts[number]), len(found) > 1)
        self.assertEqual(audit.labels.tolist(), labels[audit.ordinals].tolist())
        self.assertIn("conflict", audit.columns())
        self.assertEqual(set(audit.splits.tolist()), {None})

    def test_views_and_datasets_leak_into_each_other(self) -> None:
        parts = self.ds.split({"train": 0.7, "val": 0.3}, seed=1)
        audit = parts["train"].audit(parts["val"])
        ids = [parts[name].ordinals(range(len(parts[name]))).tolist() for name in ("train", "val")]
        places = [((which, ordinal), self.payloads[ordinal]) for which in (0, 1) for ordinal in ids[which]]
        self.assertEqual(groups_of(audit), equal(places))
        self.assertEqual(audit.leaks.tolist(), [len({which for which, _ in group}) > 1 for group in groups_of(audit)])
        clean = set(audit.keep(0, leaks=False))
        self.assertEqual(clean & set(parts["val"]), set())
        self.assertEqual(clean | set(parts["val"]), set(self.payloads))
        backwards = self.ds[::-1]
        self.assertEqual(set(backwards.audit().keep()), set(self.payloads))

    def test_other_formats_have_the_same_bytes(self) -> None:
        payloads = [messages.encode("ofrecord", {"name": ("bytes", [b"name %d" % n])}) for n in range(50, 70)]
        self.write("other", payloads, records.OFRECORD)
        other = ofindex.build(self.dir / "other", derive=["name:hash"], progress=False)
        audit = self.ds.audit(other, on="name")
        names = [((0, n), name.encode()) for n, name in enumerate(self.ds.column("name"))]
        names += [((1, n), name.encode()) for n, name in enumerate(other.column("name"))]
        self.assertEqual(groups_of(audit), equal(names))
        self.assertEqual([each["read"] for each in audit.summary["indexes"]], [200, 0])

    def test_its_columns_can_be_attached(self) -> None:
        audit = self.ds.audit()
        self.ds.attach(audit.columns(), prefix="audit_")
        self.assertEqual(len(self.ds.where("audit_first")), len(set(self.payloads)))
        self.assertAlmostEqual(float(self.ds.column("audit_weight").sum()), len(set(self.payloads)))
        drawn = self.ds.sampler(seed=1, weights="audit_weight").take(300)
        self.assertEqual(len(drawn), 300 if len(self.ds) >= 300 else len(self.ds))
        self.assertNotIn("conflict", audit.columns())

    def test_wrong_arguments_are_told(self) -> None:
        with self.assertRaisesRegex(ValueError, "did you mean 'name'"):
            self.ds.audit(on="nam")
        with self.assertRaisesRegex(ValueError, "did you mean 'label'"):
            self.ds.audit(label="lable")
        with self.assertRaisesRegex(ValueError, "expected a name"):
            self.ds.audit(on="")
        with self.assertRaisesRegex(ValueError, "given twice"):
            self.ds.audit(self.ds)
        with self.assertRaisesRegex(ValueError, "twice|repeat|once"):
            self.ds[[1, 1]].audit()
        with self.assertRaisesRegex(TypeError, "expected Datasets"):
            self.ds.audit("data")  # type: ignore[arg-type]
        with self.assertRaisesRegex(TypeError, "expected Datasets"):
            self.ds.audit(ofindex.mix([self.ds], weights=[1]))  # type: ignore[arg-type]

    def test_a_changed_shard_is_stale(self) -> None:
        content = (self.dir / "data").read_bytes()
        (self.dir / "data").write_bytes(content[: len(content) // 2])
        with self.assertRaises(ofindex.StaleError):
            ofindex.open(self.dir / "data").audit()

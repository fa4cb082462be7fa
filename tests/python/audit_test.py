"""ds.audit: groups of equal records as arrays, views to keep, and columns to attach."""

from __future__ import annotations

import collections
import io
import random
from collections.abc import Iterable
from typing import Any

import numpy as np
import ofindex
from oracle import messages, records
from PIL import Image
from python.work import WorkTest

Places = list[tuple[int, int]]


def equal(contents: Iterable[tuple[tuple[int, int], bytes]]) -> list[Places]:
    places: dict[bytes, Places] = collections.defaultdict(list)
    for place, content in contents:
        places[content].append(place)
    return sorted(group for group in places.values() if len(group) > 1)


def groups_of(audit: ofindex.Audit) -> list[Places]:
    return [audit.group(number) for number in range(len(audit))]


def encoded(image: Image.Image, kind: str, **options: Any) -> bytes:
    file = io.BytesIO()
    image.save(file, kind, **options)
    return file.getvalue()


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

    def test_like_images_are_found_though_their_bytes_differ(self) -> None:
        rng = np.random.default_rng(5)
        scenes = [Image.fromarray(rng.integers(0, 256, (9, 9, 3), np.uint8)).resize((120, 90)) for _ in range(20)]
        images = [encoded(scene, "PNG") for scene in scenes]
        images += [encoded(scene.resize((200, 150)), "JPEG", quality=60) for scene in scenes[:10]]
        images += [b"no image", encoded(Image.new("L", (50, 50), 90), "PNG")] * 2
        with ofindex.Writer(self.dir / "images", format="tfrecord") as writer:
            for image in images:
                writer.write({"image": image})
        ds = ofindex.build(self.dir / "images", progress=False)
        audit = ds.audit(on="image", near=True)
        pairs = [*((n, n + 20) for n in range(10)), (30, 32), (31, 33)]
        self.assertEqual(groups_of(audit), [[(0, first), (0, second)] for first, second in pairs])
        self.assertEqual(audit.distances.dtype, np.uint8)
        self.assertLessEqual(int(audit.distances.max()), 20)
        [index] = audit.summary["indexes"]
        self.assertEqual((audit.summary["near"], index["undecodable"], index["plain"]), (20, 2, 2))
        self.assertEqual(index["first_undecodable"], 30)
        self.assertRegex(index["cause"], "expected")
        self.assertEqual(len(audit.keep()), 22)
        self.assertLess(len(ds.audit(on="image", near=0)), len(audit))
        self.assertEqual(len(ds.audit(on="image", near=np.True_)), len(audit))
        self.assertEqual(len(ds.audit(on="image", near=False)), 2)
        self.assertEqual(len(ds.audit().distances), 0)
        self.assertNotIn("distance", ds.audit().columns())
        shuffled = ds[rng.permutation(len(ds))].audit(on="image", near=20)  # a view in another order
        distance = shuffled.columns()["distance"]
        self.assertEqual(int(distance.count()), 24)
        of_record = dict(zip(audit.ordinals.tolist(), audit.distances.tolist(), strict=True))
        for ordinal, bits in zip(shuffled.columns()["_id"].tolist(), distance.tolist(), strict=True):
            self.assertEqual(bits, of_record.get(ordinal))
        ds.attach(audit.columns(), prefix="near_")
        self.assertEqual(len(ds.where("near_distance IS NULL")), 10)

    def test_wrong_distances_are_told(self) -> None:
        with self.assertRaisesRegex(ValueError, "near=32: expected 0 to 31"):
            self.ds.audit(on="name", near=32)
        with self.assertRaisesRegex(TypeError, "near='far': expected an integer"):
            self.ds.audit(on="name", near="far")  # type: ignore[arg-type]
        with self.assertRaisesRegex(ValueError, "whole payloads are not images"):
            self.ds.audit(near=True)
        with self.assertRaisesRegex(ValueError, "exclude each other"):
            self.ds.audit(on="name", near=True, trust_hashes=True)
        audit = self.ds.audit(on="name", near=True)  # of texts
        self.assertEqual(groups_of(audit), groups_of(self.ds.audit(on="name")))
        self.assertEqual(audit.summary["indexes"][0]["undecodable"], 200)

    def test_a_changed_shard_is_stale(self) -> None:
        content = (self.dir / "data").read_bytes()
        (self.dir / "data").write_bytes(content[: len(content) // 2])
        with self.assertRaises(ofindex.StaleError):
            ofindex.open(self.dir / "data").audit()

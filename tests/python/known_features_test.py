"""Requesting a feature that no record has is always an error; it never gives empty or default values."""

from __future__ import annotations

import unittest
from collections.abc import Callable
from typing import Any
from unittest import mock

import ofindex
from ofindex import _ofindex
from oracle import messages
from python.work import WorkTest

SPECS = {
    "fixed": ofindex.fixed("bytes"),
    "fixed with a default": ofindex.fixed("bytes", (), b""),
    "ragged": ofindex.ragged("bytes"),
    "ragged of numbers": ofindex.ragged("int64"),
    "raw": ofindex.raw("uint8", (4,)),
    "raw, padded": ofindex.raw("uint8", (4,), pad=True, truncate=True),
}


def use(ds: Any, features: Any) -> dict[str, Callable[[], object]]:
    """All functions that take features of records."""
    uses: dict[str, Callable[[], object]] = {
        "batch": lambda: ds.batch([0], features),
        "grain": lambda: ofindex.grain.DataSource(ds, features),
    }
    try:
        import torch as torch

        uses["torch.Dataset"] = lambda: ofindex.torch.Dataset(ds, features)
        uses["torch.Loader"] = lambda: ofindex.torch.Loader(ds, features)
    except ImportError:
        pass
    return uses


class KnownFeaturesTest(WorkTest):
    def setUp(self) -> None:
        super().setUp()
        self.ds = self.examples(20)
        other = [messages.encode("example", {"label": ("int64", [1]), "caption": ("bytes", [b"x"])})]
        self.other = ofindex.build(self.write("other/", other * 10))

    def check(self, ds: Any, name: str | bytes, said: str) -> None:
        for form, spec in SPECS.items():
            for way, call in use(ds, {"label": ofindex.fixed("int64"), name: spec}).items():
                with self.assertRaisesRegex(ofindex.FeatureError, said, msg=(form, way)) as raised:
                    call()
                self.assertIn(raised.exception.hint, str(raised.exception))

    def test_names_are_read_from_the_index_once_for_all_views_even_if_they_exceed_the_limit(self) -> None:
        for most in (10**6, 1):
            ds = ofindex.open(self.dir / "data")
            with (
                mock.patch.object(_ofindex, "features", wraps=_ofindex.features) as read,
                mock.patch.object(_ofindex, "max_features", most),
            ):
                for view in (ds, ds, ds[3:], ds.where("label = 3")):
                    view.batch([0], {"label": ofindex.fixed("int64")})
                self.assertEqual(read.call_count, 1, most)
                known = ds._known_features()
            self.assertEqual(known, [None if most == 1 else frozenset({"label", "weight", "name", "boxes"})])
            self.assertIs(ds[3:]._known_features()[0], known[0])  # the names are not read again

    def test_a_misspelt_name_is_an_error_with_the_nearest_names(self) -> None:
        mix = ofindex.mix([self.ds, self.other])
        for ds in (self.ds, self.ds[3:7], self.ds.where("label = 3"), mix):
            self.check(ds, "nmae", "(?s)no record has a feature 'nmae'.*did you mean 'name'")
            self.check(ds, b"nmae", "did you mean 'name'")
        self.check(mix, "captoin", "did you mean 'caption'")
        self.check(self.ds, "caption", "no record has a feature 'caption'")
        self.check(self.ds, "nothing like it", "ofindex schema")
        self.check(self.ds, "name[]", "did you mean 'name'")  # not a feature list
        self.check(self.ds, b"\xffname", r"\\xffname|did you mean 'name'")

    def test_a_name_that_at_least_one_record_has_is_accepted(self) -> None:
        features = {"name": ofindex.ragged("bytes"), "caption": ofindex.ragged("bytes")}
        mix = ofindex.mix([self.ds, self.other])
        batch = mix.batch([0, 20], features)
        self.assertEqual(batch["name"].tolist(), [[b"record 0"], []])
        self.assertEqual(batch["caption"].tolist(), [[], [b"x"]])
        self.assertEqual(
            self.ds.where("label = 0").batch([0], {"boxes": ofindex.ragged("float32")})["boxes"][0].size, 0
        )
        for call in use(mix, features).values():
            call()

    def test_a_dataset_without_records_accepts_every_name(self) -> None:
        features = {"name": ofindex.ragged("bytes")}
        self.assertEqual(len(self.ds[:0].batch([], features)["name"]), 0)
        nothing = ofindex.build(self.write("nothing.tfrecord", []), format="tfrecord")
        self.assertEqual(len(nothing.batch([], features)["name"]), 0)

    def test_a_feature_list_is_requested_by_its_name_with_brackets(self) -> None:
        sequence = messages.encode_sequence({"id": ("int64", [1])}, {"words": [("bytes", [b"a"])]})
        ds = ofindex.build(self.write("steps.tfrecord", [sequence] * 3), payload="sequence_example")
        self.assertEqual(ds.batch([0], {"words[]": ofindex.ragged("bytes")})["words[]"].tolist(), [[b"a"]])
        for way, call in use(ds, {"words": ofindex.ragged("bytes")}).items():
            with self.assertRaisesRegex(ofindex.FeatureError, r"no record has a feature 'words'", msg=way):
                call()

    def test_opaque_payloads_have_no_features(self) -> None:
        ds = ofindex.build(self.write("opaque.tfrecord", [b"\xff\xff\xff"] * 3))
        with self.assertRaisesRegex(ofindex.FeatureError, "opaque"):
            ds.batch([0], {"name": ofindex.ragged("bytes")})


if __name__ == "__main__":
    unittest.main()

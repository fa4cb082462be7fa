"""`Dataset.key`: records by the value of a feature, against a dict of what was written."""

from __future__ import annotations

import collections
import pickle
import random
import threading
from typing import Any

import numpy as np
import ofindex
from oracle import messages
from python.work import WorkTest


class KeyTest(WorkTest):
    """900 records with a unique name, and most of them with up to three tags."""

    def setUp(self) -> None:
        super().setUp()
        generator = random.Random(7)
        self.ordinals: dict[Any, list[int]] = collections.defaultdict(list)
        for shard in range(3):
            payloads = []
            for ordinal in range(300 * shard, 300 * shard + 300):
                name, tags = f"é-{ordinal}.jpg".encode(), generator.sample(range(-5, 40), ordinal % 4)
                for value in (name, *tags):
                    self.ordinals[value].append(ordinal)
                features: dict[str, Any] = {"name": ("bytes", [name]), "score": ("float", [0.5])}
                if tags:
                    features["tag"] = ("int64", tags)
                payloads.append(messages.encode("example", features))
            self.write(f"data/part-{shard}", payloads)
        self.ds = ofindex.build(self.dir / "data", keys=["name", "tag"], progress=False)

    def test_one_value_finds_its_record_as_in_a_dict(self) -> None:
        key = self.ds.key("name")
        self.assertEqual(key["é-7.jpg".encode()], self.ds[7])
        self.assertEqual(key["é-7.jpg"], self.ds[7])
        self.assertIn("é-899.jpg", key)
        self.assertNotIn(b"none", key)
        self.assertIsNone(key.get(b"none"))
        self.assertEqual(key.get(b"none", b"?"), b"?")
        self.assertEqual(key.find("é-5.jpg"), 5)
        self.assertEqual(key.find(b"none", missing=-1), -1)
        self.assertEqual((len(key), key.name), (900, "name"))
        self.assertEqual(key.info["duplicates"], 0)
        self.assertEqual(repr(key), "<ofindex.Key 'name': 900 keys of 900 records>")
        with self.assertRaises(TypeError):
            iter(key)  # type: ignore[call-overload]

    def test_ctrl_c_ends_a_lookup_of_many_values(self) -> None:
        import _thread

        key, many = self.ds.key("tag"), np.full(8_000_000, 7)
        timer = threading.Timer(0.3, _thread.interrupt_main)
        timer.start()
        with self.assertRaises(KeyboardInterrupt):
            key.find(many)
        timer.join()
        self.assertEqual(key.find_all(7).tolist(), self.ordinals[7])

    def test_a_missing_value_is_a_key_error_of_ofindex(self) -> None:
        key = self.ds.key("name")
        for ask in (lambda: key[b"x"], lambda: key.find([b"\xc3\xa9-1.jpg", b"x", b"y"])):
            with self.assertRaises(ofindex.MissingKeyError) as raised:
                ask()
            self.assertIsInstance(raised.exception, KeyError)
            self.assertIsInstance(raised.exception, ofindex.Error)
            self.assertEqual(raised.exception.value, b"x")
            self.assertTrue(str(raised.exception).startswith("feature 'name': no record has the value b'x'"))
            self.assertEqual(str(pickle.loads(pickle.dumps(raised.exception))), str(raised.exception))
        with self.assertRaises(ofindex.MissingKeyError) as long:
            key[b"x" * 1_000_000]
        self.assertLess(len(str(long.exception)), 400)
        self.assertEqual(len(long.exception.value), 1_000_000)

    def test_many_values_at_once_in_every_form(self) -> None:
        names = [name for name in self.ordinals if isinstance(name, bytes)]
        wanted = np.array([self.ordinals[name][0] for name in names])
        key = self.ds.key("name")
        for form in (names, tuple(names), [name.decode() for name in names], np.array(names), np.array(names, object)):
            found = key.find(form)
            self.assertEqual(found.dtype, np.int64)
            np.testing.assert_array_equal(found, wanted)
        np.testing.assert_array_equal(key.find([names[3], b"x"], missing=-1), [wanted[3], -1])
        self.assertEqual(key.find([]).shape, (0,))
        tags = self.ds.key("tag")
        values = [value for value in self.ordinals if isinstance(value, int)]
        wanted = np.array([self.ordinals[value][0] for value in values])
        for some in (values, np.array(values), np.array(values, np.int8), list(np.array(values))):
            np.testing.assert_array_equal(tags.find(some), wanted)
        np.testing.assert_array_equal(tags.find([1 << 80, 1000, values[0]], missing=-1), [-1, -1, wanted[0]])
        np.testing.assert_array_equal(tags.find(np.array([1 << 63], np.uint64), missing=-1), [-1])

    def test_a_value_of_several_records_finds_them_all(self) -> None:
        tags = self.ds.key("tag")
        for value in [value for value in self.ordinals if isinstance(value, int)]:
            np.testing.assert_array_equal(tags.find_all(value), self.ordinals[value])
            self.assertEqual(tags[value], self.ds[self.ordinals[value][0]])
        self.assertEqual(tags.find_all(1000).shape, (0,))
        self.assertEqual(tags.info["records_without"], 225)

    def test_wrong_types_and_arguments_are_said(self) -> None:
        names, tags = self.ds.key("name"), self.ds.key("tag")
        for ask, text in (
            (lambda: names[5], "a key by feature 'name' is bytes or str, not int"),
            (lambda: tags["a"], "a key by feature 'tag' is int, not str"),
            (lambda: tags.find([1, 2.5]), "a key by feature 'tag' is int, not float"),
            (lambda: names.find(np.array([1, 2])), "a key by feature 'name' is bytes or str, not int"),
        ):
            with self.assertRaisesRegex(TypeError, text):
                ask()
        with self.assertRaisesRegex(ValueError, "missing=0"):
            names.find(b"x", missing=0)  # type: ignore[call-overload]
        with self.assertRaisesRegex(FileNotFoundError, "ofindex key"):
            self.ds.key("other")
        with self.assertRaisesRegex(ValueError, "floats"):
            self.ds.key("score", make=True)
        with self.assertRaisesRegex(ValueError, "did you mean 'name'"):
            self.ds.key("nmae", make=True)
        with self.assertRaisesRegex(AttributeError, "a view has no key"):
            self.ds[:5].key("name")

    def test_keys_follow_updates_and_an_old_dataset_refuses_the_new_key(self) -> None:
        self.write("data/part-3", [messages.encode("example", {"name": ("bytes", [b"new"])})])
        ofindex.update(self.dir / "data", progress=False)
        self.assertEqual(ofindex.open(self.dir / "data").key("name").find(b"new"), 900)
        with self.assertRaises(ofindex.StaleError):
            self.ds.key("name")

    def test_a_key_is_made_when_it_is_asked_for(self) -> None:
        (self.dir / "data.ofidx-key-name").unlink()
        with self.assertRaises(FileNotFoundError):
            self.ds.key("name")
        self.assertEqual(self.ds.key("name", make=True).find("é-5.jpg"), 5)
        self.assertEqual(ofindex.open(self.dir / "data").key("name").find("é-5.jpg"), 5)

    def test_many_threads_share_a_key(self) -> None:
        key = self.ds.key("tag")
        values = np.array([value for value in self.ordinals if isinstance(value, int)] * 50)
        wanted = key.find(values)
        found: list[Any] = []
        threads = [threading.Thread(target=lambda: found.append(key.find(values))) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(len(found), 4)
        for one in found:
            np.testing.assert_array_equal(one, wanted)

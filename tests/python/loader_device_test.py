"""ofindex.torch.Loader: pinned memory, and batches that are moved to a device ahead of the loop."""

from __future__ import annotations

import pickle
import threading
import unittest
import warnings
from contextlib import contextmanager
from itertools import islice
from typing import Any, NamedTuple
from unittest import mock

import ofindex
from ofindex._torch_moving import can_pin
from python.torch_work import LABEL, Loader, Ragged, WatchedTest, plain, torch
from python.work import FEATURES


class Pair(NamedTuple):
    first: Any
    second: Any


def nested(batch: dict[str, Any]) -> Any:
    packed = torch.nn.utils.rnn.pack_sequence([batch["label"]])
    return {"pair": Pair(batch, [batch["weight"], "text"]), "packed": packed, "number": 3}


class DeviceTest(WatchedTest):
    def setUp(self) -> None:
        super().setUp()
        self.ds = self.examples(203)

    def test_every_tensor_of_a_batch_is_moved(self) -> None:
        whole = list(Loader(self.ds, FEATURES, 8, seed=1))
        for transform in (None, dict):
            moved = list(Loader(self.ds, FEATURES, 8, seed=1, transform=transform, device="meta"))
            self.assertEqual(len(moved), len(whole))
            for one, batch in zip(moved, whole, strict=True):
                self.assertEqual((one["label"].device.type, one["label"].shape), ("meta", batch["label"].shape))
                self.assertIsInstance(one["boxes"], Ragged)
                self.assertEqual([part.device.type for part in one["boxes"]], ["meta", "meta"])
                self.assertEqual(one["name"].tolist(), batch["name"].tolist())

    def test_the_tensors_in_what_a_transform_returns_are_moved(self) -> None:
        first = next(iter(Loader(self.ds, LABEL, 8, transform=nested, device=torch.device("meta"))))
        self.assertIsInstance(first["pair"], Pair)
        self.assertEqual(first["pair"].first["label"].device.type, "meta")
        self.assertEqual(first["pair"].second[0].device.type, "meta")
        self.assertEqual((first["pair"].second[1], first["number"]), ("text", 3))
        self.assertIsInstance(first["packed"], torch.nn.utils.rnn.PackedSequence)
        self.assertEqual(first["packed"].data.device.type, "meta")

    def test_the_cpu_needs_no_thread(self) -> None:
        loader = Loader(self.ds, LABEL, 8, seed=1, device="cpu")
        expected = [plain(batch) for batch in Loader(self.ds, LABEL, 8, seed=1)]
        names = set()
        for batch, given in zip(loader, expected, strict=True):
            self.assertEqual(plain(batch), given)
            names |= {thread.name for thread in threading.enumerate()}
        self.assertFalse([name for name in names if "transform" in name])
        self.assertFalse(loader.pin_memory)

    def test_a_state_counts_the_batches_that_were_returned_not_the_one_that_was_moved(self) -> None:
        loader = Loader(self.ds, LABEL, 8, range(203), device="meta")
        iterator = iter(loader)
        self.assertEqual((len(list(islice(iterator, 3))), len(iterator)), (3, 23))
        self.assertEqual(loader.state_dict()["position"], 24)
        twin = pickle.loads(pickle.dumps(loader))
        self.assertEqual((twin.device, len(list(twin))), (torch.device("meta"), 23))
        self.assertEqual(len(list(iterator)), 23)
        self.assertEqual(loader.state_dict()["epoch"], 1)

    def test_errors_are_raised_at_their_batch_and_threads_end(self) -> None:
        before = self.threads()
        for transform in (None, dict):
            loader = Loader(self.ds, LABEL, 8, [*range(20), 500], transform=transform, device="meta")
            iterator = iter(loader)
            self.assertEqual(len(list(islice(iterator, 2))), 2)
            self.assertRaises(IndexError, next, iterator)
            self.assertEqual(loader.state_dict()["position"], 16)
            for _ in Loader(self.ds, LABEL, 8, transform=transform, device="meta"):
                break
            del iterator
            self.until(lambda: self.threads() <= before, "threads are left")

    def test_a_cuda_device_gets_batches_on_a_stream_that_the_loop_waits_for(self) -> None:
        said: list[tuple[Any, ...]] = []
        main = threading.get_ident()

        def say(what: str, *more: Any) -> None:
            said.append((what, threading.get_ident() == main, *more))

        side, used = mock.Mock(), mock.Mock()
        side.record_event = lambda: say("record") or f"event {sum(one[0] == 'record' for one in said)}"
        used.wait_event = lambda event: say("wait", event)

        @contextmanager
        def stream(given: Any) -> Any:
            self.assertIs(given, side)
            say("enter")
            yield
            say("leave")

        def moved(tensor: Any, device: torch.device, non_blocking: bool = False) -> Any:
            say("move", str(device), non_blocking)
            return tensor.clone()

        with (
            mock.patch.multiple(
                torch.cuda,
                Stream=lambda device: side,
                stream=stream,
                current_stream=lambda device: used,
                current_device=lambda: 3,
                is_available=lambda: True,
            ),
            mock.patch.multiple(
                torch.Tensor,
                to=moved,
                is_cuda=True,
                record_stream=lambda tensor, stream: say("use", stream is used),
                pin_memory=lambda tensor: say("pin") or tensor,
            ),
            mock.patch("ofindex._torch_loader.can_pin", return_value=True),
        ):
            features = {"label": ofindex.fixed("int64")}
            iterator = iter(Loader(self.ds, features, 100, range(203), device="cuda", pin_memory=True))
            sizes = [len(batch["label"]) for batch in iterator]
        self.assertEqual(sizes, [100, 100, 3])
        move = [("enter", False), ("pin", False), ("move", False, "cuda:3", True), ("record", False), ("leave", False)]
        self.assertEqual([one for one in said if not one[1]], 3 * move)
        expected = [entry for n in (1, 2, 3) for entry in (("wait", True, f"event {n}"), ("use", True, True))]
        self.assertEqual([one for one in said if one[1]], expected)


class PinTest(WatchedTest):
    def test_a_thread_pins_what_is_on_the_cpu(self) -> None:
        main, pinned = threading.get_ident(), []

        def pin(tensor: Any) -> Any:
            pinned.append((threading.get_ident() == main, tensor.device.type))
            return tensor

        def half_on_a_device(batch: dict[str, Any]) -> Any:
            return [batch["label"], batch["weight"].to("meta")]

        with (
            mock.patch.object(torch.Tensor, "pin_memory", pin),
            mock.patch("ofindex._torch_loader.can_pin", return_value=True),
        ):
            loader = Loader(self.examples(20), LABEL, 10, pin_memory=True, transform=half_on_a_device)
            self.assertEqual(len(list(loader)), 2)
        self.assertEqual(pinned, 2 * [(False, "cpu")])

    def test_a_device_that_does_not_exist_is_refused(self) -> None:
        if torch.cuda.is_available():
            self.skipTest("there is a CUDA device")
        loader = Loader(self.examples(20), LABEL, device="cuda")
        with self.assertRaisesRegex(ValueError, "device='cuda': torch finds no CUDA device\nleave it out"):
            iter(pickle.loads(pickle.dumps(loader)))  # made here for a process elsewhere

    def test_without_an_accelerator_pin_memory_warns_and_does_nothing(self) -> None:
        if can_pin():
            self.skipTest("there is an accelerator")
        ds = self.examples(20)
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            loader = Loader(ds, LABEL, 8, pin_memory=True)
            Loader(ds, LABEL, 8)
        self.assertEqual(
            [(str(one.message), one.filename) for one in caught],
            [("pin_memory=True without an accelerator: batches are not pinned", __file__)],
        )
        self.assertEqual((loader.pin_memory, len(list(loader))), (False, 3))


if __name__ == "__main__":
    unittest.main()

"""examples/train_digits.py learns the real digits, and a stopped run resumes bit for bit. Also batches of JPEGs."""

from __future__ import annotations

import io
import os
import re
import subprocess
import sys
import unittest
from pathlib import Path
from typing import Any

import numpy as np
import ofindex
from oracle import messages, records
from python.work import WorkTest

try:
    import torch
    from ofindex.torch import Loader
except ImportError:
    raise unittest.SkipTest("torch is not installed") from None
try:
    from sklearn.datasets import load_digits
except ImportError:
    load_digits = None
try:
    from PIL import Image
except ImportError:
    Image = None

EXAMPLE = Path(__file__).resolve().parents[2] / "examples" / "train_digits.py"
PARTS = 4


@unittest.skipIf(load_digits is None, "scikit-learn, whose digits the test uses, is not installed")
class TrainingTest(WorkTest):
    def setUp(self) -> None:
        super().setUp()
        digits = load_digits()
        payloads = [
            messages.encode("ofrecord", {"image": ("int32", image), "label": ("int64", [label])})
            for image, label in zip(digits.data.astype(int).tolist(), digits.target.tolist(), strict=True)
        ]
        for part in range(PARTS):
            some = payloads[len(payloads) * part // PARTS : len(payloads) * (part + 1) // PARTS]
            self.write(f"digits/part-{part}", some, records.OFRECORD)

    def train(self, name: str, *options: str) -> str:
        """Runs the example with checkpoint and log files called `name`; returns its output."""
        files = ["--checkpoint", f"{name}.pt", "--log", f"{name}.log"]
        done = subprocess.run(
            [sys.executable, str(EXAMPLE), "digits", "--epochs", "12", "--save-every", "50", *files, *options],
            capture_output=True, text=True, timeout=300, cwd=self.dir,
            env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path)), "OMP_NUM_THREADS": "1"},
        )  # fmt: skip
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def log(self, name: str) -> list[str]:
        return (self.dir / f"{name}.log").read_text().splitlines()

    def checkpoint(self, name: str) -> dict[str, Any]:
        return torch.load(self.dir / f"{name}.pt", weights_only=True)  # type: ignore[no-any-return]

    def assert_same(self, one: Any, other: Any, where: str = "") -> None:
        """Two states are equal bit for bit."""
        self.assertIs(type(one), type(other), where)
        if isinstance(one, torch.Tensor):
            self.assertEqual((one.dtype, one.shape), (other.dtype, other.shape), where)
            self.assertEqual(one.numpy().tobytes(), other.numpy().tobytes(), where)
        elif isinstance(one, dict):
            self.assertEqual(list(one), list(other), where)
            for key in one:
                self.assert_same(one[key], other[key], f"{where}/{key}")
        else:
            self.assertEqual(one, other, where)

    def test_training_learns_and_resumes_bit_for_bit(self) -> None:
        whole = self.train("whole")
        found = re.search(r"accuracy (0\.\d+) on (\d+) digits held out", whole)
        assert found is not None, whole
        accuracy, held_out = float(found[1]), int(found[2])
        self.assertGreater(accuracy, 0.95)
        self.assertTrue(280 < held_out < 440, held_out)
        steps = self.log("whole")
        batches = -(-(1797 - held_out) // 32)
        self.assertEqual([int(line.split()[0]) for line in steps], list(range(1, 12 * batches + 1)))
        self.assertEqual(len({line.split()[2] for line in steps}), len(steps))  # no batch comes twice

        # The run is stopped twice inside an epoch, 17 and 49 steps after a checkpoint. These steps are repeated.
        self.assertIn("stopped after step 167", self.train("parts", "--stop-after", "167"))
        self.assertEqual(self.log("parts"), steps[:167])
        self.assertIn("resumed after step 150", self.train("parts", "--resume", "--stop-after", "299"))
        self.assertEqual(self.log("parts")[167:], steps[150:299])
        self.assertEqual(self.train("parts", "--resume").splitlines()[-1], whole.splitlines()[-1])
        self.assertEqual(self.log("parts")[167 + 149 :], steps[250:])
        self.assertNotEqual(250 % batches, 0)
        self.assert_same(self.checkpoint("whole"), self.checkpoint("parts"))

    def test_the_split_of_the_example_is_disjoint_and_its_labels_are_right(self) -> None:
        self.train("one", "--epochs", "1")
        ds = ofindex.open(self.dir / "digits")
        parts = ds.split({"train": 0.8, "held out": 0.2}, seed=0)
        numbers = [set(ds_part.ordinals(range(len(ds_part))).tolist()) for ds_part in parts.values()]
        self.assertEqual(sorted([*numbers[0], *numbers[1]]), list(range(1797)))
        self.assertEqual(numbers[0] & numbers[1], set())
        labels = ds.batch(range(1797), {"label": ofindex.fixed("int64")})["label"]
        np.testing.assert_array_equal(labels, load_digits().target)


@unittest.skipIf(Image is None, "Pillow, which makes the JPEGs, is not installed")
class JpegTest(WorkTest):
    COUNT, SIZE = 60, (24, 32)

    def setUp(self) -> None:
        super().setUp()
        rng = np.random.default_rng(1)
        coarse = rng.integers(0, 256, (self.COUNT, 3, 4, 3), dtype=np.uint8)
        self.jpegs = []
        for pixels in coarse:
            file = io.BytesIO()
            Image.fromarray(pixels).resize(self.SIZE[::-1]).save(file, "JPEG", quality=90)
            self.jpegs.append(file.getvalue())
        payloads = [
            messages.encode("example", {"image/encoded": ("bytes", [jpeg]), "id": ("int64", [number])})
            for number, jpeg in enumerate(self.jpegs)
        ]
        self.ds = ofindex.build(self.write("jpegs/", payloads))

    @staticmethod
    def pixels(jpeg: Any) -> np.ndarray[Any, Any]:
        return np.asarray(Image.open(io.BytesIO(jpeg)))

    def test_jpegs_decoded_in_the_transform_equal_those_decoded_one_by_one(self) -> None:
        expected = [self.pixels(jpeg) for jpeg in self.jpegs]

        def decode(batch: dict[str, Any]) -> dict[str, Any]:
            encoded = batch["image/encoded"]
            images = np.stack([self.pixels(encoded.view(i)) for i in range(len(encoded))])
            return {"id": batch["id"], "image": torch.from_numpy(images)}

        features = {"image/encoded": ofindex.fixed("bytes"), "id": ofindex.fixed("int64")}
        for threads in (1, 4):
            seen: list[int] = []
            for batch in Loader(self.ds, features, batch_size=16, seed=3, threads=threads, transform=decode):
                self.assertEqual(batch["image"].shape[1:], (*self.SIZE, 3))
                self.assertEqual(batch["image"].dtype, torch.uint8)
                for number, image in zip(batch["id"].tolist(), batch["image"], strict=True):
                    np.testing.assert_array_equal(image.numpy(), expected[number])
                    seen.append(number)
            self.assertEqual(sorted(seen), list(range(self.COUNT)))
            self.assertNotEqual(seen, sorted(seen))
            self.assertEqual(seen, list(self.ds.sampler(seed=3)))

    def test_an_invalid_jpeg_raises_an_error_in_the_loop(self) -> None:
        ds = ofindex.build(self.write("broken/", [messages.encode("example", {"x": ("bytes", [b"no JPEG"])})] * 4))

        def decode(batch: dict[str, Any]) -> Any:
            return [self.pixels(jpeg) for jpeg in batch["x"]]

        with self.assertRaisesRegex(OSError, "cannot identify image"):
            next(iter(Loader(ds, {"x": ofindex.fixed("bytes")}, batch_size=2, transform=decode)))


class LoadingTest(WorkTest):
    """The features that examples/train_digits.py relies on."""

    def test_a_state_inside_an_epoch_is_plain_values_that_torch_saves_safely(self) -> None:
        loader = Loader(self.examples(50), {"label": ofindex.fixed("int64")}, batch_size=8)
        batches = iter(loader)
        for _ in range(3):
            next(batches)
        torch.save(loader.state_dict(), self.dir / "state.pt")
        rest = [batch["label"].tolist() for batch in batches]
        state = torch.load(self.dir / "state.pt", weights_only=True)
        again = Loader(ofindex.open(self.dir / "data"), {"label": ofindex.fixed("int64")}, batch_size=8)
        again.load_state_dict(state)
        self.assertEqual([batch["label"].tolist() for batch in again], rest)
        self.assertEqual(again.state_dict()["epoch"], 1)

"""examples/recipes/: each framework trains on a dataset, is killed in mid-epoch, and resumes exactly."""

from __future__ import annotations

import hashlib
import importlib.util
import os
import re
import subprocess
import sys
import tempfile
import threading
import unittest
from concurrent.futures import Future, ThreadPoolExecutor
from fcntl import F_SETPIPE_SZ, fcntl
from pathlib import Path
from typing import NamedTuple

import numpy as np
import ofindex
from oracle import messages, records

RECIPES = Path(__file__).resolve().parents[2] / "examples" / "recipes"
NEEDS = {  # recipe -> the packages that it imports
    "accelerate": ("torch", "accelerate"),
    "grain": ("torch", "grain"),
    "jax": ("jax",),
    "keras": ("keras", "jax"),
    "lightning": ("torch", "pytorch_lightning"),
    "stateful_loader": ("torch", "torchdata"),
    "trainer": ("torch", "transformers", "accelerate"),
}
COUNT, BATCH, EPOCHS = 600, 64, 2
STEPS = -(-COUNT // BATCH)  # in an epoch; the last has fewer records
SAVE_EVERY = 3
KILLED = STEPS + 4  # the last step that a killed run is seen to make: in mid-epoch, two after a checkpoint
PIPE_BYTES = 4096  # a line of a full batch is longer: a run waits until its previous line was read
STEP = re.compile(r"step (\d+): loss (\d+\.\d{4})((?: [0-9a-f]{64})+)\n")


class Step(NamedTuple):
    number: int
    loss: str
    records: list[str]


def missing(recipe: str) -> list[str]:
    return [name for name in NEEDS[recipe] if importlib.util.find_spec(name) is None]


def command(recipe: str, folder: Path, *options: str) -> list[str]:
    given = [f"--epochs={EPOCHS}", f"--batch-size={BATCH}", f"--save-every={SAVE_EVERY}", "--records"]
    checkpoints = f"--checkpoints={folder / recipe}"
    return [sys.executable, str(RECIPES / f"with_{recipe}.py"), str(folder / "digits"), checkpoints, *given, *options]


def environment() -> dict[str, str]:
    paths = os.pathsep.join(filter(None, sys.path))
    return {**os.environ, "PYTHONPATH": paths, "OMP_NUM_THREADS": "1", "TOKENIZERS_PARALLELISM": "false"}


def steps_of(output: str) -> list[Step]:
    return [Step(int(number), loss, hashes.split()) for number, loss, hashes in STEP.findall(output)]


def killed(recipe: str, folder: Path) -> list[Step]:
    """Runs a recipe, kills it when it has told of step KILLED, and returns its steps."""
    output, errors = "", folder / f"{recipe}.errors"
    with (
        errors.open("w") as told,
        subprocess.Popen(
            command(recipe, folder), stdout=subprocess.PIPE, stderr=told, env=environment(), bufsize=0
        ) as process,
    ):
        assert process.stdout is not None
        limit = threading.Timer(300, process.kill)
        limit.start()
        fcntl(process.stdout, F_SETPIPE_SZ, PIPE_BYTES)
        while not output.endswith("\n") or steps_of(output)[-1:] == [] or steps_of(output)[-1].number < KILLED:
            line = process.stdout.readline()
            if not line:
                raise AssertionError(f"{recipe} ended too early:\n{output}\n{errors.read_text()}")
            output += line.decode()
        limit.cancel()
        process.kill()
        # Its workers may live a little longer, and hold the pipe: its end is not waited for.
    return steps_of(output)


def resumed(recipe: str, folder: Path) -> list[Step]:
    """Resumes a recipe, and returns its steps until it ends."""
    done = subprocess.run(
        command(recipe, folder, "--resume"), capture_output=True, text=True, env=environment(), timeout=300
    )
    if done.returncode != 0:
        raise AssertionError(f"{recipe} --resume failed:\n{done.stdout[-2000:]}\n{done.stderr}")
    return steps_of(done.stdout)


def both(recipe: str, folder: Path) -> tuple[list[Step], list[Step]]:
    return killed(recipe, folder), resumed(recipe, folder)


class RecipesTest(unittest.TestCase):
    runs: dict[str, Future[tuple[list[Step], list[Step]]]]

    @classmethod
    def setUpClass(cls) -> None:
        temporary = tempfile.TemporaryDirectory(prefix="ofindex-recipes-")
        cls.addClassCleanup(temporary.cleanup)
        cls.folder = Path(temporary.name).resolve()
        images = np.random.default_rng(1).integers(0, 17, (COUNT, 64))
        payloads = [
            messages.encode(
                "ofrecord", {"image": ("int32", image.tolist()), "label": ("int64", [int(image.sum()) % 10])}
            )
            for image in images
        ]
        (cls.folder / "digits").mkdir()
        for part in range(2):
            records.WRITE[records.OFRECORD](cls.folder / "digits" / f"part-{part}", payloads[part::2])
        ofindex.build(cls.folder / "digits")
        cls.hashes = sorted(hashlib.sha256(image.astype("float32").tobytes()).hexdigest() for image in images)
        pool = ThreadPoolExecutor(2)
        cls.addClassCleanup(pool.shutdown)
        there = [recipe for recipe in NEEDS if not missing(recipe)]
        cls.runs = {recipe: pool.submit(both, recipe, cls.folder) for recipe in there}

    def check(self, recipe: str) -> None:
        if lacking := missing(recipe):
            self.skipTest(f"{' and '.join(lacking)} not installed")
        before, after = self.runs[recipe].result()
        self.assertEqual([step.number for step in before], list(range(1, KILLED + 1)))
        saved = KILLED // SAVE_EVERY * SAVE_EVERY
        self.assertEqual([step.number for step in after], list(range(saved + 1, EPOCHS * STEPS + 1)))
        twice, again = before[saved:], after[: KILLED - saved]
        self.assertEqual([step.records for step in again], [step.records for step in twice])
        if recipe != "keras":  # whose loss is the mean since fit() began
            self.assertEqual([step.loss for step in again], [step.loss for step in twice])
        steps = before[:saved] + after
        epochs = [steps[epoch * STEPS : (epoch + 1) * STEPS] for epoch in range(EPOCHS)]
        seen = [[record for step in epoch for record in step.records] for epoch in epochs]
        for order in seen:
            self.assertEqual(sorted(order), self.hashes)  # each record once
        self.assertNotEqual(seen[0], seen[1])
        self.assertLess(float(steps[-1].loss), float(steps[0].loss))

    def test_every_recipe_is_tested(self) -> None:
        self.assertEqual(sorted(path.stem for path in RECIPES.glob("with_*.py")), [f"with_{name}" for name in NEEDS])
        for recipe in NEEDS:
            self.assertTrue(hasattr(self, f"test_{recipe}_resumes_in_mid_epoch"), recipe)

    def test_a_new_run_does_not_begin_among_the_checkpoints_of_another(self) -> None:
        checkpoints = self.folder / "of another"
        (checkpoints / "step-3").mkdir(parents=True)
        options = [str(self.folder / "digits"), f"--checkpoints={checkpoints}"]
        for resume, code in (([], 2), (["--resume"], 0)):
            run = subprocess.run(
                [sys.executable, "-c", "import digits; digits.Run()", *options, *resume],
                capture_output=True,
                text=True,
                env=environment() | {"PYTHONPATH": os.pathsep.join([str(RECIPES), *filter(None, sys.path)])},
            )
            self.assertEqual((run.returncode, "give --resume" in run.stderr), (code, code != 0), run.stderr)

    def test_accelerate_resumes_in_mid_epoch(self) -> None:
        self.check("accelerate")

    def test_grain_resumes_in_mid_epoch(self) -> None:
        self.check("grain")

    def test_jax_resumes_in_mid_epoch(self) -> None:
        self.check("jax")

    def test_keras_resumes_in_mid_epoch(self) -> None:
        self.check("keras")

    def test_lightning_resumes_in_mid_epoch(self) -> None:
        self.check("lightning")

    def test_stateful_loader_resumes_in_mid_epoch(self) -> None:
        self.check("stateful_loader")

    def test_trainer_resumes_in_mid_epoch(self) -> None:
        self.check("trainer")


if __name__ == "__main__":
    unittest.main()

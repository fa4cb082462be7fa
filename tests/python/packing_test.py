"""Packed batches: Loader(..., length_batches=, pack="best_fit").

OFINDEX_PACKING_RUNS is the number of random runs.
"""

from __future__ import annotations

import itertools
import json
import math
import os
import pickle
import random
import unittest
from typing import Any

import numpy as np
import ofindex
from ofindex import LengthBatches
from oracle import messages
from python.work import WorkTest

RUNS = int(os.environ.get("OFINDEX_PACKING_RUNS", "25"))
COUNT = 300
FEATURES = {"tokens": ofindex.ragged("int64"), "mask": ofindex.ragged("float32")}
LONGEST = 50

Rows = list[list[int]]


def length_of(number: int) -> int:
    return LONGEST if number % 60 == 7 else number * number % 23


def tokens_of(number: int) -> list[int]:
    return [1000 * number + place for place in range(1, 1 + length_of(number))]


def example(number: int) -> bytes:
    tokens = tokens_of(number)
    features = {
        "row": ("int64", [number]),
        "length": ("int64", [len(tokens)]),
        "wrong": ("int64", [len(tokens) + (number == 200)]),
        "words": ("bytes", [b"a"] * len(tokens)),
    }
    if tokens:
        features |= {"tokens": ("int64", tokens), "mask": ("float", [token % 1000 / 2 for token in tokens])}
    return messages.encode("example", features)


def packed(lengths: list[int], total: int, records: float = math.inf) -> list[list[int]]:
    """Rows of places, by best-fit decreasing as docs/sampling.md specifies it."""
    rows: list[list[int]] = []
    left: list[int] = []
    for place in sorted(range(len(lengths)), key=lambda one: -lengths[one]):
        fits = [row for row in range(len(rows)) if left[row] >= lengths[place] and len(rows[row]) < records]
        if not fits:
            rows.append([])
            left.append(total)
        row = min(fits, key=left.__getitem__) if fits else len(rows) - 1
        rows[row].append(place)
        left[row] -= lengths[place]
    return sorted(sorted(row) for row in rows)


def rows_of_epoch(order: list[int], total: int, window: int, records: float = math.inf) -> Rows:
    rows: Rows = []
    for begin in range(0, len(order), window):
        drawn = order[begin : begin + window]
        rows += [[drawn[place] for place in row] for row in packed(list(map(length_of, drawn)), total, records)]
    return rows


def grouped(rows: Rows, size: int, drop_last: bool) -> list[Rows]:
    """The batches of all ranks."""
    batches = [rows[begin : begin + size] for begin in range(0, len(rows), size)]
    return batches[:-1] if drop_last and batches and len(batches[-1]) < size else batches


def of_rank(batches: list[Rows], rank: int, world: int, tail: str) -> list[Rows]:
    own = batches[rank::world]
    if len(batches) % world == 0 or tail == "exact":
        return own
    if tail == "drop":
        return own[: len(batches) // world]
    left = len(batches) % world
    return own if rank < left else [*own, batches[min(rank - left, len(batches) - 1)]]


def arrays_of(rows: Rows, total: int) -> dict[str, Any]:
    """The arrays of a batch, token by token."""
    tokens = np.zeros((len(rows), total), np.int64)
    segments = np.zeros((len(rows), total), np.int32)
    positions = np.zeros((len(rows), total), np.int32)
    for number, row in enumerate(rows):
        place = 0
        for segment, record in enumerate(row, start=1):
            for position, token in enumerate(tokens_of(record)):
                tokens[number, place], segments[number, place] = token, segment
                positions[number, place] = position
                place += 1
    arrays = {"tokens": tokens, "mask": (tokens % 1000 / 2).astype(np.float32)}
    for name in ("tokens", "mask"):
        arrays |= {f"{name}_segment_ids": segments, f"{name}_positions": positions}
    return arrays


class PackingTest(WorkTest):
    def setUp(self) -> None:
        super().setUp()
        self.ds = ofindex.build(self.write("data/", [example(number) for number in range(COUNT)]), columns="auto")

    def loader(self, total: int, ds: Any = None, *, window: int = 64, by: Any = "length", **options: Any) -> Any:
        budget = LengthBatches(total, by, window=window, records=options.pop("records", None))
        options = {"seed": 4, **options} if "sampler" not in options else options
        features = options.pop("features", FEATURES)
        kind = options.pop("kind", ofindex.Loader)
        threads = {"threads": 2, "prefetch": 3}
        return kind(
            self.ds if ds is None else ds, features, length_batches=budget, pack="best_fit", **threads, **options
        )

    def check(self, batches: Any, expected: list[Rows], total: int) -> None:
        """Check that batches have the records that are expected, and each the arrays of its records."""
        count = 0
        for batch, rows in zip(batches, expected, strict=True):
            wanted = arrays_of(rows, total)
            self.assertEqual(
                list(batch), list(itertools.chain(*([n, f"{n}_segment_ids", f"{n}_positions"] for n in FEATURES)))
            )
            for name, array in wanted.items():
                self.assertEqual((batch[name].shape, batch[name].dtype), (array.shape, array.dtype), name)
                np.testing.assert_array_equal(batch[name], array, name)
            count += 1
        self.assertEqual(count, len(expected))

    def test_rows_of_random_runs_are_those_of_the_algorithm_also_after_a_resume_with_other_ranks(self) -> None:
        for seed in range(RUNS):
            with self.subTest(seed=seed):
                self.check_run(random.Random(seed))

    def check_run(self, chance: random.Random) -> None:
        total, window = chance.choice([50, 64, 200]), chance.choice([1, 30, 128, 1000])
        records = chance.choice([None, None, 1, 3])
        shape = {"records": records, "window": window, "seed": chance.randrange(99), "drop_last": chance.random() < 0.3}
        size = chance.randint(1, 6)
        shape |= chance.choice([{}, {"block": 7}, {"balance": "length"}])
        epoch = chance.randrange(2)
        order = {name: shape[name] for name in ("seed", "block", "balance") if name in shape}
        rows = rows_of_epoch(list(self.ds.sampler(**order, epoch=epoch)), total, window, records or math.inf)
        batches = grouped(rows, size, shape["drop_last"])
        if "balance" not in shape:
            self.assertEqual(sorted(itertools.chain(*rows)), list(range(COUNT)))
        world, tail = chance.randint(1, 3), chance.choice(["exact", "pad", "drop"])
        taken = chance.randint(0, len(batches) // world)
        states = []
        for rank in range(world):
            loader = self.loader(total, batch_size=size, rank=rank, world_size=world, tail=tail, **shape)
            loader.set_epoch(epoch)
            expected = of_rank(batches, rank, world, tail)
            self.assertEqual(len(loader), len(expected))
            iterator = iter(loader)
            self.check(itertools.islice(iterator, taken), expected[:taken], total)
            states.append(json.loads(json.dumps(loader.state_dict())))
            self.assertEqual(len(iterator), len(expected) - taken)
            self.check(iterator, expected[taken:], total)
        self.assertEqual(len({json.dumps(state) for state in states}), 1)

        # The same batches under another world size, or the same rows in batches of another size.
        left = rows[taken * world * size :]
        others, size = chance.randint(1, 3), chance.choice([size, 2])
        for rank in range(others):
            loader = self.loader(total, batch_size=size, rank=rank, world_size=others, tail=tail, **shape)
            loader.load_state_dict(states[0])
            self.check(loader, of_rank(grouped(left, size, shape["drop_last"]), rank, others, tail), total)

    def test_the_rows_of_a_known_run_stay_the_same(self) -> None:
        loader = self.loader(64, window=40, batch_size=1, seed=1)
        rows = [loader.trace(step).tolist() for step in range(6)]
        golden = [
            [205, 209, 25, 151, 163, 191, 59, 113, 183, 20, 118, 264],
            [190, 116, 253, 247, 161],
            [84, 31, 290, 295],
            [83, 152, 43, 24, 150, 175, 60],
            [166, 145, 235, 248, 154, 139, 93],
            [195, 19, 213, 272, 270],
        ]
        self.assertEqual(rows, golden)

    def test_a_window_of_16384_records_is_packed_unless_another_is_given(self) -> None:
        expected = grouped(rows_of_epoch(list(self.ds.sampler(seed=4)), 64, 16384), 3, False)
        self.check(self.loader(64, window=0, batch_size=3), expected, 64)

    def test_a_mix_a_view_and_any_sampler_are_packed(self) -> None:
        budget = {"by": "length + 0", "batch_size": 4}
        order = list(range(COUNT - 1, 20, -1))
        expected = grouped(rows_of_epoch(order, 70, 64), 4, False)
        self.check(self.loader(70, sampler=order, **budget), expected, 70)
        self.check(self.loader(70, self.ds[::-1], sampler=range(COUNT - 21), **budget), expected, 70)
        mix = ofindex.mix([self.ds[:100], self.ds[100:]], [1, 2])
        order = list(mix.sampler(seed=4))
        numbers = [mix.datasets[0].ordinals([row])[0] if row < 100 else row for row in order]
        self.check(self.loader(70, mix, **budget), grouped(rows_of_epoch(numbers, 70, 64), 4, False), 70)

    def test_numbers_of_any_type_are_packed(self) -> None:
        for dtype in ("int32", "uint16", "float16", "bfloat16", "float64", "bool"):
            name = "mask" if "float" in dtype else "tokens"
            ds = self.ds
            if dtype in ("uint16", "bool"):
                ones = [
                    messages.encode(
                        "example", {"tokens": ("int64", [1] * length_of(n)), "length": ("int64", [length_of(n)])}
                    )
                    for n in range(30)
                ]
                ds = ofindex.build(self.write(f"{dtype}.tfrecord", ones), columns="auto")
            batch = next(iter(self.loader(64, ds, features={name: ofindex.ragged(dtype)}, batch_size=2)))
            rows = self.loader(64, ds, features={name: ofindex.ragged(dtype)}, batch_size=2).trace(0).tolist()
            values = ds.batch(rows, {name: ofindex.ragged(dtype)})[name].values
            self.assertEqual(batch[name].dtype, values.dtype)
            self.assertEqual(batch[name][batch[f"{name}_segment_ids"] > 0].tobytes(), values.tobytes())

    def test_torch_yields_the_same_rows(self) -> None:
        try:
            import ofindex.torch
        except ImportError:
            self.skipTest("torch is not installed")
        expected = grouped(rows_of_epoch(list(self.ds.sampler(seed=4)), 64, 64), 4, True)
        loader = self.loader(64, kind=ofindex.torch.Loader, batch_size=4, drop_last=True)
        self.check(({name: one.numpy() for name, one in batch.items()} for batch in loader), expected, 64)

    def test_a_transform_and_a_pickle_have_packed_rows(self) -> None:
        loader = self.loader(64, batch_size=4, transform=dict)
        expected = grouped(rows_of_epoch(list(self.ds.sampler(seed=4)), 64, 64), 4, False)
        iterator = iter(loader)
        self.check(itertools.islice(iterator, 3), expected[:3], 64)
        again = pickle.loads(pickle.dumps(loader))
        self.check(again, expected[3:], 64)
        self.assertIn("pack='best_fit'", repr(again))

    def test_a_state_is_for_the_same_rows_in_batches_of_any_size(self) -> None:
        loader = self.loader(64, batch_size=4)
        rows = rows_of_epoch(list(self.ds.sampler(seed=4)), 64, 64)
        next(iter(loader))
        state = loader.state_dict()
        other = self.loader(64, batch_size=3)
        other.load_state_dict(state)
        self.check(other, grouped(rows[4:], 3, False), 64)
        for wrong in (
            self.loader(65, batch_size=4),
            self.loader(64, window=65, batch_size=4),
            self.loader(64, records=5, batch_size=4),
            ofindex.Loader(self.ds, FEATURES, length_batches=LengthBatches(64, "length", window=64), seed=4),
        ):
            with self.assertRaisesRegex(ofindex.StaleError, "other length batches"):
                wrong.load_state_dict(state)
        with self.assertRaisesRegex(ofindex.StaleError, "give the same length_batches and pack"):
            ofindex.Loader(self.ds, FEATURES, seed=4).load_state_dict(state)

    def test_a_state_of_other_lengths_is_refused(self) -> None:
        lengths = np.array([length_of(number) for number in range(COUNT)])
        self.ds.attach({"planned": lengths})
        loader = self.loader(100, by="planned", batch_size=1)
        next(iter(loader))
        state = loader.state_dict()
        self.ds.attach({"planned": np.where(lengths > 1, lengths - 1, lengths)}, replace=True)
        resumed = self.loader(100, by="planned", batch_size=1)
        resumed.load_state_dict(state)
        with self.assertRaisesRegex(ofindex.StaleError, "lies inside a row"):
            for _ in resumed:
                pass

    def test_a_record_without_tokens_leaves_its_number_out(self) -> None:
        payloads = [
            messages.encode("example", {"t": ("int64", [7] * count), "n": ("int64", [count])}) for count in (2, 0, 3)
        ]
        ds = ofindex.build(self.write("empty/", payloads), columns="auto", format="tfrecord")
        budget = LengthBatches(6, "n")
        features = {"t": ofindex.ragged("int32")}
        loader = ofindex.Loader(ds, features, length_batches=budget, pack="best_fit", batch_size=1, sampler=range(3))
        (batch,) = list(loader)
        self.assertEqual(batch["t_segment_ids"].tolist(), [[1, 1, 3, 3, 3, 0]])
        self.assertEqual(batch["t_positions"].tolist(), [[0, 1, 0, 1, 2, 0]])

    def test_epochs_without_a_batch_have_no_step(self) -> None:
        loader = self.loader(100, batch_size=10_000, drop_last=True, skip=[(0, 1)])
        self.assertEqual(len(loader), 0)
        with self.assertRaisesRegex(IndexError, "epochs that have batches"):
            loader.trace(0)

    def test_a_record_of_another_length_is_named(self) -> None:
        with self.assertRaisesRegex(
            ofindex.FeatureError, "record 200: feature 'tokens': 3 values; the batch was planned for 4"
        ):
            list(self.loader(64, by="wrong"))
        with self.assertRaisesRegex(
            ValueError, r"record \d+ has a length of 50; expected at most 49, the length of a row"
        ):
            list(self.loader(49))
        with self.assertRaisesRegex(ofindex.FeatureError, "feature 'row': 1 value; the batch was planned for"):
            list(self.loader(64, features={**FEATURES, "row": ofindex.ragged("int64")}))

    def test_an_array_of_words_is_no_way_to_pack(self) -> None:
        for pack in (np.array([1, 2]), np.array(["best_fit"])):
            with self.assertRaisesRegex(ValueError, 'expected "best_fit" or None'):
                ofindex.Loader(self.ds, FEATURES, length_batches=LengthBatches(100, "length"), pack=pack)

    def test_wrong_arguments_are_refused(self) -> None:
        budget = LengthBatches(64, "length")
        packing: dict[str, Any] = {"pack": "best_fit", "length_batches": budget}
        words, fixed = {"words": ofindex.ragged("bytes")}, {"row": ofindex.fixed("int64")}
        refused: list[tuple[Any, dict[str, Any], type[Exception], str]] = [
            (FEATURES, {"pack": "best_fit"}, ValueError, r"needs the tokens of a row.*\nwrite length_batches="),
            (FEATURES, {**packing, "pack": "best"}, ValueError, "pack='best': expected \"best_fit\""),
            (FEATURES, {**packing, "pack": True}, ValueError, "pack=True: expected"),
            (FEATURES, {**packing, "length_batches": 64}, TypeError, "write ofindex.LengthBatches"),
            (FEATURES, {**packing, "length_batches": LengthBatches(9, padded=True)}, ValueError, "padded"),
            (FEATURES, {**packing, "length_batches": LengthBatches(2**31)}, ValueError, "rows of 2,147,483,648"),
            (fixed, packing, ValueError, "is fixed: only"),
            (words, packing, ValueError, "ragged bytes"),
        ]
        for features, wish, error, text in refused:
            with self.subTest(text), self.assertRaisesRegex(error, text):
                list(ofindex.Loader(self.ds, features, **wish))
        clash = [messages.encode("example", {"a": ("int64", [1]), "a_positions": ("int64", [1])})]
        ds = ofindex.build(self.write("clash.tfrecord", clash))
        both = {"a": ofindex.ragged("int64"), "a_positions": ofindex.ragged("int64")}
        with self.assertRaisesRegex(ValueError, "'a_positions': a packed batch has this name"):
            ofindex.Loader(ds, both, **packing)


if __name__ == "__main__":
    unittest.main()

"""`ofindex sample`: orders for a training run, with ranks, positions, selections, weights and batches."""

from __future__ import annotations

import collections
import json
import sqlite3
import subprocess
from pathlib import Path
from typing import Any

from e2e.command import COMMAND, CommandTest
from oracle import messages, records

RECORDS = 2000
CLASSES = 20


def packed(order: list[int], lengths: dict[int, int], total: int) -> list[list[int]]:
    """The rows of one window, by best-fit decreasing."""
    rows: list[list[int]] = []  # of places
    left: list[int] = []
    for place in sorted(range(len(order)), key=lambda one: -lengths[order[one]]):
        length = lengths[order[place]]
        fits = [row for row, room in enumerate(left) if room >= length]
        row = min(fits, key=left.__getitem__) if fits else len(rows)
        if not fits:
            rows.append([])
            left.append(total)
        rows[row].append(place)
        left[row] -= length
    return [[order[place] for place in row] for row in sorted(sorted(row) for row in rows)]


class SampleTest(CommandTest):
    """2,000 records in 3 shards, sorted by class."""

    def setUp(self) -> None:
        super().setUp()
        (self.dir / "data").mkdir()
        for part, (begin, end) in enumerate([(0, 700), (700, 701), (701, RECORDS)]):
            payloads = [
                messages.encode(
                    "example",
                    {
                        "class": ("int64", [number * CLASSES // RECORDS]),
                        "weight": ("float", [number % 4]),
                        "name": ("bytes", [b"n%d" % (number % 7)]),
                        "signed": ("int64", [number - 1000]),
                    },
                )
                for number in range(begin, end)
            ]
            records.write_tfrecord(self.dir / "data" / f"part-{part}", payloads)
        self.expect(0, "build", "data")

    def sample(self, *args: str | Path) -> list[int]:
        return [int(line) for line in self.expect(0, "sample", "data", *args).text.split()]

    def test_an_epoch_has_every_record_once_and_seeds_and_epochs_differ(self) -> None:
        orders = [self.sample("--seed", seed, "--epoch", epoch) for seed in "01" for epoch in "01"]
        for order in orders:
            self.assertEqual(sorted(order), list(range(RECORDS)))
        self.assertEqual(len({tuple(order) for order in orders}), 4)
        self.assertEqual(self.sample("--seed", "1", "--epoch", "0"), orders[2])

    def test_ranks_read_every_world_size_th_position_from_their_start(self) -> None:
        for block in ([], ["--block", "10"], ["--balance", "class"], ["--weights", "weight"]):
            whole = self.sample(*block)
            for position in (0, 1, 777, RECORDS):
                for rank in (0, 2):
                    read = self.sample(*block, "--position", str(position), "--rank", str(rank), "--world", "3")
                    self.assertEqual(read, whole[position + rank :: 3], (block, position, rank))
            self.assertEqual(self.sample(*block, "-n", "5", "--position", "9"), whole[9:14])

    def test_the_tail_of_an_epoch_is_exact_padded_or_dropped(self) -> None:
        whole = self.sample()
        expected = {"exact": whole[2::3], "pad": [*whole[2::3], whole[0]], "drop": whole[2 : RECORDS - 2 : 3]}
        for tail, order in expected.items():
            self.assertEqual(self.sample("--tail", tail, "--rank", "2", "--world", "3"), order, tail)

    def test_only_the_selected_records_are_shuffled(self) -> None:
        order = self.sample("--where", "class = 3")
        self.assertEqual(sorted(order), list(range(300, 400)))
        self.assertNotEqual(order, sorted(order))
        self.assertEqual(self.sample("--where", "class = 99"), [])

    def test_block_orders_read_runs_of_records_and_no_two_lanes_read_the_same_run(self) -> None:
        order = self.sample("--block", "10", "--lanes", "8")
        self.assertEqual(sorted(order), list(range(RECORDS)))
        runs = [{ordinal // 10 for ordinal in order[lane::8]} for lane in range(8)]
        self.assertEqual(sum(len(own) for own in runs), 200)
        told = self.expect(0, "sample", "data", "--block", "auto", "-n", "1").stderr
        self.assertIn("global: ", told)
        self.assertIn("of memory", told)

    def test_records_are_drawn_by_weight_or_balanced_by_class(self) -> None:
        drawn = collections.Counter(ordinal % 4 for ordinal in self.sample("--weights", "weight"))
        self.assertEqual(drawn[0], 0)
        for residue in (1, 2, 3):
            self.assertAlmostEqual(drawn[residue] / RECORDS, residue / 6, delta=0.05)
        uneven = ["--where", "class < 2 OR class = 5 AND _id % 10 = 0", "--balance", "class"]
        counts = collections.Counter(ordinal // 100 for ordinal in self.sample(*uneven))
        self.assertEqual(counts, {0: 70, 1: 70, 5: 70})
        natural = collections.Counter(ordinal // 100 for ordinal in self.sample(*uneven, "--temperature", "1"))
        self.assertEqual(natural, {0: 100, 1: 100, 5: 10})

    def test_batches_divide_the_order_by_a_limit_on_their_total_length(self) -> None:
        whole = self.sample()
        lines = self.expect(0, "sample", "data", "--batch-total", "10", "--batch-by", "weight").text.splitlines()
        batches = [[int(word) for word in line.split()] for line in lines]
        self.assertEqual([ordinal for batch in batches for ordinal in batch], whole)
        for batch, behind in zip(batches, batches[1:]):
            length = sum(ordinal % 4 for ordinal in batch)
            self.assertTrue(length <= 10 < length + behind[0] % 4)
        args = ["--batch-total", "10", "--batch-by", "weight", "--rank", "1", "--world", "2", "--jsonl"]
        ranked = [line["ids"] for line in self.expect(0, "sample", "data", *args).jsonl]
        self.assertEqual(ranked, batches[1::2])
        by_bytes = self.expect(0, "sample", "data", "--batch-total", "1000", "-n", "3").text.splitlines()
        self.assertEqual(len(by_bytes), 3)
        drawn = [int(word) for line in by_bytes for word in line.split()]
        self.assertEqual(drawn, whole[: len(drawn)])

    def test_sequences_are_packed_into_rows_window_by_window(self) -> None:
        whole = self.sample()
        lengths = {ordinal: ordinal % 4 for ordinal in whole}
        args = ["--pack", "13", "--length", "weight", "--window", "300"]
        done = self.expect(0, "sample", "data", *args)
        rows = [[int(word) for word in line.split()] for line in done.text.splitlines()]
        expected = [row for begin in range(0, RECORDS, 300) for row in packed(whole[begin:][:300], lengths, 13)]
        self.assertEqual(rows, expected)
        tokens = sum(lengths.values())
        share = 1 - tokens / (13 * len(rows))
        self.assertEqual(done.stderr, f"{len(rows)} rows of 13 tokens: {100 * share:.2f} % padding\n")
        document = self.expect(0, "sample", "data", *args, "--json").json
        self.assertEqual((document["rows"], document["tokens"]), (rows, tokens))
        self.assertAlmostEqual(document["padding"], share)
        lines = self.expect(0, "sample", "data", *args, "--jsonl", "-n", "5").jsonl
        self.assertEqual(lines, [{"ids": row, "tokens": sum(map(lengths.get, row))} for row in rows[:5]])
        default = self.expect(0, "sample", "data", "--pack", "13", "--length", "weight", "--json").json["rows"]
        self.assertEqual(default, packed(whole, lengths, 13))

        # Ranks take batches of rows in turn, from any position between steps.
        ranked = [*args, "--json", "--batch-size", "2", "--world", "3", "--tail", "drop"]
        of_rank = self.expect(0, "sample", "data", *ranked, "--rank", "1").json["rows"]
        batches = [rows[begin : begin + 2] for begin in range(0, len(rows), 2)]  # the last one may have fewer
        self.assertEqual(of_rank, [row for batch in batches[: len(batches) // 3 * 3][1::3] for row in batch])
        begun = sum(map(len, rows[:12]))
        behind = self.expect(0, "sample", "data", *args, "--json", "--position", str(begun)).json["rows"]
        self.assertEqual(behind, rows[12:])
        none = self.expect(0, "sample", "data", *args, "--where", "class = 99", "--json").json
        self.assertEqual((none["rows"], none["tokens"], none["padding"]), ([], 0, 0))

    def test_rows_that_cannot_be_packed_are_refused(self) -> None:
        cases = {
            ("--pack", "2", "--length", "weight"): " has a length of 3; expected at most 2, the length of a row",
            ("--pack", "0"): "batches: the limit of the total length is 0",
            ("--pack", "2147483648"): "rows of 2,147,483,648 tokens",
            ("--pack", "9", "--window", "0"): "a window of 0 records; expected 1 to 16,777,216",
            ("--pack", "9", "--window", "16777217"): "a window of 16,777,217 records",
            ("--pack", "9", "--length", "wieght"): "weight",
            ("--pack", "9", "--batch-total", "9"): "exclude each other",
            ("--pack", "9", "--quality", "class"): "exclude each other",
            ("--pack", "9", "--step", "3"): "exclude each other",
        }
        for args, message in cases.items():
            self.assertIn(message, self.expect_error(2, "sample", "data", *args).stderr, args)

    def test_quality_compares_an_order_with_a_perfect_shuffle_and_with_a_shuffle_buffer(self) -> None:
        document = self.expect(0, "sample", "data", "--quality", "class", "--json").json
        self.assertEqual(document["classes"], CLASSES)
        self.assertAlmostEqual(document["classes_per_batch"], document["classes_per_batch_perfect"], delta=0.2)
        self.assertLess(abs(document["neighbours"]), 0.1)
        self.assertEqual(document["reads"], RECORDS)
        args = ["sample", "data", "--quality", "class", "--where", "class < 3", "-n", "10"]
        some = self.expect(0, *args, "--json").json
        self.assertEqual((some["classes"], some["positions"]), (3, 10))
        self.assertEqual([some], self.expect(0, *args, "--jsonl").jsonl)
        other = self.expect(0, "sample", "data", "--quality", "class", "--seed", "9", "--json").json
        self.assertNotEqual(other["neighbours"], document["neighbours"])
        text = self.expect(0, "sample", "data", "--quality", "class", "--block", "5").text
        self.assertIn("a perfect shuffle 20.00", text)
        self.assertIn("records per read:      4.5", text)

    def test_an_invalid_weight_or_length_matters_only_if_it_is_used(self) -> None:
        for args in (("--weights", "signed"), ("--batch-total", "5000", "--batch-by", "signed")):
            refused = self.expect_error(2, "sample", "data", *args).stderr
            self.assertRegex(refused, r"record \d+ (in column 'signed' is -|has no length)")
            shown = self.expect(0, "sample", "data", *args, "--where", "signed > 0").text
            self.assertTrue(all(int(word) > 1000 for word in shown.split()))
        for law in ("--weights", "--balance"):
            self.assertEqual(self.sample(law, "weight", "--where", "class = 99"), [])

    def test_batches_resume_at_a_position_and_can_be_printed_as_json(self) -> None:
        args = ["--batch-total", "10", "--batch-by", "weight"]
        batches = self.expect(0, "sample", "data", *args, "--json").json["batches"]
        begun = sum(len(batch) for batch in batches[:4])
        behind = self.expect(0, "sample", "data", *args, "--json", "--position", str(begun)).json["batches"]
        self.assertEqual(behind, batches[4:])
        ranked = ["--rank", "0", "--world", "7", "--tail", "drop"]
        dropped = self.expect(0, "sample", "data", *args, "--json", *ranked).json
        self.assertEqual(dropped["batches"], batches[: len(batches) // 7 * 7 : 7])
        self.assertEqual(self.expect(0, "sample", "data", "--json").json["ids"], self.sample())

    def test_the_order_can_be_piped_into_cat(self) -> None:
        order = self.sample("-n", "50")
        pipe = f"'{COMMAND}' sample data -n 50 | '{COMMAND}' cat data --ids -"
        shown = subprocess.run(pipe, shell=True, cwd=self.dir, capture_output=True, check=True, env=self.environment)
        self.assertEqual([json.loads(line)["_id"] for line in shown.stdout.splitlines()], order)

    def test_invalid_arguments_are_refused(self) -> None:
        cases = {
            ("--rank", "3", "--world", "3"): "rank 3 of 3",
            ("--world", "0"): "rank 0 of 0",
            ("--position", "2001"): "position 2001: the epoch has 2,000 positions",
            ("--block", "0"): "--block 0",
            ("--block", "ten"): "--block ten",
            ("--weights", "name"): "name",
            ("--weights", "wieght"): "weight",
            ("--balance", "nothing"): "nothing",
            ("--weights", "weight", "--balance", "class"): "exclude each other",
            ("--where", "clas = 3"): "did you mean",
            ("--balance", "class", "--temperature", "0.5"): "temperature",
            ("--batch-total", "0"): "batches: the limit of the total length is 0; expected at least 1",
            ("-n", "-1"): "expected a number from 0",
            ("--seed", "18446744073709551616"): "expected a number from 0",
            ("--epoch", "010"): "got '010'",
            ("--world", "1048577"): "ranks and workers: expected at most 1,048,576 ranks",
            ("--quality", "class", "--weights", "weight"): "exclude each other",
            ("--quality", "class", "--rank", "1"): "exclude each other",
            ("--where", "weight = 0", "--weights", "weight"): "above 0",
        }
        for args, message in cases.items():
            self.assertIn(message, self.expect_error(2, "sample", "data", *args).stderr, args)
        behind = self.expect_error(2, "sample", "data", "--position", "2001").stderr
        self.assertIn("hint: positions count from 0; that of the last record is 1999\n", behind)
        self.assertEqual(len(self.sample("--position", "1999")), 1)
        none = self.expect_error(2, "sample", "data", "--position", "1", "--where", "weight > 1e9").stderr
        self.assertIn("hint: no record is selected\n", none)

    def test_a_step_prints_what_the_rank_reads_in_it_and_when_is_its_inverse(self) -> None:
        size, world = 7, 3
        for order in ([], ["--block", "10"], ["--weights", "weight"], ["--balance", "class"]):
            for tail in ("exact", "pad", "drop"):
                place = [*order, "--seed", "5", "--world", str(world), "--tail", tail]
                batches = [self.batches_of(place, rank, size) for rank in range(world)]
                # Rank 0 has the most batches in each of the three epochs.
                for rank, step in ((0, 0), (2, 60), (1, 95), (1, 96), (2, 200), (2, 285)):
                    document = self.step(place, rank, size, step)
                    expected = batches[rank][step]
                    self.assertEqual(document["ids"], [ids for ids, _, _ in expected], (place, rank, step))
                    self.assertEqual(document["epoch"], expected[0][1] if expected else document["epoch"])
                    self.assertEqual((document["step"], document["schema"]), (step, "ofindex.sample/1"))
                for ordinal in (0, 1, 1234):
                    told = self.expect(0, "sample", "data", *place, "--batch-size", str(size), "--when", str(ordinal), "--epoch", "1")
                    lines = [dict(part.rsplit(" ", 1) for part in line.split(", ")) for line in told.text.splitlines()]
                    expected_lines = [
                        {"step": str(step), "rank": str(rank), "index": str(index), "epoch": "1"}
                        for rank in range(world)
                        for step, batch in enumerate(batches[rank])
                        for index, (one, epoch, _) in enumerate(batch)
                        if one == ordinal and epoch == 1
                    ]
                    for line in lines:
                        del line["position"]
                    key = json.dumps
                    self.assertEqual(sorted(lines, key=key), sorted(expected_lines, key=key), (place, ordinal))

    def batches_of(self, place: list[str], rank: int, size: int) -> list[list[tuple[int, int, int]]]:
        """The batches of three epochs of a rank, (ordinal, epoch, index): as many as those of rank 0."""
        batches: list[list[tuple[int, int, int]]] = []
        for epoch in range(3):
            counts = []
            for other in (0, rank):
                rows = self.sample(*place, "--epoch", str(epoch), "--rank", str(other))
                counts.append(-(-len(rows) // size))
            for at in range(0, counts[0] * size, size):
                batches.append([(one, epoch, index) for index, one in enumerate(rows[at : at + size])])
        return batches

    def step(self, place: list[str], rank: int, size: int, step: int) -> dict[str, Any]:
        told = self.expect(
            0, "sample", "data", *place, "--rank", str(rank), "--batch-size", str(size), "--step", str(step), "--json"
        )
        document: dict[str, Any] = json.loads(told.text)
        return document

    def test_skipped_steps_are_left_out_and_all_others_stay_as_they_were(self) -> None:
        place = ["--seed", "2", "--world", "2"]
        as_rank = ["--rank", "1", "--batch-size", "10"]
        steps = [self.step(place, 1, 10, step)["ids"] for step in range(130)]
        read = self.sample(*place, *as_rank, "--skip", "3:5,99:102")
        self.assertEqual(read, [one for batch in steps[:3] + steps[5:99] for one in batch])
        for step in (2, 5, 98, 102, 129):
            document = self.step([*place, "--skip", "3:5,99:102"], 1, 10, step)
            self.assertEqual(document["ids"], steps[step], step)
        when = self.expect(0, "sample", "data", *place, *as_rank, "--skip", "3:5", "--when", str(steps[7][2]))
        self.assertIn("step 7, rank 1, index 2, epoch 0", when.text)
        gone = self.expect(0, "sample", "data", *place, *as_rank, "--skip", "3:5", "--when", str(steps[4][0]))
        self.assertEqual(gone.text, "")
        self.assertIn(f"no rank reads record {steps[4][0]} in epoch 0", gone.stderr)

    def test_steps_that_cannot_be_are_refused(self) -> None:
        for code, args, text in (
            (2, ("--skip", "5"), "--skip 5: expected A:B,..., ranges of steps"),
            (2, ("--skip", "5:4"), "--skip 5:4: expected A:B"),
            (2, ("--skip", "5:6,"), "--skip 5:6,: expected A:B"),
            (2, ("--skip", ",5:6"), "--skip ,5:6: expected A:B"),
            (2, ("--skip", ",".join(f"{n}:{n + 1}" for n in range(0, 66, 2))), "33 ranges of steps"),
            (2, ("--skip", "3:5", "--step", "4"), "step 4: it is one of those that are skipped"),
            (2, ("--skip", "5:99999999999999999999"), "expected A:B"),
            (2, ("--when", "2000"), "record 2000: expected one of the records that are sampled"),
            (2, ("--where", "class = 3", "--when", "0"), "record 0: expected one of the records that are sampled"),
            (2, ("--where", "class = 99", "--step", "0"), "step 0: no later epoch has a step"),
            (2, ("--batch-size", "0", "--step", "0"), "--batch-size"),
            (2, ("--step", "1", "--when", "1"), "--step and --when exclude each other"),
        ):
            self.assertIn(text, self.expect_error(code, "sample", "data", *args).stderr, args)

    def test_a_json_document_of_many_ordinals_is_complete(self) -> None:
        records.write_tfrecord(self.dir / "many", [b"x"] * 9000)
        self.expect(0, "build", "many")
        ids = self.expect(0, "sample", "many", "--json").json["ids"]
        self.assertEqual(sorted(ids), list(range(9000)))

    def test_an_index_with_different_records_is_refused_at_once(self) -> None:
        records.write_tfrecord(self.dir / "few", [b"x"] * 9)
        for value in (-1, 0, 8, 10, 2**62, 2**63 - 1):
            for change in (f"UPDATE generation SET records = {value}", f"UPDATE shard SET records = {value}"):
                with self.subTest(change):
                    self.expect(0, "build", "few", "--force")
                    database = sqlite3.connect(self.dir / "few.ofidx")
                    database.execute(change)
                    database.commit()
                    database.close()
                    named = rf"the index is damaged: (table )?{change.split()[1]}\b"
                    self.assertRegex(self.expect_error(4, "sample", "few").stderr, named)
                    self.assertRegex(self.expect_error(4, "verify", "few").stderr, named)
                    self.assertIn("--force", self.expect_error(4, "info", "few").stderr)

    def test_an_empty_dataset_has_an_empty_order(self) -> None:
        (self.dir / "empty.tfrecord").write_bytes(b"")
        self.expect(0, "build", "empty.tfrecord", "--format", "tfrecord")
        for args in ((), ("--block", "3"), ("--tail", "pad", "--world", "2")):
            self.assertEqual(self.expect(0, "sample", "empty.tfrecord", *args).stdout, b"")

"""Refused command lines print an error message, exit with code 2 and touch no file."""

from __future__ import annotations

import shlex
from collections.abc import Mapping

from e2e.command import CommandTest

# Maps each verb to a complete command line. None of the files that it names exist.
COMPLETE = {
    "build": "data",
    "update": "data",
    "info": "data",
    "schema": "data",
    "stats": "data",
    "where": "data _id=1",
    "sample": "data",
    "verify": "data",
    "get": "data 0",
    "cat": "data",
    "sql": "data 'SELECT 1'",
    "pack": "rows.csv --to tfrecord -o out",
    "convert": "data --to tfrecord -o out",
    "export": "data --to tfrecord2idx -o out",
}


class UsageTest(CommandTest):
    """Each table gives the expected error message for a command line, or for options appended to those of COMPLETE."""

    def refuse(self, line: str, message: str) -> None:
        """Fails unless the command line `line` is refused with `message` and a hint to see the help of its verb."""
        words = shlex.split(line)
        with self.subTest(line):
            refused = self.expect(2, *words)
            verb = words[0] + " " if words and words[0] in COMPLETE else ""
            self.assertEqual(refused.stderr, f"ofindex: {message}\nhint: see `ofindex {verb}--help`\n")
            self.assertEqual((refused.stdout, self.names()), (b"", []))

    def refuse_all(self, table: Mapping[str, str]) -> None:
        for line, message in table.items():
            self.refuse(line, message)

    def refuse_added(self, table: Mapping[tuple[str, str], str]) -> None:
        """Like refuse_all(), for options that are added to the complete command line of a verb."""
        for (verb, added), message in table.items():
            self.refuse(f"{verb} {COMPLETE[verb]} {added}", message)

    def refuse_everywhere(self, added: str, message: str) -> None:
        self.refuse_added({(verb, added): message for verb in COMPLETE})

    def test_a_word_that_is_not_a_verb_is_reported(self) -> None:
        for word in ("frobnicate", "bild", "builds", "Build", "help", "updates", "-", "--nope", "-x"):
            self.refuse(f"{word} data", f"there is no verb '{word}'")
        self.refuse("''", "there is no verb ''")
        self.refuse("-- build data", "there is no verb '--'")
        self.refuse("'\x1b[31m'", "there is no verb '\\x1b[31m'")

    def test_a_command_line_without_a_verb_is_refused(self) -> None:
        self.refuse("", "A subcommand is required")

    def test_an_option_before_its_verb_is_refused(self) -> None:
        refused = self.expect(2, "--json", "build", "data")
        self.assertEqual(refused.stderr.splitlines()[0], "ofindex: The following argument was not expected: --json")

    def test_an_unknown_option_is_refused_by_every_verb(self) -> None:
        self.refuse_everywhere("--nope", "The following argument was not expected: --nope")
        self.refuse_everywhere("--nope=3", "The following argument was not expected: --nope=3")
        self.refuse_everywhere("-Z", "The following argument was not expected: -Z")
        self.refuse_everywhere("-qZ", "The following argument was not expected: -Z")
        self.refuse_everywhere("--prog=plain", "The following argument was not expected: --prog=plain")

    def test_each_verb_reports_the_first_missing_argument(self) -> None:
        self.refuse_all({
            "build": "DATA is required",
            "info": "INDEX is required",
            "schema": "INDEX is required",
            "stats": "INDEX is required",
            "where": "INDEX is required",
            "where data": "EXPR is required",
            "sample": "INDEX is required",
            "verify": "INDEX is required",
            "get": "INDEX is required",
            "get data": "ORDINAL is required",
            "cat": "INDEX is required",
            "sql": "INDEX is required",
            "pack": "SOURCE is required",
            "pack rows.csv": "--output is required",
            "pack rows.csv -o out": "--to is required",
            "convert": "DATA is required",
            "convert data --to ofrecord": "--output is required",
            "export": "INDEX is required",
            "export data": "--to is required",
            "export data --to tfrecord2idx": "--output is required",
        })  # fmt: skip

    def test_surplus_arguments_are_refused(self) -> None:
        for verb in ("info", "schema", "where", "sample", "verify", "cat", "sql", "export"):
            self.refuse(f"{verb} {COMPLETE[verb]} more", "The following argument was not expected: more")
        self.refuse("info data 1 2", "The following arguments were not expected: 2 1")

    def test_an_option_without_its_value_is_refused(self) -> None:
        self.refuse_everywhere("--progress", "--progress: 1 required MODE missing")
        self.refuse_everywhere("--progress=", "--progress: 1 required MODE missing")
        self.refuse_everywhere("--color", "--color: 1 required WHEN missing")
        self.refuse_added({
            ("build", "-o"): "--output: 1 required INDEX missing",
            ("build", "--output="): "--output: 1 required INDEX missing",
            ("build", "--columns="): "--columns: 1 required NAME,... missing",
            ("sample", "-n"): "-n: 1 required K missing",
            ("sample", "--seed="): "--seed: 1 required S missing",
            ("get", "--feature"): "--feature: 1 required NAME missing",
            ("cat", "--ids"): "--ids: 1 required FILE missing",
            ("sql", "-p"): "--param: 1 required NAME=VALUE missing",
            ("pack", "--shards"): "--shards: 1 required N missing",
        })  # fmt: skip

    def test_an_option_given_twice_is_refused(self) -> None:
        self.refuse_everywhere("--color auto --color never", "--color: At Most 1 required but received 2")
        self.refuse_added({
            ("build", "-j 1 --threads 2"): "--threads: At Most 1 required but received 2",
            ("sample", "--seed 1 --seed 1"): "--seed: At Most 1 required but received 2",
            ("sample", "--tail pad --tail pad"): "--tail: At Most 1 required but received 2",
            ("get", "--feature a --feature b"): "--feature: At Most 1 required but received 2",
            ("get", "--cache 1 --cache 2"): "--cache: At Most 1 required but received 2",
            ("convert", "-o out"): "--output: At Most 1 required but received 2",
        })  # fmt: skip

    def test_an_empty_name_is_refused(self) -> None:
        self.refuse_all({
            "build data -o ''": "--output: is empty; expected a name",
            "build data --columns ''": "--columns: is empty; expected a name",
            "cat data -o ''": "--output: is empty; expected a name",
            "pack rows.csv --to tfrecord -o ''": "--output: is empty; expected a name",
            "convert data --to tfrecord -o ''": "--output: is empty; expected a name",
            "export data --to tfrecord2idx -o ''": "--output: is empty; expected a name",
        })  # fmt: skip

    def test_whole_numbers_consist_of_digits_only_and_fit_in_64_bits(self) -> None:
        numbers = {"build": "--max-ratio --checkpoint-every", "update": "--max-ratio", "get": "--cache", "cat": "--cache", "pack": "--seed",
                   "convert": "--shuffle --cache",
                   "sample": "-n --seed --epoch --position --rank --world --lanes --batch-total"}  # fmt: skip
        for verb, options in numbers.items():
            for option in options.split():
                for text in ("-1", "+1", "007", "0x10", "1e3", "1.0", "one", "' 1'", "''", "18446744073709551616"):
                    shown = shlex.split(text)[0]
                    needed = "--block auto " if option == "--lanes" else ""
                    self.refuse_added({
                        (verb, f"{needed}{option} {text}"): f"{option}: '{shown}' is not a number from 0 to "
                        "18446744073709551615"
                    })  # fmt: skip

    def test_a_number_out_of_range_is_refused(self) -> None:
        ranges = {
            ("build", "--threads"): (1, 1024),
            ("build", "--max-ratio"): (1, 2000),
            ("build", "--checkpoint-every"): (1, 1024),
            ("build", "--max-inflated"): (1, 1 << 40),
            ("update", "--max-ratio"): (1, 2000),
            ("update", "--checkpoint-every"): (1, 1024),
            ("update", "--max-inflated"): (1, 1 << 40),
            ("verify", "--threads"): (1, 1024),
            ("stats", "--top"): (0, 1_000_000),
            ("stats", "--bins"): (1, 10_000),
            ("pack", "--shards"): (1, 99_999),
            ("convert", "--shards"): (1, 99_999),
            ("get", "--cache"): (1, 1 << 20),
            ("cat", "--cache"): (1, 1 << 20),
            ("convert", "--cache"): (1, 1 << 20),
        }
        for (verb, option), (least, most) in ranges.items():
            strict = option in ("--max-ratio", "--checkpoint-every", "--max-inflated", "--cache")
            below = () if strict or least == 0 else (f"-{least}", "-9223372036854775808")
            for value in (*(() if least == 0 else (least - 1,)), most + 1, 2**63, 2**64 - 1, *below):
                message = f"{option}: Value {value} not in range {least} to {most}"
                self.refuse_added({(verb, f"{option} {value}"): message})
        for value in ("none", "1.5", "1e3", "1,000", "-1", "99999999999999999999"):
            self.refuse_added({
                ("build", f"-j {value}"): f"--threads: Value {value} not in range 1 to 1024",
                ("stats", f"--top {value}"): f"--top: Value {value} not in range 0 to 1000000",
                ("pack", f"--shards {value}"): f"--shards: Value {value} not in range 1 to 99999",
            })  # fmt: skip
        self.refuse("build data -j -18446744073709551615",
                    "--threads: Value -18446744073709551615 not in range 1 to 1024")  # fmt: skip

    def test_a_value_that_is_not_a_number_is_refused(self) -> None:
        self.refuse_added({
            ("sql", "--max-rows many"): "Could not convert: --max-rows = many",
            ("sql", "--max-rows 1.5"): "Could not convert: --max-rows = 1.5",
            ("sql", "--timeout soon"): "Could not convert: --timeout = soon",
            ("sample", "--balance a --temperature warm"): "Could not convert: --temperature = warm",
        })  # fmt: skip

    def test_the_error_of_a_wrong_choice_lists_the_choices(self) -> None:
        self.refuse_added({
            ("build", "--format csv"): "--format: csv not in {auto,tfrecord,ofrecord}",
            ("build", "--payload json"): "--payload: json not in {auto,example,sequence_example,ofrecord,opaque}",
            ("build", "--compression zip"): "--compression: zip not in {auto,none,gzip,zlib,deflate}",
            ("sample", "--tail keep"): "--tail: keep not in {exact,pad,drop}",
            ("get", "--io direct"): "--io: direct not in {auto,mmap,pread}",
            ("get", "--io 1"): "--io: 1 not in {auto,mmap,pread}",
            ("cat", "--to csv"): "--to: csv not in {jsonl,tfrecord,ofrecord,raw}",
            ("cat", "--to RAW"): "--to: RAW not in {jsonl,tfrecord,ofrecord,raw}",
            ("pack", "--compress zstd"): "--compress: zstd not in {gzip}",
            ("pack", "--payload opaque"): "--payload: opaque not in {example,sequence_example,ofrecord}",
            ("convert", "--lossy maybe"): "--lossy: maybe not in {refuse,allow}",
        })  # fmt: skip
        self.refuse_all({
            "pack rows.csv -o out --to csv": "--to: csv not in {tfrecord,ofrecord}",
            "convert data -o out --to ''": "--to:  not in {tfrecord,ofrecord}",
            "export data -o out --to arrow": "--to: arrow not in {tfrecord2idx}",
        })  # fmt: skip

    def test_the_error_of_a_wrong_indexed_choice_lists_words_and_numbers(self) -> None:
        modes = "{auto->0,json->2,none->3,plain->1} OR {0,2,3,1}"
        self.refuse_everywhere("--progress bar", f"--progress: Check bar value in {modes} FAILED")
        self.refuse_everywhere("--color 3",
                               "--color: Check 3 value in {always->1,auto->0,never->2} OR {1,0,2} FAILED")  # fmt: skip
        forms = "{csv->2,files->0,jsonl->1,tsv->3} OR {2,0,1,3}"
        self.refuse_added({
            ("pack", "--from xml"): f"--from: Check xml value in {forms} FAILED",
            ("pack", "--time-unit h"): "--time-unit: Check h value in {ms->1,ns->3,s->0,us->2} OR {1,3,0,2} FAILED",
        })  # fmt: skip

    def test_options_that_exclude_each_other_are_both_named(self) -> None:
        for verb in COMPLETE.keys() - {"cat"}:
            self.refuse_added({(verb, "--jsonl --json"): "--json excludes --jsonl"})
        for verb in ("sql", "stats"):
            for form in ("--csv", "--table"):
                self.refuse_added({
                    (verb, f"{form} --json"): f"--json excludes {form}",
                    (verb, f"{form} --jsonl"): f"--jsonl excludes {form}",
                })  # fmt: skip
            self.refuse_added({(verb, "--table --csv"): "--csv excludes --table"})
        self.refuse_added({
            ("get", "--raw --json"): "--json excludes --raw",
            ("get", "--wire --jsonl"): "--jsonl excludes --wire",
            ("get", "--wire --raw"): "--raw excludes --wire",
            ("cat", "--ids list --range 0:1"): "--range excludes --ids",
            ("cat", "--ids list --where 1"): "--where excludes --ids",
            ("sample", "--balance a --weights a"): "--weights excludes --balance",
            ("sample", "--block 2 --weights a"): "--weights excludes --block",
            ("sample", "--block 2 --balance a"): "--balance excludes --block",
        })  # fmt: skip
        for other in ("--position 0", "--rank 0", "--world 1", "--tail pad", "--weights a", "--balance a",
                      "--batch-total 9"):  # fmt: skip
            self.refuse_added({("sample", f"--quality a {other}"): f"{other.split()[0]} excludes --quality"})

    def test_an_option_that_needs_another_names_it(self) -> None:
        self.refuse_added({
            ("sample", "--temperature 2"): "--temperature requires --balance",
            ("sample", "--lanes 2"): "--lanes requires --block",
            ("sample", "--batch-by a"): "--batch-by requires --batch-total",
        })  # fmt: skip

    def test_a_flag_with_a_word_as_its_value_is_refused(self) -> None:
        self.refuse_everywhere("--quiet=maybe", "Could not convert: --quiet = maybe")
        for verb, flags in {"build": "--verify --columns-optional --force --wait", "verify": "--quick",
                            "get": "--raw --wire", "where": "--count", "sql": "--csv --table"}.items():  # fmt: skip
            for flag in flags.split():
                self.refuse_added({(verb, f"{flag}=maybe"): f"Could not convert: {flag} = maybe"})

    def test_help_comes_before_errors(self) -> None:
        for verb in COMPLETE:
            helped = self.expect(0, verb, "--help")
            for words in (["--nope", "--help"], ["-h"], ["--help", "--progress", "plain", "1", "2", "3"]):
                with self.subTest(verb=verb, words=words):
                    again = self.expect(0, verb, *words)
                    self.assertEqual((again.stdout, again.stderr), (helped.stdout, ""))
        self.assertEqual(self.expect(0, "frobnicate", "--help").stdout, self.expect(0, "--help").stdout)

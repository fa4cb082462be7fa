"""Refused command lines print an error message, exit with code 2 and touch no file."""

from __future__ import annotations

import re
import shlex
from collections.abc import Mapping

from e2e.command import CommandTest

# Maps each verb to a complete command line. None of the files that it names exist.
COMPLETE = {
    "attach": "data more.csv --key _id",
    "audit": "data",
    "detach": "data more",
    "key": "data name",
    "merge": "data -o whole",
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
    "serve": "data --until-eof",
    "sql": "data 'SELECT 1'",
    "pack": "rows.csv --to tfrecord -o out",
    "split": "data a=1 -o out",
    "convert": "data --to tfrecord -o out",
    "export": "data --to tfrecord2idx -o out",
}

# What `cat --to` writes.
FORMS = "jsonl, csv, arrow, parquet, tfrecord, ofrecord, raw"

# Numbers that are limited to less than 64 bits.
LIMITS = {"--max-ratio": (1, 2000), "--checkpoint-every": (1, 1024), "--cache": (1, 1 << 20)}


class UsageTest(CommandTest):
    """Each table gives the expected error message for a command line, or for options appended to those of COMPLETE."""

    def refuse(self, line: str, message: str, hint: str = "") -> None:
        """Fails unless the command line `line` is refused with `message` and `hint`, or a hint to see the verb's help.

        USAGE in `message` stands for the usage of the verb, or of the command.
        """
        words = shlex.split(line)
        with self.subTest(line):
            refused = self.expect(2, *words)
            verb = words[0] + " " if words and words[0] in COMPLETE else ""
            if "USAGE" in message:
                usage = re.search(r"Usage: (.*(?:\n         .*)*)", self.expect(0, *verb.split(), "--help").text)[1]
                message = message.replace("USAGE", "usage: " + " ".join(usage.split()))
            hint = hint or f"see `ofindex {verb}--help`"
            self.assertEqual(refused.stderr, f"ofindex: {message}\nhint: {hint}\n")
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

    def test_a_word_that_is_not_a_verb_is_reported_with_the_nearest_verbs(self) -> None:
        for word in ("frobnicate", "-", "--nope", "-x"):
            self.refuse(f"{word} data", f"there is no verb '{word}'")
        for word, verb in {
            "bild": "build",
            "builds": "build",
            "Build": "build",
            "updates": "update",
            "got": "get",
            "query": "sql",
            "head": "cat",
            "count": "info",
        }.items():
            self.refuse(f"{word} data", f"there is no verb '{word}'", f"did you mean '{verb}'?")
            self.assertIn(f"did you mean '{verb}'?", self.expect(2, "help", word).stderr)
        self.refuse("''", "there is no verb ''")
        self.refuse("-- build data", "there is no verb '--'")
        self.refuse("'\x1b[31m'", "there is no verb '\\x1b[31m'")

    def test_a_command_line_without_a_verb_is_refused(self) -> None:
        self.refuse("", "the verb is missing; USAGE")

    def test_an_option_before_its_verb_is_refused(self) -> None:
        refused = self.expect(2, "--json", "build", "data")
        self.assertIn("ofindex: '--json' stands before the verb; usage: ofindex build DATA...", refused.stderr)

    def test_an_unknown_option_is_refused_by_every_verb(self) -> None:
        for verb, complete in COMPLETE.items():
            for added in ("--nope", "--nope=3", "-Z"):
                self.refuse(f"{verb} {complete} {added}", f"{verb} has no option '{added.split('=')[0]}'")
            self.refuse(f"{verb} {complete} -qZ", f"{verb} has no option '-Z'")

    def test_the_nearest_options_are_suggested(self) -> None:
        for verb, added, meant in (
            ("build", "--colums a", "--columns"),
            ("build", "--colums=a", "--columns"),
            ("build", "--verfy", "--verify"),
            ("get", "--features a", "--feature"),
            ("cat", "--outptu x", "--output"),
            ("info", "--jsno", "--json"),
        ):
            self.refuse_option(verb, added, meant)

    def refuse_option(self, verb: str, added: str, meant: str) -> None:
        name = added.split("=")[0].split()[0]
        self.refuse(f"{verb} {COMPLETE[verb]} {added}", f"{verb} has no option '{name}'", f"did you mean '{meant}'?")

    def test_options_of_other_tools_are_told_what_they_are_here(self) -> None:
        for verb, added, meant in (
            ("cat", "--limit 5", "--range :N"),
            ("cat", "--limit=5", "--range :N"),
            ("cat", "-n 5", "--range :N"),
            ("cat", "-n5", "--range :N"),
            ("cat", "--csv", "--to csv"),
            ("cat", "--jsonl", "--to jsonl"),
            ("cat", "--format csv", "--to"),
            ("cat", "--skip 5", "--range N:"),
            ("cat", "--filter x", "--where"),
            ("convert", "--format ofrecord", "--to"),
            ("sql", "--limit 5", "--max-rows"),
            ("sql", "--format csv", "--csv"),
            ("sample", "--limit 5", "-n"),
            ("build", "--workers 4", "--threads"),
            ("stats", "--group-by x", "--by"),
        ):
            self.refuse_option(verb, added, meant)

    def test_what_another_verb_or_the_shell_does_is_told(self) -> None:
        redirect = "it writes to standard output: append `> FILE`"
        batches = "records are read in batches in Python: `ofindex.torch.Loader(ds, features, batch_size=N)`"
        for verb, added, hint in (
            ("info", "-o out", redirect),
            ("where", "-o out", redirect),
            ("where", "--output=out", redirect),
            ("sql", "-o out", redirect),
            ("stats", "--out out", redirect),
            ("get", "-o out", "append `> FILE`, or write records with `ofindex cat INDEX -o FILE`"),
            ("where", "--limit 5", "append `| head -n N`, or draw N at random with `ofindex sample INDEX -n N`"),
            ("where", "-n 5", "append `| head -n N`, or draw N at random with `ofindex sample INDEX -n N`"),
            ("get", "--limit 5", "name the records by a range of ordinals: `ofindex get INDEX :N`"),
            ("convert", "--limit 5", "take the first N records with --where '_id < N'"),
            ("stats", "--filter a=1",
             "list the records that match with `ofindex where INDEX EXPR`, and name the list with --ids"),
            ("sql", "--where a=1", "write it into the query: SELECT ... FROM records WHERE EXPR"),
            ("cat", "--batch-size 8", batches),
            ("split", "--batch-size 8", batches),
            ("info", "--feature a", "it is an option of get and cat; see `ofindex get --help`"),
            ("build", "--compress gzip", "it is an option of pack and convert; see `ofindex pack --help`"),
        ):  # fmt: skip
            name = added.split("=")[0].split()[0]
            self.refuse(f"{verb} {COMPLETE[verb]} {added}", f"{verb} has no option '{name}'", hint)
        for form, set_ in {
            "tfrecord": ", or a set of shards with `ofindex convert`",
            "ofrecord": ", or a set of shards with `ofindex convert`",
            "csv": "",
            "jsonl": "",
            "arrow": "",
            "raw": "",
        }.items():
            self.refuse(
                f"export data -o out --to {form}",
                f"--to: expected tfrecord2idx, got '{form}'",
                f"write records with `ofindex cat INDEX --to {form} -o FILE`{set_}",
            )

    def test_each_verb_reports_the_first_missing_argument(self) -> None:
        self.refuse_all({
            "build": "DATA is missing; USAGE",
            "info": "INDEX is missing; USAGE",
            "schema": "INDEX is missing; USAGE",
            "stats": "INDEX is missing; USAGE",
            "where": "INDEX is missing; USAGE",
            "where data": "EXPR is missing; USAGE",
            "sample": "INDEX is missing; USAGE",
            "verify": "INDEX is missing; USAGE",
            "get": "INDEX is missing; USAGE",
            "get data": "ORDINAL, --ids, --key or --where is missing",
            "get data 5 --ids list": "ORDINAL and --ids exclude each other; expected one of them",
            "cat": "INDEX is missing; USAGE",
            "sql": "INDEX is missing; USAGE",
            "serve": "INDEX is missing; USAGE",
            "split": "INDEX is missing; USAGE",
            "split data": "PARTS is missing; USAGE",
            "split data a=1": "--output is missing; USAGE",
            "pack": "SOURCE is missing; USAGE",
            "pack rows.csv": "--output is missing; USAGE",
            "pack rows.csv -o out": "--to is missing; USAGE",
            "convert": "DATA is missing; USAGE",
            "convert data --to ofrecord": "--output is missing; USAGE",
            "export": "INDEX is missing; USAGE",
            "export data": "--to is missing; USAGE",
            "export data --to tfrecord2idx": "--output is missing; USAGE",
        })  # fmt: skip

    def test_a_word_in_brackets_is_one_word(self) -> None:
        self.refuse("'[a,b]'", "there is no verb '[a,b]'")
        self.refuse("info data '[a,b]'", "'[a,b]' was not expected; USAGE")
        self.refuse("sample data --seed '[1]'", f"--seed: expected a number from 0 to {2**64 - 1}, got '[1]'")
        self.refuse("cat data --to '[raw]'", f"--to: expected one of {FORMS}, got '[raw]'")

    def test_surplus_arguments_are_refused(self) -> None:
        for verb in ("info", "schema", "where", "sample", "verify", "cat", "sql", "export"):
            self.refuse(f"{verb} {COMPLETE[verb]} more", "'more' was not expected; USAGE")
        self.refuse("info data 1 2", "'1' was not expected; USAGE")

    def test_an_option_without_its_value_is_refused(self) -> None:
        self.refuse_everywhere("--progress", "--progress: the value is missing; expected MODE")
        self.refuse_everywhere("--progress=", "--progress: the value is missing; expected MODE")
        self.refuse_everywhere("--color", "--color: the value is missing; expected WHEN")
        self.refuse_added({
            ("build", "-o"): "--output: the value is missing; expected INDEX",
            ("build", "--output="): "--output: the value is missing; expected INDEX",
            ("build", "--columns="): "--columns: the value is missing; expected NAME,...",
            ("sample", "-n"): "-n: the value is missing; expected K",
            ("sample", "--seed="): "--seed: the value is missing; expected S",
            ("get", "--feature"): "--feature: the value is missing; expected NAME,...",
            ("cat", "--ids"): "--ids: the value is missing; expected FILE",
            ("sql", "-p"): "--param: the value is missing; expected NAME=VALUE",
            ("pack", "--shards"): "--shards: the value is missing; expected N",
        })  # fmt: skip

    def test_an_option_given_twice_is_refused(self) -> None:
        self.refuse_everywhere("--color auto --color never", "--color: given twice; expected once")
        self.refuse_added({
            ("build", "-j 1 --threads 2"): "--threads: given twice; expected once",
            ("sample", "--seed 1 --seed 1"): "--seed: given twice; expected once",
            ("sample", "--tail pad --tail pad"): "--tail: given twice; expected once",
            ("get", "--cache 1 --cache 2"): "--cache: given twice; expected once",
            ("convert", "-o out"): "--output: given twice; expected once",
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
                   "sample": "-n --seed --epoch --position --rank --world --lanes --batch-total "
                   "--pack --batch-size"}  # fmt: skip
        for verb, options in numbers.items():
            for option in options.split():
                for text in ("-1", "+1", "007", "0x10", "1e3", "1.0", "one", "' 1'", "''", "18446744073709551616"):
                    shown = shlex.split(text)[0]
                    needed = "--block auto " if option == "--lanes" else ""
                    least, most = LIMITS.get(option, (0, 2**64 - 1))
                    self.refuse_added({
                        (verb, f"{needed}{option} {text}"): f"{option}: expected a number from {least} to {most}, got "
                        f"'{shown}'"
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
            for value in (
                *(() if least == 0 else (least - 1,)),
                most + 1,
                2**63,
                2**64 - 1,
                -1,
                "none",
                "1.5",
                "1,000",
            ):
                message = f"{option}: expected a number from {least} to {most}, got '{value}'"
                self.refuse_added({(verb, f"{option} {value}"): message})

    def test_a_value_that_is_not_a_number_is_refused(self) -> None:
        self.refuse_added({
            ("sql", "--max-rows many"): "--max-rows: expected a number, got 'many'",
            ("sql", "--max-rows 1.5"): "--max-rows: expected a number, got '1.5'",
            ("sql", "--timeout soon"): "--timeout: expected a number, got 'soon'",
            ("sample", "--balance a --temperature warm"): "--temperature: expected a number, got 'warm'",
        })  # fmt: skip

    def test_the_error_of_a_wrong_choice_lists_the_choices(self) -> None:
        self.refuse_added({
            ("build", "--format csv"): "--format: expected one of auto, tfrecord, ofrecord, got 'csv'",
            ("build", "--payload json"): "--payload: expected one of auto, example, sequence_example, ofrecord, opaque, got 'json'",
            ("build", "--compression zip"): "--compression: expected one of auto, none, gzip, zlib, deflate, got 'zip'; did you mean 'gzip'?",
            ("sample", "--tail keep"): "--tail: expected one of exact, pad, drop, got 'keep'",
            ("get", "--io direct"): "--io: expected one of auto, mmap, pread, got 'direct'",
            ("get", "--io 1"): "--io: expected one of auto, mmap, pread, got '1'",
            ("cat", "--to xml"): f"--to: expected one of {FORMS}, got 'xml'",
            ("cat", "--to RAW"): f"--to: expected one of {FORMS}, got 'RAW'; did you mean 'raw'?",
            ("pack", "--compress zstd"): "--compress: expected gzip, got 'zstd'",
            ("pack", "--payload opaque"): "--payload: expected one of example, sequence_example, ofrecord, got 'opaque'",
            ("convert", "--lossy maybe"): "--lossy: expected one of refuse, allow, got 'maybe'",
        })  # fmt: skip
        self.refuse_all({
            "pack rows.csv -o out --to csv": "--to: expected one of tfrecord, ofrecord, got 'csv'",
            "convert data -o out --to ''": "--to: expected one of tfrecord, ofrecord, got ''",
            "export data -o out --to png": "--to: expected tfrecord2idx, got 'png'",
        })  # fmt: skip

        self.refuse_everywhere("--progress bar", "--progress: expected one of auto, plain, json, none, got 'bar'")
        self.refuse_everywhere("--color 3", "--color: expected one of auto, always, never, got '3'")
        self.refuse_added({
            ("pack", "--from xml"): "--from: expected one of files, jsonl, csv, tsv, got 'xml'",
            ("pack", "--time-unit h"): "--time-unit: expected one of s, ms, us, ns, got 'h'",
            ("get", "--io mmapp"): "--io: expected one of auto, mmap, pread, got 'mmapp'; did you mean 'mmap'?",
        })  # fmt: skip

    def test_options_that_exclude_each_other_are_both_named(self) -> None:
        for verb in COMPLETE.keys() - {"cat"}:
            self.refuse_added({(verb, "--jsonl --json"): "--json and --jsonl exclude each other; expected one of them"})
        for verb in ("sql", "stats"):
            for form in ("--csv", "--table") if verb == "stats" else ("--csv",):
                self.refuse_added({
                    (verb, f"{form} --json"): f"--json and {form} exclude each other; expected one of them",
                    (verb, f"{form} --jsonl"): f"--jsonl and {form} exclude each other; expected one of them",
                })  # fmt: skip
        self.refuse_added({("stats", "--table --csv"): "--csv and --table exclude each other; expected one of them"})
        self.refuse_added({
            ("get", "--raw --json"): "--json and --raw exclude each other; expected one of them",
            ("get", "--wire --jsonl"): "--jsonl and --wire exclude each other; expected one of them",
            ("get", "--wire --raw"): "--raw and --wire exclude each other; expected one of them",
            ("cat", "--ids list --range 0:1"): "--range and --ids exclude each other; expected one of them",
            ("cat", "--ids list --where 1"): "--where and --ids exclude each other; expected one of them",
            ("get", "--ids list --where 1"): "--where and --ids exclude each other; expected one of them",
            ("convert", "--ids list --where 1"): "--where and --ids exclude each other; expected one of them",
            ("sample", "--balance a --weights a"): "--weights and --balance exclude each other; expected one of them",
            ("sample", "--block 2 --weights a"): "--weights and --block exclude each other; expected one of them",
            ("sample", "--block 2 --balance a"): "--balance and --block exclude each other; expected one of them",
        })  # fmt: skip
        for other in ("--position 0", "--rank 0", "--world 1", "--tail pad", "--weights a", "--balance a",
                      "--batch-total 9", "--pack 9"):  # fmt: skip
            self.refuse_added(
                {
                    ("sample", f"--quality a {other}"): f"{other.split()[0]} and --quality exclude each other; "
                    "expected one of them"
                }
            )

    def test_an_option_that_needs_another_names_it(self) -> None:
        self.refuse_added({
            ("sample", "--temperature 2"): "--temperature: expected only together with --balance",
            ("sample", "--lanes 2"): "--lanes: expected only together with --block",
            ("sample", "--batch-by a"): "--batch-by: expected only together with --batch-total",
            ("sample", "--length a"): "--length: expected only together with --pack",
            ("sample", "--window 9"): "--window: expected only together with --pack",
        })  # fmt: skip

    def test_a_flag_with_a_value_is_refused(self) -> None:
        self.refuse_everywhere("--quiet=maybe", "--quiet: expected no value")
        for verb, flags in {"build": "--verify --columns-optional --force --wait", "verify": "--quick",
                            "get": "--raw --wire", "where": "--count", "sql": "--csv", "audit": "--near"}.items():  # fmt: skip
            for flag in flags.split():
                for value in ("maybe", "3", "false"):
                    self.refuse_added({(verb, f"{flag}={value}"): f"{flag}: expected no value"})

    def test_help_comes_before_errors(self) -> None:
        for verb in COMPLETE:
            helped = self.expect(0, verb, "--help")
            for words in (["--nope", "--help"], ["-h"], ["--help", "--progress", "plain", "1", "2", "3"]):
                with self.subTest(verb=verb, words=words):
                    again = self.expect(0, verb, *words)
                    self.assertEqual((again.stdout, again.stderr), (helped.stdout, ""))
        self.assertEqual(self.expect(0, "frobnicate", "--help").stdout, self.expect(0, "--help").stdout)

#!/usr/bin/env python3
"""Every error of the command names a thing, and says what was expected or what to do.

The rules, for each message that tests/error_messages.py finds in the sources:

1. It has a variable part, a name in quotes, an option, or one of NAMED: the user knows which thing is meant.
2. It says what was expected, or it has a hint of its own, or the default hint of its code is true of it.
3. A message, or a hint, that is made elsewhere is in MADE_ELSEWHERE, with where that is.
"""

from __future__ import annotations

import pathlib
import re
import unittest
from collections.abc import Iterable

from error_messages import Message, Sources

ROOT = pathlib.Path(__file__).resolve().parent.parent
FOLDERS = ("base", "proto", "mmap", "index", "query", "tools")

#: Nouns of which a command has one, so that they need no name.
NAMED = (
    *("balance:", "batches:", "columns:", "schema:", "temperature:", "weights, balance and block:"),
    *("an OFRecord", "expression", "session", "standard input", "standard output", "statement"),
    *("the index lists", "the sampler", "out of memory for"),
)
THING = re.compile(
    r"\{|'[^']*'|\"[^\"]+\""
    r"|(?:^|[ (])--?[a-z]"  # an option
    r"|^\.[a-z]+:"  # a command of the prompt
    r"|\w\("  # a function of SQL
    r"|\w@\d"  # a byte
    r"|\b(?:DATA|INDEX|ORDINAL|QUERY)\b|" + "|".join(map(re.escape, NAMED))
)
EXPECTED = re.compile(r"\b(?:expected|must|at most|at least|needs?|requires?|only)\b|; usage: ")
PASSED_ON = re.compile(r"(?:\bmessage(?:\(\))?|\breason\)?)\}$")  # another error, or the reason that the system gives

#: The default hint of each code in tools/shell/messages.cc, and the messages of which it is true.
DEFAULTS = {
    "kIo": ("fix the cause that the system reports, and run it again", r"message\(|what\(\)|reason\)?\}"),
    "kLimit": ("ask for less at a time, or free some memory, and run it again", r"out of memory|memory ran out"),
    "kIndex": ("build the index again with `ofindex build DATA --force`", ""),
    "kStale": ("run it again; if the data have changed, bring the index up to date with `ofindex update INDEX`", ""),
    "kDamage": ("`ofindex verify INDEX` lists what is damaged", ""),
    "kFormat": ("correct the file at that place, and run it again", "@"),
    "kFeature": ("`ofindex schema INDEX` lists the features and their kinds", ""),
}

ROW = ("kFormat", "kFeature")
#: Files, or single messages, whose callers add a place or a hint: what they put before the text, and their hint.
CALLERS = {
    "tools/options/command_line.cc": ("{option}: ", ""),
    **dict.fromkeys(
        (f"query/images/{name}.cc" for name in ("image_decoder", "jpeg_reader", "png_reader", "resizer")),
        ("feature '{name}': ", "leave the record out"),
    ),
    "proto/features.cc": ("record {ordinal}: ", ""),
    "query/decoding/whole_record.cc": ("record {ordinal}: ", ""),
    "tools/packing/calendar.cc": ("{path}@{byte}: line {line}: ", "`sed -n {line}p {path}` shows the line"),
    "tools/packing/csv_row.cc": ("{path}@{byte}: line {line}: ", "`sed -n {line}p {path}` shows the line"),
    "tools/packing/json_row.cc": ("{path}@{byte}: line {line}: ", "`sed -n {line}p {path}` shows the line"),
    "tools/packing/row_builder.cc": ("{path}@{byte}: line {line}: ", "`sed -n {line}p {path}` shows the line"),
    "tools/packing/row_files.cc: quotes": ("{path}@{byte}: line {line}: ", "`sed -n {line}p {path}` shows the line"),
    "tools/packing/row_source.cc: a row": ("{path}@{byte}: line {line}: ", ""),
    "tools/streams/converter.cc": ("{path}@{byte}: record {ordinal}: ", ""),
    "tools/streams/record_form.cc: the payload": ("{path}@{byte}: record {ordinal}: ", ""),
}

#: Whole messages and hints that are variables: where they are made.
MADE_ELSEWHERE = {
    "{AtMark(what)}": "tools/ordinals/: the list and the line, and what is wrong there",
    '{AtMark((StrCat("a header of over ",FormatCount(kMaxHeaderColumns)," columns")))}': "the same",
    '{AtMark((StrCat("the name of column ",names.size()," is too long; expected at most ",FormatCount(kMaxNameBytes),'
    '" bytes")))}': "the same",
    '{AtMark("NUL bytes or a byte order mark as in UTF-16; expected text in UTF-8")}': "the same",
    "{ChangedHint(facts)}": "index/build/freshness.cc: a hint in each case",
    "{ColumnHint(missing,is_part,in_double_quotes,wrong,NamesHint(text,authorizer))}": "query/sql/sql_error.cc: a hint in each case",
    "{Describe(malformed)}": "proto/wire: the byte and the fault",
    "{DescribeInNoRecord(names,report)}": "index/build/builder.cc: the columns that no record has",
    "{DescribeUnderived(underived,report)}": "index/build/builder.cc: the features in which no record has bytes",
    "{AttachmentKind(place).hint}": "index/attachments/attachment_format.h",
    "{AttachmentKind(place_).hint}": "index/attachments/attachment_format.h",
    '{DidYouMean(NearestNames(Printable(name),known),"\'")}': "used if it is not empty",
    '{DidYouMean(NearestNames(name,names),"\'")}': "NoSuchFeature() replaces an empty hint",
    '{DidYouMean(NearestPaths(name),"\'")}': "NoIndex() replaces an empty hint",
    '{DidYouMean(NearestPaths(path),"\'")}': "NoSuchPath() replaces an empty hint",
    "{HintOf(code,message,written.is_expression)}": "query/sql/sql_error.cc: a hint in each case",
    "{QuoteHint(column)}": "query/sql/statements/syntax_error.cc: the column in double quotes",
    "SQL@{wrong->at}: {wrong->text}": "query/sql/statements/syntax_error.cc: what is wrong, and where",
    "SQL: {Printable(message)}{Meant(name,authorizer.columns())}": "query/sql/sql_error.cc: SQLite names what is wrong",
    "{TypesHint()}": "tools/packing/pack_schema.cc: the names of the types",
    "{checked.error().hint}": "CheckOutput(): all its errors have hints",
    "{complaint.hint}": "UsageError() replaces an empty hint",
    "{error.hint}": "query/decoding/feature_error.cc: a hint in each case",
    "{explained.hint}": "Explained, with the rules above",
    "{explanation.hint}": "Explanation, with the rules above",
    "{hint}": "ReportDamage(): a hint in each case",
    "{kind.hint}": "SealedKind: each kind of file has a hint",
    "{kind_.hint}": "the same",
    "{Printable(path())}: {kind_.noun} {what}": "CheckOrigin(): what differs, and in most cases what was expected",
    "{meant}": "used if it is not empty",
    "{missing.hint}": "ExplainMissing(): a hint in each case",
    "{place}{Printable(message)}": "query/sql/sql_error.cc: SQLite names what is wrong",
    "{place+explained.text}": "Explained, with the rules above",
    "{report->failed.front().reason}": "the error of a shard, with its path",
    "{report->map_damage}": "the error of the map, with its path",
    "{table.VerbMeantBy(words.front())}": "UsageError() replaces an empty hint",
    "{texts.front()}": "the path, and the fault or the cause",
    "{wrong->hint}": "query/sql/statements/syntax_error.cc: a hint in each case",
    "{what}": "NoRecordFile(): the path, the reason and what was expected",
}

#: Messages for which no rule is meant, and why. The text is the beginning of the message.
EXCEPTIONS = {
    "base/allocation.cc: out of memory": "made when there is no memory for a longer one",
    "base/progress.h: interrupted": "the user knows what was interrupted",
    "index/build/fill_index.cc: cannot save a shard": "ends the saving; never leaves FillIndex()",
    "index/database/sqlite.cc: {Printable(file==nullptr": "SQLite says why; only kIndex lacks a true default",
    "tools/options/usage_error.cc: {text}": "CLI11 says what it expected",
    "tools/options/usage_error.cc: {verb.name} has no option ": "the default hint is true: `ofindex VERB --help`",
    "mmap/files/mapped_file.cc: {Printable(file.path())}: cannot map ": "has a hint of its own if the code is kLimit",
    "query/sql/functions/pattern.cc: {reinterpret_cast": "the message of regexp(), with kPatternHint",
    "query/sql/functions/regexp_function.cc: {StrCat": "passes that on",
    "query/sql/sql_functions.cc: ESCAPE expression": "SQLite's own words; sql_error.cc has a hint for them",
    "query/sql/sql_functions.cc: LIKE or GLOB": "SQLite's own words; sql_error.cc has a hint for them",
    "query/tables/equality_index.cc: the values of a column": "an index of values does not know its column's name",
    "query/tables/groups/armed_group.cc: integer overflow": "SQLite's own words; sql_error.cc has a hint for them",
    "query/tables/records_table.cc: SQL: a computed column": "a bug: the planner never asks for it",
}


def key_of(message: Message, keys: Iterable[str]) -> str | None:
    """The key of `keys` that is the file of `message`, or its file and the beginning of its text."""
    return next((key for key in keys if f"{message.path}: {message.text}".startswith(key)), None)


def faults_of(message: Message) -> list[str]:
    """What `message` lacks."""
    before, added = CALLERS.get(key_of(message, CALLERS) or "", ("", ""))
    text, hint = before + message.text, message.hint
    if added and message.codes <= set(ROW):
        hint = hint or added
    found = []
    is_variable = not re.search(r"[a-z]{2}", re.sub(r"\{[^{}]*\}", "", message.text))
    if is_variable and not PASSED_ON.search(message.text) and message.text not in MADE_ELSEWHERE:
        found.append("is made elsewhere, expected it in MADE_ELSEWHERE")
    if re.fullmatch(r"\{[^{}]*\}", hint) and hint not in MADE_ELSEWHERE:
        found.append(f"has a hint that may be empty, expected {hint} in MADE_ELSEWHERE")
    if not THING.search(text):
        found.append("names no file, byte, option, column or value")
    if not hint:
        has_default = bool(message.codes) and message.codes <= DEFAULTS.keys()
        untrue = [code for code in message.codes & DEFAULTS.keys() if not re.search(DEFAULTS[code][1], text)]
        found += [f"needs a hint: not '{DEFAULTS[code][0]}', the default" for code in sorted(untrue)]
        if not untrue and not has_default and not EXPECTED.search(text):
            found.append("says neither what was expected nor, in a hint, what to do")
    return found


def complaints(messages: list[Message]) -> list[str]:
    return [
        f"{message.path}:{message.line}: {message.text}: {fault}"
        for message in messages
        if key_of(message, EXCEPTIONS) is None
        for fault in faults_of(message)
    ]


class MessagesTest(unittest.TestCase):
    sources: Sources
    messages: list[Message]

    @classmethod
    def setUpClass(cls) -> None:
        paths = [path for folder in FOLDERS for path in sorted((ROOT / folder).rglob("*"))]
        cls.sources = Sources({str(p.relative_to(ROOT)): p.read_text() for p in paths if p.suffix in {".h", ".cc"}})
        cls.messages = cls.sources.messages()

    def test_every_message_names_a_thing_and_says_what_was_expected_or_what_to_do(self) -> None:
        self.assertGreater(len(self.messages), 450)
        found = complaints(self.messages)
        self.assertEqual(found, [], "\n" + "\n".join(found))

    def test_every_error_is_found(self) -> None:
        """A code that is not part of a message that was found is an error made in another way: extend the parser."""
        self.assertEqual(self.sources.unread(), [])

    def test_default_hints_are_those_of_the_command(self) -> None:
        code = (ROOT / "tools/shell/messages.cc").read_text()
        hints = dict(re.findall(r'case ErrorCode::(k\w+):\s*return "([^"]*)";', code))
        self.assertEqual(hints, {name: hint for name, (hint, _) in DEFAULTS.items()})

    def test_every_entry_of_the_tables_is_used(self) -> None:
        for keys in (EXCEPTIONS, CALLERS):
            used = {key_of(message, keys) for message in self.messages}
            self.assertEqual(set(keys) - used, set())
        texts = {text for message in self.messages for text in (message.text, message.hint)}
        self.assertEqual(MADE_ELSEWHERE.keys() - texts, set())


def found_in(source: str) -> list[tuple[str, str]]:
    return [(message.text, message.hint) for message in Sources({"a.cc": source}).messages()]


class RulesTest(unittest.TestCase):
    """The test above is useful only if it finds messages and their faults."""

    def test_messages_are_found_however_they_are_made(self) -> None:
        for source, expected in (
            ('void F() { return Fail(ErrorCode::kIo, "a", "b"); }', [("a", "b")]),
            ('void F() { return Fail(ErrorCode::kIo, StrCat("a ", b, " c")); }', [("a {b} c", "")]),
            ('void F() { return Fail(k, "a " "b", c ? Hint("d") : Hint()); }', [("a b", ""), ("a b", "d")]),
            ('void F() { return Fail(ErrorCode::kIo, StrCat("a", b ? "c" : "d")); }', [("ac", ""), ("ad", "")]),
            ('void F() { return Fail(ErrorCode::kIo, b + ": c"); }', [("{b}: c", "")]),
            ('constexpr char kA[] = "a"; void F() { return Fail(ErrorCode::kIo, kA); }', [("a", "")]),
            ('void F() { const std::string a = "b"; return Fail(ErrorCode::kIo, a); }', [("b", "")]),
            ('Error F() { return {ErrorCode::kIo, "a"}; }', [("a", "")]),
            ('Error F(int code) { return {code, "a"}; }', [("a", "")]),
            ('Complaint F() { return {"a", "b"}; }', [("a", "b")]),
            ('void F() { error_ = Error{ErrorCode::kIo, "a"}; }', [("a", "")]),
            ('void F() { Error a{ErrorCode::kIo, "b"}; }', [("b", "")]),
            ('void F() { error_.emplace(ErrorCode::kIo, "a"); }', [("a", "")]),
            ('void F() { Print({ErrorCode::kIo, "a"}); }', [("a", "")]),
            ('void F() { G({.code = ErrorCode::kIo, .message = "a", .hint = "b"}); }', [("a", "b")]),
            ('void F() { error.message = "a"; }', [("a", "")]),
            ('void F() { error.message = StrCat("a: ", error.message); }', []),
            ('void F() { sqlite3_result_error(context, "a", -1); }', [("a", "")]),
            ('// Fail(ErrorCode::kIo, "a")\nvoid F() { f("Fail(ErrorCode::kIo, b)"); }', []),
            ('void F(const char* a) { return Fail(k, a); } void G() { F("b"); F("c"); }', [("b", ""), ("c", "")]),
            ('void F(std::string a) { return Fail(k, StrCat("a", a)); }'
             'void G(std::string b) { return F(StrCat(b, "c")); } void H() { G("b"); }', [("abc", "")]),
            ('std::string WhyNotOne() { return "a"; }', [("a", "")]),
            ('void F() { const auto check = [](int a) { return a ? "b" : std::string(); }; }', [("b", "")]),
            ('void F(std::string a, Hint b = {}) { return Fail(k, a, b); } void G() { F("c"); }', [("c", "")]),
            ('void F() { const auto f = [&](std::string_view a) { return Fail(k, a); }; return f("b"); }', [("b", "")]),
            ('class A { void Fail(int a); }; void A::F() { Fail(1); }', []),
        ):  # fmt: skip
            with self.subTest(source=source):
                self.assertEqual(sorted(found_in(source)), sorted(expected))

    def test_the_calls_of_a_function_are_found_in_all_files_that_may_call_it(self) -> None:
        files = {
            "a/b.h": "Error Made(const char* what);",
            "a/b.cc": 'Error Made(const char* what) { return {k, what}; } void F() { Made("a"); }',
            "c/d.cc": 'void F() { Made("b"); }',
            "c/e.cc": 'void Made(int other) { } void F() { Made("c"); }',
        }
        texts = {message.text for message in Sources(files).messages()}
        self.assertEqual(texts, {"a", "b"})
        del files["a/b.h"]
        self.assertEqual({message.text for message in Sources(files).messages()}, {"a"})

    def test_a_code_that_is_no_part_of_a_message_is_reported(self) -> None:
        for source, expected in (
            ("void F() { Other(ErrorCode::kIo, x); }", ["a.cc:1"]),
            ("void F() {\n error.code = ErrorCode::kIo; }", ["a.cc:2"]),
            ("void F() { if (a.code == ErrorCode::kIo || b.code != ErrorCode::kIo) return; }", []),
            ("int F() { switch (a) { case ErrorCode::kIo: return ExitCode(ErrorCode::kIo); } }", []),
            ("ErrorCode F() { return ErrorCode::kIo; }", []),
            ('void F(ErrorCode a) { return Fail(a, "b"); } void G() { F(ErrorCode::kIo); }', []),
        ):
            with self.subTest(source=source):
                sources = Sources({"a.cc": source})
                sources.messages()
                self.assertEqual(sources.unread(), expected)

    def test_a_message_without_a_thing_or_an_expectation_is_reported(self) -> None:
        for code, text, hint, expected in (
            ("kUsage", "{path}: not a file; expected one", "", []),
            ("kUsage", "{path}: not a file", "name one", []),
            ("kUsage", "{path}: not a file", "", ["neither what was expected"]),
            ("kUsage", "not a file; expected one", "", ["names no file"]),
            ("kUsage", "no such file", "", ["names no file", "neither what was expected"]),
            ("kUsage", "--to: at most 3", "", []),
            ("kIo", "{path}: cannot open: {error.message(errno)}", "", []),
            ("kIo", "{path}: not a file; expected one", "", ["needs a hint"]),
            ("kLimit", "out of memory for rows", "", []),
            ("kLimit", "{path}: over 1 GiB", "", ["needs a hint"]),
            ("kFormat", "{path}@{byte}: not JSON", "", []),
            ("kFormat", "{path}: not JSON", "", ["needs a hint"]),
            ("kDamage", "record {n} is torn", "", []),
            ("kUsage", "{a}: {b}", "a hint", ["expected it in MADE_ELSEWHERE"]),
            ("kUsage", "{message}", "a hint", []),
            ("kUsage", "{unknown}", "a hint", ["expected it in MADE_ELSEWHERE"]),
            ("kUsage", "'a' is wrong", "{unknown}", ["may be empty"]),
            ("", "'a' is wrong", "", ["neither what was expected"]),
        ):
            with self.subTest(text=text):
                found = faults_of(Message("a.cc", 1, frozenset(code.split()), text, hint))
                self.assertEqual(len(found), len(expected), found)
                for fault, words in zip(found, expected, strict=True):
                    self.assertIn(words, fault)

    def test_a_complaint_says_where(self) -> None:
        messages = Sources({"b.cc": '\nvoid F() { return Fail(ErrorCode::kUsage, "no; expected yes"); }'}).messages()
        self.assertEqual(
            complaints(messages), ["b.cc:2: no; expected yes: names no file, byte, option, column or value"]
        )


if __name__ == "__main__":
    unittest.main()

"""Finds every error message in the C++ sources: what a user reads, with its variables in braces.

`{path}: expected a folder` is such a message. If a function takes a part of its message as a parameter, each of its
calls makes a message. If a part depends on a condition, each of its values makes one.
"""

from __future__ import annotations

import dataclasses
import itertools
import re
from collections.abc import Iterator, Mapping

from cpp_source import Function, Source, Token, Tokens, arguments_of, shown, split_at, tokens_of

#: Functions that return the text that they are given.
TRANSPARENT = {"Hint", "move", "string", "string_view", "StrCat"}
#: Types with a message and a hint that become an Error later -> what is put before the message, and the default hint.
CARRIERS = {
    "Complaint": ("", ""),  # tools/options/usage_error.cc
    "Explained": ("SQL: ", "`SELECT name FROM features` lists the features"),  # query/sql/sql_error.cc
    "Explanation": ("feature '{name}': ", ""),  # query/decoding/feature_error.cc
}
#: Functions that return what is wrong with the value of an option, as a text that is empty if it is valid.
CHECKS = re.compile(r"check|WhyNot\w+")
#: What stands before the parentheses or braces in which an Error is made.
MAKERS = "Error emplace emplace_back unexpected"
USAGE = tokens_of("ErrorCode::kUsage")
SQL = tokens_of("ErrorCode::kSql")  # of SQL functions: becomes kUsage, with a hint about columns
MAX_DEPTH = 4  # of calls that pass on a part of a message


@dataclasses.dataclass(frozen=True)
class Message:
    """A message; `codes` are the possible names of its ErrorCode, `hint` is empty if it has none of its own."""

    path: str
    line: int
    codes: frozenset[str]
    text: str
    hint: str


@dataclasses.dataclass(frozen=True)
class Made:
    """An error as the sources make it: expressions for the fields of an Error."""

    code: Tokens
    message: Tokens
    hint: Tokens = ()
    default: str = ""  # the hint if `hint` is empty

    def replaced(self, values: Mapping[str, Tokens]) -> Made:
        code, message, hint = (replaced(field, values) for field in (self.code, self.message, self.hint))
        return Made(code, message, hint, self.default)


def replaced(tokens: Tokens, values: Mapping[str, Tokens]) -> list[Token]:
    """`tokens` with the values of the variables in `values`, in parentheses."""
    found: list[Token] = []
    for i, token in enumerate(tokens):
        member = i > 0 and tokens[i - 1].is_one_of(". -> ::")
        if token.is_word and token.text in values and not member:
            found += [Token("(", token.line), *values[token.text], Token(")", token.line)]
        else:
            found.append(token)
    return found


def alternatives(tokens: Tokens) -> list[list[Tokens]]:
    """The texts that an expression may have, each as a list of literals and other expressions."""
    if not tokens:
        return [[]]
    if len(split_at(tokens, "?")) > 1:
        return _branches(tokens)
    sums = split_at(tokens, "+")
    if len(sums) > 1 and all(sums) and any(_is_text(part) for part in sums):
        return _product(sums)
    if all(token.is_literal for token in tokens):
        return [[tokens]]
    opening = next((i for i, token in enumerate(tokens) if token.is_one_of("( {")), None)
    if opening is not None and _closes_at_the_end(tokens, opening):
        names = [token.text for token in tokens[:opening] if token.text not in ("std", "::", "ofindex")]
        if not names or (len(names) == 1 and names[0] in TRANSPARENT):
            return _product(arguments_of(tokens[opening + 1 : -1]))
    return [[tokens]]


def _branches(tokens: Tokens) -> list[list[Tokens]]:
    """Those of `condition ? one : other`."""
    begin, depth, conditions = 0, 0, 0
    for i, token in enumerate(tokens):
        depth += token.is_one_of("( [ {") - token.is_one_of(") ] }")
        if depth == 0 and token.is_one_of("? :"):
            conditions += 1 if token.text == "?" else -1
            if token.text == "?" and conditions == 1:
                begin = i + 1
            elif conditions == 0:
                return alternatives(tokens[begin:i]) + alternatives(tokens[i + 1 :])
    return [[tokens]]


def _is_text(tokens: Tokens) -> bool:
    return tokens[0].text == "StrCat" or any(all(one.is_literal for one in part) for part in split_at(tokens, "? :"))


def _closes_at_the_end(tokens: Tokens, opening: int) -> bool:
    depth = 0
    for i, token in enumerate(tokens):
        depth += token.is_one_of("( [ {") - token.is_one_of(") ] }")
        if depth == 0 and i >= opening:
            return i == len(tokens) - 1
    return False


def _product(parts: list[list[Token]]) -> list[list[Tokens]]:
    return [list(itertools.chain(*chosen)) for chosen in itertools.product(*map(alternatives, parts))]


def lone_words(tokens: Tokens) -> set[str]:
    """The variables that are parts of the text on their own."""
    return {part[0].text for parts in alternatives(tokens) for part in parts if len(part) == 1 and part[0].is_word}


class Sources:
    """Some files, given as a map of paths to texts."""

    def __init__(self, texts: Mapping[str, str]) -> None:
        self.files = [Source(path, text) for path, text in texts.items()]
        self.other_fails = {file.stem for file in self.files if file.path != "base/result.h" and file.declares("Fail")}
        self.constants = {name: texts for file in self.files for name, texts in self._constants(file)}

    def messages(self) -> list[Message]:
        found: dict[Message, None] = {}
        self.read: set[int] = set()  # the identities of the tokens of codes that were found
        for file in self.files:
            for i in range(len(file.tokens)):
                made = self._error_at(file, i)
                if made is not None:
                    found |= dict.fromkeys(self._messages(file, i, made, 0))
        return sorted(found, key=lambda message: (message.path, message.line, message.text))

    def unread(self) -> list[str]:
        """The places of codes that are neither compared nor those of the errors that messages() found."""
        return [
            f"{file.path}:{file.tokens[i].line}"
            for file in self.files
            for i in file.places.get("ErrorCode", [])
            if file.is_at(i + 1, "::") and id(file.tokens[i]) not in self.read and not self._is_only_read(file, i)
        ]

    @staticmethod
    def _is_only_read(file: Source, i: int) -> bool:
        while file.is_at(i - 1, "::") and file.is_word(i - 2):
            i -= 2
        if file.is_at(i - 1, "return"):
            return any(function.returns == "ErrorCode" for function in file.around(i)[:1])
        compared = file.is_at(i - 1, "=") and file.is_at(i - 2, "= !")
        return compared or file.is_at(i - 1, "case") or (file.is_at(i - 1, "(") and file.is_at(i - 2, "ExitCode"))

    @staticmethod
    def _constants(file: Source) -> Iterator[tuple[str, list[Token]]]:
        for i, token in enumerate(file.tokens):
            if token.is_literal or not re.fullmatch(r"k[A-Z]\w*", token.text):
                continue
            at = i + 3 if file.is_at(i + 1, "[") and file.is_at(i + 2, "]") else i + 1
            if file.is_at(at, "= {"):
                texts = list(itertools.takewhile(lambda one: one.is_literal, file.tokens[at + 1 : at + 20]))
                if texts:
                    yield token.text, texts

    def _error_at(self, file: Source, i: int) -> Made | None:
        """The error that begins at token `i`, if any."""
        token = file.tokens[i]
        if token.is_literal:
            return None
        if token.text == "Fail" and file.is_at(i + 1, "("):
            arguments = arguments_of(file.inside(i + 1))
            is_another = file.stem in self.other_fails and "ErrorCode" not in shown(arguments[0] if arguments else [])
            return None if is_another or file.path == "base/result.h" else self._fields(arguments)
        if token.text == "return" and any(CHECKS.fullmatch(one.name) for one in file.around(i)[:1]):
            value = file.until(i + 1, ";")
            return None if CHECKS.fullmatch(value[0].text) or not self._is_string(file, i) else Made(USAGE, value)
        if token.text == "sqlite3_result_error" and file.is_at(i + 1, "("):
            return Made(SQL, arguments_of(file.inside(i + 1))[1])
        if token.text == "message" and file.is_at(i - 1, ". ->") and file.is_at(i + 1, "="):
            designated = not file.is_word(i - 2) and not file.is_at(i - 2, ") ]")
            value = file.until(i + 2, ";")
            if not designated and all(one.text != "message" for one in value):
                return Made([Token("code", token.line)], value)
        if token.text == "{" or (token.text == "(" and file.is_at(i - 1, MAKERS)):
            return self._in_braces(file, i)
        return None

    @staticmethod
    def _is_string(file: Source, i: int) -> bool:
        """Returns whether the function around token `i` may return a text."""
        function = file.around(i)[0]
        return function.returns in ("std::string", "const auto") and file.is_at(function.first - 1, ") string")

    def _in_braces(self, file: Source, i: int) -> Made | None:
        arguments = arguments_of(file.inside(i))
        if not arguments:
            return None
        if [token.text for token in arguments[0][:2]] == [".", "code"]:
            named = {argument[1].text: argument[3:] for argument in arguments}
            return Made(named["code"], named["message"], named.get("hint", []))
        if file.is_at(i - 1, "return") and file.around(i):
            returns = file.around(i)[0].returns
            if re.search(r"(^|[ >])Error( |$)", returns):
                return self._fields(arguments)
            for carrier, (before, hint) in CARRIERS.items():
                if re.search(rf"(^|[ >]){carrier}( |$)", returns):
                    message = [*tokens_of(f'"{before}" + ('), *arguments[0], *tokens_of(")")]
                    return Made(USAGE, message, arguments[1] if len(arguments) > 1 else (), hint)
        code = re.fullmatch(r"(?:.*\?)?(?:ofindex::)?ErrorCode::k\w+(?::ErrorCode::k\w+)?|code", shown(arguments[0]))
        return self._fields(arguments) if code and len(arguments) > 1 else None

    @staticmethod
    def _fields(arguments: list[list[Token]]) -> Made:
        code, message, *more = arguments
        return Made(code, message, more[0] if more else [])

    def _messages(self, file: Source, i: int, made: Made, depth: int) -> Iterator[Message]:
        """The messages of an error at token `i`: its own, or those of the calls that pass it a part of the text."""
        around = file.around(i)
        for _ in range(3):
            made = made.replaced(self._locals(file, i, made))
        words = lone_words(made.message) | lone_words(made.hint) | lone_words(made.code)
        maker = next((function for function in around if words & function.texts), None)
        calls = list(self._calls(file, maker)) if maker is not None and depth < MAX_DEPTH else []
        is_whole = not calls
        for caller, at, arguments in calls:
            assert maker is not None
            given = dict(maker.parameters) | dict(zip(maker.parameters, arguments, strict=False))
            if any(self._is_told(caller, at, one) for name in words & maker.texts for one in given[name]):
                yield from self._messages(caller, at, made.replaced(given), depth + 1)
            else:
                is_whole = True
        self.read |= set(map(id, made.code))
        if is_whole:
            codes = frozenset(re.findall(r"ErrorCode::(\w+)", shown(made.code)))
            line = file.tokens[i].line
            for text, hint in itertools.product(self._texts(made.message), self._texts(made.hint)):
                if text:
                    yield Message(file.path, line, codes, text, hint or made.default)

    def _texts(self, tokens: Tokens) -> list[str]:
        """The texts that an expression may have, with variables in braces."""
        return ["".join(map(self._part, parts)) for parts in alternatives(replaced(tokens, self.constants))]

    @staticmethod
    def _part(tokens: Tokens) -> str:
        if tokens and all(token.is_literal for token in tokens):
            return "".join(token.text for token in tokens).replace('\\"', '"').replace("\\\\", "\\")
        if len(tokens) == 1 and tokens[0].text.startswith("'"):
            return tokens[0].text[1:-1]
        return "{" + shown(tokens) + "}" if tokens else ""

    @staticmethod
    def _is_told(file: Source, i: int, token: Token) -> bool:
        """Returns whether `token`, in a call at token `i`, tells more of a message than the name of a variable."""
        is_parameter = token.is_word and any(token.text in function.parameters for function in file.around(i))
        return token.is_literal or is_parameter or re.fullmatch(r"k[A-Z]\w*", token.text) is not None

    def _locals(self, file: Source, i: int, made: Made) -> dict[str, list[Token]]:
        """The values of the local variables that are parts of the texts, if each is set once."""
        functions = file.around(i)
        if not functions:
            return {}
        body = range(functions[-1].first, i)
        found: dict[str, list[Token]] = {}
        for name in lone_words(made.message) | lone_words(made.hint) | lone_words(made.code):
            places = [j for j in file.places.get(name, []) if j in body]
            sets = [j for j in places if file.is_at(j + 1, "= + (") and not file.is_at(j - 1, ". -> ::")]
            declared = [j for j in sets if file.is_word(j - 1) and not file.is_at(j - 1, "return")]
            if len(sets) == 1 and declared:
                j = sets[0]
                value = file.inside(j + 1) if file.is_at(j + 1, "(") else file.until(j + 2, ";")
                if any(one.is_literal or one.text in ("ErrorCode", "StrCat") for one in value):
                    found[name] = value
        return found

    def _calls(self, file: Source, maker: Function) -> Iterator[tuple[Source, int, list[list[Token]]]]:
        """The calls of `maker`, which `file` defines: anywhere if a header near it declares it, otherwise in `file`.

        Files elsewhere that have a function of that name call that one.
        """
        near = [one for one in self.files if one.folder == file.folder]
        is_shared = any(one.path.endswith(".h") and one.declares(maker.name) for one in near)
        for one in self.files if is_shared else [file]:
            if one.folder == file.folder or not one.declares(maker.name):
                yield from ((one, *call) for call in self._calls_in(one, maker))

    @staticmethod
    def _calls_in(file: Source, maker: Function) -> Iterator[tuple[int, list[list[Token]]]]:
        least = sum(not default for default in maker.parameters.values())
        for i in file.places.get(maker.name, []):
            if not file.is_at(i + 1, "(") or file.is_declaration(i):
                continue
            arguments = arguments_of(file.inside(i + 1))
            if least <= len(arguments) <= len(maker.parameters):
                yield i, arguments

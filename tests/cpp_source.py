"""Splits C++ sources into tokens and functions, without a compiler: enough for tests that read sources."""

from __future__ import annotations

import dataclasses
import itertools
import re
from collections.abc import Iterator, Sequence

TOKEN = re.compile(
    r"(?P<space>\s+|//[^\n]*|/\*.*?\*/|^[ \t]*\#(?:\\\n|[^\n])*)"
    r'|R"(?P<mark>\w*)\((?P<raw>.*?)\)(?P=mark)"'
    r'|"(?P<text>(?:\\.|[^"\\\n])*)"s?v?'
    r"|(?P<other>(?<![0-9a-fA-F])'(?:\\.|[^'\\\n])+'|\w[\w']*|::|->|\S)",
    re.DOTALL | re.MULTILINE,
)
#: Words before parentheses and a brace that open no function.
STATEMENTS = {"if", "for", "while", "switch", "catch", "return", "sizeof", "decltype", "noexcept", "constexpr"}
#: What may stand between the parameters of a function and its body.
AFTER_PARAMETERS = re.compile(r"->|::|[<>&*,]|(?!(?:return|else|do)$)[A-Za-z_]\w*")

#: Types of the fields of an error.
TEXT = re.compile(r"\bstring\b|\bstring_view\b|\bchar\b|\bHint\b|\bErrorCode\b|\bauto\b")


@dataclasses.dataclass(frozen=True)
class Token:
    text: str  # that of a string literal is without its quotes
    line: int
    is_literal: bool = False

    def is_one_of(self, marks: str) -> bool:
        return not self.is_literal and self.text in marks.split()

    @property
    def is_word(self) -> bool:
        return not self.is_literal and self.text.isidentifier()


Tokens = Sequence[Token]


@dataclasses.dataclass(frozen=True)
class Function:
    """A function or a named lambda. `returns` is its type and the class around its name, if it has any."""

    name: str
    first: int  # the index of the brace that opens its body
    last: int
    parameters: dict[str, list[Token]]  # names and default values
    texts: frozenset[str]  # the parameters that may be parts of an error
    returns: str


def tokens_of(source: str) -> list[Token]:
    found, line = [], 1
    for match in TOKEN.finditer(source):
        if match["other"] is not None:
            found.append(Token(match["other"], line))
        elif match["space"] is None:
            found.append(Token(match["text"] if match["raw"] is None else match["raw"], line, is_literal=True))
        line += match.group().count("\n")
    return found


def split_at(tokens: Tokens, marks: str) -> list[list[Token]]:
    """Splits at those of `marks` that no bracket encloses."""
    parts: list[list[Token]] = [[]]
    depth = 0
    for token in tokens:
        depth += token.is_one_of("( [ {") - token.is_one_of(") ] }")
        if depth == 0 and token.is_one_of(marks):
            parts.append([])
        else:
            parts[-1].append(token)
    return parts


def arguments_of(tokens: Tokens) -> list[list[Token]]:
    return [part for part in split_at(tokens, ",") if part]


def shown(tokens: Tokens) -> str:
    words = [f'"{token.text}"' if token.is_literal else token.text for token in tokens]
    spaced = itertools.pairwise(words)
    return "".join([f"{a} " if a[-1:].isalnum() and b[:1].isalnum() else a for a, b in spaced] + words[-1:])


class Source:
    """The tokens and functions of one file."""

    def __init__(self, path: str, text: str) -> None:
        self.path = path
        self.tokens = tokens_of(text)
        self.partner = self._partners()  # the index of each bracket -> that of its partner
        self.functions = list(self._functions())
        self.places: dict[str, list[int]] = {}  # word -> the indices of its tokens
        for i, token in enumerate(self.tokens):
            if token.is_word:
                self.places.setdefault(token.text, []).append(i)

    def is_at(self, i: int, marks: str) -> bool:
        return 0 <= i < len(self.tokens) and self.tokens[i].is_one_of(marks)

    def is_word(self, i: int) -> bool:
        return 0 <= i < len(self.tokens) and self.tokens[i].is_word

    @property
    def folder(self) -> str:
        return self.path.rpartition("/")[0]

    @property
    def stem(self) -> str:
        return self.path.rpartition(".")[0]

    def declares(self, name: str) -> bool:
        return any(self.is_at(i + 1, "(") and self.is_declaration(i) for i in self.places.get(name, []))

    def is_declaration(self, i: int) -> bool:
        """Returns whether the name at token `i`, which parentheses follow, is declared there and not called."""
        while self.is_at(i - 1, "::") and self.is_word(i - 2):
            i -= 2
        return self.is_at(i - 1, "> & *") or (self.is_word(i - 1) and not self.is_at(i - 1, "return else do"))

    def inside(self, opening: int) -> list[Token]:
        return self.tokens[opening + 1 : self.partner.get(opening, opening)]

    def until(self, begin: int, marks: str) -> list[Token]:
        """The tokens from `begin` to the first of `marks` that no bracket encloses."""
        return split_at(self.tokens[begin : begin + 200], marks)[0]

    def around(self, i: int) -> list[Function]:
        """The functions and lambdas around token `i`, innermost first."""
        return sorted((f for f in self.functions if f.first < i < f.last), key=lambda f: -f.first)

    def _partners(self) -> dict[int, int]:
        pairs: dict[int, int] = {}
        opened: list[int] = []
        for i, token in enumerate(self.tokens):
            if token.is_one_of("( [ {"):
                opened.append(i)
            elif token.is_one_of(") ] }") and opened:
                pairs[i] = opened.pop()
                pairs[pairs[i]] = i
        return pairs

    def _functions(self) -> Iterator[Function]:
        for i, token in enumerate(self.tokens):
            if not token.is_one_of("{") or i not in self.partner:
                continue
            end = i - 1
            while end >= 0 and not self.tokens[end].is_literal and AFTER_PARAMETERS.fullmatch(self.tokens[end].text):
                end -= 1
            if not self.is_at(end, ")"):
                continue
            begin = self.partner[end]
            name_at = begin - 1
            if self.is_at(name_at, "]"):  # a lambda: name = [captures](parameters)
                name_at = self.partner[name_at] - 2
                if not self.is_at(name_at + 1, "="):
                    continue
            name = self.tokens[name_at].text
            if self.is_word(name_at) and name not in STATEMENTS:
                declared = arguments_of(self.inside(begin))
                parameters = dict(map(self._parameter, declared))
                texts = {name for name, one in zip(parameters, declared, strict=False) if TEXT.search(shown(one))}
                yield Function(name, i, self.partner[i], parameters, frozenset(texts), self._type_before(name_at))

    def _type_before(self, name_at: int) -> str:
        begin = name_at
        while begin > 0 and not self.is_at(begin - 1, "; { } ] :"):
            begin -= 1
        return shown(self.tokens[begin:name_at])

    @staticmethod
    def _parameter(tokens: Tokens) -> tuple[str, list[Token]]:
        declared, *default = split_at(tokens, "=")
        return next((token.text for token in reversed(declared) if token.is_word), ""), default[0] if default else []

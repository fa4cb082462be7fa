#!/usr/bin/env python3
"""Names are unique: types in their namespace, and functions of the tests' headers among those of the engine.

C++ treats two such types as one (the one-definition rule): the linker keeps the functions of either. Neither the
compiler nor the linker reports two definitions in different files.
"""

from __future__ import annotations

import collections
import pathlib
import re
import unittest
from collections.abc import Callable, Iterable, Iterator, Mapping

ROOT = pathlib.Path(__file__).resolve().parent.parent
FOLDERS = ("base", "proto", "mmap", "index", "query", "include", "library", "tools", "python/src")

# Everything that is not code: comments, string and character literals, preprocessor lines.
NOT_CODE = re.compile(
    r"//[^\n]*"
    r"|/\*.*?\*/"
    r'|R"(\w*)\(.*?\)\1"'
    r'|"(?:\\.|[^"\\\n])*"'
    r"|(?<![0-9a-fA-F])'(?:\\.|[^'\\\n])+'"
    r"|^[ \t]*#(?:\\\n|[^\n])*",
    re.DOTALL | re.MULTILINE,
)

# An opening brace, with the namespace or type that it opens, if any; or a closing brace.
BRACE = re.compile(
    r"\bnamespace\s*(?P<namespace>(?:\w|::)*)\s*\{"
    r"|\b(?:class|struct|union|enum(?:\s+(?:class|struct))?)\s+(?:alignas\([^)]*\)\s*|\[\[[^\]]*\]\]\s*)*"
    r"(?P<type>(?:\w+::)*\w+)(?:\s+final)?\s*(?::(?!:)[^;{}()]*)?\{"
    r"|\{|\}"
)


def types_of(source: str) -> Iterator[str]:
    """The types that `source` defines with external linkage, with their namespaces."""
    scopes: list[str | None] = []  # None: a function, or another scope that hides its types
    for brace in BRACE.finditer(NOT_CODE.sub(" ", source)):
        if brace.group() == "}":
            scopes = scopes[:-1]
        elif brace["namespace"] is not None:
            scopes.append(brace["namespace"] or None)
        else:
            scopes.append(brace["type"])
            if None not in scopes:
                yield "::".join(scope for scope in scopes if scope)


def defined_twice(sources: Mapping[str, str], names_of: Callable[[str], Iterable[str]]) -> list[str]:
    """The names that `names_of` finds in two of `sources`, which maps paths to texts."""
    files = collections.defaultdict(list)
    for path, source in sources.items():
        for name in names_of(source):
            files[name].append(path)
    return [f"{name}: defined in {' and in '.join(paths)}" for name, paths in sorted(files.items()) if len(paths) > 1]


# A function that is declared or defined at the beginning of a line, as all are in a header's namespace.
FUNCTION = re.compile(r"^(?:\[\[nodiscard\]\] )?(?=\w)[\w:<>,&* ]+[ &*](\w+)(\([^()]*)\)", re.MULTILINE)


def functions_of(header: str) -> set[str]:
    """The functions at namespace scope in `header`, with the types of their parameters, without namespaces."""
    found = FUNCTION.findall(NOT_CODE.sub(" ", header))
    return {name + re.sub(r"\s*\w+(?=,|$)", "", parameters) + ")" for name, parameters in found}


def texts_in(folders: Iterable[str], suffixes: set[str]) -> dict[str, str]:
    """Maps the paths of the files in `folders` to their texts."""
    return {
        str(path.relative_to(ROOT)): path.read_text()
        for folder in folders
        for path in sorted((ROOT / folder).rglob("*"))
        if path.suffix in suffixes
    }


class NamesTest(unittest.TestCase):
    def test_no_helper_of_the_tests_has_the_name_and_parameters_of_another_function(self) -> None:
        """Two such inline functions are one to the linker, even if they return different types."""
        headers = texts_in((*FOLDERS[:5], "tests"), {".h"})
        self.assertGreater(sum(len(functions_of(header)) for header in headers.values()), 500)
        self.assertEqual([fault for fault in defined_twice(headers, functions_of) if " tests/" in fault], [])

    def test_functions_are_found_in_declarations_and_definitions(self) -> None:
        header = (
            "[[nodiscard]] Result<A> B(int c,\n const D& e);\ninline std::vector<D> E() {\n  return F(g);\n}\n"
            "// int H();\nI& J(K k);"
        )
        self.assertEqual(functions_of(header), {"B(int,\n const D&)", "E()", "J(K)"})
        headers = {"1.h": "A B(C d);", "2.h": "E B(C f) {}", "3.h": "A B(G h);"}
        self.assertEqual(defined_twice(headers, functions_of), ["B(C): defined in 1.h and in 2.h"])

    def test_every_type_is_defined_once(self) -> None:
        sources = texts_in(FOLDERS, {".h", ".cc"})
        self.assertGreater(sum(len(list(types_of(source))) for source in sources.values()), 300)
        self.assertEqual(defined_twice(sources, types_of), [])

    def test_two_types_with_external_linkage_and_the_same_name_are_found(self) -> None:
        for source in (
            "namespace a { class B {}; }",
            "namespace a { struct B final : public C<D> { int e; }; }",
            "namespace a { template <typename T> class B : C { }; }",
            "namespace a { enum class B : uint8_t { kC }; }",
            "namespace a {\n// class F {\nstruct [[nodiscard]] B {};\n}",
            "namespace a { void F() { if (g) { } } class B {}; }",
            "namespace a { const char* f = \"{\"; const char g = '{'; class B {}; }",
            'namespace a {\n#define F {\nconst char* g = R"({)"; class B {}; }',
            "namespace { int f; } namespace a { class B { }; }",
        ):
            with self.subTest(source=source):
                found = defined_twice({"1.h": source, "2.h": source}, types_of)
                self.assertEqual(found, ["a::B: defined in 1.h and in 2.h"])

    def test_a_type_with_internal_linkage_is_ignored(self) -> None:
        for source in (
            "namespace a { namespace { class B {}; } }",
            "namespace a { void F() { struct B { int c; }; } }",
            "namespace a { class B; enum class C; }",
            "namespace a { class B* F(class C& d); }",
        ):
            with self.subTest(source=source):
                self.assertEqual(list(types_of(source)), [])

    def test_the_same_name_in_two_namespaces_is_allowed(self) -> None:
        sources = {"1": "namespace a { class B {}; }", "2": "namespace c { class B {}; }"}
        self.assertEqual(defined_twice(sources, types_of), [])


if __name__ == "__main__":
    unittest.main()

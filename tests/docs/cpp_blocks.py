"""The `cpp` blocks of a document: together they are the body of one function, and `// prints: ` gives their output.

The blocks of a document share one scope, in document order. Their #include lines are moved to the top of the program.
A comment `// prints: X` means that the next line of standard output is X.
"""

from __future__ import annotations

import re

from docs.blocks import blocks

PRINTS = re.compile(r"// prints: (.*)$", re.MULTILINE)


def code_of(text: str) -> str:
    """The content of all `cpp` blocks of the document `text`."""
    return "\n".join("\n".join(block.lines) for block in blocks(text) if block.language == "cpp")


def program_of(documents: list[str]) -> str:
    """The text of a program that runs the blocks of one of `documents`, whose index is the program's argument."""
    codes = [code_of(text) for text in documents]
    lines = [line for code in codes for line in code.splitlines()]
    included = sorted({line for line in lines if line.startswith("#include ")} | {"#include <cstdlib>"})
    functions = []
    for number, code in enumerate(codes):
        body = "\n".join(line for line in code.splitlines() if not line.startswith("#include "))
        functions.append(f"int Document{number}() {{\n{body}\nreturn 0;\n}}\n")
    cases = "".join(f"case {number}: return Document{number}();\n" for number in range(len(codes)))
    main = f"int main(int, char** argv) {{ switch (std::atoi(argv[1])) {{ {cases} default: return 2; }} }}\n"
    return "\n".join(included) + "\n" + "".join(functions) + main


def printed_by(text: str) -> list[str]:
    """The lines that the blocks of a document are expected to print; `text` is its content."""
    return PRINTS.findall(code_of(text))

"""Manual pages of the command as pages of the site, in reStructuredText."""

from __future__ import annotations

import re
from collections.abc import Iterator

#: What tools/help/man_page.cc escapes.
CHARACTERS = {"\\e": "\\", "\\-": "-", "\\&": "", "\\(aq": "'", "\\(ha": "^", "\\(ti": "~"}
ESCAPE = re.compile(r"\\\((?:aq|ha|ti)|\\[e&-]")
SHARED = ("EXIT STATUS", "ENVIRONMENT")  # the same in all manual pages, so shown in that of the command alone
BOLD, ITALIC = "\\fB", "\\fI"


def plain(text: str) -> str:
    """`text` of a manual page, without fonts."""
    return ESCAPE.sub(lambda found: CHARACTERS[found[0]], re.sub(r"\\f[BIR]", "", text))


def quoted(text: str) -> str:
    """`text` such that reStructuredText sees no markup in it."""
    return re.sub(r"([\\*`|_<>])", r"\\\1", text)


def inline(text: str) -> str:
    """`text` of a manual page with its fonts as markup: bold is code, italic stays."""
    out = []
    for font, piece in re.findall(r"(\\f[BI]|)((?:(?!\\f[BIR]).)+)(?:\\fR)?", text, re.DOTALL):
        words = plain(piece)
        if font == BOLD:
            out.append(f":command:`{quoted(words)}`\\ ")
        elif font == ITALIC:
            out.append(f"*{quoted(words)}*\\ ")
        else:
            out.append(quoted(words))
    return "".join(out).removesuffix("\\ ")


def sections(manual: str) -> Iterator[tuple[str, list[tuple[str, str]]]]:
    """The sections of a manual page: title, and its paragraphs as pairs of a term ("" if it has none) and a text."""
    for section in re.split(r"^\.SH ", manual, flags=re.MULTILINE)[1:]:
        title, _, body = section.partition("\n")
        paragraphs = []
        for kind, text in re.findall(r"^\.(PP|TP)\n(.*?)(?=^\.[PT]P$|\Z)", ".PP\n" + body, re.MULTILINE | re.DOTALL):
            term, _, rest = text.partition("\n") if kind == "TP" else ("", "", text)
            if term or rest.strip():
                paragraphs.append((term, rest.strip()))
        yield title, paragraphs


def indented(text: str) -> str:
    return "".join(f"   {line}\n" for line in text.splitlines())


def see_also(text: str) -> str:
    """The pages that a manual page names, as links."""
    return ", ".join(f":doc:`{name}`" for name in re.findall(r"([\w-]+)\(1\)", plain(text)))


def items(title: str, paragraphs: list[tuple[str, str]]) -> Iterator[str]:
    for term, text in paragraphs:
        if title == "SYNOPSIS":
            yield f".. code-block:: text\n\n{indented(plain(text))}"
        elif title == "SEE ALSO":
            yield f"{see_also(text)}. Exit codes and environment variables are the same for all verbs: :doc:`ofindex`."
        elif title == "EXAMPLES":
            yield f"{inline(text)}:\n\n.. code-block:: sh\n\n{indented(plain(term))}"
        elif title == "VERBS":
            yield f":doc:`ofindex-{plain(term)}`\n{indented(inline(text))}"
        elif term.startswith("\\fB\\-"):
            yield f".. option:: {plain(term)}\n\n{indented(inline(text))}"
        elif term:
            yield f"{inline(term)}\n{indented(inline(text))}"
        else:
            yield inline(text)


def page_of(manual: str) -> str:
    """A page with what `manual`, the text of a manual page, says."""
    found = dict(sections(manual))
    name, _, summary = plain(found.pop("NAME")[0][1]).partition(" - ")
    out = [f"{name}\n{'=' * len(name)}", f"{quoted(summary)}.", f".. program:: {name.replace('-', ' ', 1)}"]
    for title, paragraphs in found.items():
        if title in SHARED and name != "ofindex":
            continue
        if title == "DESCRIPTION":
            paragraphs = paragraphs[1:]  # the first one repeats the summary
        if paragraphs:
            out += [f"{title.capitalize()}\n{'-' * len(title)}", *items(title, paragraphs)]
    return "\n\n".join(out) + "\n"

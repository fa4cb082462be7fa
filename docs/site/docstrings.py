"""The docstrings of the package as Sphinx expects them, and links to its public names."""

from __future__ import annotations

import inspect
import re
from typing import Any

import ofindex
from docutils import nodes
from sphinx import addnodes
from sphinx.application import Sphinx
from sphinx.util.inspect import stringify_signature
from sphinx.util.typing import ExtensionMetadata

_SECTION = re.compile(r"(Raises|Returns|Yields)(?: (\([^)]*\)))?:$")
_NAME = r"`?\w+(?:Error|Exception|Warning|StopIteration)`?"
_RAISED = re.compile(rf"(?:^|(?<=[.;] ))({_NAME}(?:(?:, | or ){_NAME})*)(?: (\([^)]*\)))?: ")
#: Types that numpy's aliases stand for, in the order of replacement -> these aliases.
_ALIASES = {
    r"~numpy\._typing\._array_like\._Buffer .*?_NestedSequence\[complex \| bytes \| str\]": "~numpy.typing.ArrayLike",
    r"~numpy\.ndarray\[tuple\[~typing\.Any, \.\.\.\], ~numpy\.dtype\[([^\]]*)\]\]": r"~numpy.typing.NDArray[\1]",
}


def with_aliases(signature: str) -> str:
    for types, alias in _ALIASES.items():
        signature = re.sub(types, alias, signature)
    return signature


def raised(text: str, when: str = "") -> list[str]:
    """The fields for `text`, which lists exceptions: `A: if this. B, C: if that.` All are raised `when`, if given."""
    start = _RAISED.match(text)
    if start is None:
        return [f":raises: {text}"]
    found = list(_RAISED.finditer(text))
    ends = [*(after.start() for after in found[1:]), len(text)]
    fields = []
    for one, end in zip(found, ends, strict=True):
        names = re.sub(" or ", ", ", one[1]).replace("`", "").split(", ")
        why = " ".join(filter(None, [when, one[2], text[one.end() : end].strip()]))
        fields += [f":raises {name}: {why}" for name in names]
    return fields


def rewritten(lines: list[str]) -> list[str]:
    """The lines of a docstring with what is returned and raised as fields, whatever colons are in the sentences."""
    out: list[str] = []
    lines = list(lines)
    while lines:
        line = lines.pop(0)
        section = _SECTION.match(line)
        if section is None:
            out.append(line)
            continue
        body = []
        while lines and (not lines[0].strip() or lines[0].startswith(" ")):
            body.append(lines.pop(0).strip())
        text = " ".join(filter(None, body))
        out += [
            "",
            *(raised(text, section[2] or "") if section[1] == "Raises" else [f":{section[1].lower()}: {text}"]),
            "",
        ]
    return out


def _rewrite(app: Sphinx, what: str, name: str, obj: Any, options: Any, lines: list[str]) -> None:
    lines[:] = rewritten(lines)
    if what in ("attribute", "data", "property"):
        lines.insert(0, "")  # napoleon takes what is left of a colon in the first line for the type


def _sign(app: Sphinx, what: str, name: str, obj: Any, options: Any, signature: str | None, returns: str | None) -> Any:
    """The signature of a class whose base belongs to a missing framework, and of methods shared by several classes."""
    if what == "class" and re.fullmatch(r"\(\*args: \S*Any, \*\*kwargs: \S*Any\)", signature or ""):
        if "__init__" not in vars(obj):
            return "", None
        arguments = inspect.signature(obj.__init__)
        own = list(arguments.parameters.values())[1:]
        return stringify_signature(arguments.replace(parameters=own, return_annotation=inspect.Signature.empty)), None
    if signature and what == "method":
        signature = re.sub(r"^\(self(?:, )?", "(", signature)  # as the extension writes it
    returned = returns and with_aliases(returns).replace("_RecordsT", name.split(".")[-2])
    return signature and with_aliases(signature), returned


def _resolve(app: Sphinx, doctree: nodes.document) -> None:
    """Lets names of `ofindex` mean these, also in its modules, unless a module has a public one of the same name."""
    for node in doctree.findall(addnodes.pending_xref):
        head = node.get("reftarget", "").partition(".")[0]
        if node.get("refdomain") != "py" or head not in ofindex.__all__:
            continue
        module = node.get("py:module") or "ofindex"
        own = module != "ofindex" and head in getattr(__import__(module, fromlist=["_"]), "__all__", ())
        node["reftarget"] = f"{module if own else 'ofindex'}.{node['reftarget']}"


def setup(app: Sphinx) -> ExtensionMetadata:
    app.setup_extension("sphinx.ext.autodoc")
    app.connect("autodoc-process-docstring", _rewrite, priority=100)  # ahead of napoleon
    app.connect("autodoc-process-signature", _sign)
    app.connect("doctree-read", _resolve)
    return {"parallel_read_safe": True, "parallel_write_safe": True}

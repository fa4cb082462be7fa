"""Reads an HTML page strictly, with Python's parser: what is open is closed in order, and nothing runs or is loaded."""

from __future__ import annotations

from dataclasses import dataclass, field
from html.parser import HTMLParser

VOID = {"meta", "img", "wbr"}
ELEMENTS = {
    *VOID,
    *(
        "html",
        "head",
        "title",
        "style",
        "body",
        "header",
        "nav",
        "main",
        "section",
        "article",
        "footer",
        "h1",
        "h2",
        "h3",
    ),
    *("p", "ul", "li", "dl", "dt", "dd", "div", "span", "a", "b", "bdi", "code", "small", "details", "summary"),
    *("table", "caption", "thead", "tbody", "tr", "th", "td", "figure", "figcaption", "svg", "rect", "polyline"),
}
ATTRIBUTES = {
    *(
        "lang",
        "charset",
        "http-equiv",
        "content",
        "name",
        "id",
        "class",
        "href",
        "src",
        "alt",
        "title",
        "width",
        "height",
    ),
    *(
        "scope",
        "role",
        "aria-label",
        "aria-hidden",
        "viewbox",
        "preserveaspectratio",
        "x",
        "y",
        "points",
        "vector-effect",
    ),
}
IMAGES = tuple(f"data:image/{kind};base64," for kind in ("jpeg", "png", "gif", "webp", "bmp"))


@dataclass
class Element:
    name: str
    attributes: dict[str, str]
    texts: list[str] = field(default_factory=list)
    children: list[Element] = field(default_factory=list)

    @property
    def text(self) -> str:
        """The text of this element and of those in it."""
        return "".join(self.texts)

    def all(self, name: str, **attributes: str) -> list[Element]:
        """The elements of that name in this one; `class_` is the attribute class."""
        wanted = {key.rstrip("_"): value for key, value in attributes.items()}
        found = []
        for child in self.children:
            if child.name == name and all(child.attributes.get(key) == value for key, value in wanted.items()):
                found.append(child)
            found += child.all(name, **attributes)
        return found


class _Parser(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.root = Element("", {})
        self.open = [self.root]
        self.faults: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        attributes = {name: value or "" for name, value in attrs}
        if tag not in ELEMENTS:
            self.faults.append(f"element {tag}")
        for name, value in attributes.items():
            if name not in ATTRIBUTES:
                self.faults.append(f"attribute {name}")
            if name == "src" and not value.startswith(IMAGES):
                self.faults.append(f"source {value[:60]!r}")
            if name == "href" and not value.startswith("#"):
                self.faults.append(f"link {value[:60]!r}")
        element = Element(tag, attributes)
        self.open[-1].children.append(element)
        if tag not in VOID:
            self.open.append(element)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.faults.append(f"element {tag} with a slash")

    def handle_endtag(self, tag: str) -> None:
        if self.open[-1].name != tag:
            self.faults.append(f"end of {tag} in {self.open[-1].name}")
        else:
            self.open.pop()

    def handle_data(self, data: str) -> None:
        for element in self.open:
            element.texts.append(data)

    def handle_comment(self, data: str) -> None:
        self.faults.append("comment")

    def unknown_decl(self, data: str) -> None:
        self.faults.append("declaration")

    def handle_pi(self, data: str) -> None:
        self.faults.append("processing instruction")


def read_page(data: bytes) -> tuple[Element, list[str]]:
    """The page, and what is wrong with it: also duplicate ids, links to nowhere, and style that loads something."""
    parser = _Parser()
    text = data.decode("utf-8")
    parser.feed(text)
    parser.close()
    root = parser.root
    if len(parser.open) != 1:
        parser.faults.append(f"{parser.open[-1].name} is not closed")
    named: list[str] = []
    links: list[str] = []

    def collect(element: Element) -> None:
        if "id" in element.attributes:
            named.append(element.attributes["id"])
        if "href" in element.attributes:
            links.append(element.attributes["href"][1:])
        for child in element.children:
            collect(child)

    collect(root)
    parser.faults += [f"id {name} twice" for name in set(named) if named.count(name) > 1]
    parser.faults += [f"link to {link}" for link in set(links) - set(named)]
    parser.faults += [
        f"style has {word}" for style in root.all("style") for word in ("url(", "@import") if word in style.text
    ]
    parser.faults += [
        f"character {ord(c):#x}" for c in set(text) if (ord(c) < 32 and c != "\n") or 0x7F <= ord(c) < 0xA0
    ]
    return root, parser.faults

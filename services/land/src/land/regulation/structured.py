"""The structured regulation of the national standard, level 1 (XML of 2022, JSON of 2026), as lines with headings.

Files in use break their own schema: lists are written as texts, zones are empty, sections are out of order. They are
read as far as they can be. What JSON holds becomes elements as of XML, so that both are read in one way.
"""

import json
import re
from collections.abc import Iterator, Mapping
from html import unescape
from xml.etree import ElementTree

from land.regulation.documents import Line, UnreadableDocument

_BLOCKS = frozenset({"p", "li", "div", "tr", "h1", "h2", "h3", "h4", "h5", "h6", "ul", "ol", "table", "br"})
_BREAKS = {"li": "\n- ", "img": "\n[image]\n", "td": " ", "th": " ", **dict.fromkeys(_BLOCKS - {"li"}, "\n")}
_CHILDREN = {"contenu": "contenu", "titre": "titre", "titres": "titre", "html": "", "children": ""}
"""The fields of an object in JSON that hold others, and the name of these; without a name, they have a tag."""


def read_json(content: bytes) -> tuple[Line, ...]:
    """Returns the lines of a structured regulation in JSON. Raises UnreadableDocument."""
    try:
        root = _element({"titre": json.loads(content)}, "root")
    except (ValueError, RecursionError) as error:
        raise UnreadableDocument(f"JSON that cannot be read: {error}") from error
    return _lines(root, "JSON")


def read_xml(content: bytes) -> tuple[Line, ...]:
    """Returns the lines of a structured regulation in XML. Raises UnreadableDocument."""
    if b"<!ENTITY" in content[:20_000]:
        raise UnreadableDocument("XML with entities of its own")
    try:
        root = ElementTree.fromstring(content)  # noqa: S314 - entities are refused above
    except ElementTree.ParseError as error:
        raise UnreadableDocument(f"XML that cannot be read: {error}") from error
    for element in root.iter():
        element.tag = str(element.tag).rpartition("}")[2].lower()
        element.text, element.tail = (re.sub(r"\s+", " ", text or "") for text in (element.text, element.tail))
    return _lines(root, "XML")


def _element(fields: Mapping[str, object], tag: str) -> ElementTree.Element:
    heading = " ".join(str(fields[key]) for key in ("numero", "intitule") if fields.get(key))
    element = ElementTree.Element(tag, {"intitule": heading, "idZone": str(fields.get("idZone") or "")})
    element.text = unescape(str(fields.get("text") or ""))
    children = ((child, name) for field, name in _CHILDREN.items() for child in _list(fields.get(field)))
    element.extend(_element(one, name or str(one.get("tag", ""))) for one, name in children if isinstance(one, Mapping))
    return element


def _list(value: object) -> list[object]:
    """Returns a list, also one that is written as a text; a value alone is a list of one."""
    parsed = json.loads(value) if isinstance(value, str) and value.startswith(("[", "{")) else value
    return parsed if isinstance(parsed, list) else [parsed]


def _lines(root: ElementTree.Element, form: str) -> tuple[Line, ...]:
    lines = tuple(_of_title(root, 0, ()))
    if not any(line.level for line in lines):
        raise UnreadableDocument(f"{form} without titles of a regulation")
    return lines


def _of_title(element: ElementTree.Element, depth: int, outer: tuple[str, ...]) -> Iterator[Line]:
    zones, heading = _zones(element) or outer, element.get("intitule", "").strip()
    if heading:
        yield Line(heading, 0, max(depth, 1), zones)
    for child in element:
        if child.tag == "titre":
            yield from _of_title(child, depth + 1, zones)
        elif child.tag == "contenu":
            own = _zones(child) or zones
            texts = (" ".join(line.split()) for line in _text(child).split("\n") if line.strip(" -"))
            yield from (Line(text, 0, 0, own) for text in texts if text.lower() != heading.lower())


def _zones(element: ElementTree.Element) -> tuple[str, ...]:
    return tuple(re.findall(r"[^\s,;|\[\]\"']+", element.get("idZone", "")))


def _text(element: ElementTree.Element) -> str:
    inside = (element.text or "", *(_text(child) + (child.tail or "") for child in element))
    return "".join((_BREAKS.get(element.tag, ""), *inside, "\n" if element.tag in _BLOCKS else ""))

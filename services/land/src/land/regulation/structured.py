"""The structured regulation of the national standard, level 1 (XML of 2022, JSON of 2026), as lines with headings.

Files in use break their own schema: lists are written as texts, zones are empty, sections are out of order. They are
read as far as they can be.
"""

import json
import re
from collections.abc import Iterator, Mapping
from html import unescape
from xml.etree import ElementTree

from land.regulation.documents import Line, UnreadableDocument

_BLOCKS = frozenset({"p", "li", "div", "tr", "h1", "h2", "h3", "h4", "h5", "h6", "ul", "ol", "table", "br"})
_ZONE_SEPARATORS = re.compile(r"[\s,;|\[\]\"]+")


def read_json(content: bytes) -> tuple[Line, ...]:
    """Returns the lines of a structured regulation in JSON. Raises UnreadableDocument."""
    try:
        tree = json.loads(content)
    except ValueError as error:
        raise UnreadableDocument(f"JSON that cannot be read: {error}") from error
    lines = tuple(line for root in (tree if isinstance(tree, list) else [tree]) for line in _json_title(root, 0, ()))
    if not lines:
        raise UnreadableDocument("JSON without titles of a regulation")
    return lines


def _json_title(title: object, depth: int, outer: tuple[str, ...]) -> Iterator[Line]:
    if not isinstance(title, Mapping):
        return
    zones = _zones(title.get("idZone")) or outer
    if title.get("intitule"):
        yield Line(
            " ".join(str(title[key]) for key in ("numero", "intitule") if title.get(key)), 0, max(depth, 1), zones
        )
    for part in _list(title.get("contenu")):
        if isinstance(part, Mapping):
            part_zones = _zones(part.get("idZone")) or zones
            yield from (Line(text, 0, 0, part_zones) for text in _html_lines(_list(part.get("html"))))
    for part in _list(title.get("titre") or title.get("titres")):
        yield from _json_title(part, depth + 1, zones)


def _list(value: object) -> list[object]:
    if isinstance(value, str):
        try:
            value = json.loads(value)
        except ValueError:
            return [value]
    return value if isinstance(value, list) else [] if value is None else [value]


def _zones(value: object) -> tuple[str, ...]:
    parts = [str(part) for part in value] if isinstance(value, list) else [str(value or "")]
    return tuple(zone for part in parts for zone in _ZONE_SEPARATORS.split(part) if zone)


def _html_lines(nodes: list[object]) -> Iterator[str]:
    for node in nodes:
        if isinstance(node, Mapping):
            tag = str(node.get("tag", ""))
            text = unescape(str(node.get("text") or "")).strip()
            children = list(_html_lines(_list(node.get("children"))))
            if tag in ("tr", "td", "th", "span", "b", "strong", "em", "i", "u") and children:
                text, children = " ".join(part for part in (text, *children) if part), []
            for number, part in enumerate(text.splitlines()):
                yield f"- {part}" if tag == "li" and not number and not part.startswith("-") else part
            if tag == "img":
                yield "[image]"
            yield from children


def read_xml(content: bytes) -> tuple[Line, ...]:
    """Returns the lines of a structured regulation in XML. Raises UnreadableDocument."""
    if b"<!ENTITY" in content[:20_000]:
        raise UnreadableDocument("XML with entities of its own")
    try:
        root = ElementTree.fromstring(content)  # noqa: S314 - entities are refused above
    except ElementTree.ParseError as error:
        raise UnreadableDocument(f"XML that cannot be read: {error}") from error
    lines = tuple(_xml_title(root, 0, ()))
    if not any(line.level for line in lines):
        raise UnreadableDocument("XML without titles of a regulation")
    return lines


def _name(element: ElementTree.Element) -> str:
    return element.tag.rpartition("}")[2].lower() if isinstance(element.tag, str) else ""


def _xml_title(element: ElementTree.Element, depth: int, outer: tuple[str, ...]) -> Iterator[Line]:
    zones = _zones(element.get("idZone")) or outer
    heading = element.get("intitule", "").strip()
    if heading:
        yield Line(heading, 0, depth, zones)
    for child in element:
        if _name(child) == "titre":
            yield from _xml_title(child, depth + 1, zones)
        elif _name(child) == "contenu":
            content_zones = _zones(child.get("idZone")) or zones
            for text in _xml_lines(child):
                if text.lower() != heading.lower():
                    yield Line(text, 0, 0, content_zones)


def _xml_lines(element: ElementTree.Element) -> Iterator[str]:
    parts: list[str] = []

    def walk(node: ElementTree.Element) -> None:
        name = _name(node)
        if name in _BLOCKS:
            parts.append("\n- " if name == "li" else "\n")
        if name == "img":
            parts.append("\n[image]\n")
        parts.append(re.sub(r"\s+", " ", node.text or ""))
        for child in node:
            walk(child)
            parts.append(re.sub(r"\s+", " ", child.tail or ""))
        if name in _BLOCKS:
            parts.append("\n")

    walk(element)
    yield from (" ".join(line.split()) for line in "".join(parts).split("\n") if line.strip(" -"))

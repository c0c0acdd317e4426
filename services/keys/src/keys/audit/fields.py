"""The changed fields of an audit entry in words and units. An unknown field or value keeps its raw form."""

from collections.abc import Callable, Mapping
from datetime import datetime
from decimal import Decimal, InvalidOperation
from typing import Any, NamedTuple

from keys.audit.sentences import WORDS, texts
from keys.values.clock import PARIS
from keys.values.records import Json
from servicekit.languages import Text

Format = Callable[[Json], Text]
NONE = Text("aucun", "none")


class Detail(NamedTuple):
    """A field in words. `old` is None if the entry only states a value."""

    name: str
    label: Text
    old: Text | None
    new: Text


def _same(value: object) -> Text:
    return Text(str(value), str(value))


def _raw(value: Json) -> Text:
    match value:
        case bool():
            return Text("oui", "yes") if value else Text("non", "no")
        case list():
            return _joined([_shown(_raw, item) for item in value], _COMMA)
        case {"fr": str(french), "en": str(english)}:
            return Text(french, english)
        case dict():
            return _joined([_NAMED.format(name=name, item=_shown(_raw, item)) for name, item in value.items()], _COMMA)
        case int():
            return numeral(value)
    return _same(value)


_COMMA = _same(", ")
_NAMED = _same("{name} {item}")


def _joined(parts: list[Text], sign: Text) -> Text:
    return Text(sign.fr.join(part.fr for part in parts), sign.en.join(part.en for part in parts))


def numeral(value: Json) -> Text:
    """A number or a decimal text: grouped thousands, and a decimal comma in French."""
    english = f"{Decimal(str(value)):,f}"
    return Text(english.replace(",", "\N{NARROW NO-BREAK SPACE}").replace(".", ","), english)


def _counted(french: str, english: str) -> Format:
    """A number of something. Both nouns are singular and form their plural with s."""

    def shown(value: Json) -> Text:
        count = abs(Decimal(str(value)))
        plurals = Text("s" if count >= 2 else "", "" if count == 1 else "s")  # noqa: PLR2004 (the French one starts at 2)
        return Text(f"{{n}} {french}{{s}}", f"{{n}} {english}{{s}}").format(n=numeral(value), s=plurals)

    return shown


def euros(value: Json) -> Text:
    return Text("{n} €", "€{n}").format(n=numeral(value))


def percent(value: Json) -> Text:
    return Text("{n} %", "{n}%").format(n=numeral(str((Decimal(str(value)) * 100).normalize())))


def _per_minute(value: Json) -> Text:
    return Text("{n} par minute", "{n} per minute").format(n=numeral(value))


def _instant(value: Json) -> Text:
    at = datetime.fromisoformat(str(value)).astimezone(PARIS)
    return Text(f"{at:%d/%m/%Y à %H:%M}", f"{at:%Y-%m-%d at %H:%M} (Paris)")


def _month(value: Json) -> Text:
    year, _, month = str(value).partition("-")
    return Text(f"{month}/{year}", str(value))


def _tiers(value: Any) -> Text:
    return _joined([_tier(tier["up_to"], tier["unit_price"]) for tier in value], Text(" ; ", "; "))


def _tier(up_to: Json, unit_price: Json) -> Text:
    price = euros(unit_price)
    if up_to is None:
        return Text("au-delà : {price}", "above: {price}").format(price=price)
    return Text("jusqu’à {n} : {price}", "up to {n}: {price}").format(n=numeral(up_to), price=price)


def _one_of(words: Mapping[str, Text]) -> Format:
    return lambda value: words.get(str(value), _same(value))


_FORMATS: Mapping[str, Format] = {
    "raw": _raw,
    "euros": euros,
    "percent": percent,
    "per_minute": _per_minute,
    "instant": _instant,
    "month": _month,
    "tiers": _tiers,
    "units": _counted("unité", "unit"),
    "requests": _counted("requête", "request"),
    "calls": _counted("appel", "call"),
    "tokens": _counted("jeton", "token"),
    "days": _counted("jour", "day"),
    **{name: _one_of(texts(words)) for name, words in WORDS["values"].items()},
}
FIELDS: Mapping[str, tuple[Text, Format]] = {
    field: (label, _FORMATS[form]) for form, labels in WORDS["fields"].items() for field, label in texts(labels).items()
}
_ALL_IF_EMPTY = {"scopes": Text("tous", "all"), "allowed_cidrs": Text("tous", "all")}
"""Lists that limit nothing while they are empty."""
_METADATA = "metadata."


def details(changes: Mapping[str, Json]) -> list[Detail]:
    """Returns each field of an entry, in the order of the log. A new value that is alone has no old one. The count of a
    refusal is in its sentence.
    """
    return [_detail(name, value) for name, value in changes.items() if name != "count"]


def _detail(name: str, value: Json) -> Detail:
    label, shown = FIELDS.get(name, (_label(name), _raw))
    if isinstance(value, dict) and value.keys() == {"old", "new"}:
        return Detail(name, label, _value(name, shown, value["old"]), _value(name, shown, value["new"]))
    return Detail(name, label, None, _value(name, shown, value))


def _label(name: str) -> Text:
    key = name.removeprefix(_METADATA)
    return Text(f"Métadonnée {key}", f"Metadata {key}") if name.startswith(_METADATA) else Text(name, name)


def _value(name: str, shown: Format, value: Json) -> Text:
    return _ALL_IF_EMPTY[name] if value == [] and name in _ALL_IF_EMPTY else _shown(shown, value)


def _shown(shown: Format, value: Json) -> Text:
    """Returns the raw form of a value that does not have the expected form, such as one that was erased."""
    if value is None or value in ("", [], {}):
        return NONE
    try:
        return shown(value)
    except (ValueError, KeyError, TypeError, InvalidOperation):
        return _raw(value)

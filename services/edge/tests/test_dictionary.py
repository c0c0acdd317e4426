"""The field dictionary has exactly what the API description and the answers need."""

from typing import Any

import pytest
from answer_schemas import checked, description
from running_edge import Edge
from test_descriptions import references

from contract.dictionary import dictionary
from contract.messages.schemas import IGNORED, members_of

NUMBERS = {"number", "integer"}
DICTIONARY = dictionary()
OBJECTS, FIELDS, OPERATIONS = DICTIONARY.objects, DICTIONARY.fields, DICTIONARY.operations
PARAMETERS, VALUES = DICTIONARY.parameters, DICTIONARY.values


def parameter_owners(full: Any) -> set[tuple[str, str]]:
    """The operations and bodies with each of their members."""
    owners = {
        (operation["operationId"], parameter["name"])
        for methods in full["paths"].values()
        for operation in methods.values()
        for parameter in operation["parameters"]
    }
    return owners | {
        (name, member)
        for name, schema in full["components"]["schemas"].items()
        if "description" not in schema  # a request
        for member, member_schema in schema["properties"].items()
        if IGNORED not in member_schema
    }


async def test_no_text_is_stale(edge: Edge) -> None:
    full = (await edge.client.get("/api/v1/openapi.json")).json()
    schemas = full["components"]["schemas"]
    assert set(OBJECTS) <= set(schemas)
    assert set(FIELDS) == {(name, member) for name in OBJECTS for member in members_of(schemas, name)}
    owners = parameter_owners(full)
    assert {owner for owner in PARAMETERS if owner[0] != "*"} <= owners
    assert {name for owner, name in PARAMETERS if owner == "*"} <= {name for _, name in owners}
    assert set(OPERATIONS) == {
        operation["operationId"] for methods in full["paths"].values() for operation in methods.values()
    }


async def test_every_number_of_an_answer_has_a_unit(edge: Edge) -> None:
    schemas = (await edge.client.get("/api/v1/openapi.json")).json()["components"]["schemas"]
    for name, member in FIELDS:
        kind = members_of(schemas, name)[member].get("type")
        kinds = {kind} if isinstance(kind, str) else set(kind or ())
        assert not kinds & NUMBERS or FIELDS[name, member].unit, f"{name}.{member} has no unit"


async def test_every_enumeration_of_an_answer_is_explained(edge: Edge) -> None:
    groups = {group for group, _ in VALUES}
    schemas = (await edge.client.get("/api/v1/openapi.json")).json()["components"]["schemas"]
    for name, member in FIELDS:
        schema = members_of(schemas, name)[member]
        explained = schema.get("x-values", {})
        assert FIELDS[name, member].values in {None, *groups}
        if (FIELDS[name, member].source, FIELDS[name, member].values) != ("service", None):
            values = {value for used in references(schema) for value in schemas[used].get("enum", ())}
            assert values <= set(explained), f"{name}.{member}"
    assert schemas["LandUnitProperties"]["properties"]["coverage"]["x-values"]["loading"]
    assert len(schemas["Problem"]["properties"]["code"]["x-values"]) > 30


def test_every_text_is_there_in_both_languages() -> None:
    entries = [*OBJECTS.values(), *FIELDS.values(), *PARAMETERS.values(), *VALUES.values()]
    texts = [*(entry.text for entry in entries), *(operation.description for operation in OPERATIONS.values())]
    assert len(texts) > 800
    for text in texts:
        assert text.fr.endswith("."), text
        assert text.en.endswith("."), text
    assert all(operation.summary.fr and operation.summary.en for operation in OPERATIONS.values())


@pytest.mark.parametrize(
    ("header", "language", "text"),
    [(None, "fr", "Prix"), ("fr", "fr", "Prix"), ("en", "en", "Price"), ("de, en;q=0.5", "en", "Price")],
)
async def test_the_dictionary_is_served_in_the_language_of_the_client(
    edge: Edge, header: str | None, language: str, text: str
) -> None:
    headers = {} if header is None else {"accept-language": header}
    response = await edge.client.get("/api/v1/dictionary", headers=headers)
    answer = checked("Dictionary", response.content)
    assert (answer["language"], response.headers["content-language"]) == (language, language)
    assert "accept-language" in response.headers["vary"].lower()
    fields = {(field["object"], field["name"]): field for field in answer["fields"]}
    price = fields["DvfSale", "valeur_fonciere"]
    assert text in price["description"]
    assert (price["type"], price["unit"], price["source"]) == ("number | null", "EUR", "dvf")
    assert fields["LandUnitProperties", "parcels"]["type"] == "Parcel[]"
    values = {(value["group"], value["name"]): value for value in answer["values"]}
    assert values["problem", "rate_limited"]["status"] == 429
    assert values["coverage", "covered"]["status"] is None
    assert {"operation": "listKeys", "name": "sort"}.items() <= next(
        parameter.items() for parameter in answer["parameters"] if parameter["name"] == "sort"
    )


async def test_a_description_in_french_has_no_english_text(edge: Edge) -> None:
    english = (await edge.client.get("/api/v1/openapi.json")).json()
    french = (await edge.client.get("/api/v1/openapi.json", headers={"accept-language": "fr"})).json()
    described = texts(french)
    assert len(described) > 600
    shared = {text for text in described & texts(english) if " " in text and not text.startswith("`")}
    assert not shared


def texts(value: Any) -> set[str]:
    """The summaries and descriptions, without the recorded examples."""
    if isinstance(value, list):
        return set().union(*map(texts, value))
    if not isinstance(value, dict):
        return set()
    own_texts = {value[name] for name in ("summary", "description") if isinstance(value.get(name), str)}
    return own_texts.union(*(texts(member) for name, member in value.items() if name not in ("examples", "example")))


def test_a_missing_text_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    assert isinstance(FIELDS, dict)
    monkeypatch.delitem(FIELDS, ("DvfSale", "valeur_fonciere"))
    with pytest.raises(KeyError, match="valeur_fonciere"):
        description.__wrapped__()

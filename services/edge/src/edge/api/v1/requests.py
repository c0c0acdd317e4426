"""Request bodies and query parameters of partners.

The values null, "", {} and [] count as absent, except `include: []`, which means no block. Unknown members are refused,
except for those of an answer of /addresses/resolve, which is a valid body for the other two endpoints.
"""

from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, StringConstraints, model_validator
from pydantic.config import JsonDict

from contract.enums import BLOCKS, DEFAULT_BLOCKS, enum_numbers
from contract.messages.schemas import IGNORED
from edge.api.v1.projects import ProjectBody, project_message
from edge.forms import COMMUNE_CODE, PARCEL_ID, PRINTABLE, absent_if_empty
from edge.problems import Problem, invalid
from landpartner.assistant.v1.assistant_pb2 import DivideLandRequest
from landpartner.land.v1 import land_pb2 as pb
from servicekit.errors import Violation
from servicekit.languages import Text

if TYPE_CHECKING:
    BlockName = str
    _Told = BaseModel
else:
    BlockName = Annotated[Literal[BLOCKS], Field(title="Block")]
    _Told = ProjectBody

_BLOCK_NUMBERS = enum_numbers(pb.Block.DESCRIPTOR)

MAX_PARCELS = 100
MAX_QUESTION = 2000
MAX_PROPOSALS = 3
_MAX_TEXT = 500
DEFAULT_PAGE, MAX_PAGE = 50, 200
DEFAULT_COMMUNES, MAX_COMMUNES = 100, 500
DEFAULT_SUGGESTIONS, MAX_SUGGESTIONS = 5, 10
MAX_TYPED = 200
MAX_CURSOR = 500


def _absent_if_blank(value: Any) -> Any:
    """Returns None for an empty text, and keeps an empty list, for `include`."""
    return None if value == "" else value


def _upper(value: Any) -> Any:
    return value.strip().upper() if isinstance(value, str) else value


def _each_once(values: Sequence[str] | None) -> Sequence[str] | None:
    return None if values is None else list(dict.fromkeys(values))


OptionalText = Annotated[
    Annotated[str, StringConstraints(max_length=_MAX_TEXT, pattern=PRINTABLE)] | None, BeforeValidator(absent_if_empty)
]
ParcelId = Annotated[
    str, StringConstraints(pattern=PARCEL_ID), BeforeValidator(_upper), Field(examples=["75118000AB0012"])
]


def _declare_ignored(schema: JsonDict, model: type["Body"]) -> None:
    properties = schema["properties"]
    assert isinstance(properties, dict)  # noqa: S101 (tells mypy)
    properties.update({name: {IGNORED: True} for name in sorted(model.ignored())})


class Body(BaseModel):
    """An object of a request. It has no unknown members, and an empty object counts as absent."""

    model_config = ConfigDict(strict=True, extra="forbid", frozen=True, json_schema_extra=_declare_ignored)
    passed_on: ClassVar[frozenset[str]] = frozenset()
    """Members of an answer that clients pass on as a request."""

    @classmethod
    def ignored(cls) -> frozenset[str]:
        return cls.passed_on.difference(cls.model_fields)

    @model_validator(mode="before")
    @classmethod
    def _without_ignored(cls, document: object) -> object:
        if not isinstance(document, dict):
            return document
        absent = cls.ignored().union(name for name in cls.model_fields if document.get(name) == {})
        return {name: value for name, value in document.items() if name not in absent}


class QueryParameters(BaseModel):
    model_config = ConfigDict(extra="ignore", frozen=True)


class SelectingAddress(Body):
    """An address as free text, as separate fields, or as any mixture of both."""

    passed_on = frozenset(pb.Address.DESCRIPTOR.fields_by_name)

    label: OptionalText = Field(default=None)
    street: OptionalText = None
    number: OptionalText = Field(default=None)
    postcode: OptionalText = None
    city: OptionalText = None
    city_code: OptionalText = Field(default=None)

    def is_empty(self) -> bool:
        return not any(self.model_dump().values())

    def message(self) -> pb.AddressQuery:
        """Raises Problem if the address is empty."""
        if self.is_empty():
            detail = Text(
                "Indiquez au moins un champ d’adresse : label, street, number, postcode, city ou city_code.",
                "Give at least one address field: label, street, number, postcode, city or city_code.",
            )
            raise invalid("", "required", detail)
        return pb.AddressQuery(**self.model_dump(exclude_none=True))


class AddressQuery(SelectingAddress):
    """What /addresses/resolve looks for: at least one of these."""


OptionalAddress = Annotated[SelectingAddress | None, BeforeValidator(absent_if_empty)]


class _LandSelection(Body):
    passed_on = frozenset(pb.ResolveAddressResponse.DESCRIPTOR.fields_by_name)

    address: OptionalAddress = Field(default=None)
    parcel_ids: Annotated[
        Annotated[list[ParcelId], Field(max_length=MAX_PARCELS)] | None,
        BeforeValidator(absent_if_empty),
        AfterValidator(_each_once),
    ] = Field(default=None)

    def check(self) -> None:
        """Raises Problem if the body has neither an address nor a parcel."""
        if self._selecting_address() is None and not self.parcel_ids:
            detail = Text("Indiquez address ou parcel_ids.", "Give address or parcel_ids.")
            raise Problem(
                "invalid_payload",
                detail,
                [Violation(pointer, "required", str(detail)) for pointer in ("/address", "/parcel_ids")],
            )

    def message(self) -> pb.GetLandUnitRequest:
        """Raises Problem as `check`."""
        self.check()
        address = self._selecting_address()
        return pb.GetLandUnitRequest(
            address=None if address is None else address.message(),
            parcel_ids=self.parcel_ids,
            blocks=[_BLOCK_NUMBERS[name] for name in self.blocks()],
        )

    def _selecting_address(self) -> SelectingAddress | None:
        return None if self.address is None or self.address.is_empty() else self.address

    def blocks(self) -> Sequence[str]:
        return BLOCKS


class LandUnitBody(_LandSelection):
    """The land to describe, and the blocks wanted: the four of the contract without `include`, none if it is empty."""

    include: Annotated[list[BlockName] | None, BeforeValidator(_absent_if_blank), AfterValidator(_each_once)] = Field(
        default=None
    )

    def blocks(self) -> Sequence[str]:
        return DEFAULT_BLOCKS if self.include is None else self.include


class DivideLandParameters(QueryParameters):
    """The query of divide-land."""

    proposal: int = Field(default=1, ge=1, le=MAX_PROPOSALS)
    projection: Annotated[Literal["legal", "cc"], Field(title="DivisionProjection")] = "legal"


class DivideLandBody(_LandSelection):
    """The land to divide, and what to ask the assistant."""

    question: Annotated[
        Annotated[str, StringConstraints(max_length=MAX_QUESTION, pattern=PRINTABLE)] | None,
        BeforeValidator(absent_if_empty),
    ] = Field(default=None)
    project: Annotated[_Told | None, BeforeValidator(absent_if_empty)] = Field(default=None)

    def request(self) -> DivideLandRequest:
        """What the assistant is asked, without the land."""
        project = None if self.project is None else project_message(self.project)
        return DivideLandRequest(question=self.question or "", project=project)

    def message(self) -> pb.GetLandUnitRequest:
        """Asks for all parcels, since a division of a part of the land would be wrong, and for the outlines."""
        request = super().message()
        request.needs_all_parcels = request.with_outlines = True
        return request


Cursor = Annotated[str, Field(max_length=MAX_CURSOR)]
Latitude = Annotated[float, Field(ge=-90, le=90, allow_inf_nan=False)]
Longitude = Annotated[float, Field(ge=-180, le=180, allow_inf_nan=False)]
CommuneCode = Annotated[str, Field(pattern=COMMUNE_CODE)]


_PLACES = r"^[a-z_]+:\d{1,3}(,[a-z_]+:\d{1,3})*$"


class LinesParameters(QueryParameters):
    columns: Annotated[str, StringConstraints(max_length=1_000, pattern=_PLACES)] | None = Field(
        default=None, examples=["label:2,postcode:4"]
    )
    preview: bool = Field(default=False)

    def names(self, known: Collection[str]) -> dict[int, str] | None:
        """The members by the places of their columns; None without columns. Raises Problem: each once, and known."""
        if self.columns is None:
            return None
        pairs = [pair.split(":") for pair in self.columns.split(",")]
        names = {int(place): name for name, place in pairs}
        if len(set(names.values())) < len(pairs) or not set(known) >= set(names.values()):
            expected = ", ".join(sorted(known))
            detail = Text(f"Les champs, chacun une fois : {expected}.", f"The members, each once: {expected}.")
            raise invalid("/columns", "malformed", detail)
        return names


class SuggestParameters(QueryParameters):
    q: Annotated[
        str, StringConstraints(strip_whitespace=True, min_length=1, max_length=MAX_TYPED, pattern=PRINTABLE)
    ] = Field(examples=["1 rue du 8 mai"])
    limit: int = Field(default=DEFAULT_SUGGESTIONS, ge=1, le=MAX_SUGGESTIONS)
    lat: Latitude | None = Field(default=None)
    lon: Longitude | None = Field(default=None)
    commune_code: CommuneCode | None = None

    def message(self) -> pb.SuggestAddressesRequest:
        """Raises Problem if there is only one of lat and lon."""
        near = None
        if self.lat is not None and self.lon is not None:
            near = pb.Position(latitude=self.lat, longitude=self.lon)
        elif self.lat is not None or self.lon is not None:
            missing = "/lat" if self.lat is None else "/lon"
            raise invalid(missing, "required", Text("lat et lon vont ensemble.", "lat and lon go together."))
        return pb.SuggestAddressesRequest(text=self.q, limit=self.limit, near=near, city_code=self.commune_code or "")


class ReverseParameters(QueryParameters):
    lat: Latitude = Field(examples=[47.0006])
    lon: Longitude = Field(examples=[1.9995])

    def message(self) -> pb.ReverseAddressRequest:
        return pb.ReverseAddressRequest(position=pb.Position(latitude=self.lat, longitude=self.lon))


class CommunesParameters(QueryParameters):
    limit: int = Field(default=DEFAULT_COMMUNES, ge=1, le=MAX_COMMUNES)
    cursor: Cursor | None = None

    def message(self) -> pb.ListCommunesRequest:
        return pb.ListCommunesRequest(page_size=self.limit, page_token=self.cursor or "")


class EventsParameters(QueryParameters):
    after: Annotated[str, Field(pattern=r"^\d{1,18}$")] | None = None
    limit: int = Field(default=DEFAULT_PAGE, ge=1, le=MAX_PAGE)


class RotationBody(Body):
    """How a key is rotated."""

    grace_days: int = Field(default=7, ge=0, le=90)


class CoverageParameters(QueryParameters):
    commune_code: CommuneCode | None = None
    limit: int = Field(default=DEFAULT_PAGE, ge=1, le=MAX_PAGE)
    cursor: Cursor | None = None

    def message(self) -> pb.GetCoverageRequest:
        return pb.GetCoverageRequest(
            commune_code=self.commune_code or "", page_size=self.limit, page_token=self.cursor or ""
        )

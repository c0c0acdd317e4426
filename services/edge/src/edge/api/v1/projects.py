"""The body's `project`: models made from the protobuf messages, so that each field has one declaration.

The end of a field's name gives its unit, and so its bounds. Null, "", {} and [] count as absent.
"""

from collections.abc import Mapping
from typing import Annotated, Any

from google.protobuf.descriptor import FieldDescriptor
from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, StringConstraints, create_model

from contract.enums import enum_numbers
from edge.forms import PARCEL_ID, PRINTABLE, absent_if_empty, one_of_names
from landpartner.assistant.v1 import assistant_pb2 as pb

_MAX_LIST, _MAX_TEXT = 50, 200
_BOUNDS: Mapping[str, Mapping[str, Any]] = {
    "count": {"ge": 1, "le": 999},
    "m2": {"gt": 0, "le": 10_000_000},
    "m": {"gt": 0, "le": 100},
    "ratio": {"gt": 0, "le": 1},
}
"""The bounds of a number, by the end of its name."""
_SCALARS: Mapping[int, type] = {
    FieldDescriptor.CPPTYPE_STRING: str,
    FieldDescriptor.CPPTYPE_BOOL: bool,
    FieldDescriptor.CPPTYPE_DOUBLE: float,
    FieldDescriptor.CPPTYPE_INT32: int,
}


class _Told(BaseModel):
    model_config = ConfigDict(strict=True, extra="forbid", frozen=True)


def _model(descriptor: Any) -> type[_Told]:
    members: dict[str, Any] = {field.name: (_member(field), None) for field in descriptor.fields}
    return create_model(f"{descriptor.name}Body", __base__=_Told, **members)


def _member(field: Any) -> Any:
    value = _value(field)
    if field.is_repeated:
        value = Annotated[list[value], Field(max_length=_MAX_LIST)]  # type: ignore[valid-type]
    return Annotated[value | None, BeforeValidator(absent_if_empty)]


def _value(field: Any) -> Any:
    if field.message_type is not None:
        return _model(field.message_type)
    if field.enum_type is not None:
        numbers = enum_numbers(field.enum_type)
        title = Field(title=field.enum_type.name)
        return Annotated[one_of_names(numbers), AfterValidator(numbers.__getitem__), title]
    kind = _SCALARS[field.cpp_type]
    if kind is str:
        pattern = PARCEL_ID if field.name == "parcel_ids" else PRINTABLE
        return Annotated[str, StringConstraints(max_length=_MAX_TEXT, pattern=pattern)]
    bounds = _BOUNDS.get(field.name.rpartition("_")[2])
    return kind if bounds is None else Annotated[kind, Field(**bounds)]


ProjectBody = _model(pb.Project.DESCRIPTOR)


def project_message(project: BaseModel) -> pb.Project:
    return pb.Project(**project.model_dump(exclude_none=True))

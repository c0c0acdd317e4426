from types import SimpleNamespace

import pytest

from landpartner.land.v1 import land_pb2 as pb
from servicekit.rpc_messages import filled


def test_fields_have_the_attributes_of_their_names_and_the_given_values() -> None:
    position = SimpleNamespace(latitude=47.0, longitude=None, name="ignored")
    assert filled(pb.Position, position, longitude=2.0) == pb.Position(latitude=47.0, longitude=2.0)


def test_a_field_without_a_value_is_an_error() -> None:
    with pytest.raises(AttributeError, match="longitude"):
        filled(pb.Position, SimpleNamespace(latitude=47.0))


def test_a_value_without_a_field_is_an_error() -> None:
    with pytest.raises(ValueError, match="altitude"):
        filled(pb.Position, SimpleNamespace(latitude=47.0, longitude=2.0), altitude=3.0)

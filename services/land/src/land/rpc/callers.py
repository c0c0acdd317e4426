"""The methods that each caller may use. All others are refused."""

from landpartner.land.v1 import land_pb2

LAND_SERVICE = {"edge": tuple(land_pb2.DESCRIPTOR.services_by_name["LandService"].methods_by_name)}
"""Only the edge calls land, and every method is for it. tests/contract/test_callers.py compares this with its code."""

"""The methods that each caller may use: only edges call keys, and they use every method."""

from landpartner.keys.v1 import admin_pb2, keys_pb2

KEYS_SERVICE = {"edge": list(keys_pb2.DESCRIPTOR.services_by_name["KeysService"].methods_by_name)}
ADMIN_SERVICE = {"edge": list(admin_pb2.DESCRIPTOR.services_by_name["AdminService"].methods_by_name)}

"""Requests of the admin API, read as protobuf messages."""

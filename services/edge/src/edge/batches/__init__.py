"""Requests with many lines: their input, their run, and their answers as NDJSON, CSV or GeoPackage."""

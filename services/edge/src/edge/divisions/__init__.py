"""Divisions as files: DXF and GeoPackage."""

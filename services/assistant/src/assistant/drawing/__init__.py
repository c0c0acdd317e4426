"""The plan of a division as a DXF file, in metres of the legal projection."""

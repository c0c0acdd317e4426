"""The plan of a division as a DXF file, in metres of the legal projection."""

import logging

logging.getLogger("ezdxf").setLevel(logging.ERROR)  # it warns if its list of fonts, not used here, cannot be kept

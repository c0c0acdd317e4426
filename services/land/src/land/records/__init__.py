"""Facts as records, one class each, from the source through the store to the answer.

Field names are English, except official French fields that a record takes over unchanged. Codes are text. Dates are
YYYY-MM-DD text. Geometry is WKB in WGS84 longitude and latitude. None means that the source does not give the fact.
"""

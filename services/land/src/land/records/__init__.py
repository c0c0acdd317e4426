"""Facts as records, one class each: what a source says, the store keeps and an answer is made of.

Field names are English, except official French fields that a record takes over unchanged. Codes are text. Dates are
YYYY-MM-DD text. Geometry is WKB in WGS84 longitude and latitude. None means that the source does not give the fact.
"""

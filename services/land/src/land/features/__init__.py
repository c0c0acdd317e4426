"""The collections of OGC API Features: one page of a collection, or one feature."""

"""The only place with SQL: the schema, what readers ask, and what a load replaces."""

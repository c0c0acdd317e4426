"""The datasets, a folder for each: its files, records, tables, rows, queries and registration."""

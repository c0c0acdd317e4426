"""The database: its transactions, tables, migrations and pages, and the statements of all subjects.

To prevent deadlocks, a transaction that changes anything of a key first locks its row in `keys`, in the order of ids.
"""

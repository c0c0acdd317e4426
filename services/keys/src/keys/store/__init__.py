"""The database: its transactions, tables, migrations and pages. The statements of a subject are in its folder.

To prevent deadlocks, a transaction that changes anything of a key first locks its row in `keys`, in the order of ids.
"""

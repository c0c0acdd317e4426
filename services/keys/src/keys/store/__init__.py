"""The only package with SQL.

To prevent deadlocks, a transaction that changes anything of a key first locks its row in `keys`, in the order of ids.
"""

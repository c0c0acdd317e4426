"""The only place with SQL. One rule keeps it free of deadlocks: who changes anything of a key locks the rows of `keys`
first, in the order of their ids.
"""

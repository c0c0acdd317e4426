"""The record of runs: the only place with SQL."""

"""Loads datasets into the store: downloads a file, reads it completely, then replaces its partitions one by one."""

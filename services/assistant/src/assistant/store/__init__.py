"""The database of runs and stored answers. Contains all SQL of the service."""

"""The database of runs. Contains all SQL of the service."""

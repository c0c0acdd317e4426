"""Public easements of the Géoportail de l'urbanisme."""

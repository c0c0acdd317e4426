"""Planning documents of the Géoportail de l'urbanisme."""

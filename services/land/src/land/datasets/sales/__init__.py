"""Sales of DVF."""

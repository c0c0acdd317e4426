"""Buildings of the cadastre, BD TOPO and the RNB."""

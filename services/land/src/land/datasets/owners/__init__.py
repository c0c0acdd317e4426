"""Rights of legal persons on parcels."""

"""The land unit: parcels taken as one ground, and what is known of it."""

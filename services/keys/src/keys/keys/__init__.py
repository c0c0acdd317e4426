"""The keys of partners: their secrets, limits, changes and pages."""

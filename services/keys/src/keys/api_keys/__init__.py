"""The keys of partners: how they are made, changed, and given to visitors."""

"""Plans: how they are made and changed."""

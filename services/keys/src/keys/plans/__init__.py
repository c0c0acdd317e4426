"""Plans and the price terms of keys."""

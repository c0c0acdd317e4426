"""Makes typed forms of real addresses, fits the weights of land's address search to them, and measures its answers."""

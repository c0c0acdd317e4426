"""From a file or an address to the store: fetch, read whole, then replace unit by unit."""

"""From what a customer typed to an address of the national base, and nothing where there is none."""

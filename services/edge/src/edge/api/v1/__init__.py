"""Version 1 of the API: one module per resource. Each handler parses, calls a client and maps its answer."""

"""The two API descriptions (OpenAPI 3.1), generated from the routes that answer."""

"""Serves the pages that Vite built. They use the same public API as every client."""

"""API keys: authorizes requests, counts their usage and computes bills."""

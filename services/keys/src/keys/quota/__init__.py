"""Quotas and rate limits. Pure decisions on the state that the store has read."""

"""Estimated costs, and issued bills as documents."""

"""Pushes events to endpoints of partners, as Standard Webhooks."""

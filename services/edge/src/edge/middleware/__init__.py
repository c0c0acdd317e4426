"""The ASGI middleware around every handler."""

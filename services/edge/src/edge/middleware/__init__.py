"""What stands around every handler, as pure ASGI."""

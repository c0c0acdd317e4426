"""What came of requests: how an outcome is settled."""

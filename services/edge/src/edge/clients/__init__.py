"""gRPC clients of the other services."""

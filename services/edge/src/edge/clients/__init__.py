"""gRPC clients of the other services. No other part of the edge uses protocol buffers."""
